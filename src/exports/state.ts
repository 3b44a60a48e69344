/**
 * The states of a paid export and what may happen in each: a table, pure, tested as a table.
 *
 * An event is what a line of the ledger says; the table says which state follows. What the table does not list cannot
 * happen: read from disk it is damage, requested by a caller it is refused.
 */

/**
 * - `intended`: on disk before the request (E20) is sent; not known to have been sent
 * - `requested`: the service answered with an export id: billed
 * - `processing`: a result was asked for (E21) and is being generated
 * - `ready`: the number of pages is known, pages are being landed
 * - `landed`: every page is on disk
 * - `loaded`: every page is in the warehouse
 * - `ambiguous`: may have been sent, and the outcome is unknown; a person decides
 * - `failed`: the service clearly refused; nothing billed
 * - `withdrawn`: the request provably never left this machine; nothing billed
 * - `abandoned`: a person gave up on this bill
 */
export const EXPORT_STATES = [
  'intended',
  'requested',
  'processing',
  'ready',
  'landed',
  'loaded',
  'ambiguous',
  'failed',
  'withdrawn',
  'abandoned',
] as const;
export type ExportState = (typeof EXPORT_STATES)[number];

/** What a line of the ledger may report of an export that exists; `intended` is the line that makes one. */
export const EXPORT_EVENTS = [
  'requested',
  'processing',
  'ready',
  'landed',
  'loaded',
  'ambiguous',
  'failed',
  'withdrawn',
  'abandoned',
  /** A person found the export's id. */
  'attached',
  /** The service did not deliver this time: `error`, `not_found`, or still `processing` when the run stopped waiting. */
  'troubled',
  /** The service reports no records for the export, and the daily statistics count some. */
  'doubted',
] as const;
export type ExportEvent = (typeof EXPORT_EVENTS)[number];

/** Whether the service bills the export: `maybe` until the answer to E20 is known. */
export type Billed = 'no' | 'maybe' | 'yes';

type Moves = Readonly<Partial<Record<ExportEvent, ExportState>>>;

const MOVES: Readonly<Record<ExportState, Moves>> = {
  intended: {
    requested: 'requested',
    ambiguous: 'ambiguous',
    failed: 'failed',
    withdrawn: 'withdrawn',
  },
  // Until pages are landed a person may correct an export id that was mistyped, or give up.
  requested: {
    processing: 'processing',
    ready: 'ready',
    troubled: 'requested',
    doubted: 'requested',
    attached: 'requested',
    abandoned: 'abandoned',
  },
  processing: {
    processing: 'processing',
    ready: 'ready',
    troubled: 'processing',
    doubted: 'processing',
    attached: 'requested',
    abandoned: 'abandoned',
  },
  ready: {
    ready: 'ready',
    landed: 'landed',
    troubled: 'ready',
    doubted: 'ready',
    attached: 'requested',
    abandoned: 'abandoned',
  },
  // Reading a page again is not billed (E21), so a landed page that turns out damaged opens the export once more.
  // A person may find that the id belongs to another window, or that one was given after all.
  landed: { loaded: 'loaded', ready: 'ready', attached: 'requested' },
  loaded: { loaded: 'loaded', ready: 'ready', attached: 'requested' },
  ambiguous: { attached: 'requested', abandoned: 'abandoned' },
  // The window of a failed one is free for the next run; abandoning it tells the runs to leave that day alone. What else
  // remembers it as billed, after the ledger was restored, makes it ambiguous.
  failed: { abandoned: 'abandoned', attached: 'requested', ambiguous: 'ambiguous' },
  withdrawn: { abandoned: 'abandoned', attached: 'requested', ambiguous: 'ambiguous' },
  abandoned: { attached: 'requested' },
};

/** The state that follows, or `undefined` when the event cannot happen in this state. */
export function nextState(state: ExportState, event: ExportEvent): ExportState | undefined {
  return MOVES[state][event];
}

/** Whether the service bills an export after it came into `state`, having been `before` until then. */
export function billedAfter(state: ExportState, before: Billed): Billed {
  switch (state) {
    case 'intended':
    case 'ambiguous':
      return 'maybe';
    case 'failed':
    case 'withdrawn':
      return 'no';
    case 'abandoned':
      return before;
    default:
      return 'yes';
  }
}

/**
 * Whether no run may request the window again on its own: it is paid, or may be, or a person gave up on it, which is
 * not a consent to pay again.
 */
export function blocksRuns(state: ExportState): boolean {
  return state !== 'failed' && state !== 'withdrawn';
}

/** Whether not even a person may pay for the window again through another export: an abandoned one no longer counts. */
export function blocksPayingAgain(state: ExportState): boolean {
  return blocksRuns(state) && state !== 'abandoned';
}

/** Whether a run can resume the export at no cost: poll, land, or load it. */
export function isResumable(state: ExportState): boolean {
  return state === 'requested' || state === 'processing' || state === 'ready' || state === 'landed';
}
