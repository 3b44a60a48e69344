/** `message_data` of in-app and in-web messages (E21): its shape depends on what the message looks like. */
import type { Stream } from '../stream.js';
import type { JsonObject } from './json.js';
import { fill, imageOf, linkTo, type Product, PRODUCTS, schemeTo } from './product.js';

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

export function inApp(stream: Stream, product: Product): JsonObject {
  return stream.sub === 'WIDE_ITEM_LIST' ? wideItemList(stream, product) : commerce(stream, product);
}
