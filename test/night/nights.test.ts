// @module-tag long
/** Several nights with a service that answers too little: what is held back, what is believed, and what a rebuild makes. */
import { expect, test } from 'vitest';
import type { Fault } from '../support/faults/index.js';
import { reading } from '../support/dawnload.js';
import { Nights, ends } from '../support/place.js';
import { extended } from '../support/tags.js';

const YAML = 'start_date: 2026-11-18\nlookback_days: 5\nretries: 0\nconcurrency: 1\n';

class Restated extends Nights {
  sums(): Promise<unknown> {
    return reading(this.place.published, async (ask) => {
      const sums: Record<string, unknown> = {};
      for (const table of [
        'daily_statistics',
        'daily_statistics_by_subchannel',
        'campaign_metrics',
        'ops.held_back',
      ]) {
        const columns = table === 'ops.held_back' ? '* exclude (pulled_at)' : '* exclude (pull)';
        const kept = table.startsWith('daily') ? '*' : columns;
        sums[table] = await ask(
          `select date, count(*)::int as n, bit_xor(hash(t))::varchar as sum from (select ${kept} from ${table}) as t group by date order by date`,
        );
      }
      sums['coverage'] = await ask('select stream, date, rows::int as rows from ops.coverage order by all');
      return sums;
    });
  }

  /** The same after a rebuild. */
  async expectRebuilt(): Promise<void> {
    const before = await this.sums();
    await this.run([], ['rebuild']);
    expect(await this.sums()).toEqual(before);
  }
}

const days = (sums: unknown, table: string): number =>
  (sums as Record<string, unknown[]>)[table]?.length ?? 0;

/** The service has nothing to say all night. How an answer is held back does not depend on the endpoint. */
const empty = (endpoint: 'E17' | 'E19'): Fault[] => [
  {
    endpoint,
    kind: 'status',
    status: 200,
    body:
      endpoint === 'E17' ? [] : { data: { lastCollectedAt: '2026-11-21 07:05:09', stats: [] }, error: null },
  },
];

extended(
  'statistics that are empty all night: the rows stay, the run says so, and the next night makes it good',
  async () => {
    const nights = await Restated.make(YAML);
    expect((await nights.run([])).code).toBe(0);
    const before = await nights.sums();
    await ends(
      nights.run(empty('E17')),
      1,
      /warning: Statistics of 2026-11-18 to 2026-11-20: .*--accept-empty/,
    );
    expect(days(await nights.sums(), 'daily_statistics')).toBe(days(before, 'daily_statistics'));
    // They are asked for again, however old they are, and the plan says so.
    await nights.place.configure(YAML.replace('lookback_days: 5', 'lookback_days: 1'));
    const plan = await nights.place.run(['plan', '--json']);
    await nights.place.configure(YAML);
    const { statistics } = JSON.parse(plan.stdout) as { statistics: { again: string[] } };
    expect(statistics.again).toEqual(['2026-11-18', '2026-11-19', '2026-11-20']);
    await nights.expectRebuilt();
    nights.night++;
    const good = await nights.run([]);
    expect(good.code, good.stderr).toBe(0);
    expect(days(await nights.sums(), 'daily_statistics')).toBe(4);
    expect(await nights.place.rows('from ops.held_back')).toEqual([]);
    await nights.expectRebuilt();
  },
  120_000,
);

extended(
  'campaigns that are empty on two nights, or once with --accept-empty: it is believed',
  async () => {
    const nights = await Restated.make(YAML);
    expect((await nights.run([])).code).toBe(0);
    expect((await nights.run(empty('E19'))).code).toBe(1);
    const range = ['--start', '2026-11-18', '--end', '2026-11-18', '--streams', 'campaigns'];
    const accepted = await nights.run(empty('E19'), ['backfill', ...range, '--accept-empty']);
    expect(accepted.code, accepted.stderr).toBe(0);
    expect(days(await nights.sums(), 'campaign_metrics')).toBe(2);
    nights.night++;
    const believed = await nights.run(empty('E19'));
    expect(believed.code, believed.stderr).toBe(0);
    expect(days(await nights.sums(), 'campaign_metrics')).toBe(0);
    await nights.expectRebuilt();
  },
  120_000,
);

test('a backfill of campaigns says which days it cannot ask for, since their daily statistics are missing', async () => {
  const { place } = await Restated.make(YAML);
  const range = ['--start', '2026-11-18', '--end', '2026-11-19', '--streams', 'campaigns'];
  await ends(
    place.run(['backfill', ...range]),
    1,
    'Campaigns of 2026-11-18 to 2026-11-19: Not requested, because',
  );
});
