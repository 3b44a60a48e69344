/**
 * The journal, `ledger/journal.jsonl`: the append-only record of what happened in a data folder. Each line has a number and a checksum over
 * all earlier bytes, so reading it once proves that no byte changed. The second copy reveals lines missing at the end; heads stored in
 * other files reveal that both were cut (doubt.ts). Each feature defines its own lines and computes its state from them. A line never
 * contains a person's plain id, SQL, a row, or a text from the service. Lines are ASCII, so any text is read back unchanged.
 */
import { createHash, type Hash } from 'node:crypto';
import { existsSync, type Stats } from 'node:fs';
import { readlink, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import pLimit from 'p-limit';
import { z } from 'zod';
import type { Effects } from '../ground/effects.js';
import { jsonOf } from '../ground/envelope.js';
import { ConfigError, DamageError, DawnloadError, StorageError, UsageError } from '../ground/errors.js';
import { DurableFolder, sweepTemporaries } from '../disk/atomic-file.js';
import { asidePath, dataFiles, foldersOf } from '../disk/paths.js';
import { isFull, orStorageError, readIfThere } from '../disk/storage-error.js';
import { plural } from '../terminal/text.js';
import { instant, wholeNumber } from '../ground/shapes.js';
import type { Head } from '../landing/landing-zone.js';
import { readWitness, writeWitness } from './witness.js';

const text = z.string();

/** The number of a line, and the instant of the event. */
export const when = { seq: wholeNumber, at: instant };
/** The fields that each line of an event has. */
export const event = <const E extends string>(name: E) => ({ ...when, event: z.literal(name) });

export const happened = z.object({ ...when, event: text });
type Happened = z.output<typeof happened>;

/** A kind of line: its name and its shape. */
export class Kind<L extends Happened> {
  /** Caches, for each list of lines, the lines of this kind and the number of lines already searched. */
  readonly cache = new WeakMap<readonly Written[], { readonly lines: L[]; readonly searched: number }>();

  constructor(
    readonly name: string,
    readonly shape: z.ZodType<L>,
  ) {}
}

export type LineOf<K> = K extends Kind<infer L> ? L : never;

/** The fields that a caller gives for a line; number and instant are added. */
export type Entry<L> = (L extends unknown ? Omit<L, 'at' | 'seq'> : never) & { readonly event: string };

/** The first line, and the one that names the project. `folder` is random, to tell copies of folders apart. */
export const PROJECT = new Kind(
  'project',
  z.object({ ...event('made'), folder: text, projectId: text.optional() }),
);

const summary = z.record(text, z.unknown());
export const RUN = new Kind(
  'run',
  z.discriminatedUnion('event', [
    z.object({ ...event('begun'), runId: text, command: text, version: text, processId: wholeNumber }),
    z.object({ ...event('ended'), runId: text, exitCode: wholeNumber, outcome: text, summary }),
    // The journal may lack lines. `erase` has the names of missing erasures, which then become part of the head and so of other files. `of`
    // is `pushed` if rows in `ledger/pushed/` are missing; the journal itself may be complete.
    z.object({ ...event('unsure'), why: text, erase: text.optional(), of: z.literal('pushed').optional() }),
    // You accepted that lines up to number `forgotten` may be missing, and that the rows of the calls in the lines `lost` may be too.
    z.object({ ...event('confirmed'), forgotten: wholeNumber, lost: z.array(wholeNumber) }),
  ]),
);
type RunLine = LineOf<typeof RUN>;

/** A past run; `over` is missing if the run was killed. */
export interface PastRun {
  readonly begun: Omit<Extract<RunLine, { readonly event: 'begun' }>, 'seq' | 'event'>;
  readonly over?: Omit<Extract<RunLine, { readonly event: 'ended' }>, 'seq' | 'event'> | undefined;
}

export function runsOf(lines: readonly RunLine[]): PastRun[] {
  const ends = new Map(lines.flatMap((line) => (line.event === 'ended' ? [[line.runId, line]] : [])));
  return lines.flatMap((line) =>
    line.event === 'begun' ? [{ begun: line, over: ends.get(line.runId) }] : [],
  );
}

/** Lines written before a request that is billed or reaches people, or before an erasure. */
const INTENTS: ReadonlySet<string> = new Set(['export/intended', 'push/intended', 'erase/begun']);

const ERASED = new Kind('erase', happened.extend({ ids: z.array(z.string()).default([]) }));

export interface JournalPlace {
  readonly dataDir: string;
  /** `head` if the witness's inode and birth time are ignored (setting `witness`); by default they are compared. */
  readonly witness?: 'file' | 'head';
  /** The path of the second copy (`ledger_copy`); by default it is in the landing zone. */
  readonly ledgerCopy?: string | undefined;
}

/** A line: its text without the newline. The text is parsed when the lines of its kind are read. */
interface Written {
  readonly text: string;
  readonly kind: string;
  readonly seq: number;
}

const LINKS = 40;

/** The path of the second copy with its links resolved, so that writing a new copy keeps a link in place. */
async function copyIn({ dataDir, ledgerCopy }: JournalPlace): Promise<string> {
  let path = resolve(ledgerCopy ?? join(foldersOf(dataDir).landing, 'ledger', 'journal.jsonl'));
  for (let n = 0; n < LINKS; n++) {
    const to = await readlink(path).catch(() => undefined);
    if (to === undefined) break;
    path = resolve(dirname(path), to);
  }
  return path;
}

export class Journal {
  readonly path: string;
  /** A sentence about the lines that the file lacks but its copy has; undefined if none are missing. */
  lacks: string | undefined;
  /** The lines of a second copy that turned out to be another journal, as JSON. */
  readonly others: readonly unknown[];
  readonly #disk: DurableFolder;
  readonly #lines: Written[];
  /** The hash of all bytes so far. */
  readonly #hash: Hash;
  readonly #inTurn = pLimit(1);
  #size: number;
  /** How the second copy compares with the journal; undefined if the journal was opened for reading. */
  #copy: string | undefined;

  private constructor(
    private readonly place: JournalPlace,
    private readonly effects: Effects,
    { path, lines, size, hash, lacks, others }: ReadJournal,
  ) {
    this.path = path;
    this.lacks = lacks;
    this.others = others;
    this.#disk = new DurableFolder(place.dataDir, effects);
    this.#lines = lines;
    this.#hash = hash;
    this.#size = size;
  }

  /** Reads the journal while a run may be active; writes nothing. Throws `StorageError`. */
  static async read(place: JournalPlace, effects: Effects): Promise<Journal> {
    return new Journal(place, effects, await read(place));
  }

  /**
   * Opens the journal for writing; requires the lock. A half-written end and a damaged line are repaired from the second copy. Lines that
   * only the copy has are restored and reported in `lacks`.
   *
   * @param accept throws if the journal must not be used; then nothing is written
   * @throws StorageError
   */
  static async open(place: JournalPlace, effects: Effects, accept?: (journal: Journal) => void) {
    const files = await read(place);
    const journal = new Journal(place, effects, files);
    accept?.(journal);
    const { own, bytes, path, isDamaged, hidden, lacks } = files;
    await journal.#disk.makeFolder(dirname(path));
    for (const one of [path, await copyIn(place)]) await sweepTemporaries(dirname(one));
    const now = effects.now();
    const keep = (one: string, what: Buffer): Promise<void> =>
      new DurableFolder(dirname(one), effects).write(asidePath(one, now), what, 'journal/set-aside');
    if (isDamaged) await keep(path, own);
    if (hidden !== undefined) await keep(await copyIn(place), hidden);
    journal.#copy = files.copy;
    if (lacks === undefined) {
      if (!own.equals(bytes)) await journal.#disk.write(path, bytes, 'journal/healed');
      if (files.copy === 'behind' && bytes.length > 0) await journal.#updateCopy(Buffer.alloc(0), '');
    } else if (!own.equals(bytes) && bytes.length > 0) {
      // Write the doubt together with the restored lines, because nothing else will show that lines were lost. The copy is updated with the
      // next line.
      const doubt = journal.#composed(RUN, { event: 'unsure', why: lacks });
      await journal.#disk.write(path, Buffer.concat([bytes, doubt.bytes]), 'journal/healed');
      journal.#take(doubt);
      if (files.copy === 'same') journal.#copy = 'behind';
    } else if (!own.equals(bytes)) await journal.#disk.write(path, bytes, 'journal/healed');
    return journal;
  }

  /** The journal's head: its last line and the names of its erasures. Files written from now on store it. */
  get head(): Head {
    const erase = [...this.erasures.slice(-1), ...this.lackedErasures].join(' ');
    const last = this.#lines.at(-1);
    return { seq: last?.seq ?? 0, sum: checksumIn(last), erase };
  }

  get erasures(): string[] {
    return this.of(ERASED).flatMap((line) => (line.event === 'begun' ? [erasureNamed(line.ids)] : []));
  }

  /** Erasures that an earlier doubt listed as missing and that have not been entered since. */
  get lackedErasures(): string[] {
    const named = this.of(RUN).flatMap((line) => (line.event === 'unsure' ? erasuresIn(line.erase) : []));
    return [...new Set(named)].filter((name) => !this.erasures.includes(name));
  }

  get id(): string {
    return checksumIn(this.#lines[0]);
  }

  get folder(): string | undefined {
    return this.of(PROJECT)[0]?.folder;
  }

  /** True if the journal has the line of a head. A checksum covers all earlier lines with their numbers, so one match is enough. */
  holds({ seq, sum }: Pick<Head, 'seq' | 'sum'>): boolean {
    return seq > 0 && checksumIn(this.#lines.findLast((line) => line.seq === seq)) === sum;
  }

  /** The lines of a kind, oldest first; parsed once. Throws `DamageError` for a line of another shape. */
  of<L extends Happened>(kind: Kind<L>): readonly L[] {
    const cached = kind.cache.get(this.#lines);
    if (cached?.searched === this.#lines.length) return cached.lines;
    const added = this.#lines.slice(cached?.searched).filter((line) => line.kind === kind.name);
    // The same list is returned until a line is added, so callers may cache results by list.
    const isSame = cached !== undefined && added.length === 0;
    const lines = isSame
      ? cached.lines
      : [...(cached?.lines ?? []), ...added.map((line) => this.#parsed(kind, line))];
    kind.cache.set(this.#lines, { lines, searched: this.#lines.length });
    return lines;
  }

  #parsed<L extends Happened>({ name, shape }: Kind<L>, line: Written, what?: 'new'): L {
    const { data, error } = shape.safeParse(jsonOf(line.text));
    if (data !== undefined && data.seq === line.seq) return data;
    if (what === 'new') throw new UsageError(`This cannot be recorded as ${name}.`, { cause: error });
    throw new DamageError(`${this.path} has a line of the kind ${name} that this version cannot read.`, {
      hint: 'A newer version wrote it. Install that version, or restore the ledger folder from a backup.',
      cause: error,
    });
  }

  /**
   * Appends a line. Resolves once the line is durable; its copy is too, unless the copy's disk fails. After a `StorageError` the journal is
   * unchanged.
   *
   * @param number a number above the next one, to skip the numbers of lost lines
   */
  append<L extends Happened>(kind: Kind<L>, entry: Entry<L>, number?: number): Promise<L> {
    return this.#inTurn(async () => {
      if (this.#copy === undefined) throw new Error('This journal was opened for reading.');
      const name = `${kind.name}/${entry.event}`;
      const isIntent = INTENTS.has(name);
      const composed = this.#composed(kind, entry, number);
      const { bytes, line } = composed;
      const reserve = join(dirname(this.path), 'journal.reserve');
      if (isIntent) await this.#disk.write(reserve, Buffer.alloc(64 * 1024), 'journal/reserve');
      const write = () => this.#disk.append(this.path, bytes, `journal/${name}`, this.#size);
      await write().catch(async (error: unknown) => {
        // The reserved space is for outcomes. An intent may fail instead, because nothing has been sent yet.
        if (isIntent || !isFull(error)) throw error;
        await rm(reserve, { force: true }).catch(() => undefined);
        await write();
      });
      this.#take(composed);
      if (this.#copy !== 'other') await this.#updateCopy(bytes, name);
      this.effects.reach(`journal/${name}/copied`);
      if (isIntent) await this.witness();
      return line;
    });
  }

  /** Builds the next line, with a checksum over all earlier bytes. */
  #composed<L extends Happened>(kind: Kind<L>, entry: Entry<L>, number?: number) {
    const [seq, at] = [number ?? this.head.seq + 1, this.effects.now()];
    const begun = asciiJson({ kind: kind.name, seq, at, ...entry }).slice(0, -1);
    const sum = sumOf(this.#hash.copy().update(begun));
    const written: Written = { text: `${begun},"sum":"${sum}"}`, kind: kind.name, seq };
    const line = this.#parsed(kind, written, 'new');
    return { line, written, bytes: Buffer.from(`${written.text}\n`) };
  }

  #take({ written, bytes }: { readonly written: Written; readonly bytes: Buffer }): void {
    this.#lines.push(written);
    this.#hash.update(bytes);
    this.#size += bytes.length;
  }

  /**
   * Records that the user accepts the loss. A second copy that is another journal of this folder is set aside.
   *
   * @param lost the numbers of the lines of calls whose rows are lost
   */
  async confirm(newest: number, lost: number[] = []): Promise<void> {
    if (this.#copy === 'other') {
      const copy = await copyIn(this.place);
      await orStorageError('rename', copy, () => rename(copy, asidePath(copy, this.effects.now())));
      this.#copy = 'behind';
    }
    await this.append(
      RUN,
      { event: 'confirmed', forgotten: newest, lost },
      Math.max(newest, this.head.seq) + 1,
    );
    this.lacks = undefined;
  }

  /** Resolves once every line is written and the witness has the head. */
  close(): Promise<void> {
    return this.#inTurn(() => this.witness());
  }

  /**
   * Appends the last line to the second copy. Rewrites a copy that is missing, outdated, cut or damaged. An error there does not fail the
   * append, so the copy may lag behind. Only a new journal must get a copy.
   */
  async #updateCopy(last: Buffer, name: string): Promise<void> {
    const path = await copyIn(this.place);
    const disk = new DurableFolder(dirname(path), this.effects);
    const isSame = this.#copy === 'same';
    this.#copy = 'behind';
    try {
      // Only the job's account may read a folder below the data folder.
      await this.#disk.makeFolder(dirname(path));
      if (isSame) await disk.append(path, last, `journal/${name}/copy`, this.#size - last.length);
      else await disk.write(path, this.#lines.map(({ text }) => `${text}\n`).join(''), 'journal/copy');
      this.#copy = 'same';
    } catch (error) {
      const isNone = (name === '' || this.#lines.length === 1) && !existsSync(path);
      if (isNone || !(error instanceof DawnloadError)) throw copyError(this.place, error);
    }
  }

  /** Writes the head into the witness. Throws `StorageError`. */
  async witness(): Promise<void> {
    if (this.#size === 0) return;
    const head = { ...this.head, folder: this.folder ?? '' };
    await writeWitness(this.#disk, this.place.dataDir, head, this.effects);
  }
}

/** The name of an erasure, equal in every journal: a hash of the digests of its ids. */
export const erasureNamed = (ids: readonly string[]): string =>
  sumOf(createHash('sha256').update([...ids].sort().join(' ')));

export const erasuresIn = (names = ''): string[] => names.split(' ').filter((name) => name !== '');

interface ReadJournal {
  readonly path: string;
  readonly own: Buffer;
  /** The valid lines as bytes, and the hash of the bytes. */
  readonly bytes: Buffer;
  readonly lines: Written[];
  readonly size: number;
  readonly hash: Hash;
  /** True if complete but invalid lines follow. */
  readonly isDamaged: boolean;
  /** The second copy, if it is damaged but longer than the valid lines. The journal may have lost some of its lines. */
  readonly hidden: Buffer | undefined;
  readonly lacks: string | undefined;
  readonly others: readonly unknown[];
  readonly copy: 'same' | 'behind' | 'other';
}

/**
 * Reads the journal (`own`) and its copy, and compares them; checksums prove the lines of each. A copy that is another journal of the same
 * folder is kept until you confirm.
 *
 * @throws ConfigError when the copy belongs to another data folder; it is the only record of what that folder paid
 */
async function read(place: JournalPlace): Promise<ReadJournal> {
  const path = dataFiles(place.dataDir).journal;
  const copyPath = await copyIn(place);
  // The copy is read first, because a run may append between the two reads and always writes the copy second.
  const copy = await readCopy(place, copyPath, path);
  const own = (await readIfThere(path)) ?? Buffer.alloc(0);
  const proof = proven(own);
  const mine = proof.bytes;
  const second = own.equals(copy) ? mine : proven(copy).bytes;
  const myLines = linesIn(mine, path);
  const copied = second === mine ? myLines : linesIn(second, copyPath);
  await assertCopyOfFolder(place, { copyPath, path, own: myLines, copy: copied });
  const isOther = !begins(mine, second) && !begins(second, mine);
  // The lines of the copy, followed by those that only the journal has.
  const isLonger = !isOther && second.length > mine.length;
  const all = isLonger ? Buffer.concat([second, own.subarray(second.length)]) : own;
  const { bytes, hash } = isLonger ? proven(all) : proof;
  const lines = isLonger ? linesIn(bytes, path) : myLines;
  const isDamaged = all.includes('\n', bytes.length);
  const where = lines.length === 0 ? 'in its first line' : `after line ${lines.length}`;
  let lacks = isDamaged ? `${path} is damaged ${where}.` : undefined;
  if (isOther) lacks = `${path} and its second copy are different journals.`;
  const isHidden =
    !isOther && copy.length > second.length && copy.toString('latin1').split('\n').length - 1 > lines.length;
  if (isHidden) lacks ??= `The second copy ${copyPath} is damaged, and ${path} lacks lines that it had.`;
  // A kill right after the first line leaves a journal of one line without a copy. Nothing is lost then.
  if (copy.length === 0 && myLines.length > 1) lacks = `The second copy ${copyPath} is missing.`;
  // The copy is written second, so a journal that is shorter than its copy was cut or damaged.
  if (isLonger && own.length <= second.lastIndexOf('\n', -2) + 1) {
    const lost = copied.length - myLines.length;
    const what = own.length === 0 ? 'was missing' : `lacked ${plural(lost, 'line')}`;
    lacks = `${path} ${what}. What it lacked was restored from its second copy.`;
  }
  const others = (isOther ? copied : []).map(({ text }) => jsonOf(text));
  const state = isOther ? 'other' : copy.length > 0 && copy.equals(bytes) ? 'same' : 'behind';
  const hidden = isHidden ? copy : undefined;
  return { path, own, bytes, lines, size: bytes.length, hash, isDamaged, hidden, lacks, others, copy: state };
}

/**
 * Refuses the second copy of another data folder, which a wrong setting or a moved landing zone may cause. A lost journal is restored from
 * the copy if the witness stores the copy's head, or the folder has landed data.
 */
async function assertCopyOfFolder(
  { dataDir, ledgerCopy }: JournalPlace,
  files: { copyPath: string; path: string; own: readonly Written[]; copy: readonly Written[] },
): Promise<void> {
  const { copyPath, path, own, copy } = files;
  const [mine, theirs] = [own, copy].map((lines) => folderIn(lines));
  if (theirs === undefined || mine === theirs) return;
  const isLost = mine === undefined && own.length === 0;
  const folder = isLost ? (await readWitness(dataDir))?.folder : mine;
  const { landing } = foldersOf(dataDir);
  if (
    folder === theirs ||
    (folder === undefined && isLost && (ledgerCopy === undefined || existsSync(landing)))
  )
    return;
  const remedy =
    ledgerCopy === undefined
      ? `Move ${copyPath} away and keep it: it lists what that folder paid.`
      : 'Give ledger_copy a file of its own.';
  throw new ConfigError(`${copyPath} is the journal of another data folder, so nothing is written to it.`, {
    hint: `${remedy} If it is the journal of this folder and ${path} is lost, copy it there.`,
  });
}

const folderIn = (lines: readonly Written[]): string | undefined =>
  lines
    .filter(({ kind }) => kind === PROJECT.name)
    .map(({ text }) => PROJECT.shape.safeParse(jsonOf(text)).data?.folder)
    .find((id) => id !== undefined);

/** Adds a hint about `ledger_copy` to an error of the second copy, if that setting names its place. */
function copyError({ ledgerCopy }: Pick<JournalPlace, 'ledgerCopy'>, error: unknown): unknown {
  if (ledgerCopy === undefined || !(error instanceof StorageError)) return error;
  const hint = 'This is the second copy of the journal: correct ledger_copy, or attach its disk.';
  return new StorageError(error.message, { hint, cause: error.cause });
}

/** Throws ConfigError if `ledger_copy` names anything but a second copy, because writing would replace it. */
async function readCopy({ ledgerCopy }: JournalPlace, copyPath: string, path: string): Promise<Buffer> {
  // Don't open other kinds of files: writing would replace a device, and reading a pipe would wait. A link to the journal itself is no
  // second copy.
  const [there, own] = await Promise.all([copyPath, path].map(statIfThere));
  const isUsable = there === undefined || there.isFile() || there.isDirectory();
  const isOwn =
    copyPath === path || (there?.ino === own?.ino && there?.dev === own?.dev && own !== undefined);
  const read = () =>
    readIfThere(copyPath).catch((error: unknown) => {
      throw copyError({ ledgerCopy }, error);
    });
  const copy = (isUsable ? await read() : undefined) ?? Buffer.alloc(0);
  const isForeign = !isUsable || isOwn || !begins(Buffer.from(BEGIN), copy.subarray(0, BEGIN.length));
  if (ledgerCopy === undefined || !isForeign) return copy;
  throw new ConfigError(`ledger_copy names ${copyPath}, which is not a second copy of a journal.`, {
    hint: 'Name a separate file, if possible on another disk; move a damaged copy away. Nothing was changed.',
  });
}

const statIfThere = (path: string): Promise<Stats | undefined> => stat(path).catch(() => undefined);

const BEGIN = '{"kind":"';

/** Returns the bytes up to the last line that its checksum proves, without a half-written line at the end, and their hash. */
function proven(bytes: Buffer): { bytes: Buffer; hash: Hash } {
  const whole = bytes.subarray(0, bytes.lastIndexOf('\n') + 1);
  let hash = createHash('sha256');
  // The last checksum covers all earlier bytes, so an undamaged file needs only one pass.
  const all = whole.length === 0 ? hash : extended(hash, whole);
  if (all !== undefined) return { bytes: whole, hash: all };
  for (let start = 0; ;) {
    const line = whole.subarray(start, whole.indexOf('\n', start) + 1);
    const next = extended(hash, line);
    if (next === undefined) return { bytes: whole.subarray(0, start), hash };
    hash = next;
    start += line.length;
  }
}

/** Adds lines to the hash of all earlier bytes; undefined if the checksum at the end of the lines does not match. */
function extended(before: Hash, lines: Buffer): Hash | undefined {
  // `,"sum":"` with 32 digits, `"}` and the newline.
  const cut = Math.max(0, lines.length - 43);
  const hash = before.copy().update(lines.subarray(0, cut));
  const isRight = lines.subarray(cut).equals(Buffer.from(`,"sum":"${sumOf(hash.copy())}"}\n`));
  return isRight ? hash.update(lines.subarray(cut)) : undefined;
}

/**
 * Splits proven bytes into lines.
 *
 * @throws DamageError when one is not a line of a journal, or its number does not follow: another program wrote it
 */
function linesIn(bytes: Buffer, path: string): Written[] {
  const lines: Written[] = [];
  const kinds = new Map<string, string>();
  for (const text of bytes.toString('utf8').split('\n').slice(0, -1)) {
    const line = writtenIn(text, kinds);
    if (line === undefined || line.seq <= (lines.at(-1)?.seq ?? 0))
      throw new DamageError(`Line ${lines.length + 1} of ${path} is not a line of a journal.`, {
        hint: 'Restore data/ledger from a backup. Nothing was changed.',
      });
    lines.push(line);
  }
  return lines;
}

/** The beginning and end of a line. The fields in between are parsed when the lines of a kind are read. */
const HEAD = /^\{"kind":"([a-z]+)","seq":([1-9]\d*),/;
const TAIL = /^,"sum":"[0-9a-f]{32}"\}$/;

function writtenIn(text: string, kinds: Map<string, string>): Written | undefined {
  const [, kind, seq] = HEAD.exec(text) ?? [];
  if (kind === undefined || !TAIL.test(text.slice(-42))) return undefined;
  // Lines of a kind share one string, because a journal of years has 200,000 lines.
  if (!kinds.has(kind)) kinds.set(kind, kind);
  return { text, kind: kinds.get(kind) ?? kind, seq: Number(seq) };
}

/** The checksum of a line, over all bytes before it. */
const checksumIn = (line: Written | undefined): string => line?.text.slice(-34, -2) ?? '';

const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replaceAll(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const begins = (long: Buffer, short: Buffer): boolean => long.subarray(0, short.length).equals(short);
const sumOf = (hash: Hash): string => hash.digest('hex').slice(0, 32);
