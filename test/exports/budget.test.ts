import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  decide,
  estimateDays,
  explainLimit,
  isQuiet,
  planRequests,
  recordsOf,
  spendOf,
  withForecasts,
  type Candidate,
} from '../../src/exports/budget.js';
import { type Export, STATES, type Billed, type ExportState } from '../../src/exports/export.js';
import type { MessageTotals } from '../../src/warehouse/reader.js';
import { entry } from './entries.js';

const NOW = new Date('2026-11-20T22:10:00Z');
const circumstances = { now: NOW, runId: 'tonight', yesPaid: false };
const budget = { recordsPerRun: 1_000, recordsPerMonth: 5_000 };
/** An entry of an earlier run of this month. */
const earlier = new Date('2026-11-10T22:05:00Z');

function verdicts(...args: Parameters<typeof planRequests>): string[] {
  return planRequests(...args).map(({ day, verdict }) => `${day} ${verdict}`);
}

describe('the sentence about a limit', () => {
  it.each([
    [
      'over_run_budget',
      [1_500],
      'The limit is 1,000 records a run, and the day needs about 1,500, so no single day fits.',
    ],
    [
      'over_run_budget',
      [900, 1_100],
      'The limit is 1,000 records a run, and each day needs about 900 to 1,100. The newest days are requested first. The others need about 1 more run, if the budget of the month allows them, or fewer with a larger limit. A day above the limit is requested only after you raise it.',
    ],
    [
      'over_month_budget',
      [6_000, 6_000],
      'The limit is 5,000 records a month, and each day needs about 6,000, so no single day fits.',
    ],
    [
      'over_run_budget',
      [300, 300, 300, 300],
      'The limit is 1,000 records a run, and each day needs about 300. The newest days are requested first. The others need about 2 more runs, if the budget of the month allows them, or fewer with a larger limit.',
    ],
    [
      'over_month_budget',
      [600],
      'The limit is 5,000 records a month, and the day needs about 600. Days that do not fit are requested next month, or after you raise the limit.',
    ],
    ['over_run_budget', [], undefined],
  ])('%s of %j', (verdict, estimates, sentence) => {
    expect(explainLimit(verdict, estimates, budget)).toBe(sentence);
  });
});

