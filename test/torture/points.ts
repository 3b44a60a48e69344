/** The named crash points, gathered from the sources that declare them, by what brings a process there. */
import { DURABLE_STEPS } from '../../src/storage/atomic-file.js';
import { COPY_POINTS, LEDGER_STEPS } from '../../src/exports/ledger-file.js';
import type { Fault } from '../support/faults/index.js';
import { PUBLISH_POINTS } from '../../src/warehouse/publish.js';
import { WAREHOUSE_POINTS } from '../../src/warehouse/warehouse.js';

const durable = (what: string): string[] => DURABLE_STEPS.map((step) => `${what}/${step}`);
const ledger = (event: string): string[] => LEDGER_STEPS.map((step) => `ledger/${event}/${step}`);

/** What every run passes that requests an export. */
export const RUN_POINTS: readonly string[] = [
  ...[
    'land/statistics',
    'land/statistics_by_subchannel',
    'land/campaigns',
    'land/campaigns-manifest',
  ].flatMap(durable),
  ...['land/events', 'ledger-reserve', 'lock'].flatMap(durable),
  ...COPY_POINTS,
  ...['intended', 'requested', 'ready', 'landed', 'loaded'].flatMap(ledger),
  ...WAREHOUSE_POINTS,
  ...PUBLISH_POINTS,
];

/** What only the very first run in a folder passes. */
export const FIRST_RUN_POINTS: readonly string[] = ['hmac-key', 'ledger-copy-made', 'project'].flatMap(
  durable,
);

/** What a rebuild passes besides. */
export const REBUILD_POINTS: readonly string[] = [
  'replace/before-rename',
  'replace/after-rename',
  'load/before-commit',
  'load/after-commit',
  ...PUBLISH_POINTS,
];

/** What the next process passes when a power cut tore the ledger's last line. */
export const TORN_POINTS: readonly string[] = durable('ledger-torn');

export const ATTACH_POINTS: readonly string[] = ledger('attached');
export const ABANDON_POINTS: readonly string[] = ledger('abandoned');

/** A service that misbehaves once, and the crash points that a run comes to because of it. */
export interface Misfortune {
  readonly faults: readonly Fault[];
  readonly points: readonly string[];
}

export const MISFORTUNES: readonly Misfortune[] = [
  { faults: [{ endpoint: 'E21', kind: 'processing-forever', times: 1 }], points: ledger('processing') },
  {
    faults: [{ endpoint: 'E20', kind: 'status', status: 400, body: { error: 'Invalid range' }, times: 1 }],
    points: ledger('failed'),
  },
  { faults: [{ endpoint: 'E20', kind: 'reset-after', times: 1 }], points: ledger('ambiguous') },
  {
    faults: [{ endpoint: 'E20', kind: 'status', status: 502, body: '<p>gone</p>', handled: true, times: 1 }],
    points: durable('land/rejected'),
  },
  { faults: [{ endpoint: 'E21', kind: 'other-shape-200', times: 1 }], points: ledger('troubled') },
  { faults: [{ endpoint: 'E17', kind: 'other-shape-200', times: 1 }], points: durable('land/rejected') },
];
