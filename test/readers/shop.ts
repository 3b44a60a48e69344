/** A published warehouse for the report and the page: two weeks of statistics, a week of events, and a restated day. */
import { copyFile, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Place } from '../support/dawnload.js';
import { kept } from '../support/template.js';

const SETTINGS = `start_date: 2026-11-06
lookback_days: 3
exports:
  start_date: 2026-11-14
  budget: { records_per_run: 1000000, records_per_month: 1000000 }
  price_per_record: 0.1
reference:
  brand_templates: { sender_keys: [9f2c4e6a8b0d1f3e5a7c] }
  alimtalk_templates: true
  opt_outs: true
`;

const shop = (): Promise<string> =>
  kept('shop', ['sql', 'src', 'sandbox', 'test/support', 'test/readers/shop.ts'], async (path) => {
    const place = await Place.make(SETTINGS, {
      eventsPerDay: 800,
      seed: 5,
      faults: [{ kind: 'restate', endpoint: '*', date: '2026-11-18' }],
    });
    for (let night = 0; night < 2; night++) {
      const { code, stderr } = await place.run(['run']);
      if (code !== 0) throw new Error(`the shop was not loaded: ${stderr}`);
    }
    await copyFile(place.published, path);
    await place.remove();
  });

/** Creates a place with the published file of the shop, and adds settings. */
export async function placeOfShop(yaml = ''): Promise<Place> {
  const place = await Place.make(SETTINGS + yaml);
  await mkdir(dirname(place.published), { recursive: true });
  await copyFile(await shop(), place.published);
  return place;
}
