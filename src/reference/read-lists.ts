/** Reads lists until each is one consistent snapshot, or is given up for this run. */
import { DamageError } from '../errors.js';
import { settleAll } from '../api/settle.js';
import type { LandedList, ReferencePull, ShortList } from '../storage/pull.js';
import type { Snapshot } from '../storage/snapshot.js';
import { readList, type ListReader, type ListSource, type WalkedList } from './read-list.js';
import type { CountedRows } from '../warehouse/count-rows.js';
import { judgeReading, type Known, type ReadList } from './whole.js';

/** How often a list that changes while it is read is read in one run. */
export const READINGS = 3;

export interface ListsReader extends ListReader {
  readonly projectId: string;
  /** The messenger's word in paths. */
  readonly messenger: string;
  /** The pull before this one. */
  readonly earlier: ReferencePull | undefined;
  /** How many rows the last snapshot of each list has. */
  readonly held: ReadonlyMap<string, number>;
  /** Counts the rows of pages. */
  count(files: readonly string[], list: ListSource, largestPage: number): Promise<CountedRows>;
  /** Keeps an answer that cannot be used. */
  reject(source: ListSource, body: Buffer): Promise<void>;
  /** Whether a person accepts the lists, however little they hold. */
  readonly accepted: boolean;
}

/** What is known of a list before it is read. */
export function knownOf(list: string, { earlier, held, snapshot, accepted }: ListsReader): Known {
  const short = earlier?.short.filter((night) => night.list === list) ?? [];
  return { held: held.get(list) ?? 0, short, pulledAt: snapshot.pulledAt, accepted };
}

export interface ListsRead {
  readonly lists: LandedList[];
  /** Lists that count although the service announces another number of rows. */
  readonly differing: LandedList[];
  readonly failures: ListFailure[];
  /** Lists that did not count, since rows were missing. */
  readonly short: ShortList[];
  largestPage: number;
}

/** A list that could not be read; `reason` is a clause. */
export interface ListFailure extends Pick<ListSource, 'list' | 'what'> {
  readonly reason: string;
  /** Whether it was read and may be accepted as it is. */
  readonly isShort?: boolean;
}

/** What a catalog's list says of the number of items, where the pages say nothing; read before and after the items. */
export type Announce = () => Promise<ReadonlyMap<string, number | null>>;

/** Throws as `readList` does, after all lists have ended. */
export async function readLists(
  sources: readonly ListSource[],
  reader: ListsReader,
  announce?: Announce,
): Promise<ListsRead> {
  const read: ListsRead = { lists: [], differing: [], failures: [], short: [], largestPage: 0 };
  const begun = await reader.snapshot.begun();
  let announced = await announce?.();
  let waiting = sources.map((source) => new Candidate(source, begun.get(source.list) ?? 1));
  for (let round = 1; waiting.length > 0; round++) {
    const before = announced;
    await settleAll(waiting.map((candidate) => candidate.read(reader)));
    for (const candidate of waiting) await candidate.count(reader);
    announced = await announce?.();
    for (const candidate of waiting) candidate.judge(reader, before, announced);
    for (const { outcome } of waiting) if (outcome !== undefined) outcome(read);
    waiting = waiting.filter(({ outcome }) => outcome === undefined);
    if (round < READINGS) continue;
    for (const candidate of waiting) candidate.giveUp(read, reader.snapshot.pulledAt);
    break;
  }
  return read;
}

/** One list on its way to a snapshot. */
class Candidate {
  /** What it came to; undefined while it is to be read again. */
  outcome: ((read: ListsRead) => void) | undefined;
  #walked: (WalkedList & { files: string[] }) | undefined;
  #counted: CountedRows = { rows: 0, repeated: 0, equal: 0 };
  #before: ReadList | undefined;
  #reason = '';
  #isShort = false;

  constructor(
    readonly source: ListSource,
    public reading: number,
  ) {}

  async read(reader: ListsReader): Promise<void> {
    const { source } = this;
    const reading = { list: source.list, reading: this.reading };
    const walk = await readList(source, reading, reader);
    this.#walked = undefined;
    this.#isShort = false;
    if (walk.kind === 'stale') {
      this.#reason = walk.reason;
      return;
    }
    if (walk.kind === 'failed') {
      if (walk.body !== undefined) await reader.reject(source, walk.body);
      this.outcome = (read) => read.failures.push({ ...source, reason: walk.reason });
      return;
    }
    const { list } = walk;
    const files = await landedFiles(reader.snapshot, reading, list);
    this.#walked = { ...list, files };
  }

  async count(reader: ListsReader): Promise<void> {
    if (this.#walked === undefined) return;
    const { files, largestPage } = this.#walked;
    try {
      this.#counted = await reader.count(files, this.source, largestPage);
    } catch (error) {
      if (!(error instanceof DamageError)) throw error;
      this.outcome = (read) => read.failures.push({ ...this.source, reason: 'its rows cannot be read' });
    }
  }

  judge(
    reader: ListsReader,
    before: ReadonlyMap<string, number | null> | undefined,
    after: ReadonlyMap<string, number | null> | undefined,
  ): void {
    this.reading++;
    const walked = this.#walked;
    if (walked === undefined || this.outcome !== undefined) return;
    const { source } = this;
    const announced = after === undefined ? walked.announced : (after.get(source.list) ?? null);
    const moved = walked.moved || (before?.get(source.list) ?? null) !== (after?.get(source.list) ?? null);
    const { files, largestPage } = walked;
    const { rows, equal } = this.#counted;
    const list = { ...this.#counted, announced, moved };
    const verdict = judgeReading(list, this.#before, knownOf(source.list, reader));
    this.#before = list;
    if (verdict.kind === 'again') {
      this.#reason = verdict.reason;
      this.#isShort = verdict.isShort;
      return;
    }
    this.outcome = (read) => {
      // The service counts each of the equal rows.
      const one = { rows: rows - equal, announced: announced === null ? null : announced - equal };
      const landed = { list: source.list, files, ...one };
      read.lists.push(landed);
      if (verdict.kind === 'differs') read.differing.push(landed);
      read.largestPage = Math.max(read.largestPage, largestPage);
    };
  }

  giveUp(read: ListsRead, pulledAt: Date): void {
    const { source } = this;
    if (this.#isShort && this.#before !== undefined) {
      const { rows, announced } = this.#before;
      read.short.push({ list: source.list, rows, announced, pulledAt });
    }
    const readings = this.#isShort ? '' : `, in each of ${READINGS} readings`;
    read.failures.push({ ...source, reason: `${this.#reason}${readings}`, isShort: this.#isShort });
  }
}

/** Packed, unless a page has to be mended before it can be read. */
export async function landedFiles(
  snapshot: Snapshot,
  reading: { list: string; reading: number },
  { pages, clean }: Pick<WalkedList, 'pages' | 'clean'>,
): Promise<string[]> {
  return clean ? await snapshot.pack(reading, pages) : snapshot.unpacked(reading, pages);
}
