import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DAYS, findingsOf, findingsOfNight, FORGET_VERSIONS } from './checkup.js';
import { micros, record, statistic, Workshop, type Row } from './support.js';

const DAY = '2026-11-20';

describe('a night', () => {
  const damage = `update daily_statistics_by_subchannel set click = 2 where channel = 'push-notification'`;
  const touch = (day: string): string =>
    `insert into ops.touched_days values ('statistics_by_subchannel', '${day}')`;

  test(
    'looks at the days that changed, and leaves the findings of all others as they were',
    { tags: ['long'] },
    async () => {
      expect(await findingsOfNight(damage)).toEqual([]);
      expect((await findingsOfNight(`${damage};${touch(DAY)}`)).map(({ date }) => date)).toEqual([DAY]);
      const old = `insert into ops.checks by name
      select name, 'warn' as severity, date '2026-11-17' as date, 'as before' as finding, 'M.' as meaning
      from (values ('subchannels_agree'), ('no check any more')) as old(name)`;
      const findings = await findingsOfNight(`${old};${damage};${touch(DAY)}`);
      expect(findings.map(({ date, finding }) => [date, finding])).toEqual([
        ['2026-11-17', 'as before'],
        [DAY, 'The sub-channels do not add up to the channel.'],
      ]);
    },
  );

  test('looks at all days with a check that is new or was changed', { tags: ['long'] }, async () => {
    const changed = `update ops.check_versions set fingerprint = 'old' where name = 'subchannels_agree'`;
    const findings = await findingsOfNight(`${damage};${changed}`);
    expect(findings.map(({ date }) => date)).toEqual(DAYS);
  });

  test('that is killed while it checks leaves the work to the next one', { tags: ['long'] }, async () => {
    const workshop = new Workshop();
    await workshop.load(workshop.statistics(DAY, [statistic({ message_sent: 1, message_failed: 2 })]));
    const killed = new Workshop({
      path: workshop.path,
      effects: {
        now: () => workshop.now,
        reach: (point) => {
          if (point === 'check/before-commit') throw new Error('killed');
        },
      },
    });
    await workshop.close();
    await expect(killed.findings()).rejects.toThrow('killed');
    await killed.close();
    expect(await workshop.look('from ops.checks')).toEqual([]);
    expect(await workshop.look('select stream from ops.touched_days')).toEqual([{ stream: 'statistics' }]);

    const [finding] = await workshop.findings();
    expect(finding).toMatchObject({ name: 'counters_in_range', date: DAY });
    expect(await workshop.look('select finding from ops.checks')).toHaveLength(1);
    expect(await workshop.look('from ops.touched_days')).toEqual([]);
  });
});

describe('whatever is loaded in whatever order', () => {
  const day = fc.constantFrom(...DAYS);
  const small = fc.integer({ min: 0, max: 3 });
  const counts = fc.record({ message_sent: small, message_failed: small, delivered: small, click: small });
  const event = fc
    .record({
      id: fc.constantFrom('e1', 'e2', 'e3', 'e4', null),
      event_name: fc.constantFrom('send_success', 'push_click'),
      campaign_id: fc.constantFrom('c1', 'c2', 'c3'),
      happened: fc.option(day),
      carries: fc.boolean(),
    })
    .map(({ happened, carries, ...rest }) =>
      record({
        ...rest,
        channel: 'in-app-message',
        time: happened === null ? null : micros(happened),
        message_data: carries ? { content: '안내', buttons: [{ name: '보기' }] } : null,
      }),
    );
  const step = fc.oneof(
    fc.record({
      stream: fc.constant('statistics' as const),
      day,
      rows: fc.array(fc.tuple(fc.constantFrom('c1', 'c2'), counts), { maxLength: 3 }),
    }),
    fc.record({ stream: fc.constant('subchannels' as const), day, rows: fc.array(counts, { maxLength: 2 }) }),
    fc.record({ stream: fc.constant('campaigns' as const), day, sends: small, total: small }),
    fc.record({ stream: fc.constant('events' as const), day, records: fc.array(event, { maxLength: 5 }) }),
  );

  const pullOf = (workshop: Workshop, given: Step) => {
    switch (given.stream) {
      case 'statistics':
        return workshop.statistics(
          given.day,
          given.rows.map(([campaign_id, counters]) =>
            statistic({ date: given.day, campaign_id, channel: 'in-app-message', ...counters }),
          ),
        );
      case 'subchannels':
        return workshop.subchannels(
          given.day,
          given.rows.map((counters) => ({ resource_id: 'c1', channel: 'in-app-message', ...counters })),
        );
      case 'campaigns':
        return workshop.campaigns({ start: given.day, end: given.day }, { c1: answerOf(given) });
      case 'events':
        return workshop.events(given.day, [given.records]);
    }
  };

  test(
    'ops.checks holds after each load what checking all days would find',
    { tags: ['long'], timeout: 120_000 },
    async () => {
      let found = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 7 }), async (steps) => {
          const workshop = new Workshop();
          for (const given of steps) {
            await workshop.load(pullOf(workshop, given));
            const night = await workshop.findings();
            found += night.length;
            await workshop.close();
            expect(night).toEqual(await findingsOf(workshop.path, FORGET_VERSIONS));
          }
        }),
        { numRuns: 2, seed: 20261120 },
      );
      expect(found).toBeGreaterThan(30);
    },
  );

  type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

  function answerOf({ day, sends, total }: { day: string; sends: number; total: number }): Row {
    const metric = {
      metricType: 'standard',
      metricName: 'send_success',
      totalCount: total,
      dailyCounts: [{ date: day, count: sends }],
    };
    return { data: { lastCollectedAt: '2026-11-21 07:00:00', stats: [metric] }, error: null };
  }
});
