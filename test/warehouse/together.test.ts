/** Pulls that wait are loaded in groups, one transaction each: what comes of it is what loading them one by one makes. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Pull } from '../../src/storage/pull.js';
import { contents, micros, record, statistic, Workshop } from './support.js';

const DAYS = ['2026-11-18', '2026-11-19', '2026-11-20'] as const;
const day = fc.constantFrom(...DAYS);
const sent = fc.constantFrom(0, 3, 10);

/** Answers may lose rows or whole days, so that some are held back, and some believed the next night. */
const pull = fc.oneof(
  fc.record({
    stream: fc.constant('statistics' as const),
    days: fc.tuple(day, day),
    rows: fc.array(
      fc.record({ date: day, channel: fc.constantFrom('email', 'webhook'), message_sent: sent }),
      {
        maxLength: 4,
      },
    ),
  }),
  fc.record({
    stream: fc.constant('subchannels' as const),
    day,
    rows: fc.array(fc.record({ resource_id: fc.constantFrom('a', 'b'), message_sent: sent }), {
      maxLength: 2,
    }),
  }),
  fc.record({
    stream: fc.constant('campaigns' as const),
    days: fc.tuple(day, day),
    complete: fc.boolean(),
    gone: fc.subarray(['c1', 'c2']),
    campaigns: fc.dictionary(
      fc.constantFrom('c1', 'c2'),
      fc.array(fc.record({ date: day, count: fc.nat(3) }), { maxLength: 3 }),
    ),
  }),
  fc.record({
    stream: fc.constant('events' as const),
    day,
    ids: fc.array(fc.tuple(fc.constantFrom('e1', 'e2', 'e3'), fc.nat(90_000)), { maxLength: 3 }),
  }),
);

type Given = typeof pull extends fc.Arbitrary<infer T> ? T : never;

function make(workshop: Workshop, given: readonly Given[]): Pull[] {
  return given.map((one, night): Pull => {
    const when = { pulledAt: new Date(Date.parse('2026-11-21T22:10:00Z') + night * 86_400_000) };
    const [start, end] = 'days' in one ? [...one.days].sort() : [one.day, one.day];
    const range = { start: start ?? DAYS[0], end: end ?? DAYS[0] };
    switch (one.stream) {
      case 'statistics':
        return workshop.statistics(
          range,
          one.rows.map((row) => statistic(row)),
          when,
        );
      case 'subchannels':
        return workshop.subchannels(
          one.day,
          one.rows.map((row) => statistic({ ...row, date: one.day })),
          when,
        );
      case 'campaigns': {
        const answers = Object.entries(one.campaigns).map(([id, dailyCounts]) => [
          id,
          { data: { stats: [{ metricName: 'send_success', dailyCounts }] }, error: null },
        ]);
        const { complete, gone } = one;
        return workshop.campaigns(range, Object.fromEntries(answers) as Record<string, unknown>, {
          ...when,
          complete,
          gone,
        });
      }
      case 'events': {
        const records = one.ids.map(([id, second]) => record({ id, time: micros(one.day, second) }));
        return workshop.events(one.day, [records], when);
      }
    }
  });
}

const JOURNALS = [
  'select stream, date, campaign_id, pull, rows, messages from ops.held_back order by all',
  'select * exclude (detected_at) from ops.restatements order by all',
  'select * from ops.load_notes order by all',
  'select * from ops.drift_by_day order by all',
  'select * exclude (loaded_at) from ops.loads order by all',
];

async function all(workshop: Workshop): Promise<unknown> {
  const journals: unknown[] = [];
  for (const sql of JOURNALS) journals.push(await workshop.look(sql));
  return { ...(await contents(workshop)), journals };
}

test(
  'pulls loaded together end in the same rows and the same journals as one by one',
  { tags: ['long'], timeout: 600_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(pull, { minLength: 3, maxLength: 9 }), async (given) => {
        const nightly = new Workshop();
        await nightly.load(...make(nightly, given));
        const together = new Workshop();
        await together.loadTogether(...make(together, given));
        expect(await all(together)).toEqual(await all(nightly));
      }),
      { numRuns: Number(process.env['TOGETHER_RUNS'] ?? 3) },
    );
  },
);
