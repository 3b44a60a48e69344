/** The ways in which the service can be told to misbehave. */
import { z } from 'zod';

const onEndpoint = {
  /** What it is called where faults are counted; default its kind and its endpoint. */
  name: z.string().optional(),
  endpoint: z.enum([
    ...(['E1', 'E2', 'E3', 'E4', 'E5', 'E6', 'E10', 'E11', 'E12', 'E13', 'E14', 'E15', 'E16'] as const),
    ...(['E17', 'E18', 'E19', 'E20', 'E21', '*'] as const),
  ]),
  /** How many requests it strikes; default all. */
  times: z.int().positive().optional(),
  /** How many requests that it could strike it lets through first. */
  skip: z.int().nonnegative().optional(),
};

/** Whether the request is handled, and an export billed, before the fault strikes. */
const handled = z.boolean().optional();

/** Which page of an export the lie is told on. */
const page = z.int().nonnegative().optional();

/** Whether the lie is told of the first record of an answer or of all; default all. */
const records = z.enum(['one', 'all']).optional();

/** A field of a record, dotted: `message_data.title`. */
const field = z.string().min(1);

function kind<K extends string, S extends z.ZodRawShape>(name: K, parameters: S) {
  return z.strictObject({ ...onEndpoint, kind: z.literal(name), ...parameters });
}

/** Nothing, or too little, comes over the wire. */
const Connection = [
  /** The connection is reset before the request is handled: nothing is billed. */
  kind('reset-before', {}),
  /** The request is handled, and billed; then the connection is reset without an answer. */
  kind('reset-after', {}),
  /** The connection stays open and silent. */
  kind('no-answer', { billed: z.boolean() }),
  /** The body comes in drops: `bytes` (1) every `intervalMs` (1000). */
  kind('slow-drip', { intervalMs: z.number().positive().optional(), bytes: z.int().positive().optional() }),
  /** The right content-length, but the connection ends after `bytes` of the body (half of it). */
  kind('cut-with-length', { bytes: z.int().nonnegative().optional() }),
  /** No content-length, and a clean end after `bytes` of the body (half of it): nothing tells that it was cut. */
  kind('cut-without-length', {
    bytes: z.int().nonnegative().optional(),
    framing: z.enum(['chunked', 'close']).optional(),
  }),
  /** The content-length is wrong by so many bytes (-10): below zero it is too small. */
  kind('wrong-length', { by: z.int().optional() }),
  /** A small gzip body that inflates to `mib` MiB (65): the answer, and then spaces. */
  kind('gzip-bomb', { mib: z.int().positive().optional() }),
  /** A plain body of `mib` MiB (65): the answer, and then spaces. */
  kind('oversized', { mib: z.int().positive().optional() }),
  /**
   * The answer is right and the connection kept alive, but dead: `reuse` (the default) resets it when the next
   * request arrives on it, unhandled; `idle` closes it as soon as the answer is out.
   */
  kind('close-keep-alive', { when: z.enum(['reuse', 'idle']).optional() }),
] as const;

/** Something else than the answer. */
const Instead = [
  /** To `location`; default the same address, so that who follows asks twice. */
  kind('redirect', {
    status: z.literal([301, 302, 303, 307, 308]).optional(),
    location: z.string().optional(),
    handled,
  }),
  /** Any status; the body is sent as it is when it is a string, else as JSON; default the family's error. */
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

/** A well-formed answer that is not true. Lies strike only answers that they can be told in. */
const Lies = [
  /** E21: never ready. */
  kind('processing-forever', {}),
  /** E21: gone after so many pages (1) were read. */
  kind('success-then-not-found', { after: z.int().nonnegative().optional() }),
  /** E21: from page 1 on, `total_page_count` is off by so much (1). */
  kind('changing-page-count', { by: z.int().optional() }),
  /** E21: one page (1) has the data of page 0. */
  kind('repeated-page', { page }),
  /** E2, E4, E10, E12, E21: every page is the first. */
  kind('ignores-page-parameter', {}),
  /** E21: making the export failed; default status 200. */
  kind('export-error', { status: z.int().min(200).max(599).optional() }),
  /** E2, E4, E10, E12: later pages hold a record of the first, `added` (the default) or in place of their own first. */
  kind('repeated-item', { how: z.enum(['added', 'replaced']).optional() }),
  /** E2: the cursor that leads on is the one that led here, so that there is no end. */
  kind('cursor-loop', {}),
  /** E2 (`list`: the catalogs, or their items, the default), E4, E10, E12: so many rows (0), and as many announced. */
  kind('emptied-list', {
    rows: z.int().nonnegative().optional(),
    list: z.enum(['catalogs', 'items']).optional(),
  }),
  /** E2 (items), E4, E10, E12: after the first page always another full one, of other rows. */
  kind('endless-list', { announced: z.int().nonnegative().optional() }),
  /** A field has a value of another type; `value` says which, default by the type it has. */
  kind('other-type', { field, value: z.unknown().optional(), records }),
  /** An unknown field, `value` in it, in each record and in its message_data. */
  kind('extra-field', { field, value: z.unknown().optional(), records }),
  /** E21: each record with a message is an alimtalk of its own, which names its recipient and an order. */
  kind('own-messages', {}),
  /** E17, E18: on each later pull of a day, its first record's counts are higher by so much (3). */
  kind('restate', {
    date: z.string().optional(),
    by: z.int().positive().optional(),
    counters: z.array(z.string()).optional(),
  }),
] as const;

export const FaultSchema = z.discriminatedUnion('kind', [...Connection, ...Instead, ...Lies]);

/** One way to misbehave, where, how often and after how many good answers. */
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

/** Whether the fault strikes before the request is handled. */
export function isEarly(fault: ConnectionFault | InsteadFault): boolean {
  if (fault.kind === 'reset-before') return true;
  if (fault.kind === 'no-answer') return !fault.billed;
  return isInstead(fault) && fault.handled !== true;
}
