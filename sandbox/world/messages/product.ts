/** The shop's products: the variable part of messages. */

export interface Product {
  readonly code: string;
  readonly name: string;
  readonly regularPrice: number;
  readonly discountPrice: number;
}

/** There are four: a message's number modulo four says which it is about. */
export const PRODUCTS: readonly [Product, Product, Product, Product] = [
  { code: 'kn-1024', name: '램스울 크루넥 니트', regularPrice: 59_000, discountPrice: 44_250 },
  { code: 'ct-2210', name: '핸드메이드 울 코트', regularPrice: 189_000, discountPrice: 141_750 },
  { code: 'sh-0307', name: '옥스퍼드 셔츠', regularPrice: 42_000, discountPrice: 33_600 },
  { code: 'bg-0815', name: '데일리 크로스백', regularPrice: 76_000, discountPrice: 60_800 },
];

/** The product with that number, modulo their count. */
export function productAt(number: number): Product {
  return PRODUCTS[number % PRODUCTS.length] ?? PRODUCTS[0];
}

/** A text with the product and its price put in. */
export function fill(text: string, product: Product): string {
  return text
    .replaceAll('{상품}', product.name)
    .replaceAll('{가격}', product.discountPrice.toLocaleString('en-US'));
}

/** The page a message leads to. */
export function linkTo(path: string, product: Product, medium: string): string {
  return `https://shop.test${path}?p=${product.code}&m=${medium}`;
}

/** The same page inside the app. */
export function schemeTo(path: string): string {
  return `shop:/${path}`;
}

export function imageOf(product: Product, size: string): string {
  return `https://img.shop.test/${product.code}-${size}.jpg`;
}
