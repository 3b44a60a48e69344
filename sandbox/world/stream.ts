/** A stream: what one resource, arm or step sends on one channel. Days are planned by stream. */
import type { Channel } from './channels.js';
import type { Curve } from './hours.js';
import { hashText } from './random.js';
import { type Campaign, CAMPAIGNS, type Copy, type Journey, JOURNEYS, type Leg } from './shop.js';

export interface Stream {
  readonly resourceType: 'campaign' | 'user-journey';
  readonly resourceId: string;
  readonly resourceName: string;
  readonly tags: readonly string[];
  /** The arm of an A/B test; null without a test. */
  readonly variant: { readonly id: string; readonly name: string } | null;
  /** The step of a journey; null for campaigns. */
  readonly node: { readonly id: string; readonly name: string } | null;
  readonly channel: Channel;
  readonly sub: string | null;
  readonly target: string | null;
  readonly copy: Copy;
  readonly weekdays: readonly number[];
  readonly hours: Curve;
  readonly conversions: readonly string[];
  /** Sends of a sending day before scaling. */
  readonly volume: number;
  /** Compares its true click and conversion rates to the channel's. */
  readonly lift: number;
  /** How many arms share the audience, and which of them this is: a user is always in the same arm. */
  readonly arms: number;
  readonly arm: number;
  /** Its random seed. */
  readonly seed: number;
  /** The random seed for recipients: the same for all arms, so that each reaches equally many people. */
  readonly audienceSeed: number;
}

function streamOf(
  resource: Campaign | Journey,
  leg: Leg,
  seed: number,
  rest: Pick<Stream, 'resourceType' | 'variant' | 'node' | 'copy' | 'lift' | 'arms' | 'arm'> & {
    part: number;
  },
): Stream {
  const { part, ...own } = rest;
  const keyOf = (variant?: string): string =>
    [resource.id, variant, own.node?.id, leg.channel, leg.sub, leg.target].join('/');
  return {
    ...own,
    resourceId: resource.id,
    resourceName: resource.name,
    tags: own.resourceType === 'campaign' ? resource.tags : [],
    channel: leg.channel,
    sub: leg.sub ?? null,
    target: leg.target ?? null,
    weekdays: resource.weekdays,
    hours: resource.hours,
    conversions: resource.conversions,
    volume: resource.volume * leg.share * part,
    seed: hashText(keyOf(own.variant?.id), seed),
    audienceSeed: hashText(keyOf(), seed),
  };
}

function campaignStreams(campaign: Campaign, seed: number): Stream[] {
  const arms = campaign.variants.length === 0 ? [null] : campaign.variants;
  return arms.flatMap((variant, arm) =>
    campaign.legs.map((leg) =>
      streamOf(campaign, leg, seed, {
        resourceType: 'campaign',
        variant: variant && { id: `${campaign.id}-${variant.name.toLowerCase()}`, name: variant.name },
        node: null,
        copy: { ...campaign.copy, title: variant?.title ?? campaign.copy.title },
        lift: variant?.lift ?? 1,
        arms: arms.length,
        arm,
        part: 1 / arms.length,
      }),
    ),
  );
}

function journeyStreams(journey: Journey, seed: number): Stream[] {
  return journey.nodes.map((node) =>
    streamOf(journey, node.leg, seed, {
      resourceType: 'user-journey',
      variant: null,
      node: { id: node.id, name: node.name },
      copy: node.copy,
      lift: 1,
      arms: 1,
      arm: 0,
      part: node.remaining,
    }),
  );
}

/** Every stream of the world, in a fixed order. */
export function allStreams(seed: number): Stream[] {
  return [
    ...CAMPAIGNS.flatMap((campaign) => campaignStreams(campaign, seed)),
    ...JOURNEYS.flatMap((journey) => journeyStreams(journey, seed)),
  ];
}

/** The campaigns of messages sent by E7, E8 and E9, because records and statistics need one. */
const DIRECT = {
  friendtalk: { id: 'api-friendtalk', name: '친구톡 API 발송' },
  'text-message': { id: 'api-text-message', name: '문자 API 발송' },
  alimtalk: { id: 'api-alimtalk', name: '알림톡 API 발송' },
} as const;

/** The stream of one request that sends messages. */
export function directStream(channel: keyof typeof DIRECT, sub: string | null, copy: Copy): Stream {
  const campaign: Campaign = {
    ...DIRECT[channel],
    ...{ tags: [], weekdays: [], hours: 'service', volume: 0, conversions: [], variants: [] },
    legs: [{ channel, sub: sub ?? undefined, share: 1 }],
    copy,
  };
  const [stream] = campaignStreams(campaign, 0);
  if (stream === undefined) throw new Error('A campaign with a leg has a stream.');
  return stream;
}

/** Whether a campaign of that id exists (E19 knows campaigns only). */
export function isCampaign(id: string): boolean {
  return [CAMPAIGNS, Object.values(DIRECT)].some((all) => all.some((one) => one.id === id));
}
