/**
 * The journal, `ledger/journal.jsonl`: the one append-only file of what happened in a data folder. A line carries a
 * number and a checksum over all bytes before it, so one pass over the file proves that no byte changed. The second copy
 * shows that whole lines at the end are missing; the heads that other files carry show that both are.
 */
import { createHash, type Hash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Effects } from '../effects.js';
import { DamageError, StorageError, UsageError } from '../errors.js';
import { DurableFolder, FILE_MODE, sweepTemporaries } from '../storage/atomic-file.js';
import { foldersOf, instantName } from '../storage/paths.js';
import { isFull, orStorageError, readIfThere, storageError } from '../storage/storage-error.js';
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

/** The first line of a folder: from then on a missing witness means that the folder was restored. */
const FIRST = 'project/made';

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
  readonly #copyPath: string;
  readonly #place: JournalPlace;
  readonly #effects: Effects;
  readonly #disk: DurableFolder;
  /** The file as it was opened; the lines of a kind are parsed when the kind is asked for. */
  readonly #bytes: Buffer;
  readonly #parsed = new Set<Kind>();
  readonly #lines: { readonly [K in Kind]: Line<K>[] } = {
    project: [],
    run: [],
    export: [],
    erase: [],
    removed: [],
    lake: [],
    push: [],
  };
  /** The checksums of the lines that were written since. */
  readonly #sums = new Map<number, string>();
  readonly #hash: Hash;
  readonly #isWriter: boolean;
  #seq = 0;
  #sum = '';
  #size: number;
  #broken: unknown;
  /** True if the second copy holds the same bytes. */
  #copied: boolean;
  #witnessed = false;
  #queue: Promise<unknown> = Promise.resolve();

  /** A sentence on lines that the file lacks by the evidence of its copy; undefined if it is whole. */
  readonly lacks: string | undefined;
  /** Lines of a second copy that belong to another journal, as JSON. */
  readonly others: readonly unknown[];

  private constructor(
    place: JournalPlace,
    effects: Effects,
    content: Content,
    { lacks, others, copied }: { lacks: string | undefined; others: readonly unknown[]; copied: boolean },
    isWriter: boolean,
  ) {
    this.path = pathIn(place);
    this.#copyPath = copyIn(place);
    this.#place = place;
    this.#effects = effects;
    this.#disk = new DurableFolder(place.dataDir, effects);
    this.#isWriter = isWriter;
    this.#hash = content.hash;
    this.#bytes = content.bytes;
    this.#size = content.bytes.length;
    this.#copied = copied;
    this.lacks = lacks;
    this.others = others;
    const last = textAt(content.bytes, lastLine(content.bytes));
    this.#seq = Number(/,"seq":(\d+),/.exec(last)?.[1] ?? 0);
    this.#sum = SUM.exec(last)?.[1] ?? '';
  }

  /**
   * Opens the journal for writing; requires the lock. A torn end and a damaged line heal from the second copy. Lines that
   * only the copy holds are restored, and `lacks` says so.
   *
   * @throws StorageError
   */
  static async open(place: JournalPlace, effects: Effects): Promise<Journal> {
    const disk = new DurableFolder(place.dataDir, effects);
    const path = pathIn(place);
    await disk.makeFolder(dirname(path));
    for (const folder of [dirname(path), dirname(copyIn(place))]) await sweepTemporaries(folder);
    const found = await read(place);
    const { content, own, copy, lacks } = found;
    if (found.damaged) {
      const aside = `${path}.set-aside-${instantName(effects.now())}`;
      await disk.write(aside, own, 'journal/set-aside');
    }
    if (!own.equals(content.bytes)) await disk.write(path, content.bytes, 'journal/healed');
    if (found.fork) await disk.write(otherIn(place), copy, 'journal/other');
    const journal = new Journal(
      place,
      effects,
      content,
      { lacks, others: found.others, copied: copy.length > 0 && copy.equals(content.bytes) },
      true,
    );
    if (!journal.#copied && content.bytes.length > 0) await journal.#copyAnew();
    return journal;
  }

  /** Reads the journal beside a run; nothing is written. Throws `StorageError`. */
  static async read(place: JournalPlace, effects: Effects): Promise<Journal> {
    const { content, lacks, others } = await read(place);
    return new Journal(place, effects, content, { lacks, others, copied: false }, false);
  }

  /** Number and checksum of the end, and the last erasure that this journal knows; files that are written now carry it. */
  get head(): Head {
    const own = this.of('erase').findLast(isErasure)?.seq ?? 0;
    return { seq: this.#seq, sum: this.#sum, erase: Math.max(own, ...this.lackedErasures) };
  }

  /** The lines of erasures that a doubt named. */
  get lackedErasures(): number[] {
    return this.of('run').flatMap((line) => (line.event === 'unsure' ? (line.erase ?? []) : []));
  }

  /** Identifies the journal: the checksum of its first line. */
  get id(): string {
    return this.#sums.get(1) ?? SUM.exec(textAt(this.#bytes, 0))?.[1] ?? '';
  }

  get isEmpty(): boolean {
    return this.#size === 0;
  }

  /** True if the journal holds the line of this number and checksum. */
  holds({ seq, sum }: Pick<Head, 'seq' | 'sum'>): boolean {
    if (seq === 0 || this.#sums.get(seq) === sum) return true;
    const bytes = this.#bytes;
    for (const at of found(bytes, `","seq":${seq},"at":`)) {
      const text = textAt(bytes, bytes.lastIndexOf('\n', at) + 1);
      // The same characters may be part of a text in another line.
      if (new RegExp(`^\\{"kind":"[a-z]+","seq":${seq},`).test(text)) return SUM.exec(text)?.[1] === sum;
    }
    return false;
  }

  /** The lines of a kind, oldest first; parsed once. Throws `DamageError` for a line of another shape. */
  of<K extends Kind>(kind: K): readonly Line<K>[] {
    const lines: Line<K>[] = this.#lines[kind];
    if (this.#parsed.has(kind)) return lines;
    this.#parsed.add(kind);
    for (const at of found(this.#bytes, `{"kind":"${kind}",`)) {
      const isStart = at === 0 || this.#bytes[at - 1] === NEWLINE;
      if (isStart) lines.push(parsed(this.path, kind, textAt(this.#bytes, at)));
    }
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

  /** Records that a person agreed to what is lost. The other journal that was set aside is then no longer needed. */
  async confirm(forgotten: number): Promise<void> {
    await this.append('run', { event: 'confirmed', forgotten }, Math.max(forgotten, this.#seq) + 1);
    await orStorageError('remove', this.#copyPath, () => rm(otherIn(this.#place), { force: true }));
  }

  /** Resolves when every line is written; then the witness knows the end. */
  async close(): Promise<void> {
    await this.#queue;
    if (!this.isEmpty && !this.#witnessed) await this.#witness();
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
    if (isIntent) await this.#disk.write(this.#reserve, Buffer.alloc(RESERVE_BYTES), 'journal/reserve');
    const bytes = Buffer.from(`${text}\n`);
    try {
      await this.#write(bytes, name);
    } catch (error) {
      // Nothing has been sent when something is intended, so only later lines may use the reserved space.
      if (isIntent || !isFull(error)) throw storageError('write', this.path, error);
      await rm(this.#reserve, { force: true }).catch(() => undefined);
      await orStorageError('write', this.path, () => this.#write(bytes, name));
    }
    this.#hash.update(bytes);
    this.#seq = seq;
    this.#sum = sum;
    this.#sums.set(seq, sum);
    this.of(kind);
    this.#lines[kind].push(line);
    await this.#copyLine(bytes, name);
    this.#witnessed = false;
    if (isIntent || name === FIRST) await this.#witness();
    return line;
  }

  async #write(bytes: Buffer, name: string): Promise<void> {
    if (this.#broken !== undefined) throw storageError('write', this.path, this.#broken);
    const isNew = this.#size === 0;
    const flags = constants.O_RDWR | constants.O_APPEND | (isNew ? constants.O_CREAT : 0);
    const handle = await open(this.path, flags, FILE_MODE);
    try {
      const { size } = await handle.stat();
      if (size !== this.#size) throw changedMeanwhile(this.path);
      this.#reach(name, 'before-append');
      try {
        await handle.appendFile(bytes);
        this.#reach(name, 'before-fsync');
        await handle.sync();
        if (isNew) await this.#disk.syncFolder(dirname(this.path));
      } catch (error) {
        // Part of the line may be on disk. If it cannot be cut off, nothing more is written after it.
        await handle.truncate(this.#size).then(
          () => handle.sync(),
          () => (this.#broken = error),
        );
        throw error;
      }
      this.#size += bytes.length;
      this.#reach(name, 'durable');
    } finally {
      // All data is fsynced or cut off by now, so an error on closing has no consequence.
      await handle.close().catch(() => undefined);
    }
  }

  /** Appends a line to the second copy, which may lag behind: a full disk there does not fail the append. */
  async #copyLine(bytes: Buffer, name: string): Promise<void> {
    if (this.#copied) {
      this.#copied = false;
      await unlessRefused(async () => {
        await this.#appendToCopy(bytes, name);
        this.#copied = true;
      });
    } else await this.#copyAnew();
    this.#reach(name, 'copied');
  }

  /** Writes the second copy anew because it is missing, lags behind, was cut, or is damaged. */
  async #copyAnew(): Promise<void> {
    await unlessRefused(async () => {
      const bytes = await readIfThere(this.path);
      if (bytes?.length !== this.#size) throw changedMeanwhile(this.path);
      const disk = new DurableFolder(dirname(this.#copyPath), this.#effects);
      await disk.write(this.#copyPath, bytes, 'journal/copy');
      this.#copied = true;
    });
  }

  async #appendToCopy(bytes: Buffer, name: string): Promise<void> {
    const handle = await open(this.#copyPath, constants.O_WRONLY | constants.O_APPEND);
    try {
      await handle.appendFile(bytes);
      this.#reach(name, 'before-copy-fsync');
      await handle.sync();
    } finally {
      await handle.close().catch(() => undefined);
    }
  }

  async #witness(): Promise<void> {
    await this.#disk.write(witnessIn(this.#place.dataDir), `${JSON.stringify(this.head)}\n`, 'witness');
    this.#witnessed = true;
  }

  get #reserve(): string {
    return join(dirname(this.path), 'journal.reserve');
  }

  #reach(name: string, step: (typeof JOURNAL_STEPS)[number]): void {
    this.#effects.reach(`journal/${name}/${step}`);
  }
}

const isErasure = ({ event }: Line<'erase'>): boolean => event === 'begun';

function parsed<K extends Kind>(path: string, kind: K, text: string, what?: 'new'): Line<K> {
  const { success, data, error } = SHAPES[kind].safeParse(JSON.parse(text));
  if (success) return data;
  if (what === 'new') throw new UsageError(`This cannot be recorded as ${kind}.`, { cause: error });
  throw new DamageError(`${path} has a line of the kind ${kind} that this version does not know.`, {
    hint: 'It was written by a newer version: install that one, or restore the ledger folder from a backup.',
    cause: error,
  });
}

function changedMeanwhile(path: string): DamageError {
  return new DamageError(`${path} was changed by another process while this run had it open.`, {
    hint: 'Run again when no other program writes in the data folder.',
  });
}

/** Does what the disk of the second copy may refuse. */
async function unlessRefused(work: () => Promise<void>): Promise<void> {
  try {
    await orStorageError('write', 'the second copy', work);
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
  }
}

// Reading: the file and its copy are compared byte by byte, since each is a chain that proves itself.

/** The bytes of a file up to the last line that its checksum proves. */
interface Content {
  readonly bytes: Buffer;
  /** The state after these bytes. */
  readonly hash: Hash;
  /** The bytes after them: part of a line, or lines that do not match their checksums. */
  readonly rest: 'nothing' | 'torn' | 'damaged';
}

interface Found {
  readonly content: Content;
  readonly own: Buffer;
  readonly copy: Buffer;
  readonly lacks: string | undefined;
  /** True if lines of the journal are damaged beyond repair. */
  readonly damaged: boolean;
  /** True if the second copy belongs to another journal. */
  readonly fork: boolean;
  readonly others: readonly unknown[];
}

/** A second copy of another journal, kept until `recover` has entered what it holds. */
const otherIn = (place: JournalPlace): string => `${copyIn(place)}.set-aside-other`;

async function read(place: JournalPlace): Promise<Found> {
  // The copy is read first: a run may append between the two reads, and the copy only lags behind.
  const copy = (await readIfThere(copyIn(place))) ?? Buffer.alloc(0);
  const own = (await readIfThere(pathIn(place))) ?? Buffer.alloc(0);
  const other = (await readIfThere(otherIn(place))) ?? Buffer.alloc(0);
  const fixed = own.equals(copy) ? { content: proven(own), lacks: undefined } : reconciled(own, copy, place);
  const fork = 'fork' in fixed;
  const foreign = fork ? [other, copy] : [other];
  const others = foreign.flatMap((bytes) =>
    linesIn(proven(bytes).bytes).map((text): unknown => JSON.parse(text)),
  );
  const { content } = fixed;
  const damaged = content.rest === 'damaged';
  const lacks =
    fixed.lacks ??
    (damaged ? `${pathIn(place)} is damaged after line ${linesIn(content.bytes).length}.` : undefined);
  return { content, own, copy, lacks, damaged, fork, others };
}

function reconciled(
  own: Buffer,
  copy: Buffer,
  place: JournalPlace,
): { content: Content; lacks: string | undefined; fork?: true } {
  const mine = proven(own);
  const second = proven(copy);
  if (begins(mine.bytes, second.bytes)) {
    // A kill between the first line and its copy leaves no copy.
    const isLost = copy.length === 0 && linesIn(mine.bytes).length > 1;
    return { content: mine, lacks: isLost ? `The second copy ${copyIn(place)} is missing.` : undefined };
  }
  if (!begins(second.bytes, mine.bytes)) {
    return {
      content: mine,
      lacks: `${pathIn(place)} and its second copy are different journals.`,
      fork: true,
    };
  }
  // The copy never leads, so a file that reaches into the last line of the copy was cut or damaged there, not replaced.
  if (own.length > lastLine(second.bytes)) {
    return {
      content: proven(Buffer.concat([second.bytes, own.subarray(second.bytes.length)])),
      lacks: undefined,
    };
  }
  const missing = linesIn(second.bytes).length - linesIn(mine.bytes).length;
  const what = own.length === 0 ? `${pathIn(place)} was missing` : `${pathIn(place)} lacked ${missing} lines`;
  return {
    content: { ...second, rest: 'nothing' },
    lacks: `${what}. What it lacked was restored from its second copy.`,
  };
}

/** True if `long` begins with `short`. */
function begins(long: Buffer, short: Buffer): boolean {
  return long.length >= short.length && long.subarray(0, short.length).equals(short);
}

const SUM = /,"sum":"([0-9a-f]{32})"\}$/;
/** `,"sum":"` with 32 digits, `"}` and the newline. */
const SUM_BYTES = 43;

/** Returns the bytes up to the last line that its checksum proves; one pass if nothing is damaged. */
function proven(bytes: Buffer): Content {
  const end = bytes.lastIndexOf('\n') + 1;
  if (end < bytes.length) {
    // The newline alone may be missing: the line counts.
    const ended = Buffer.concat([bytes, Buffer.from('\n')]);
    const hash = proof(ended);
    if (hash !== undefined) return { bytes: ended, hash, rest: 'nothing' };
  }
  const whole = bytes.subarray(0, end);
  const hash = proof(whole);
  if (hash !== undefined) return { bytes: whole, hash, rest: end < bytes.length ? 'torn' : 'nothing' };
  const good = createHash('sha256');
  let start = 0;
  for (let next = whole.indexOf('\n'); next >= 0; next = whole.indexOf('\n', start)) {
    const line = whole.subarray(start, next + 1);
    const cut = line.length - SUM_BYTES;
    if (cut <= 0 || sumIn(line) !== sumOf(good.copy().update(line.subarray(0, cut)))) break;
    good.update(line);
    start = next + 1;
  }
  return { bytes: whole.subarray(0, start), hash: good, rest: 'damaged' };
}

/** Returns the hash of bytes whose last checksum fits all bytes before it. */
function proof(bytes: Buffer): Hash | undefined {
  const hash = createHash('sha256');
  if (bytes.length === 0) return hash;
  const cut = bytes.length - SUM_BYTES;
  if (cut <= 0) return undefined;
  hash.update(bytes.subarray(0, cut));
  return sumIn(bytes) === sumOf(hash.copy()) ? hash.update(bytes.subarray(cut)) : undefined;
}

function sumIn(line: Buffer): string | undefined {
  return SUM.exec(line.toString('latin1', Math.max(0, line.length - SUM_BYTES), line.length - 1))?.[1];
}

const sumOf = (hash: Hash): string => hash.digest('hex').slice(0, 32);

function linesIn(bytes: Buffer): string[] {
  return bytes.length === 0 ? [] : bytes.toString('utf8', 0, bytes.length - 1).split('\n');
}

const NEWLINE = 10;

const lastLine = (bytes: Buffer): number =>
  bytes.length < 2 ? 0 : bytes.lastIndexOf('\n', bytes.length - 2) + 1;

function textAt(bytes: Buffer, start: number): string {
  return bytes.toString('utf8', start, bytes.indexOf('\n', start));
}

/** The places of a text. */
function* found(bytes: Buffer, text: string): Generator<number> {
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
