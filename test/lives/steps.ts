/** What a life is made of, drawn by fast-check: plain data, so that a life that breaks shrinks to its shortest form. */
import fc from 'fast-check';
import type { Fault } from '../support/faults/index.js';
import { Counters, nameOf } from '../torture/counters.js';
import { ERASURE_POINTS } from '../torture/erasures.js';
import { APPEND_STEPS, type CrashPoint } from '../../src/ground/crash-points.js';
import { DURABLE_STEPS, pointsOf, PUSH_POINTS } from '../support/points.js';
import { DAMAGES } from './damages.js';

/**
 * How deep a life goes: `file` plays the paid events alone, over a warehouse that is one small file; `duckdb` plays whole
 * commands.
 */
export type Depth = 'file' | 'duckdb';

/** A death at the nth crash point that a command passes, or at the nth passing of one; with `cut`, of the power. */
export interface Kill {
  readonly at: number;
  readonly point?: CrashPoint | undefined;
  readonly cut?: number | undefined;
}

interface Run {
  readonly days: number;
  readonly trouble?: number | undefined;
  readonly odd?: number | undefined;
  readonly kill?: Kill | undefined;
  /** How many bytes the disk takes: by default all, or all until a paid request is on its way. */
  readonly room?: number | 'until a request' | undefined;
}

export type Step =
  | ({ readonly kind: 'night'; readonly skew: number } & Run)
  | ({ readonly kind: 'backfill' } & Run)
  | {
      readonly kind: 'decide';
      readonly which: number;
      readonly how: 'attach' | 'abandon' | 'again';
      readonly kill?: Kill | undefined;
    }
  | { readonly kind: 'recover' | 'rebuild' | 'backup'; readonly kill?: Kill | undefined }
  | { readonly kind: 'move' }
  | { readonly kind: 'forget'; readonly which: number; readonly kill?: Kill | undefined }
  | {
      readonly kind: 'push';
      readonly which: number;
      readonly rows: number;
      readonly trouble?: number | undefined;
      readonly kill?: Kill | undefined;
    }
  | { readonly kind: 'decide push'; readonly kill?: Kill | undefined }
  | { readonly kind: 'damage'; readonly what: number; readonly amount: number };

/** How many days a life over DuckDB keeps: what is younger never goes, whatever this machine's clock says. */
export const KEPT_DAYS = 8;

const DAY_MS = 24 * 3600 * 1000;

/** What this machine's clock differs from the right time. */
export const SKEWS = [
  { name: 'the clock is right', ms: 0 },
  { name: 'the clock is 11 minutes ahead', ms: 11 * 60_000 },
  { name: 'the clock is 11 minutes behind', ms: -11 * 60_000 },
  { name: 'the clock is 400 days ahead', ms: 400 * DAY_MS },
  { name: 'the clock is 3 days behind', ms: -3 * DAY_MS },
] as const;

/** How the service misbehaves once; none of these takes time. */
export const TROUBLES: readonly [Fault, ...Fault[]] = [
  { endpoint: 'E20', kind: 'reset-after', times: 1 },
  { endpoint: 'E20', kind: 'reset-before', times: 1 },
  { endpoint: 'E20', kind: 'status', status: 500, handled: true, times: 1 },
  {
    name: 'a proxy answers E20',
    endpoint: 'E20',
    kind: 'status',
    status: 502,
    body: '<p>gone</p>',
    handled: true,
    times: 1,
  },
  {
    name: 'E20 is refused',
    endpoint: 'E20',
    kind: 'status',
    status: 400,
    body: { error: 'InvalidRequest' },
    times: 1,
  },
  { name: 'the token is refused at E20', endpoint: 'E20', kind: 'status', status: 401, times: 1 },
  { endpoint: 'E20', kind: 'other-shape-200', handled: true, times: 1 },
  { endpoint: 'E20', kind: 'error-body-200', refusal: 'internal', handled: true, times: 1 },
  { endpoint: 'E20', kind: 'cut-without-length', framing: 'chunked', times: 1 },
  { endpoint: 'E21', kind: 'reset-after', times: 1 },
  { endpoint: 'E21', kind: 'processing-forever', times: 1 },
  { endpoint: 'E21', kind: 'export-error', times: 1 },
  { endpoint: 'E21', kind: 'cut-with-length', times: 1 },
  { endpoint: 'E21', kind: 'status', status: 500, times: 4 },
  { endpoint: 'E1', kind: 'status', status: 500, times: 4 },
];

/** How it misbehaves at a push to a journey. */
export const PUSH_TROUBLES: readonly [Fault, ...Fault[]] = [
  { endpoint: 'E16', kind: 'reset-after', times: 1 },
  { endpoint: 'E16', kind: 'reset-before', times: 1 },
  { endpoint: 'E16', kind: 'error-body-200', refusal: 'internal', handled: true, times: 1 },
  { endpoint: 'E16', kind: 'cut-with-length', bytes: 5, times: 1 },
  {
    name: 'E16 is taken, and a proxy answers',
    endpoint: 'E16',
    kind: 'status',
    status: 503,
    handled: true,
    times: 1,
  },
  {
    ...{ name: 'E16 is too much', endpoint: 'E16', kind: 'status', status: 429, times: 2 },
    body: { data: null, success: false, error: 'Too many requests' },
  },
  { endpoint: 'E16', kind: 'other-shape-200', body: {}, handled: true, times: 1 },
];

