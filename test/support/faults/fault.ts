/** The faults that the sandbox can simulate. */
import { z } from 'zod';

const onEndpoint = {
  /** Its name where faults are counted; by default its kind and endpoint. */
  name: z.string().optional(),
  endpoint: z.enum([
    ...(['E1', 'E2', 'E3', 'E4', 'E5', 'E6', 'E10', 'E11', 'E12', 'E13', 'E14', 'E15', 'E16'] as const),
    ...(['E17', 'E18', 'E19', 'E20', 'E21', '*'] as const),
  ]),
  /** Number of affected requests; by default all. */
  times: z.int().positive().optional(),
  /** Number of requests to answer correctly first. */
  skip: z.int().nonnegative().optional(),
};

/** True if the request is handled, and an export billed, before the fault. */
const handled = z.boolean().optional();

/** The page of an export that is changed. */
const page = z.int().nonnegative().optional();

/** Whether the first record of an answer is changed, or all; by default all. */
const records = z.enum(['one', 'all']).optional();

/** The path of a field in a record, such as `message_data.title`. */
const field = z.string().min(1);

function kind<K extends string, S extends z.ZodRawShape>(name: K, parameters: S) {
  return z.strictObject({ ...onEndpoint, kind: z.literal(name), ...parameters });
}

/** No answer, or an incomplete one. */
const Connection = [
  /** The connection is reset before the request is handled: nothing is billed. */
  kind('reset-before', {}),
  /** The request is handled and billed, then the connection is reset without an answer. */
  kind('reset-after', {}),
  /** The connection stays open and silent. */
  kind('no-answer', { billed: z.boolean() }),
  /** The body arrives slowly: `bytes` (1) every `intervalMs` (1000). */
  kind('slow-drip', { intervalMs: z.number().positive().optional(), bytes: z.int().positive().optional() }),
  /** The right content-length, but the connection ends after `bytes` of the body (half of it). */
  kind('cut-with-length', { bytes: z.int().nonnegative().optional() }),
  /** No content-length, and a clean end after `bytes` of the body (half of it): the truncation is invisible. */
  kind('cut-without-length', {
    bytes: z.int().nonnegative().optional(),
    framing: z.enum(['chunked', 'close']).optional(),
  }),
  /** The content-length is wrong by this number of bytes (-10); a negative one is too small. */
  kind('wrong-length', { by: z.int().optional() }),
  /** A small gzip body that inflates to `mib` MiB (65): the answer and spaces. */
  kind('gzip-bomb', { mib: z.int().positive().optional() }),
  /** An uncompressed body of `mib` MiB (65): the answer and spaces. */
  kind('oversized', { mib: z.int().positive().optional() }),
  /**
   * The answer is correct, but the kept-alive connection is dead: `reuse` (the default) resets it when the next request
   * arrives, unhandled; `idle` closes it after the answer.
   */
  kind('close-keep-alive', { when: z.enum(['reuse', 'idle']).optional() }),
] as const;

/** Another answer. */
const Instead = [
  /** To `location`; by default the same address, so that a client that follows asks twice. */
  kind('redirect', {
    status: z.literal([301, 302, 303, 307, 308]).optional(),
    location: z.string().optional(),
    handled,
  }),
  /** Any status. A text is sent unchanged, other bodies as JSON; by default the family's error. */
  kind('status', {
    status: z.int().min(200).max(599),
    headers: z.record(z.string(), z.string()).optional(),
    body: z.unknown().optional(),
    handled,
  }),
  /** The family's error shape with status 200. */
  kind('error-body-200', {
    refusal: z.enum(['unauthorized', 'forbidden', 'invalid', 'timeout', 'internal']).optional(),
    handled,
  }),
  /** JSON of another shape with status 200. */
  kind('other-shape-200', { body: z.unknown().optional(), handled }),
] as const;

/** Lies: well-formed answers with wrong contents. A lie only affects answers that it can change. */
const Lies = [
  /** E21: the export is never ready. */
  kind('processing-forever', {}),
  /** E21: `not_found` after this number of pages (1). */
  kind('success-then-not-found', { after: z.int().nonnegative().optional() }),
  /** E21: from page 1 on, `total_page_count` is wrong by this number (1). */
  kind('changing-page-count', { by: z.int().optional() }),
  /** E21: one page (1) has the data of page 0. */
  kind('repeated-page', { page }),
  /** E2, E4, E10, E12, E21: every page is the first. */
  kind('ignores-page-parameter', {}),
  /** E21: the export failed; by default with status 200. */
  kind('export-error', { status: z.int().min(200).max(599).optional() }),
  /** E2, E4, E10, E12: later pages repeat a record of the first: `added` (the default), or in place of their own first one. */
  kind('repeated-item', { how: z.enum(['added', 'replaced']).optional() }),
  /** E2: the next cursor is the current one, so the list never ends. */
  kind('cursor-loop', {}),
  /** E2 (`list`: the catalogs, or their items, the default), E4, E10, E12: this number of rows (0), with a matching announcement. */
  kind('emptied-list', {
    rows: z.int().nonnegative().optional(),
    list: z.enum(['catalogs', 'items']).optional(),
  }),
  /** E2 (items), E4, E10, E12: after each page another full one with other rows, without end. */
  kind('endless-list', { announced: z.int().nonnegative().optional() }),
  /** A field has a value of another type: `value`, or one that depends on its type. */
  kind('other-type', { field, value: z.unknown().optional(), records }),
  /** An unknown field with `value` in each record and its message_data. */
  kind('extra-field', { field, value: z.unknown().optional(), records }),
  /** E21: each message becomes a different alimtalk that names its recipient and an order. */
  kind('own-messages', {}),
  /** E17, E18: on each later pull of a day, the counts of its first record are higher by this number (3). */
  kind('restate', {
    date: z.string().optional(),
    by: z.int().positive().optional(),
    counters: z.array(z.string()).optional(),
  }),
] as const;

export const FaultSchema = z.discriminatedUnion('kind', [...Connection, ...Instead, ...Lies]);

/** A fault, its endpoint, how often it occurs, and after how many correct answers. */
export type Fault = z.input<typeof FaultSchema>;

export type ConnectionFault = z.input<(typeof Connection)[number]>;
export type InsteadFault = z.input<(typeof Instead)[number]>;
export type Lie = z.input<(typeof Lies)[number]>;

const LIE_KINDS: readonly string[] = Lies.map((lie) => lie.shape.kind.value);
const INSTEAD_KINDS: readonly string[] = Instead.map((instead) => instead.shape.kind.value);

export function isLie(fault: Fault): fault is Lie {
  return LIE_KINDS.includes(fault.kind);
}

export function isInstead(fault: Fault): fault is InsteadFault {
  return INSTEAD_KINDS.includes(fault.kind);
}

/** True if the fault occurs before the request is handled. */
export function isEarly(fault: ConnectionFault | InsteadFault): boolean {
  if (fault.kind === 'reset-before') return true;
  if (fault.kind === 'no-answer') return !fault.billed;
  return isInstead(fault) && fault.handled !== true;
}
