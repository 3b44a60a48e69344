/** What a request to create a brand-message template says (E3). */
import { z } from 'zod';

import { isDeeperThan } from '../json.js';
import type { Json } from '../world/messages/json.js';
import { OPT_OUT_NUMBERS } from '../world/opt-out-numbers.js';

/** Deeper ones are refused before they are looked into. */
const NESTING = 50;

const text = z.string().min(1);

const Failover = z.discriminatedUnion('type', [
  z.object({ type: z.literal('sms'), title: z.string().optional(), body: text, senderPhoneNumber: text }),
  z.object({ type: z.literal('lms'), title: text, body: text, senderPhoneNumber: text }),
]);

const NewTemplate = z.object({
  senderKey: text,
  templateName: text,
  template: z.object({ type: text, content: z.record(z.string(), z.json()) }),
  failoverTextMessage: Failover.optional(),
  unsubscribeNumber: z.string().optional(),
});

const ImageOf = z.object({ url: z.string() });

export type NewTemplate = z.output<typeof NewTemplate>;

/** Types whose content is nothing without an image that was uploaded before. */
const WITH_IMAGE = ['image', 'wide-image'];

/** The request, or what is wrong with it. */
export function readNewTemplate(body: unknown, isUploaded: (url: string) => boolean): NewTemplate | string {
  if (isDeeperThan(body, NESTING)) return 'The request is nested too deeply';
  const parsed = NewTemplate.safeParse(body);
  if (!parsed.success) return z.prettifyError(parsed.error);
  const { template, failoverTextMessage, unsubscribeNumber } = parsed.data;
  if (failoverTextMessage !== undefined && unsubscribeNumber === undefined) {
    return 'unsubscribeNumber is required when failoverTextMessage is sent';
  }
  if (unsubscribeNumber !== undefined && !OPT_OUT_NUMBERS.includes(unsubscribeNumber)) {
    return 'unsubscribeNumber must be a registered 080 number';
  }
  const urls = imageUrls(template.content);
  if (WITH_IMAGE.includes(template.type) && urls.length === 0) return 'content.image.url is required';
  return urls.every(isUploaded) ? parsed.data : 'Images must be uploaded first';
}

/** The addresses of all images in a content, at any depth. */
function imageUrls(content: Json): string[] {
  if (typeof content !== 'object' || content === null) return [];
  return Object.entries(content).flatMap(([key, value]: [string, Json]) => {
    const image = key === 'image' ? ImageOf.safeParse(value) : null;
    return image?.success === true ? [image.data.url] : imageUrls(value);
  });
}
