/**
 * The journal, `ledger/journal.jsonl`: the one append-only file of what happened in a data folder. A line carries a
 * number and a checksum over all bytes before it, so one pass over the file proves that no byte changed. The second copy
 * shows that whole lines at the end are missing; the heads that other files carry show that both are.
 */
import { createHash, type Hash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Effects } from '../ground/effects.js';
import { DamageError, StorageError, UsageError } from '../ground/errors.js';
import { DurableFolder, FILE_MODE, sweepTemporaries } from '../landing/atomic-file.js';
import { foldersOf, instantName } from '../landing/paths.js';
import { isFull, orStorageError, readIfThere } from '../landing/storage-error.js';
import { headShape, SHAPES, type Entry, type Head, type Kind, type Line } from './lines.js';

/** The crash points of writing a line, in order; each is named `journal/<kind>/<event>/<step>`. */
export const JOURNAL_STEPS = [
  'before-append',
  'before-fsync',
  'durable',
  'before-copy-fsync',
  'copied',
] as const;

/** Lines after which a request leaves that is billed or reaches people, or data is erased. */
const INTENTS: ReadonlySet<string> = new Set(['export/intended', 'push/intended', 'erase/begun']);

const RESERVE_BYTES = 64 * 1024;

/** Where the journal and its second copy are. */
export interface JournalPlace {
  readonly dataDir: string;
  /** The path of the second copy (`ledger_copy`); by default it is in the landing zone. */
  readonly ledgerCopy?: string | undefined;
}

const pathIn = ({ dataDir }: JournalPlace): string => join(foldersOf(dataDir).ledger, 'journal.jsonl');
const copyIn = ({ dataDir, ledgerCopy }: JournalPlace): string =>
  ledgerCopy === undefined
    ? join(foldersOf(dataDir).landing, 'ledger', 'journal.jsonl')
    : resolve(ledgerCopy);

export class Journal {
  readonly path: string;
  readonly #place: JournalPlace;
  readonly #effects: Effects;
  readonly #disk: DurableFolder;
  readonly #found: Found;
  readonly #isWriter: boolean;
  /** The file as it was opened, then each line that was appended. */
  readonly #written: Buffer[];
  /** The lines of each kind that was asked for. */
  readonly #lines: { [K in Kind]?: Line<K>[] } = {};
  /** The state after all bytes. */
  readonly #hash: Hash;
  #size: number;
  #seq: number;
  #sum: string;
  #copy: CopyState;
  #witnessed = false;
  #queue: Promise<unknown> = Promise.resolve();

  private constructor(place: JournalPlace, effects: Effects, found: Found, isWriter: boolean) {
    const { bytes, hash } = found.content;
    this.path = pathIn(place);
    this.#place = place;
    this.#effects = effects;
    this.#disk = new DurableFolder(place.dataDir, effects);
    this.#found = found;
    this.#isWriter = isWriter;
    this.#written = [bytes];
    this.#hash = hash;
    this.#size = bytes.length;
    const last = textAt(bytes, lastLine(bytes));
    this.#seq = Number(/,"seq":(\d+),/.exec(last)?.[1] ?? 0);
    this.#sum = SUM.exec(last)?.[1] ?? '';
    const isSame = found.copy.length > 0 && found.copy.equals(bytes);
    this.#copy = found.other.length > 0 ? 'other' : isSame ? 'same' : 'behind';
  }