/** What the service says instead of a plain id: an id with odd characters before the real one, or a refusal. */
export const ODD_TEXTS: readonly {
  readonly name: string;
  readonly id?: string;
  readonly refusal?: string;
}[] = [
  { name: 'an id with U+2028', id: 'a\u2028b' },
  { name: 'an id with a line break', id: 'a\nb' },
  { name: 'an id in Korean', id: '내보내기/' },
  { name: 'an id with half a pair', id: 'a\ud800' },
  { name: 'an id of 5,000 characters', id: 'x'.repeat(5000) },
  { name: 'a refusal with U+2029', refusal: 'no\u2029"}\nmore' },
];

export const counters = (depth: Depth = 'file'): Counters =>
  new Counters({
    'crash point': depth === 'file' ? LIFE_POINTS : [...COMMAND_POINTS.flat(), OTHER],
    fault: [...TROUBLES, ...(depth === 'file' ? [] : PUSH_TROUBLES)].map(nameOf),
    damage: [
      ...DAMAGES.filter(({ ofCommands }) => depth === 'duckdb' || ofCommands !== true).map(
        ({ name }) => name,
      ),
      CUT,
    ],
    mishap: [...SKEWS.map(({ name }) => name), FULL],
    decision: ['attach', 'abandon', 'pay again', ...(depth === 'file' ? [] : ['--delivered', '--again'])],
    'odd value': ODD_TEXTS.map(({ name }) => name),
    step: [
      ...['night', 'backfill', 'decide', 'recover', 'backup', 'move', 'damage'],
      ...(depth === 'file' ? [] : ['rebuild', 'forget', 'push', 'decide push']),
    ],
  });

export const CUT = 'a power cut takes what is not durable';
export const FULL = 'the disk is full';

/** The steps of a line of the journal. */
const APPENDING = Object.keys(APPEND_STEPS) as (keyof typeof APPEND_STEPS)[];
const LINE: readonly string[] = [...APPENDING, ...APPENDING.map((step) => `copy/${step}`), 'copied'];

/** What a run of paid events and a decision pass: files, the load, and lines of the journal. */
export const LIFE_POINTS: readonly string[] = [
  ...[
    ...['journal/copy', 'journal/healed', 'journal/reserve', 'witness', 'lock'],
    ...['land/events', 'land/events-manifest', 'land/rejected'],
  ].flatMap((file) => DURABLE_STEPS.map((step) => `${file}/${step}`)),
  ...pointsOf('load'),
  ...[...APPENDING, 'copied'].map((step) => `journal/project/made/${step}`),
  ...['begun', 'ended', 'unsure', 'confirmed'].flatMap((event) =>
    LINE.map((step) => `journal/run/${event}/${step}`),
  ),
  ...[
    ...['intended', 'requested', 'failed', 'ambiguous', 'attached', 'abandoned'],
    ...['processing', 'troubled', 'ready', 'landed', 'loaded'],
  ].flatMap((event) => LINE.map((step) => `journal/export/${event}/${step}`)),
];

/** What each kind of command passes besides, without the lake; each life of whole commands dies at one of each list. */
const NIGHT_POINTS = pointsOf('load', 'exports', 'model', 'check', 'close', 'publish');
const RETENTION_POINTS = pointsOf('retention');
const REBUILD_POINTS = pointsOf('rebuild', 'replace');
const ERASING_POINTS = ERASURE_POINTS.filter(
  // The second passing of a point counts for the point; lives have no snapshots.
  (point) => !/:2$|snapshot|^(load|model|check|close|publish|replace)/.test(point),
) as CrashPoint[];
/** All of them. */
export const COMMAND_POINTS: readonly (readonly CrashPoint[])[] = [
  NIGHT_POINTS,
  RETENTION_POINTS,
  REBUILD_POINTS,
  PUSH_POINTS,
  ERASING_POINTS,
];
const OTHER = 'a step of a file';

/** What a death counts as; undefined for a step that only rare chains of damage reach, such as the first line of a new copy. */
export function nameOfPoint(point: CrashPoint, depth: Depth): string | undefined {
  if (depth === 'file') return LIFE_POINTS.find((one) => one === point);
  return COMMAND_POINTS.flat().find((one) => one === point) ?? OTHER;
}

// Distributions: most steps are plain, so that a life gets on.

const rarely = <T>(of: fc.Arbitrary<T>, inEvery = 4): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: inEvery - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: of });

