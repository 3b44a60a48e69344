/** The content of a message, by channel: in export records (`message_data`) and in the statistics (`message`). */
import type { Words } from '../channels.js';
import type { Stream } from '../stream.js';
import { alimtalk, brandMessage, friendtalk, RECIPIENT } from './chatapp.js';
import type { JsonObject } from './json.js';
import { type Product, fill, imageOf, linkTo, PRODUCTS, schemeTo } from './product.js';
import { MAIN_080, SENDER_NO } from '../numbers.js';
import { hole } from '../template.js';

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

function commerce(stream: Stream, product: Product): JsonObject {
  const { regularPrice, discountPrice } = product;
  return {
    messageType: 'COMMERCE',
    content: `${stream.copy.title}\n${fill(stream.copy.body, product)}`,
    imageUrl: imageOf(product, 'm'),
    commerce: {
      title: product.name,
      regularPrice,
      discountPrice,
      discountRate: Math.round((1 - discountPrice / regularPrice) * 100),
    },
    buttons: [
      { name: '구매하기', type: 'WL', linkMo: linkTo(stream.copy.path, product, 'in-app') },
      { name: '닫기', type: 'CLOSE', linkMo: null },
    ],
  };
}

function wideItemList(stream: Stream, product: Product): JsonObject {
  return {
    chatBubbleType: 'WIDE_ITEM_LIST',
    header: stream.copy.title,
    attachment: {
      item: {
        list: [product, ...PRODUCTS.filter((other) => other !== product).slice(0, 1)].map((one) => ({
          title: one.name,
          imageUrl: imageOf(one, 's'),
          linkMo: linkTo(stream.copy.path, one, 'in-app'),
        })),
      },
      buttons: [{ name: '자세히 보기', type: 'AL', schemeAndroid: schemeTo(stream.copy.path) }],
    },
  };
}

function inApp(stream: Stream, product: Product): JsonObject {
  return stream.sub === 'WIDE_ITEM_LIST' ? wideItemList(stream, product) : commerce(stream, product);
}

/** Not in the specification's table; the shape is that of the field notes. */
function push(stream: Stream, product: Product): JsonObject {
  const { title, body, path } = stream.copy;
  return { title, body: fill(body, product), link: linkTo(path, product, 'push') };
}

/** The object carries the brand's name; its keys are short because push payloads must be. */
function webPush(stream: Stream, product: Product, { brand }: Words): JsonObject {
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

function email(stream: Stream, product: Product): JsonObject {
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

function textMessage(stream: Stream, product: Product): JsonObject {
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
    sendNo: SENDER_NO,
    recipientNo: RECIPIENT,
    messageType,
    countryCode: '82',
    adYn: ad ? 'Y' : 'N',
    attachFileList: messageType === 'MMS' ? [MMS_IMAGE] : [],
  };
}

function webhook(stream: Stream): JsonObject {
  return {
    url: `https://erp.shop.test${stream.copy.path}`,
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-source': stream.resourceId },
    data: { event: stream.copy.title, user_id: `user_${hole('user')}`, message_id: hole('message') },
  };
}
