/**
 * The fixed world of the golden answers: the sandbox with its own seed and a clock that stands at one morning, loaded by
 * the built command. Eight weeks of statistics and nearly three of events, of which one day was restated and one record
 * had a field too many.
 */
import { Place } from '../support/dawnload.js';

const SETTINGS = `start_date: 2026-09-26
exports:
  start_date: 2026-11-02
  budget: { records_per_run: 1000000, records_per_month: 1000000 }
  price_per_record: 0.1
reference:
  catalogs: [products, stores]
  brand_templates: { sender_keys: [9f2c4e6a8b0d1f3e5a7c, 4b7d9e1a2c5f80361d9e] }
  alimtalk_templates: true
  opt_outs: true
`;

/** @param kind whether events were paid for, or only what is free is there */
export async function makeWorld(kind: 'whole' | 'free'): Promise<Place> {
  const place = await Place.make(kind === 'whole' ? SETTINGS : 'start_date: 2026-11-14\n', {
    eventsPerDay: 3_000,
    seed: 1,
    faults: [
      { kind: 'restate', endpoint: '*', date: '2026-11-18' },
      { kind: 'extra-field', endpoint: 'E21', field: 'locale', times: 1, records: 'one' },
    ],
  });
  const run = async (args: readonly string[]): Promise<void> => {
    const { code, stderr } = await place.run(args);
    if (code !== 0) throw new Error(`the world was not loaded (${code ?? 'killed'}): ${stderr}`);
  };
  if (kind === 'free') {
    await run([
      'backfill',
      ...['--start', '2026-11-14', '--end', '2026-11-20'],
      ...['--streams', 'statistics,campaigns'],
    ]);
  } else {
    await run(['run']);
    // The second run pulls the last days again, and so finds what was restated.
    await run(['run']);
  }
  return place;
}