const kill: fc.Arbitrary<Kill> = fc.record({
  // What a command passes first is met by decisions, too, and by the first of the runs after a loss.
  at: fc.oneof(fc.integer({ min: 1, max: 25 }), fc.integer({ min: 1, max: 110 })),
  cut: rarely(fc.nat(), 2),
});
const index = fc.nat(1000);
/**
 * Room for the first lines of a run; the same beside the room that is kept for the answer of E20; and more. Or somebody else
 * fills the disk while a request is on its way.
 */
const room = fc.oneof(
  { weight: 3, arbitrary: fc.constant('until a request' as const) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 4_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 65_536, max: 70_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 150_000 }) },
);
const run = {
  ...{ trouble: rarely(index, 3), odd: rarely(index, 6), kill: rarely(kill, 2) },
  room: rarely(room),
};

/** Lines that a run writes only because of a fault, and dies at. */
const FATES = (
  [
    ['failed', 'E20 is refused'],
    ['processing', 'processing-forever on E21'],
  ] as const
).flatMap(([event, fault]) =>
  LINE.map((line) => ({
    trouble: TROUBLES.findIndex((one) => nameOf(one) === fault),
    kill: { at: 1, point: `journal/export/${event}/${line}` as CrashPoint },
  })),
);

/** Deaths while a bill is attached. */
const ATTACHING = LINE.map((line): Kill => ({
  at: 1,
  point: `journal/export/attached/${line}` as CrashPoint,
}));

/** A death while your agreement is recorded. */
const agreeing = (line: string): Kill => ({ at: 1, point: `journal/run/confirmed/${line}` as CrashPoint });

const steps: fc.WeightedArbitrary<Step>[] = [
  {
    weight: 1,
    arbitrary: fc.constantFrom(...FATES).map((fate) => ({ kind: 'night', days: 1, skew: 0, ...fate })),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('decide' as const),
      which: index,
      how: fc.constant('attach' as const),
      kill: fc.constantFrom(...ATTACHING),
    }),
  },
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constant('night' as const),
      days: fc.integer({ min: 0, max: 2 }),
      skew: fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: index }),
      ...run,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('backfill' as const),
      days: fc.integer({ min: 1, max: 2 }),
      ...run,
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('decide' as const),
      which: index,
      how: fc.constantFrom('attach' as const, 'abandon' as const, 'again' as const),
      kill: rarely(kill, 3),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('recover' as const, 'backup' as const),
      kill: fc.oneof(rarely(kill), fc.constantFrom(...LINE).map(agreeing)),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'move' as const }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('damage' as const),
      what: index,
      amount: fc.integer({ min: 0, max: 12 }),
    }),
  },
];

/** A death at one of these points. */
const killAmong = (points: readonly CrashPoint[]): fc.Arbitrary<Kill | undefined> =>
  rarely(fc.record({ at: fc.constant(1), point: fc.constantFrom(...points), cut: rarely(fc.nat(), 2) }), 2);

/** What only whole commands do. */
const wholeSteps: fc.WeightedArbitrary<Step>[] = [
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('night' as const),
      days: fc.integer({ min: 0, max: 2 }),
      skew: fc.constant(0),
      kill: killAmong([...NIGHT_POINTS, ...RETENTION_POINTS]),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('rebuild' as const), kill: killAmong(REBUILD_POINTS) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('forget' as const),
      which: index,
      kill: killAmong(ERASING_POINTS),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('push' as const),
      which: index,
      rows: fc.integer({ min: 1, max: 20 }),
      trouble: rarely(index, 2),
      kill: killAmong(PUSH_POINTS),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('decide push' as const), kill: rarely(kill) }) },
];

/** The deaths that the life of a seed begins with, and the erasure that it ends with: any forty seeds die at every point. */
function fates(seed: number): { readonly first: Step[]; readonly last: Step[] } {
  const killAt = (points: readonly CrashPoint[], nth = seed): Kill => ({
    at: 1,
    point: points[nth % points.length],
  });
  return {
    first: [
      { kind: 'night', days: 0, skew: 0 },
      { kind: 'push', which: seed, rows: 5, kill: killAt(PUSH_POINTS) },
      seed % 4 === 0
        ? { kind: 'night', days: KEPT_DAYS + 2, skew: 0, kill: killAt(RETENTION_POINTS, seed / 4) }
        : { kind: 'night', days: 1, skew: 0, kill: killAt(NIGHT_POINTS) },
      { kind: 'rebuild', kill: killAt(REBUILD_POINTS) },
    ],
    last: [{ kind: 'recover' }, { kind: 'forget', which: seed, kill: killAt(ERASING_POINTS) }],
  };
}

/** The life of a seed: of so many steps on average. */
export function lives(average: number, depth: Depth, seed: number): fc.Arbitrary<Step[]> {
  const { first, last } = depth === 'file' ? { first: [], last: [] } : fates(seed);
  const drawn = Math.max(1, average - first.length - last.length);
  return fc
    .array(fc.oneof(...steps, ...(depth === 'file' ? [] : wholeSteps)), {
      minLength: 1,
      maxLength: 2 * drawn - 1,
      size: 'max',
    })
    .map((between) => [...first, ...between, ...last]);
}
