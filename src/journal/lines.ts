/**
 * The lines of the journal. A line is something that happened; its shape, and the functions that fold the lines of its
 * kind into what is true now, are in the folder of the feature. A line never holds a plain id of a person, SQL, a row, or
 * a text of the service.
 */
import { z } from 'zod';
import { wholeNumber, instant } from '../landing/landing-zone.js';

const text = z.string();

/** The number of a line, and the instant of the event. */
export const when = { seq: wholeNumber, at: instant };
/** The fields that each line of an event has. */
export const event = <const E extends string>(name: E) => ({ ...when, event: z.literal(name) });

/** The fields of every line. */
export const happened = z.object({ ...when, event: text });
export type Happened = z.output<typeof happened>;

/** A kind of line: its name, and the shape of its lines. */
export class Kind<L extends Happened> {
  /** The lines that were read from a journal, and the number of lines of all kinds that were searched for them. */
  readonly known = new WeakMap<object, { readonly lines: L[]; readonly searched: number }>();

  constructor(
    readonly name: string,
    readonly shape: z.ZodType<L>,
  ) {}
}

/** A line of a kind, as it is read. */
export type LineOf<K> = K extends Kind<infer L> ? L : never;

/** The fields that a writer gives for a line. */
export type Entry<L> = (L extends unknown ? Omit<L, 'at' | 'seq'> : never) & { readonly event: string };

const summary = z.record(text, z.unknown());
export const RUN = new Kind(
  'run',
  z.discriminatedUnion('event', [
    z.object({ ...event('begun'), runId: text, command: text, version: text, processId: wholeNumber }),
    z.object({ ...event('ended'), runId: text, exitCode: wholeNumber, outcome: text, summary }),
    // The journal may lack lines. Files that carry the head of this journal keep the names of missing erasures known.
    z.object({ ...event('unsure'), why: text, erase: text.optional() }),
    // A person agreed that the lines up to the number `forgotten` are lost, or in this journal, and the rows of the calls whose
    // lines have the numbers `lost`.
    z.object({ ...event('confirmed'), forgotten: wholeNumber, lost: z.array(wholeNumber) }),
  ]),
);
type RunLine = LineOf<typeof RUN>;

/** A past run; `over` is missing if the run was killed. */
export interface PastRun {
  readonly begun: Omit<Extract<RunLine, { readonly event: 'begun' }>, 'seq' | 'event'>;
  readonly over?: Omit<Extract<RunLine, { readonly event: 'ended' }>, 'seq' | 'event'> | undefined;
}

/** All runs that began, in order. Pure. */
export function runsOf(lines: readonly RunLine[]): PastRun[] {
  const ends = new Map(lines.flatMap((line) => (line.event === 'ended' ? [[line.runId, line]] : [])));
  return lines.flatMap((line) =>
    line.event === 'begun' ? [{ begun: line, over: ends.get(line.runId) }] : [],
  );
}
