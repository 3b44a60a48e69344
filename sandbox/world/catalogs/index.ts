/** The catalogs of the world. */
import { hashText, pair, unit } from '../random.js';
import { versionOn } from '../version.js';
import type { Day } from '../../../src/ground/calendar.js';
import type { Json } from '../messages/json.js';
import { type Product, PRODUCTS } from '../messages/product.js';

/** @param bigItems the number of items of the catalog `big`; 0 leaves the catalog out */
export function worldCatalogs(seed: number, bigItems: number): CatalogSource[] {
  return [products(seed), stores(seed), awkward(), ...(bigItems > 0 ? [big(bigItems, seed)] : [])];
}

function awkward(): CatalogSource {
  // Two fields differ in case alone; others are words of SQL or begin with a digit or a dash.
  const columns: readonly Field[] = [
    ID_FIELD,
    { name: 'select', type: 'string' },
    { name: 'order-by', type: 'number' },
    { name: 'name', type: 'string' },
    { name: 'Name', type: 'string' },
    { name: '2nd', type: 'boolean' },
    { name: 'constructor', type: 'object' },
    { name: '-', type: 'array' },
    { name: 'time', type: 'time' },
    { name: 'at', type: 'geo' },
  ];
  return {
    name: 'a-b_C',
    descriptionOn: () => `'Quoted', "twice" and -- not a comment`,
    fieldsOn: () => columns,
    items: listed(() => [
      ['A', valuesOf({ select: 'upper', name: 'small letter', Name: 'capital letter', 'order-by': 1 })],
      ['a', valuesOf({ select: 'lower', '2nd': true, 'order-by': -0.5, '-': ["it's", '"', '\\', ''] })],
      ['-', valuesOf({ select: '\u0000\u001b[31m\n\t', 'order-by': 1e300, constructor: {}, '-': [] })],
      [
        '_',
        valuesOf({ select: `'; drop table items; --`, constructor: { __typename: null, nested: [1, [2]] } }),
      ],
      ['0', valuesOf({ select: '', time: '0001-01-01T00:00:00.000Z', at: [-180, -90] })],
      ['00', valuesOf({ select: '😀가나다', time: '9999-12-31T23:59:59.999Z', at: [180, 90] })],
      ['__proto__', valuesOf({ select: 'a name that objects know' })],
      ['null', valuesOf({})],
    ]),
  };
}

const STORES = [
  ['gangnam', '강남점', 127.0276, 37.4979],
  ['hongdae', '홍대점', 126.9236, 37.5563],
  ['myeongdong', '명동점', 126.986, 37.5636],
  ['pangyo', '판교점', 127.1112, 37.3947],
  ['songdo', '송도점', 126.6569, 37.3828],
  ['haeundae', '해운대점', 129.1604, 35.1631],
  ['dongseongno', '동성로점', 128.5957, 35.8694],
  ['jeju', '제주점', 126.5312, 33.4996],
] as const;

const BASE = {
  name: 'string',
  location: 'geo',
  opening_hours: 'object',
  services: 'array',
  opened_at: 'time',
  active: 'boolean',
} as const;

function stores(seed: number): CatalogSource {
  const key = hashText('stores', seed);
  const withoutParking = fields(BASE);
  const withParking = fields({ ...BASE, parking: 'boolean' });
  return {
    name: 'stores',
    descriptionOn: (day) =>
      versionOn(day, key ^ 0x11, 8) % 2 === 0 ? '오프라인 매장' : '오프라인 매장과 픽업',
    fieldsOn: (day) => (versionOn(day, key, 14) % 2 === 0 ? withParking : withoutParking),
    items: listed((day) =>
      STORES.filter(([id]) => id !== 'jeju' || versionOn(day, key ^ 0x22, 10) % 3 !== 0).map(
        ([id, name, longitude, latitude], number) => [
          `store-${id}`,
          valuesOf({
            name,
            location: [longitude, latitude],
            opening_hours: { weekday: '10:30-20:00', weekend: number % 2 === 0 ? '10:30-20:30' : null },
            services: number % 3 === 0 ? ['픽업', '수선'] : ['픽업'],
            opened_at: new Date(Date.UTC(2019 + (number % 6), number, 5)).toISOString(),
            active: versionOn(day, hashText(id, seed), 12) % 5 !== 0,
            parking: number % 2 === 0,
          }),
        ],
      ),
    ),
  };
}

/** Ids have a fixed width, so that they sort like their numbers. */
const DIGITS = 9;

/** The days after which an item changes: of a million items, a thousand change each day. */
const CHANGES_EVERY = 1000;

