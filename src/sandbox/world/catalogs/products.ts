/** The catalog `products`: what messages are about, and what else the shop sells. */
import type { Day } from '../../../calendar.js';
import type { Json } from '../messages/json.js';
import { type Product, PRODUCTS } from '../messages/product.js';
import { hashText, pair, unit } from '../random.js';
import { versionOn } from '../version.js';
import { type CatalogSource, fields, listed, type Values, valuesOf } from './source.js';

const KINDS = [
  { prefix: 'kn', category: '니트', name: '니트', price: 49_000 },
  { prefix: 'ct', category: '아우터', name: '코트', price: 159_000 },
  { prefix: 'sh', category: '셔츠', name: '셔츠', price: 39_000 },
  { prefix: 'bg', category: '가방', name: '가방', price: 69_000 },
] as const;
const STYLES = ['베이직', '클래식', '오버핏', '크롭', '라이트', '프리미엄'] as const;
const COLORS = ['아이보리', '차콜', '네이비', '버건디', '카키'] as const;
const SIZES = ['S', 'M', 'L', 'XL'] as const;

/** Where goods lie: longitude and latitude. */
const WAREHOUSES = [
  [127.4355, 37.2719],
  [126.6244, 37.4563],
  [128.5911, 35.8714],
] as const;

/** Shares of the price that are taken off, by chance. */
const DISCOUNTS = [0, 0, 0.1, 0.2, 0.25, 0.3] as const;

/** Products that are sold for some days and then for some days not. */
const SEASONAL = 6;

function allProducts(): Product[] {
  const others = Array.from({ length: 120 }, (_, number): Product => {
    const { prefix, name, price } = KINDS[number % KINDS.length] ?? KINDS[0];
    const style = STYLES[Math.floor(number / 4) % STYLES.length] ?? STYLES[0];
    const color = COLORS[Math.floor(number / 24) % COLORS.length] ?? COLORS[0];
    const regularPrice = price + (number % 7) * 3000;
    return {
      code: `${prefix}-${3000 + number}`,
      name: `${style} ${name} ${color}`,
      regularPrice,
      discountPrice: regularPrice,
    };
  });
  return [...PRODUCTS, ...others];
}

function productOn(product: Product, number: number, day: Day, seed: number): Values {
  const chance = hashText(product.code, seed);
  const kind = KINDS.find(({ prefix }) => product.code.startsWith(prefix)) ?? KINDS[0];
  const sale = versionOn(day, chance, 9);
  const discount = DISCOUNTS[pair(chance, sale) % DISCOUNTS.length] ?? 0;
  const salePrice: Json =
    product.discountPrice < product.regularPrice && sale % 3 !== 0
      ? product.discountPrice
      : Math.round((product.regularPrice * (1 - discount)) / 100) * 100;
  return valuesOf({
    name: product.name,
    category: kind.category,
    price: product.regularPrice,
    sale_price: discount === 0 && salePrice === product.regularPrice ? null : salePrice,
    in_stock: unit(pair(chance ^ 0x51, versionOn(day, chance ^ 0x51, 5))) > 0.08,
    launched_at: new Date(Date.UTC(2025, chance % 18, 1 + (chance % 28), 1, 30)).toISOString(),
    sizes: kind.prefix === 'bg' ? [] : SIZES.slice(chance % 2, 2 + (chance % 3)),
    attributes: {
      color: COLORS[chance % COLORS.length] ?? COLORS[0],
      care: { wash: chance % 2 === 0 ? '드라이클리닝' : '손세탁', degrees: 30 },
    },
    warehouse: [...(WAREHOUSES[chance % WAREHOUSES.length] ?? WAREHOUSES[0])],
    url: `https://shop.test/p/${product.code}`,
    rank: number + 1,
  });
}

export function products(seed: number): CatalogSource {
  const all = allProducts();
  const columns = fields({
    name: 'string',
    category: 'string',
    price: 'number',
    sale_price: 'number',
    in_stock: 'boolean',
    launched_at: 'time',
    sizes: 'array',
    attributes: 'object',
    warehouse: 'geo',
    url: 'string',
    rank: 'number',
  });
  return {
    name: 'products',
    descriptionOn: () => '판매 상품',
    fieldsOn: () => columns,
    items: listed((day) =>
      all
        .map((product, number) => [product, number] as const)
        .filter(
          ([{ code }, number]) =>
            number < all.length - SEASONAL || versionOn(day, hashText(code, seed), 6) % 2 === 0,
        )
        .map(([product, number]) => [product.code, productOn(product, number, day, seed)] as const),
    ),
  };
}
