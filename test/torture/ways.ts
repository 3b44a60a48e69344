/**
 * How a process is brought to each crash point of a night, a rebuild or a decision: kill.ts plays each of these, so that
 * every point is met in every run.
 */
import type { CrashPoint, FileName } from '../../src/ground/crash-points.js';
import { DAY_STREAMS } from '../../src/streams/index.js';
import type { Fault } from '../support/faults/index.js';
import { DURABLE_STEPS, JOURNAL_STEPS, PUBLISH_POINTS, WAREHOUSE_POINTS } from '../support/points.js';

const durable = (what: FileName): CrashPoint[] => DURABLE_STEPS.map((step) => `${what}/${step}` as const);
const ledger = (event: string): CrashPoint[] =>
  JOURNAL_STEPS.map((step) => `journal/export/${event}/${step}` as const);

/** What every run passes that requests an export. */
export const RUN_POINTS: readonly CrashPoint[] = [
  ...DAY_STREAMS.flatMap((stream) => [...durable(`land/${stream}`), ...durable(`land/${stream}-manifest`)]),
  ...(['journal/reserve', 'witness', 'lock'] as const).flatMap(durable),
  ...['intended', 'requested', 'ready', 'landed', 'loaded'].flatMap(ledger),
  ...WAREHOUSE_POINTS,
  ...PUBLISH_POINTS,
];

/** What only the very first run in a folder passes. */
const FIRST_RUN_POINTS: readonly CrashPoint[] = [...durable('hmac-key'), ...durable('journal/copy')];

/** What a rebuild passes besides. */
const REBUILD_POINTS: readonly CrashPoint[] = [
  'rebuild/before-open',
  'replace/before-rename',
  'replace/after-rename',
  'load/before-commit',
  'load/after-commit',
  ...PUBLISH_POINTS,
];

/** A service that misbehaves once, and the crash points that a run comes to because of it. */
export const MISFORTUNES: readonly (readonly [Fault, readonly CrashPoint[]])[] = [
  [{ endpoint: 'E21', kind: 'processing-forever', times: 1 }, ledger('processing')],
  [
    {
      ...{ name: 'E20 is refused', endpoint: 'E20', kind: 'status', times: 1 },
      ...{ status: 400, body: { error: 'InvalidRequest' } },
    },
    ledger('failed'),
  ],
  [{ endpoint: 'E20', kind: 'reset-after', times: 1 }, ledger('ambiguous')],
  [
    {
      ...{ name: 'E20 is handled, and a proxy answers', endpoint: 'E20', kind: 'status', times: 1 },
      ...{ status: 502, body: '<p>gone</p>', handled: true },
    },
    durable('land/rejected'),
  ],
  [{ endpoint: 'E21', kind: 'export-error' }, ledger('troubled')],
  [{ endpoint: 'E17', kind: 'other-shape-200', times: 1 }, durable('land/rejected')],
];

/** A crash point, and what leads there. */
export interface Way {
  readonly point: CrashPoint;
  readonly by: 'first run' | 'night' | 'rebuild' | 'torn line' | 'attach' | 'abandon' | Fault;
}

const ways = (by: Way['by'], points: readonly CrashPoint[]): Way[] => points.map((point) => ({ point, by }));

export const WAYS: readonly Way[] = [
  ...ways('first run', FIRST_RUN_POINTS),
  ...ways('night', RUN_POINTS),
  ...ways('rebuild', REBUILD_POINTS),
  // What the next process passes when a power cut tore the ledger's last line.
  ...ways('torn line', durable('journal/healed')),
  ...ways('attach', ledger('attached')),
  ...ways('abandon', ledger('abandoned')),
  ...MISFORTUNES.flatMap(([fault, points]) => ways(fault, points)),
];

export const KILL_POINTS: readonly CrashPoint[] = [...new Set(WAYS.map(({ point }) => point))];

/** What a counter calls a way. */
export const wayName = ({ point, by }: Way): string =>
  `${point} in ${typeof by === 'string' ? by : (by.name ?? by.kind)}`;
