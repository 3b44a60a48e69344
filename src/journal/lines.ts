/**
 * The lines of the journal, by kind. A line is something that happened; functions in the folder of each feature fold the
 * lines of its kind into what is true now. A line never holds a plain id of a person, SQL, a row, or a text of the
 * service.
 */
import { z } from 'zod';
import { isDay } from '../ground/calendar.js';

const text = z.string();
const number = z.number();
const count = z.number().int().nonnegative();
const instant = z.iso.datetime().transform((iso) => new Date(iso));
const day = text.refine(isDay, 'not a day');
const when = { seq: count, at: instant };
const event = <const E extends string>(name: E) => ({ ...when, event: z.literal(name) });

/**
 * Sequence number and checksum of a line, and the names of erasures, separated by spaces: the last one up to the line, and
 * those that a doubt says are missing.
 */
export const headShape = z.object({ seq: count, sum: text, erase: text });
export type Head = z.infer<typeof headShape>;

/** The project of the data folder, and the addresses that issued a token for it (E1). */
const project = z.discriminatedUnion('event', [
  z.object({ ...event('made'), projectId: text.optional() }),
  z.object({ ...event('address'), projectId: text, baseUrl: text }),
]);

const run = z.discriminatedUnion('event', [
  z.object({ ...event('begun'), runId: text, command: text, version: text, processId: z.number().int() }),
  z.object({
    ...event('ended'),
    runId: text,
    exitCode: z.number().int(),
    outcome: text,
    summary: z.record(text, z.unknown()),
  }),
  /** The journal may lack lines: nothing that is billed or reaches people leaves until a person has confirmed it. */
  z.object({
    ...event('unsure'),
    why: text,
    /** The names of erasures that are missing, so that they stay known when files carry the head of this journal. */
    erase: text.optional(),
  }),
  /** A person agreed that the lines up to the number `forgotten` are lost, or in this journal. */
  z.object({ ...event('confirmed'), forgotten: count }),
]);

const KEY = /^(\d{4}-\d{2}-\d{2})\.([1-9]\d{0,5})$/;

/** The day and the attempt in the key of an export; `undefined` if the text is not a key. */
export function partsOf(key: string): { day: string; attempt: number } | undefined {
  const [, ofDay = '', attempt = ''] = KEY.exec(key) ?? [];
  return isDay(ofDay) ? { day: ofDay, attempt: Number(attempt) } : undefined;
}

const key = text.refine((given) => partsOf(given) !== undefined, 'not a key');
const exportId = text.min(1);

/** A paid export (E20, E21); `at` is the instant of the event. */
const exported = z.discriminatedUnion('event', [
  z.object({
    ...event('intended'),
    key,
    day,
    messageData: z.boolean(),
    estimate: count.optional(),
    pricePerRecord: z.number().nonnegative(),
    again: key.optional(),
    run: text.optional(),
  }),
  z.object({ ...event('requested'), key, exportId }),
  z.object({ ...event('attached'), key, exportId }),
  z.object({ ...event('processing'), key }),
  z.object({ ...event('ready'), key, pages: count }),
  z.object({
    ...event('landed'),
    key,
    pages: count,
    records: count,
    landedAt: instant,
    unreadable: z.array(count).optional(),
    accepted: z.boolean().optional(),
  }),
  z.object({ ...event('loaded'), key }),
  z.object({ ...event('short'), key, records: count, note: text }),
  z.object({
    ...when,
    event: z.enum(['ambiguous', 'failed', 'withdrawn', 'abandoned', 'troubled', 'doubted']),
    key,
    note: text,
    /**
     * The unknown answer to E20: its file below `landing/`, and the SHA-256 of the text. `isError`: it is no more than an
     * error, which a person may judge.
     */
    answer: z.object({ file: text, sha256: text, isError: z.boolean() }).optional(),
  }),
]);

/** An erasure of persons, who are named by keyed digests. `of` is the number of the `begun` line. */
const erase = z.discriminatedUnion('event', [
  /** Recorded before anything is erased. `entered`: by `recover`, since the journal that held it was lost. */
  z.object({
    ...event('begun'),
    key: text,
    persons: count,
    ids: z.array(text),
    entered: z.boolean().optional(),
  }),
  /**
   * Before the first page of a pull is rewritten: only such a pull may hold fewer records than its manifest says.
   * `records`: those that it held then.
   */
  z.object({ ...event('cutting'), pull: text, records: count }),
  z.object({ ...event('cut'), of: count, records: count, rows: count }),
  z.object({ ...event('done'), of: count }),
  /** Records that arrived after the erasure and were cut. */
  z.object({ ...event('late'), records: count }),
  /** Every landed file that changed until `changed` (milliseconds, the filesystem's time) was searched for `of`. */
  z.object({ ...event('swept'), of: count, changed: number }),
  /** The private file holds bytes of erased rows in free blocks, until it is rewritten. */
  z.object(event('rows-deleted')),
  z.object(event('rewritten')),
]);

/** Landed pages of an export that retention removed. */
const removed = z.object({ ...event('pages'), key, exportId });

/** Commits of this folder to a lake; `lake` names its catalog, warehouse and namespace. */
const lake = z.discriminatedUnion('event', [
  z.object({ ...event('begun'), lake: text, commit: text }),
  z.object({ ...event('dropped'), lake: text, commit: text }),
  z.object({ ...event('settled'), lake: text, commit: text.nullable() }),
]);

/** The rows of a push by what becomes of them. */
const pushCounts = z.object({
  rows: number,
  new: number,
  changed: number,
  unchanged: number,
  unknown: number,
  left: number,
  erased: number,
});

const CALL_OUTCOMES = ['acknowledged', 'refused', 'withdrawn', 'ambiguous'] as const;

const pushed = <const E extends string>(name: E) => ({ ...event(name), push: text });
const push = z.discriminatedUnion('event', [
  z.object({
    ...pushed('begun'),
    target: text,
    mode: text.optional(),
    name: text.optional(),
    key: text,
    once: z.boolean(),
    only: z.boolean(),
    source: text,
    run: text,
    counts: pushCounts,
  }),
  /** `line`: the SHA-256 of the line of the call in `ledger/pushed/`, which shows that the line is there and unchanged. */
  z.object({ ...pushed('intended'), call: number, run: text, rows: number, line: text }),
  z.object({ ...pushed('settled'), call: number, outcome: z.enum(CALL_OUTCOMES), note: text.optional() }),
  /** Calls of a command that may be repeated (E2, E12, E14), and the rows that they took; each is in `ledger/pushed/`. */
  z.object({ ...pushed('sent'), rows: number, calls: number, run: text }),
  z.object({ ...pushed('rejected'), rows: number, reason: text }),
  z.object({ ...pushed('stopped'), note: text }),
  z.object({ ...pushed('resumed'), again: z.boolean() }),
  z.object(pushed('abandoned')),
  z.object(pushed('done')),
]);

export type PushCounts = z.infer<typeof pushCounts>;
export type CallOutcome = (typeof CALL_OUTCOMES)[number];

const shapes = { project, run, export: exported, erase, removed, lake, push };

export type Kind = keyof typeof shapes;

/** A line of a kind, as it is read; `at` is the instant of the event. */
export type Line<K extends Kind> = z.output<(typeof shapes)[K]>;

export const SHAPES: { readonly [K in Kind]: z.ZodType<Line<K>> } = shapes;

type Given<T> = T extends unknown ? Omit<T, 'at' | 'seq'> : never;

/** The fields that a writer gives for a line of a kind; instants are written as ISO texts. */
export type Entry<K extends Kind> = Given<Line<K>> & { readonly event: string };
