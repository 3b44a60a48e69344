/** `message_data` of the chat-app channels (E21): friendtalk, alimtalk and brand message. */
import type { Stream } from '../stream.js';
import { phoneOf } from '../numbers.js';
import { hole } from '../template.js';
import type { Json, JsonObject } from './json.js';
import { fill, linkTo, type Product, schemeTo } from './product.js';

/** A made-up number: Korean mobile numbers never go on with a zero after 010. */
export const RECIPIENT = `0100${hole('phone')}`;

/** The value of `RECIPIENT` for a user. */
export function recipientOf(user: number): string {
  return `0100${String(phoneOf(user)).padStart(7, '0')}`;
}

function button(ordering: number, name: string, path: string, product: Product): JsonObject {
  return {
    ordering,
    type: 'WL',
    name,
    linkMo: linkTo(path, product, 'chat'),
    linkPc: linkTo(path, product, 'chat'),
    schemeIos: schemeTo(path),
    schemeAndroid: schemeTo(path),
  };
}

export const SENDER = { plusFriendId: '@exampleshop', senderKey: '9f2c4e6a8b0d1f3e5a7c' };

export function friendtalk(stream: Stream, product: Product): JsonObject {
  return {
    ...SENDER,
    recipientNo: RECIPIENT,
    content: fill(stream.copy.body, product),
    buttons: [button(1, '지금 보러 가기', stream.copy.path, product)],
    isAd: true,
  };
}

/** The code of the alimtalk template that a stream is sent with. */
export function alimtalkCode(stream: Stream): string {
  return `tpl-${stream.node?.id ?? stream.resourceId}`;
}

export function alimtalk(stream: Stream, product: Product): JsonObject {
  const buttons: Json[] = [
    // The chat app's own delivery tracking takes no links.
    { ordering: 1, type: 'DS', name: '배송 조회' },
    button(2, '자세히 보기', stream.copy.path, product),
  ];
  return {
    ...SENDER,
    recipientNo: RECIPIENT,
    templateCode: alimtalkCode(stream),
    content: `[예시상점] ${stream.copy.title}\n${fill(stream.copy.body, product)}\n주문번호: ${hole('order')}`,
    templateExtra: '정보성 메시지',
    buttons: stream.copy.path.startsWith('/orders') ? buttons : buttons.slice(1),
  };
}

/** The name of the brand-message template that a stream is sent with. */
export function brandTemplateName(stream: Stream): string {
  return `${stream.resourceName} ${stream.sub === 'basic' ? '기본형' : '자유형'}`;
}

/** Basic and free form differ in `channel_subtype` only: both have one key. */
export function brandMessage(stream: Stream): JsonObject {
  return { templateName: brandTemplateName(stream) };
}