describe('the purse', () => {
  it('lets through what fits, newest first, and names what does not', () => {
    const days = [
      { day: '2026-11-20', estimate: 600 },
      { day: '2026-11-19', estimate: 500 },
      { day: '2026-11-18', estimate: 400 },
    ];
    const decisions = planRequests(days, budget, [], circumstances);
    expect(decisions).toEqual([
      { day: '2026-11-20', verdict: 'request', estimate: 600, left: 1_000 },
      { day: '2026-11-19', verdict: 'over_run_budget', estimate: 500, left: 400 },
      { day: '2026-11-18', verdict: 'over_run_budget', estimate: 400, left: 400 },
    ]);
    expect(decisions.map(({ verdict, estimate = 0 }) => explainLimit(verdict, [estimate], budget))).toEqual([
      undefined,
      expect.stringContaining('The limit is 1,000 records a run, and the day needs about 500.'),
      expect.stringContaining('The limit is 1,000 records a run, and the day needs about 400.'),
    ]);
  });

  it('holds the newest days without a gap; only a day that is over the whole limit is left out', () => {
    const days = [600, 1_001, 300, 300, 10].map((estimate, i) => ({ day: `2026-11-${20 - i}`, estimate }));
    expect(verdicts(days, budget, [], circumstances)).toEqual([
      '2026-11-20 request',
      '2026-11-19 over_run_budget',
      '2026-11-18 request',
      '2026-11-17 over_run_budget',
      '2026-11-16 over_run_budget',
    ]);
  });

  it('sends nothing without a budget, whoever consents', () => {
    const days = [{ day: '2026-11-20', estimate: 0 }];
    expect(verdicts(days, undefined, [], { ...circumstances, yesPaid: true })).toEqual([
      '2026-11-20 no_budget',
    ]);
  });

  it('counts an export at its estimate until it is landed, and at its records from then on', () => {
    const days = [{ day: '2026-11-20', estimate: 500 }];
    const pending = entry({ requestedAt: earlier, estimate: 4_600 });
    expect(verdicts(days, budget, [pending], circumstances)).toEqual(['2026-11-20 over_month_budget']);
    const landed = entry({ requestedAt: earlier, estimate: 4_600, records: 4_500, state: 'landed' });
    expect(verdicts(days, budget, [landed], circumstances)).toEqual(['2026-11-20 request']);
  });

  it.each<[ExportState, Billed, number | undefined, number]>([
    ['intended', 'maybe', undefined, 100],
    ['ambiguous', 'maybe', undefined, 100],
    ['abandoned', 'maybe', undefined, 100],
    ['abandoned', 'no', undefined, 0],
    ['failed', 'no', undefined, 0],
    ['withdrawn', 'no', undefined, 0],
    // One that is read again counts as what it held, or as its estimate when that is more.
    ['ready', 'yes', 0, 100],
    ['ready', 'yes', 900, 900],
    ['loaded', 'yes', 0, 0],
  ])('counts an export that is %s, billed %s, with %s records, as %d', (state, billed, records, counted) => {
    const held = records === undefined ? {} : { records };
    expect(recordsOf(entry({ state, billed, estimate: 100, ...held }))).toBe(counted);
  });

  it('counts a month as the month in Korea in which the request was made', () => {
    const days = [{ day: '2026-11-29', estimate: 900 }];
    const spent = { estimate: 4_500, records: 4_500 };
    // 00:10 KST on 1 December is still November in UTC.
    const now = new Date('2026-11-30T15:10:00Z');
    const inNovember = entry({ ...spent, requestedAt: new Date('2026-11-30T14:59:00Z') });
    const inDecember = entry({ ...spent, requestedAt: new Date('2026-11-30T15:00:00Z') });
    const then = { now, runId: 'tonight', yesPaid: false };
    expect(verdicts(days, budget, [inNovember], then)).toEqual(['2026-11-29 request']);
    expect(verdicts(days, budget, [inDecember], then)).toEqual(['2026-11-29 over_month_budget']);
  });

  it('counts against the run what the run itself has intended, whatever the clock says', () => {
    const days = [{ day: '2026-11-19', estimate: 200 }];
    for (const requestedAt of [earlier, NOW, new Date(NOW.getTime() + 120_000)]) {
      const of = (run: string | undefined): Export => entry({ estimate: 900, requestedAt, run });
      expect(verdicts(days, budget, [of('tonight')], circumstances)).toEqual(['2026-11-19 over_run_budget']);
      expect(verdicts(days, budget, [of('yesterday'), of(undefined)], circumstances)).toEqual([
        '2026-11-19 request',
      ]);
    }
  });

  it('asks for consent to a day without an estimate, and then lets one through at a time', () => {
    const days = [
      { day: '2026-11-20', estimate: 300 },
      { day: '2026-11-19', estimate: undefined },
      { day: '2026-11-18', estimate: undefined },
      { day: '2026-11-17', estimate: 1 },
    ];
    expect(verdicts(days, budget, [], circumstances)).toEqual([
      '2026-11-20 request',
      '2026-11-19 no_estimate',
      '2026-11-18 no_estimate',
      '2026-11-17 request',
    ]);
    const consented = planRequests(days, budget, [], { ...circumstances, yesPaid: true });
    expect(consented.map(({ verdict }) => verdict)).toEqual([
      'request',
      'request',
      'waits_for_size',
      'waits_for_size',
    ]);
  });

  it('holds everything back while an export of unknown size is under way', () => {
    const unknown = entry({ key: '2026-11-10.1', estimate: undefined, requestedAt: earlier });
    const days = [{ day: '2026-11-20', estimate: 1 }];
    expect(verdicts(days, budget, [unknown], circumstances)).toEqual(['2026-11-20 waits_for_size']);
    for (const known of [{ records: 10 }, { state: 'abandoned' as const }])
      expect(verdicts(days, budget, [{ ...unknown, ...known }], circumstances)).toEqual([
        '2026-11-20 request',
      ]);
  });

  it('holds at least one record for an export until its size is known, however small its estimate', () => {
    const pending = Array.from({ length: 1_000 }, (_, i) =>
      entry({ key: `k${i}`, estimate: 0, run: 'tonight' }),
    );
    expect(verdicts([{ day: '2026-11-20', estimate: 0 }], budget, pending, circumstances)).toEqual([
      '2026-11-20 over_run_budget',
    ]);
    expect(verdicts([{ day: '2026-11-20', estimate: 0 }], budget, pending.slice(1), circumstances)).toEqual([
      '2026-11-20 request',
    ]);
  });

  describe('that has not learned yet how many records a message leaves', () => {
    const sent = (messages: number) => ({
      rows: 1,
      nights: 1,
      sent: messages,
      failed: 0,
      delivered: 0,
      click: 0,
    });
    const messages = new Map([
      ['2026-11-20', sent(10)],
      ['2026-11-19', sent(4_000)],
      ['2026-11-10', sent(100)],
    ]);
    const landed = { day: '2026-11-10', state: 'landed', records: 100, requestedAt: earlier } as const;
    const decided = (learned: boolean, ...entries: Parameters<typeof entry>[0][]): string[] =>
      decide(
        { eventDays: { start: '2026-11-19', end: '2026-11-20' }, consent: 'budget' },
        {
          ...circumstances,
          entries: [...entries, ...(learned ? [landed] : [])].map(entry),
          messages,
          budget,
          unsure: false,
          covered: new Set(),
        },
      ).map(({ verdict }) => verdict);

    it.each<ExportState>(['requested', 'ready'])('waits while an export is %s', (state) => {
      expect(decided(false, { day: '2026-11-18', state })).toEqual(['waits_for_size', 'over_run_budget']);
      expect(decided(true, { day: '2026-11-18', state })).toEqual(['request', 'over_run_budget']);
    });

    it.each<ExportState>(['ambiguous', 'withdrawn', 'loaded'])(
      'does not wait for one that is %s',
      (state) => {
        expect(decided(false, { day: '2026-11-18', state, records: 1 })).toEqual([
          'request',
          'over_run_budget',
        ]);
      },
    );
  });

  it('does not let a day without an estimate into an empty purse', () => {
    const spent = entry({ estimate: 5_000, requestedAt: earlier });
    const days = [{ day: '2026-11-20', estimate: undefined }];
    expect(verdicts(days, budget, [spent], { ...circumstances, yesPaid: true })).toEqual([
      '2026-11-20 over_month_budget',
    ]);
  });

  it('never lets estimates exceed a budget, whatever was spent before and whoever consents', () => {
    const amount = fc.option(fc.nat(3_000), { nil: undefined });
    const spent = fc
      .record({
        state: fc.constantFrom<ExportState>(...(Object.keys(STATES) as ExportState[])),
        estimate: amount,
        records: amount,
        run: fc.constantFrom('tonight', 'yesterday'),
        minutesAgo: fc.nat(60 * 24 * 40),
      })
      .map(({ state, estimate, records, run, minutesAgo }) =>
        entry({
          state,
          estimate,
          run,
          requestedAt: new Date(NOW.getTime() - minutesAgo * 60_000),
          ...(records === undefined ? {} : { records }),
        }),
      );
    const candidates: fc.Arbitrary<Candidate[]> = fc
      .array(amount, { maxLength: 10 })
      .map((estimates) => estimates.map((estimate, i) => ({ day: `2026-10-${i + 10}`, estimate })));
    const limits = fc.record({ recordsPerRun: fc.nat(6_000), recordsPerMonth: fc.nat(20_000) });
    fc.assert(
      fc.property(
        candidates,
        limits,
        fc.array(spent, { maxLength: 6 }),
        fc.boolean(),
        (days, limit, entries, yesPaid) => {
          const decisions = planRequests(days, limit, entries, { ...circumstances, yesPaid });
          const requested = decisions.filter(({ verdict }) => verdict === 'request');
          // Ask again with what was let through in the ledger: the same answer, and nothing more fits twice.
          const after = requested.map(({ day, estimate }) =>
            entry({ day, estimate, run: 'tonight', requestedAt: NOW }),
          );
          const all = [...entries, ...after];
          const sum = (list: typeof entries) => list.reduce((total, e) => total + (recordsOf(e) ?? 0), 0);
          const monthStart = new Date('2026-10-31T15:00:00Z');
          if (after.length > 0) {
            expect(sum(all.filter(({ run }) => run === 'tonight'))).toBeLessThanOrEqual(limit.recordsPerRun);
            expect(sum(all.filter(({ requestedAt }) => requestedAt >= monthStart))).toBeLessThanOrEqual(
              limit.recordsPerMonth,
            );
          }
          expect(requested.filter(({ estimate }) => estimate === undefined).length).toBeLessThanOrEqual(
            yesPaid ? 1 : 0,
          );
          expect(decisions.map(({ day }) => day)).toEqual(days.map(({ day }) => day));
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('the spend report', () => {
  it('adds up per month in Korea what is billed or may be, and says how much of it is estimated', () => {
    const november = new Date('2026-11-20T22:05:00Z');
    const december = new Date('2026-11-30T15:00:00Z');
    const entries = [
      entry({ requestedAt: december, records: 7, estimate: 9, state: 'loaded', pricePerRecord: 2 }),
      entry({ requestedAt: november, records: 80, estimate: 100, state: 'loaded', pricePerRecord: 0.5 }),
      entry({
        requestedAt: november,
        estimate: 20,
        state: 'ambiguous',
        billed: 'maybe',
        pricePerRecord: 0.5,
      }),
      entry({ requestedAt: november, estimate: undefined, state: 'requested' }),
      entry({ requestedAt: november, estimate: 1_000, state: 'failed', billed: 'no' }),
    ];
    expect(spendOf(entries)).toEqual([
      {
        month: '2026-11',
        exports: 3,
        records: 100,
        estimated_records: 20,
        exports_of_unknown_size: 1,
        price: 50,
      },
      {
        month: '2026-12',
        exports: 1,
        records: 7,
        estimated_records: 0,
        exports_of_unknown_size: 0,
        price: 14,
      },
    ]);
  });
});

const totals = (given: Partial<MessageTotals> = {}): MessageTotals => ({
  rows: 1,
  sent: 100,
  failed: 0,
  delivered: 80,
  click: 5,
  nights: 1,
  ...given,
});

function estimateOf(
  day: MessageTotals | undefined,
  landed: { records: number; totals: MessageTotals }[] = [],
): { estimate: number | undefined; learned: boolean } {
  const messages = new Map(landed.map(({ totals }, i) => [`2026-11-1${i}`, totals]));
  if (day !== undefined) messages.set('2026-11-20', day);
  const entries = landed.map(({ records }, i) => entry({ day: `2026-11-1${i}`, state: 'loaded', records }));
  const { candidates, learned } = estimateDays(entries, messages, ['2026-11-20']);
  return { estimate: candidates[0]?.estimate, learned };
}

describe('the estimate of an export', () => {
  it('is every counted thing until an export has landed', () => {
    expect(estimateOf(totals())).toEqual({ estimate: 185, learned: false });
  });

  it('is learned over all days together, and is at least a record for each message', () => {
    const large = { records: 2_000, totals: totals({ sent: 1_000 }) };
    const odd = { records: 50, totals: totals({ sent: 1 }) };
    const quiet = totals({ sent: 1_000, delivered: 0, click: 0 });
    expect(estimateOf(quiet, [large, odd]).estimate).toBe(Math.ceil((1_000 * 2_050) / 1_001));
    expect(estimateOf(quiet, [{ records: 1, totals: totals({ sent: 1_000 }) }]).estimate).toBe(1_000);
  });

  it('is learned from what landed, and never below deliveries and clicks', () => {
    const landed = [{ records: 5_000, totals: totals({ sent: 1_000 }) }];
    expect(estimateOf(totals(), landed)).toEqual({ estimate: 500, learned: true });
    expect(estimateOf(totals({ sent: 0, delivered: 7, click: 3 }), landed)).toEqual({
      estimate: 10,
      learned: true,
    });
  });

  it.each<[string, MessageTotals | undefined]>([
    ['daily statistics', undefined],
    ['rows of daily statistics', totals({ rows: 0, sent: 0, delivered: 0, click: 0 })],
    ['counts that can be', totals({ sent: -9, delivered: -1, click: 0 })],
  ])('does not exist without %s', (_, day) => {
    expect(estimateOf(day).estimate).toBeUndefined();
    expect(estimateOf(day, [{ records: 5, totals: totals() }]).estimate).toBeUndefined();
  });

  it('is not learned from an export without records, nor from a day without messages', () => {
    expect(estimateOf(totals(), [{ records: 0, totals: totals() }]).learned).toBe(false);
    expect(estimateOf(totals(), [{ records: 9, totals: totals({ sent: 0 }) }]).learned).toBe(false);
    const [learned, odd] = [
      { records: 100, totals: totals() },
      { records: 9_000, totals: totals({ sent: 0 }) },
    ];
    expect(estimateOf(totals(), [odd, learned]).estimate).toBe(100);
  });

  it('is made for days that are kept, not held, not asked for and not quiet, newest first', () => {
    const quiet = totals({ rows: 0, sent: 0, delivered: 0, click: 0, nights: 2 });
    const days = (consent: 'budget' | 'given', keptFrom?: string): string[] =>
      decide(
        { eventDays: { start: '2026-11-14', end: '2026-11-20' }, consent, keptFrom },
        {
          ...{ now: new Date('2026-11-21T00:00:00Z'), runId: 'tonight', unsure: false },
          entries: [entry({ day: '2026-11-16', state: 'loaded', records: 100 })],
          messages: new Map([['2026-11-18', quiet]]),
          budget: { recordsPerRun: 1_000, recordsPerMonth: 1_000 },
          covered: new Set(['2026-11-17']),
          asked: new Set(['2026-11-19']),
        },
      ).map(({ day }) => day);
    expect(days('budget')).toEqual(['2026-11-20', '2026-11-15', '2026-11-14']);
    expect(days('budget', '2026-11-15')).toEqual(['2026-11-20', '2026-11-15']);
    expect(days('given', '2026-11-15')).toEqual(['2026-11-20', '2026-11-18', '2026-11-15']);
  });

  it.each([{ unreadable: [1] }, { short: 20 }, { state: 'landed', doubted: true }] as const)(
    'is not learned from an export that waits for a person: %j',
    (why) => {
      const landed = entry({ day: '2026-11-10', state: 'loaded', records: 100, ...why });
      const messages = new Map(['2026-11-10', '2026-11-20'].map((day) => [day, totals()]));
      expect(estimateDays([landed], messages, ['2026-11-20'])).toEqual({
        candidates: [{ day: '2026-11-20', estimate: 185 }],
        learned: false,
      });
    },
  );
});

it.each<[number, number, boolean]>([
  [0, 0, false],
  [0, 1, false],
  [0, 2, true],
  [1, 7, false],
])('a day with %i rows, asked for on %i nights, is quiet: %s', (rows, nights, quiet) => {
  expect(isQuiet(totals({ rows, nights }))).toBe(quiet);
});

test('a day without statistics is forecast from the last four of its weekday, or else from the last 28 days', () => {
  const totals = (sent: number) => ({ rows: 1, sent, failed: 0, delivered: sent, click: 0, nights: 1 });
  const known = new Map([
    ['2026-11-12', totals(10)],
    ['2026-11-13', totals(100)],
    ['2026-11-19', totals(30)],
  ]);
  const all = withForecasts(known, ['2026-11-19', '2026-11-26', '2026-11-24', '2026-11-01']);
  expect([...all].map(([day, { sent }]) => [day, sent])).toEqual([
    ['2026-11-12', 10],
    ['2026-11-13', 100],
    ['2026-11-19', 30],
    ['2026-11-26', 20],
    ['2026-11-24', 47],
  ]);
});
