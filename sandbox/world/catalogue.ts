/** The templates of all records, made when first needed and shared by all days. */
import { exportChannelName, type Words } from './channels.js';
import { messageData } from './messages/index.js';
import type { JsonObject } from './messages/json.js';
import { productAt } from './messages/product.js';
import type { Segment } from './segment.js';
import { compile, hole, type Template } from './template.js';

/** Product variations of records that have no failure reason. */
const VARIATIONS = 4;

/** How many templates a segment has: its record j uses number `(first + j) % count`. */
function variationsOf(segment: Segment): number {
  return segment.reasons.length === 0 ? VARIATIONS : segment.reasons.length;
}

/** One export record (E21), its holes marked. Keys are in the specification's order. */
export function recordOf(
  segment: Pick<Segment, 'stream' | 'event' | 'reasons'>,
  variation: number,
  withMessage: boolean,
  words: Words,
): JsonObject {
  const { stream } = segment;
  const { brand } = words;
  return {
    id: hole('id'),
    user_id: `user_${hole('user')}`,
    [`${brand}_user_id`]: hole('serviceUser'),
    device_id: hole('device'),
    [`${brand}_device_id`]: hole('serviceDevice'),
    channel: exportChannelName(stream.channel, words),
    event_name: segment.event,
    failure_reason: segment.reasons[variation] ?? null,
    resource_title: stream.resourceName,
    resource_type: stream.resourceType,
    campaign_id: stream.resourceType === 'campaign' ? stream.resourceId : null,
    experiment_group_name: stream.variant?.name ?? null,
    user_journey_id: stream.resourceType === 'user-journey' ? stream.resourceId : null,
    user_journey_node_id: stream.node?.id ?? null,
    time: hole('time'),
    message_data: withMessage ? messageData(stream, productAt(variation), words) : null,
    channel_metadata: { channel_subtype: stream.sub, brand_message_target: stream.target },
  };
}

export interface Catalogue {
  /** The templates of a segment's records, as many as `variationsOf` says. */
  templatesOf(segment: Segment, withMessage: boolean): readonly Template[];
}

export function createCatalogue(words: Words): Catalogue {
  const made = new Map<Segment['stream'], Map<string, readonly Template[]>>();
  return {
    templatesOf(segment, withMessage) {
      let ofStream = made.get(segment.stream);
      if (ofStream === undefined) {
        ofStream = new Map<string, readonly Template[]>();
        made.set(segment.stream, ofStream);
      }
      const key = `${segment.event}/${segment.reasons.length}/${withMessage}`;
      const found = ofStream.get(key);
      if (found !== undefined) return found;
      const templates = Array.from({ length: variationsOf(segment) }, (_, variation) =>
        compile(JSON.stringify(recordOf(segment, variation, withMessage, words))),
      );
      ofStream.set(key, templates);
      return templates;
    },
  };
}
