/**
 * The nightly job, which brings the warehouse up to the last complete day: its start time and its steps. It may run at any time and any
 * number of times. `nightJob` in `src/night/wanted-days.ts` chooses the days.
 */
import type { Config } from '../src/config/config.js';
import { afterPublish, lake, page, prune, pruneCopies, push } from '../src/night/after-publishing.js';
import { check, model, note, publish, retaining } from '../src/night/deliver.js';
import { authorize, clocks, loadLanded, pull } from '../src/night/pull.js';
import type { Step } from '../src/night/step.js';
import { STREAMS } from '../src/streams/index.js';

/** When the nightly job runs in KST, shortly after yesterday is complete, and how a failed night is repeated. */
export const NIGHTLY = {
  at: '07:10',
  /** The pause before each retry of a failed night. */
  retryPausesMinutes: [10, 30, 90],
} as const;

export const nightSteps = ({ pushes }: Pick<Config, 'pushes'>): readonly Step[] => [
  loadLanded,
  authorize,
  ...STREAMS.map(pull),
  clocks,
  note,
  model,
  check,
  retaining('limited'),
  publish,
  lake,
  ...pushes.map(push),
  prune,
  pruneCopies,
  page,
  afterPublish,
];
