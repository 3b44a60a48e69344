/** The catalog `big`: as many items as wanted, each made when it is asked for. */
import { hashText, pair } from '../random.js';
import { versionOn } from '../version.js';
import { type CatalogSource, fields, valuesOf } from './source.js';

/** Ids are of one width, so that their order is that of their numbers. */
const DIGITS = 9;

/** An item changes once in so many days: of a million, a thousand a day. */
const CHANGES_EVERY = 1000;

function idOf(number: number): string {
  return `item-${String(number).padStart(DIGITS, '0')}`;
}

/** How many of the ids come up to and with this one, whether it is one of them or not. */
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

export function big(count: number, seed: number): CatalogSource {
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
