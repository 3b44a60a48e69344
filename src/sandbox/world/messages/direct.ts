/** `message_data` of push, web push, e-mail, text message and webhook (E21). */
import type { Words } from '../channels.js';
import { MAIN_080 } from '../opt-out-numbers.js';
import type { Stream } from '../stream.js';
import { hole } from '../template.js';
import { RECIPIENT } from './chatapp.js';
import type { JsonObject } from './json.js';
import { fill, imageOf, linkTo, type Product } from './product.js';

/** Not in the specification's table; the shape is that of the field notes. */
export function push(stream: Stream, product: Product): JsonObject {
  const { title, body, path } = stream.copy;
  return { title, body: fill(body, product), link: linkTo(path, product, 'push') };
}

/** The object carries the brand's name; its keys are short because push payloads must be. */
export function webPush(stream: Stream, product: Product, { brand }: Words): JsonObject {
  const { title, body, path } = stream.copy;
  const link = linkTo(path, product, 'web-push');
  return {
    [brand]: {
      ti: title,
      bd: fill(body, product),
      cid: stream.resourceId,
      mid: hole('message'),
      u: link,
      ic: 'https://img.shop.test/icon.png',
      bg: 'https://img.shop.test/badge.png',
      im: imageOf(product, 'w'),
      sd: false,
      tg: stream.resourceId,
      vb: [200, 100, 200],
      ri: false,
      data: { item: product.code, price: product.discountPrice },
      ac: [{ action: 'open', title: '보러 가기', url: link }],
    },
  };
}

export function email(stream: Stream, product: Product): JsonObject {
  const { title, path } = stream.copy;
  const body = fill(stream.copy.body, product);
  const link = linkTo(path, product, 'email');
  return {
    title,
    body: {
      html: `<html><body><h1>${title}</h1><p>${body}</p><a href="${link}">보러 가기</a></body></html>`,
      text: `${title}\n\n${body}\n${link}`,
    },
  };
}

const MMS_IMAGE = {
  fileId: 40_217,
  fileName: 'weekend.jpg',
  filePath: '/mms/2026/weekend.jpg',
  saveFileName: '7c1f0b9e-weekend.jpg',
  uploadType: 'SERVER',
};

export function textMessage(stream: Stream, product: Product): JsonObject {
  const messageType = stream.sub ?? 'SMS';
  const { title, body } = stream.copy;
  const ad = title.startsWith('(광고)');
  return {
    requestId: hole('message'),
    requestDate: hole('sentAt'),
    templateId: `${stream.node?.id ?? stream.resourceId}-txt`,
    // A short message has no title.
    title: messageType === 'SMS' ? null : title,
    body: `[예시상점] ${fill(body, product)}${ad ? `\n무료수신거부 ${MAIN_080}` : ''}`,
    sendNo: '15440000',
    recipientNo: RECIPIENT,
    messageType,
    countryCode: '82',
    adYn: ad ? 'Y' : 'N',
    attachFileList: messageType === 'MMS' ? [MMS_IMAGE] : [],
  };
}

export function webhook(stream: Stream): JsonObject {
  return {
    url: `https://erp.shop.test${stream.copy.path}`,
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-source': stream.resourceId },
    data: { event: stream.copy.title, user_id: `user_${hole('user')}`, message_id: hole('message') },
  };
}
