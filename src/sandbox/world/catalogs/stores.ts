/** The catalog `stores`: its description, a field and a store come and go. */
import { hashText } from '../random.js';
import { versionOn } from '../version.js';
import { type CatalogSource, fields, listed, valuesOf } from './source.js';

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

export function stores(seed: number): CatalogSource {
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
