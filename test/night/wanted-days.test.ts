/** The one answer to what is missing, in every state. */
import { expect, it } from 'vitest';
import { decide } from '../../src/exports/budget.js';
import type { Export, ExportState } from '../../src/exports/export.js';
import { daysIn, nightJob, wantedDays, type DayFacts } from '../../src/night/wanted-days.js';
import type { MessageTotals } from '../../src/warehouse/reader.js';

/** 06:30 KST on 21 November: 20 November is not complete. */
const EARLY = new Date('2026-11-20T21:30:00Z');
/** 07:30 KST. */
const NOW = new Date('2026-11-20T22:30:00Z');

const SETTINGS = {
  startDate: '2026-11-13',
  lookbackDays: 2,
  exports: { startDate: '2026-11-14' },
  retention: {},
};
const EXPORTS = { budget: { recordsPerRun: 1_000, recordsPerMonth: 10_000 }, pricePerRecord: 0.5 };

const sent = (rows: number): MessageTotals => ({
  rows,
  sent: 100,
  failed: 0,
  delivered: 90,
  click: 10,
  nights: 2,
});

function entry(day: string, state: ExportState): Export {
  return {
    key: `${day}.1`,
    day,
    messageData: true,
    state,
    billed: 'yes',
    estimate: 300,
    pricePerRecord: 0.5,
    troubles: 0,
    doubted: false,
    requestedAt: NOW,
    updatedAt: NOW,
  };
}

const KNOWN: DayFacts = {
  coverage: [
    { stream: 'statistics', date: '2026-11-13', rows: 1 },
    { stream: 'statistics', date: '2026-11-14', rows: 1 },
    { stream: 'statistics', date: '2026-11-19', rows: 1 },
    { stream: 'events', date: '2026-11-14', rows: 1 },
  ],
  doubtful: [{ stream: 'statistics', date: '2026-11-14' }],
  removed: ['2026-11-15'],
  messages: new Map([
    ['2026-11-18', sent(0)],
    ['2026-11-19', sent(5)],
    ['2026-11-20', sent(5)],
  ]),
  entries: [entry('2026-11-16', 'ambiguous'), entry('2026-11-17', 'ready'), entry('2026-11-19', 'abandoned')],
  unsure: false,
};

it('gives each wanted day one state, and what its export would cost', () => {
  const wanted = wantedDays(nightJob(SETTINGS, NOW), KNOWN, EXPORTS, NOW);
  expect(daysIn(wanted, 'statistics', 'loaded')).toEqual(['2026-11-13']);
  expect(daysIn(wanted, 'statistics', 'restatable')).toEqual(['2026-11-14', '2026-11-19']);
  expect(daysIn(wanted, 'statistics', 'missing')).toEqual([
    '2026-11-15',
    '2026-11-16',
    '2026-11-17',
    '2026-11-18',
    '2026-11-20',
  ]);
  expect(daysIn(wanted, 'campaigns', 'missing')).toHaveLength(8);
  const events = wanted.filter(({ stream }) => stream === 'events');
  // The 18th was quiet on two nights, and a person gave the 19th up.
  expect(events.map(({ date, state }) => `${date.slice(8)} ${state}`)).toEqual([
    '14 loaded',
    '15 removed',
    '16 waits',
    '17 under_way',
    '19 given_up',
    '20 missing',
  ]);
  expect(events.at(-1)).toMatchObject({ expectedRecords: 200, expectedPrice: 100 });
  expect(events.at(3)).toMatchObject({ expectedRecords: 300, expectedPrice: 150 });
});

it('names yesterday before it is complete, and wants no events without a budget', () => {
  const job = nightJob(SETTINGS, EARLY);
  const wanted = wantedDays(job, KNOWN, { ...EXPORTS, budget: undefined }, EARLY);
  expect(daysIn(wanted, 'statistics', 'not_complete')).toEqual(['2026-11-20']);
  expect(wanted.filter(({ stream }) => stream === 'events')).toEqual([]);
});

it('lets nothing be requested while the journal may lack lines', () => {
  const wanted = wantedDays(nightJob(SETTINGS, NOW), { ...KNOWN, unsure: true }, EXPORTS, NOW);
  expect(wanted.at(-1)).toMatchObject({
    date: '2026-11-20',
    state: 'missing',
    decision: { verdict: 'unsure' },
  });
});

it('decides about no day of events that the file holds, though the journal lacks its export', () => {
  const known = { ...KNOWN, entries: [], removed: ['2026-11-15', '2026-11-16'], unsure: true };
  const wanted = wantedDays(nightJob(SETTINGS, NOW), known, EXPORTS, NOW);
  const job = { eventDays: { start: '2026-11-14', end: '2026-11-20' }, consent: 'budget' } as const;
  const held = new Set(['2026-11-14', ...known.removed]);
  const { messages } = known;
  const decided = decide(job, {
    ...EXPORTS,
    entries: [],
    messages,
    unsure: true,
    covered: held,
    now: NOW,
    runId: 'r',
  });
  const missing = ['2026-11-17', '2026-11-19', '2026-11-20'];
  expect(daysIn(wanted, 'events', 'missing')).toEqual(missing);
  expect(decided.map(({ day }) => day).reverse()).toEqual(missing);
});

it('expects of a day without statistics what its weekdays had, unless no run pulls them first', () => {
  const job = nightJob(SETTINGS, NOW);
  const messages = new Map([['2026-11-13', sent(5)]]);
  const known = { ...KNOWN, messages, entries: [] };
  const last = (wanted: ReturnType<typeof wantedDays>) => wanted.at(-1);
  expect(last(wantedDays(job, known, EXPORTS, NOW))).toMatchObject({
    expectedRecords: 200,
    expectedPrice: 100,
  });
  const alone = { ...job, streams: new Set(['events'] as const) };
  expect(last(wantedDays(alone, known, EXPORTS, NOW))).toMatchObject({
    expectedRecords: null,
    decision: { verdict: 'no_estimate' },
  });
});