  /**
   * Opens the journal for writing; requires the lock. A torn end and a damaged line heal from the second copy. Lines that
   * only the copy holds are restored, and `lacks` says so.
   *
   * @param accept throws if the journal must not be used; then nothing is written
   * @throws StorageError
   */
  static async open(
    place: JournalPlace,
    effects: Effects,
    accept: (journal: Journal) => void = () => undefined,
  ): Promise<Journal> {
    const found = await read(place);
    const { own, content } = found;
    const journal = new Journal(place, effects, found, true);
    accept(journal);
    const { path } = journal;
    const disk = journal.#disk;
    await disk.makeFolder(dirname(path));
    for (const folder of [dirname(path), dirname(copyIn(place))]) await sweepTemporaries(folder);
    if (content.isDamaged)
      await disk.write(`${path}.set-aside-${instantName(effects.now())}`, own, 'journal/set-aside');
    if (!own.equals(content.bytes)) await disk.write(path, content.bytes, 'journal/healed');
    if (journal.#copy === 'behind' && !journal.isEmpty) await journal.#copyAll();
    return journal;
  }

  /** Reads the journal beside a run; nothing is written. Throws `StorageError`. */
  static async read(place: JournalPlace, effects: Effects): Promise<Journal> {
    return new Journal(place, effects, await read(place), false);
  }

  /** A sentence on lines that the file lacks by the evidence of its copy; undefined if it is whole. */
  get lacks(): string | undefined {
    return this.#found.lacks;
  }

  /** The lines of a second copy that belongs to another journal, as JSON. */
  get others(): unknown[] {
    return linesIn(this.#found.other).map((text): unknown => JSON.parse(text));
  }

  /** The end of the journal and the erasures that it knows; files that are written now carry it. */
  get head(): Head {
    const last = this.of('erase').findLast((line) => line.event === 'begun');
    const erasures = [...(last?.event === 'begun' ? [erasureNamed(last.ids)] : []), ...this.lackedErasures];
    return { seq: this.#seq, sum: this.#sum, erase: erasures.join(' ') };
  }

  /** The erasures that a doubt named, and that were not entered since. */
  get lackedErasures(): string[] {
    const named = this.of('run').flatMap((line) => (line.event === 'unsure' ? erasuresIn(line.erase) : []));
    return [...new Set(named)].filter((name) => !this.holdsErasure(name));
  }

  holdsErasure(name: string): boolean {
    return this.of('erase').some((line) => line.event === 'begun' && erasureNamed(line.ids) === name);
  }

  /** Identifies the journal: the checksum of its first line. */
  get id(): string {
    const first = this.#written.find(({ length }) => length > 0);
    return (first && SUM.exec(textAt(first, 0))?.[1]) ?? '';
  }

  get isEmpty(): boolean {
    return this.#size === 0;
  }

  /** True if the journal holds the line of a head: a checksum is over all lines before it, their numbers included. */
  holds({ seq, sum }: Pick<Head, 'seq' | 'sum'>): boolean {
    return seq === 0 || this.#written.some((bytes) => bytes.includes(`,"sum":"${sum}"}\n`));
  }

  /** The lines of a kind, oldest first; parsed once. Throws `DamageError` for a line of another shape. */
  of<K extends Kind>(kind: K): readonly Line<K>[] {
    const known: Line<K>[] | undefined = this.#lines[kind];
    if (known !== undefined) return known;
    const lines: Line<K>[] = [];
    for (const bytes of this.#written) {
      for (const at of placesOf(bytes, `{"kind":"${kind}",`)) {
        const isStart = at === 0 || bytes[at - 1] === NEWLINE;
        if (isStart) lines.push(parsed(this.path, kind, textAt(bytes, at)));
      }
    }
    Object.assign(this.#lines, { [kind]: lines });
    return lines;
  }

  /**
   * Appends a line; resolves once it and, where the disk allows it, its copy are durable. After a `StorageError` the
   * journal is unchanged.
   *
   * @param seq a number above the next one, after lines that a lost journal held
   */
  append<K extends Kind>(kind: K, entry: Entry<K>, seq?: number): Promise<Line<K>> {
    const turn = this.#queue.then(() => this.#append(kind, entry, seq));
    this.#queue = turn.catch(() => undefined);
    return turn;
  }

  /** Records that a person agreed to what is lost. The copy of another journal is then no longer needed. */
  async confirm(forgotten: number): Promise<void> {
    if (this.#copy === 'other') this.#copy = 'behind';
    await this.append('run', { event: 'confirmed', forgotten }, Math.max(forgotten, this.#seq) + 1);
  }

  /** Resolves when every line is written; then the witness knows the end. */
  async close(): Promise<void> {
    await this.#queue;
    if (!this.isEmpty && !this.#witnessed) await this.witness();
  }

  async #append<K extends Kind>(kind: K, entry: Entry<K>, given?: number): Promise<Line<K>> {
    if (!this.#isWriter) throw new Error('A journal that was opened for reading is not written.');
    const name = `${kind}/${entry.event}`;
    const isIntent = INTENTS.has(name);
    const seq = given ?? this.#seq + 1;
    const content = JSON.stringify({ kind, seq, at: this.#effects.now(), ...entry }).slice(0, -1);
    const sum = sumOf(this.#hash.copy().update(content));
    const text = `${content},"sum":"${sum}"}`;
    const line = parsed(this.path, kind, text, 'new');
    const reserve = join(dirname(this.path), 'journal.reserve');
    if (isIntent) await this.#disk.write(reserve, Buffer.alloc(RESERVE_BYTES), 'journal/reserve');
    const bytes = Buffer.from(`${text}\n`);
    try {
      await this.#write(bytes, name);
    } catch (error) {
      // Nothing has been sent when something is intended, so only later lines may use the reserved space.
      if (isIntent || !isFull(error)) throw error;
      await rm(reserve, { force: true }).catch(() => undefined);
      await this.#write(bytes, name);
    }
    this.#written.push(bytes);
    this.#hash.update(bytes);
    this.#size += bytes.length;
    this.#seq = seq;
    this.#sum = sum;
    this.#lines[kind]?.push(line);
    await this.#copyLine(bytes, name);
    this.#witnessed = false;
    if (isIntent) await this.witness();
    return line;
  }

  #write(bytes: Buffer, name: string): Promise<void> {
    return orStorageError('write', this.path, async () => {
      const handle = await open(this.path, 'a', FILE_MODE);
      try {
        const { size } = await handle.stat();
        if (size !== this.#size)
          throw new DamageError(`${this.path} does not end where this run left it.`, {
            hint: 'Another program changed it, or the disk failed. Run again when that has ended.',
          });
        this.#reach(name, 'before-append');
        try {
          await handle.appendFile(bytes);
          this.#reach(name, 'before-fsync');
          await handle.sync();
          if (size === 0) await this.#disk.syncFolder(dirname(this.path));
        } catch (error) {
          // If part of the line stays on disk, the file has another size, and nothing more is written after it.
          await handle
            .truncate(size)
            .then(() => handle.sync())
            .catch(() => undefined);
          throw error;
        }
        this.#reach(name, 'durable');
      } finally {
        // All data is fsynced or cut off by now, so an error on closing has no consequence.
        await handle.close().catch(() => undefined);
      }
    });
  }

  /** Appends a line to the second copy, which may lag behind: a full disk there does not fail the append. */
  async #copyLine(bytes: Buffer, name: string): Promise<void> {
    if (this.#copy === 'behind') await this.#copyAll();
    else if (this.#copy === 'same')
      await this.#copying(async () => {
        const handle = await open(copyIn(this.#place), constants.O_WRONLY | constants.O_APPEND);
        try {
          await handle.appendFile(bytes);
          this.#reach(name, 'before-copy-fsync');
          await handle.sync();
        } finally {
          await handle.close().catch(() => undefined);
        }
      });
    this.#reach(name, 'copied');
  }

  /** Writes the second copy anew because it is missing, lags behind, was cut, or is damaged. */
  #copyAll(): Promise<void> {
    const path = copyIn(this.#place);
    const disk = new DurableFolder(dirname(path), this.#effects);
    return this.#copying(() => disk.write(path, Buffer.concat(this.#written), 'journal/copy'));
  }

  /** Does what the disk of the second copy may refuse. */
  async #copying(work: () => Promise<void>): Promise<void> {
    this.#copy = 'behind';
    try {
      await orStorageError('write', 'the second copy', work);
      this.#copy = 'same';
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
    }
  }

  /** Writes the head into the witness. Throws `StorageError`. */
  async witness(): Promise<void> {
    await this.#disk.write(witnessIn(this.#place.dataDir), `${JSON.stringify(this.head)}\n`, 'witness');
    this.#witnessed = true;
  }

  #reach(name: string, step: (typeof JOURNAL_STEPS)[number]): void {
    this.#effects.reach(`journal/${name}/${step}`);
  }
}

/** The name of an erasure, the same in every journal: a hash of the digests of its ids. */
export function erasureNamed(ids: readonly string[]): string {
  return sumOf(createHash('sha256').update([...ids].sort().join(' ')));
}

/** The names of erasures in a head or a doubt. */
export function erasuresIn(names = ''): string[] {
  return names.split(' ').filter((name) => name !== '');
}

function parsed<K extends Kind>(path: string, kind: K, text: string, what?: 'new'): Line<K> {
  const { success, data, error } = SHAPES[kind].safeParse(JSON.parse(text));
  if (success) return data;
  if (what === 'new') throw new UsageError(`This cannot be recorded as ${kind}.`, { cause: error });
  throw new DamageError(`${path} has a line of the kind ${kind} that this version does not know.`, {
    hint: 'It was written by a newer version: install that one, or restore the ledger folder from a backup.',
    cause: error,
  });
}

// Reading: the file and its copy are compared byte by byte, since each is a chain that proves itself.

/** The bytes of a file up to the last line that its checksum proves. */
interface Content {
  readonly bytes: Buffer;
  /** The state after these bytes. */
  readonly hash: Hash;
  /** True if whole lines after these bytes do not match their checksums. */
  readonly isDamaged: boolean;
}

interface Found {
  readonly content: Content;
  readonly own: Buffer;
  readonly copy: Buffer;
  readonly lacks: string | undefined;
  /** The content of the second copy if it belongs to another journal; empty otherwise. */
  readonly other: Buffer;
}

/** The second copy has the same bytes; lacks some; or belongs to another journal, and stays until a person confirms. */
type CopyState = 'same' | 'behind' | 'other';

async function read(place: JournalPlace): Promise<Found> {
  const [path, copyPath] = [pathIn(place), copyIn(place)];
  // The copy is read first: a run may append between the two reads, and the copy only lags behind.
  const copy = (await readIfThere(copyPath)) ?? Buffer.alloc(0);
  const own = (await readIfThere(path)) ?? Buffer.alloc(0);
  const mine = proven(own);
  const second = own.equals(copy) ? mine : proven(copy);
  let content = mine;
  let lacks: string | undefined;
  let other: Buffer = Buffer.alloc(0);
  if (second.bytes.length > mine.bytes.length && begins(second.bytes, mine.bytes)) {
    content = proven(Buffer.concat([second.bytes, own.subarray(second.bytes.length)]));
    // The copy never leads, so a file that reaches into the last line of the copy was cut or damaged there, not replaced.
    if (own.length <= lastLine(second.bytes)) {
      const missing = linesIn(second.bytes).length - linesIn(mine.bytes).length;
      const what = own.length === 0 ? 'was missing' : `lacked ${missing} lines`;
      lacks = `${path} ${what}. What it lacked was restored from its second copy.`;
    }
  } else if (!begins(mine.bytes, second.bytes)) {
    other = second.bytes;
    lacks = `${path} and its second copy are different journals.`;
  } else if (copy.length === 0 && linesIn(mine.bytes).length > 1) {
    // A kill between the first line and its copy leaves no copy.
    lacks = `The second copy ${copyPath} is missing.`;
  }
  if (content.isDamaged) lacks ??= `${path} is damaged after line ${linesIn(content.bytes).length}.`;
  return { content, own, copy, lacks, other };
}

/** True if `long` begins with `short`. */
function begins(long: Buffer, short: Buffer): boolean {
  return long.subarray(0, short.length).equals(short);
}

const SUM = /,"sum":"([0-9a-f]{32})"\}$/;
/** `,"sum":"` with 32 digits, `"}` and the newline. */
const SUM_BYTES = 43;

/** Returns the bytes up to the last line that its checksum proves; part of a line at the end is left out. */
function proven(bytes: Buffer): Content {
  if (bytes.at(-1) !== NEWLINE) {
    // The newline alone may be missing: the line counts.
    const ended = Buffer.concat([bytes, Buffer.from('\n')]);
    const hash = extended(createHash('sha256'), ended);
    if (hash !== undefined) return { bytes: ended, hash, isDamaged: false };
  }
  const whole = bytes.subarray(0, bytes.lastIndexOf('\n') + 1);
  let hash = createHash('sha256');
  // The last checksum is over all bytes before it, so one pass proves a file without damage.
  const all = extended(hash, whole);
  if (all !== undefined) return { bytes: whole, hash: all, isDamaged: false };
  let start = 0;
  for (;;) {
    const end = whole.indexOf('\n', start) + 1;
    const next = extended(hash, whole.subarray(start, end));
    if (next === undefined) return { bytes: whole.subarray(0, start), hash, isDamaged: true };
    hash = next;
    start = end;
  }
}

/** Adds lines to the hash of all bytes before them; undefined if the last checksum does not match. */
function extended(before: Hash, lines: Buffer): Hash | undefined {
  if (lines.length === 0) return before;
  const cut = lines.length - SUM_BYTES;
  if (cut <= 0) return undefined;
  const hash = before.copy().update(lines.subarray(0, cut));
  const sum = SUM.exec(lines.toString('latin1', cut, lines.length - 1))?.[1];
  return sum === sumOf(hash.copy()) ? hash.update(lines.subarray(cut)) : undefined;
}

const sumOf = (hash: Hash): string => hash.digest('hex').slice(0, 32);

function linesIn(bytes: Buffer): string[] {
  return bytes.toString('utf8').split('\n').slice(0, -1);
}

const NEWLINE = 10;

const lastLine = (bytes: Buffer): number => bytes.subarray(0, -1).lastIndexOf('\n') + 1;

function textAt(bytes: Buffer, start: number): string {
  return bytes.toString('utf8', start, bytes.indexOf('\n', start));
}

function* placesOf(bytes: Buffer, text: string): Generator<number> {
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) yield at;
}

// The witness, `private/witness.json`: the head of the journal in the folder that backups leave out.

const witnessIn = (dataDir: string): string => join(foldersOf(dataDir).private, 'witness.json');

/** The head that the witness knows; undefined if it is missing or cannot be read. Throws `StorageError`. */
export async function readWitness(dataDir: string): Promise<Head | undefined> {
  const bytes = await readIfThere(witnessIn(dataDir));
  if (bytes === undefined) return undefined;
  try {
    return headShape.parse(JSON.parse(bytes.toString('utf8')));
  } catch {
    return undefined;
  }
}