function idOf(number: number): string {
  return `item-${String(number).padStart(DIGITS, '0')}`;
}

/** How many ids are less than or equal to this one, which need not exist. */
function placeAfter(id: string, count: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (idOf(middle) <= id) low = middle + 1;
    else high = middle;
  }
  return low;
}

function big(count: number, seed: number): CatalogSource {
  const key = hashText('big', seed);
  const columns = fields({ name: 'string', price: 'number', in_stock: 'boolean', tags: 'array' });
  return {
    name: 'big',
    descriptionOn: () => 'Many items',
    fieldsOn: () => columns,
    items: {
      count: () => count,
      valuesOf(id, day) {
        const number = Number(/^item-(\d{9})$/.exec(id)?.[1] ?? Number.NaN);
        if (!(number < count)) return undefined;
        const chance = pair(key, number);
        const version = versionOn(day, chance, CHANGES_EVERY);
        return valuesOf({
          name: `상품 ${number}`,
          price: 1000 + (pair(chance, version) % 900) * 100,
          in_stock: chance % 10 > 0,
          tags: chance % 3 === 0 ? ['신상품', '무료배송'] : ['무료배송'],
        });
      },
      idsAfter(id, limit) {
        const first = id === null ? 0 : placeAfter(id, count);
        return Array.from({ length: Math.max(0, Math.min(limit, count - first)) }, (_, i) => idOf(first + i));
      },
    },
  };
}

const KINDS = [
  { prefix: 'kn', category: '니트', name: '니트', price: 49_000 },
  { prefix: 'ct', category: '아우터', name: '코트', price: 159_000 },
  { prefix: 'sh', category: '셔츠', name: '셔츠', price: 39_000 },
  { prefix: 'bg', category: '가방', name: '가방', price: 69_000 },
] as const;
const STYLES = ['베이직', '클래식', '오버핏', '크롭', '라이트', '프리미엄'] as const;
const COLORS = ['아이보리', '차콜', '네이비', '버건디', '카키'] as const;
const SIZES = ['S', 'M', 'L', 'XL'] as const;

/** Warehouse locations: longitude and latitude. */
const WAREHOUSES = [
  [127.4355, 37.2719],
  [126.6244, 37.4563],
  [128.5911, 35.8714],
] as const;

/** Possible discounts, as shares of the price. */
const DISCOUNTS = [0, 0, 0.1, 0.2, 0.25, 0.3] as const;

/** Products that are sold only on some days. */
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

function products(seed: number): CatalogSource {
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

export const FIELD_TYPES = ['string', 'number', 'boolean', 'time', 'array', 'object', 'geo'] as const;

export interface Field {
  readonly name: string;
  readonly type: (typeof FIELD_TYPES)[number];
}

/** An item's values by field, without its id; a field that is not there has no value. */
export type Values = ReadonlyMap<string, Json>;

/** Items in the order of their ids, never all of them in memory. */
export interface ItemSource {
  count(day: Day): number;
  valuesOf(id: string, day: Day): Values | undefined;
  /** Up to `limit` ids after the given one, or the first ones. */
  idsAfter(id: string | null, limit: number, day: Day): string[];
}

export interface CatalogSource {
  readonly name: string;
  descriptionOn(day: Day): string;
  /** The first is `id`. */
  fieldsOn(day: Day): readonly Field[];
  readonly items: ItemSource;
}

const ID_FIELD: Field = { name: 'id', type: 'string' };

function fields(types: Readonly<Record<string, Field['type']>>): readonly Field[] {
  return [ID_FIELD, ...Object.entries(types).map(([name, type]) => ({ name, type }))];
}

function valuesOf(entries: Readonly<Record<string, Json>>): Values {
  return new Map(Object.entries(entries));
}

/** A source of few items, made once for each day. */
function listed(itemsOn: (day: Day) => Iterable<readonly [id: string, values: Values]>): ItemSource {
  let made: { day: Day; ids: string[]; items: Map<string, Values> } | null = null;
  function on(day: Day) {
    if (made?.day === day) return made;
    const items = new Map(itemsOn(day));
    made = { day, ids: [...items.keys()].sort(), items };
    return made;
  }
  return {
    count: (day) => on(day).ids.length,
    valuesOf: (id, day) => on(day).items.get(id),
    idsAfter(id, limit, day) {
      const { ids } = on(day);
      const first = id === null ? 0 : ids.findIndex((other) => other > id);
      return first < 0 ? [] : ids.slice(first, first + limit);
    },
  };
}
