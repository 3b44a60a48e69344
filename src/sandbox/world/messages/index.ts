/** What a message holds, by channel: in export records (`message_data`) and in the statistics (`message`). */
import type { Words } from '../channels.js';
import type { Stream } from '../stream.js';
import { alimtalk, brandMessage, friendtalk } from './chatapp.js';
import { email, push, textMessage, webhook, webPush } from './direct.js';
import { inApp } from './in-app.js';
import type { JsonObject } from './json.js';
import type { Product } from './product.js';

/** `message_data` of an export record, its holes still marked. */
export function messageData(stream: Stream, product: Product, words: Words): JsonObject {
  switch (stream.channel) {
    case 'push-notification':
      return push(stream, product);
    case 'text-message':
      return textMessage(stream, product);
    case 'email':
      return email(stream, product);
    case 'friendtalk':
      return friendtalk(stream, product);
    case 'alimtalk':
      return alimtalk(stream, product);
    case 'brand-message':
      return brandMessage(stream);
    case 'in-app-message':
    case 'in-web-message':
      return inApp(stream, product);
    case 'web-push-notification':
      return webPush(stream, product, words);
    case 'webhook':
      return webhook(stream);
  }
}

/** A text with the places where the product goes still open. */
export function open(text: string): string {
  return text.replaceAll('{상품}', '#{상품명}').replaceAll('{가격}', '#{가격}');
}

/** `message` of a daily statistics record: only push and e-mail are specified, the rest is likely (N17). */
export function messageSummary(stream: Stream): JsonObject {
  const title = stream.copy.title;
  const body = open(stream.copy.body);
  switch (stream.channel) {
    case 'email':
      return { subject: title, content: `<h1>${title}</h1><p>${body}</p>` };
    case 'push-notification':
    case 'web-push-notification':
      return { title, body };
    case 'brand-message':
      return { templateName: stream.resourceName };
    case 'webhook':
      return { url: `https://erp.shop.test${stream.copy.path}`, method: 'POST' };
    default:
      return { title, content: body };
  }
}
