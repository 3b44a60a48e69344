// @module-tag long
/** `query budget` asks the same decision as `plan`, in a real folder whose budget does not hold every day. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { NOW, Place } from '../support/dawnload.js';

let place: Place;

beforeAll(async () => {
  place = await Place.make('start_date: 2026-11-14\nlookback_days: 1\n', { eventsPerDay: 300, seed: 5 });
  expect((await place.run(['run'])).code).toBe(0);
}, 60_000);

afterAll(() => place.remove());

interface Plan {
  readonly events: {
    readonly to_request: readonly { readonly date: string; readonly estimated_records: number }[];
    readonly not_requested: readonly unknown[];
    readonly estimated_records: number;
  };
}

async function both(
  run: number,
  month: number,
): Promise<{ plan: Plan['events']; budget: Record<string, unknown> }> {
  await place.configure(
    'start_date: 2026-11-14\nlookback_days: 1\nexports:\n' +
      `  budget: { records_per_run: ${run}, records_per_month: ${month} }\n  price_per_record: 0.1\n`,
  );
  // The settings come into the file with a rebuild, which asks for nothing.
  expect((await place.run(['rebuild'])).code).toBe(0);
  const { stdout } = await place.run(['plan', '--json']);
  const output = join(place.folder, 'budget.json');
  await place.run(['query', 'budget', '--format', 'json', '--output', output, '--param', `now=${NOW}`]);
  const [budget = {}] = JSON.parse(await readFile(output, 'utf8')) as Record<string, unknown>[];
  return { plan: (JSON.parse(stdout) as Plan).events, budget };
}

test('with room for all, for some, for a small one only, and for none', async () => {
  const all = await both(1_000_000, 1_000_000);
  expect(all.plan.to_request).toHaveLength(7);
  const sizes = all.plan.to_request.map(({ estimated_records }) => estimated_records);
  const [newest = 0, second = 0] = sizes;
  const smallest = Math.min(...sizes);
  const limits = [
    [1_000_000, 1_000_000],
    [newest + second, 1_000_000],
    [1_000_000, newest],
    [smallest, 1_000_000],
    [smallest - 1, 1_000_000],
  ] as const;
  for (const [run, month] of limits) {
    const { plan, budget } = await both(run, month);
    expect(Number(budget['tonight_records']), `${run} ${month}`).toBe(plan.estimated_records);
    expect(Number(budget['days_tonight']), `${run} ${month}`).toBe(plan.to_request.length);
  }
}, 120_000);
