/**
 * Removes erased persons from the landing zone: records of a person are cut out of landed pages, and the person's
 * numbers are blanked in the records of others. A line of the journal says beforehand which pull is cut, so that it may
 * hold fewer records than its manifest says.
 */
import { createHmac } from 'node:crypto';
import { rm, stat } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { z } from 'zod';
import type { Effects } from '../ground/effects.js';
import { elementsOf, readEnvelope, type Part } from '../ground/envelope.js';
import { DamageError } from '../ground/errors.js';
import { DurableFolder } from '../landing/atomic-file.js';
import { readPull } from '../landing/landing-zone.js';
import { foldersOf, pageOf } from '../landing/paths.js';
import type { Page, Pull } from '../landing/pull.js';
import { gzipped, readWhole } from '../landing/repair-json.js';
import { namesIn } from '../landing/storage-error.js';
import { keyFingerprint } from '../warehouse/privacy.js';
import {
  asPattern,
  isRefusal,
  loadError,
  repair,
  sized,
  SMALLEST_BUFFER,
} from '../warehouse/landed-files.js';
import { count, type Session } from '../warehouse/session.js';
import type { Register } from './register.js';
import { blanked } from './spelling.js';

/** Bytes of JSON that are searched in one batch. */
const BATCH_BYTES = 4 * 2 ** 20;

const match = z.object({
  filename: z.string(),
  position: count,
  record: z.string(),
  own: z.boolean(),
  given: z.array(z.string()).nullable(),
});

/** A record on a page that holds an erased id. */
export interface Match {
  readonly file: string;
  /** Its position on the page, counted from 0. */
  readonly position: number;
  /** The record as JSON; empty if only positions were asked for. */
  readonly record: string;
  /** True if the record is about the person; false if its text only mentions the person's number or address. */
  readonly own: boolean;
  /** The ids as the record spells them. */
  readonly given: readonly string[];
}

type SizedFile = Pick<Page, 'file' | 'bytes'>;

/** The result of cutting pages. */
export interface Cut {
  readonly records: number;
  readonly pulls: ReadonlySet<string>;
}

const NOTHING: Cut = { records: 0, pulls: new Set() };

/** Called before a pull is cut, with the ids as its records spell them. */
type Before = (written: ReadonlySet<string>) => Promise<void>;

const NOTHING_BEFORE: Before = () => Promise.resolve();

/** Searches landed files for the ids of one set of digests, and cuts them out. */
export class Erasures {
  readonly register: Register;
  /** Landed files that could not be read and therefore were not searched. */
  readonly unread = new Set<string>();
  readonly #landing: string;
  readonly #tempDirectory: string;
  readonly #key: Uint8Array;
  readonly #disk: DurableFolder;
  readonly #open: () => Promise<Session>;
  /** The folders that the sweep of this run left clean, with their inode change times. */
  readonly #clean = new Map<string, number>();
  #session: Promise<Session> | undefined;
  #ids: ReadonlySet<string>;

  constructor(
    { dataDir, tempDirectory, key }: { dataDir: string; tempDirectory: string; key: Uint8Array },
    register: Register,
    effects: Pick<Effects, 'reach'>,
    open: () => Promise<Session>,
  ) {
    this.register = register;
    this.#landing = foldersOf(dataDir).landing;
    this.#tempDirectory = tempDirectory;
    this.#key = key;
    this.#disk = new DurableFolder(dataDir, effects);
    this.#open = open;
    this.#ids = new Set(register.ids);
  }

  /** Returns a connection whose macros hash; its table `erased_ids` holds the digests to search for. */
  async session(): Promise<Session> {
    this.#session ??= this.#open().then((session) => this.#prepare(session));
    return this.#session;
  }

  async #prepare(session: Session): Promise<Session> {
    await session.set({ erased_ids: [...this.#ids] });
    await session.run('erasure/ids');
    return session;
  }

  /**
   * Records in the register who is to be erased, and searches for all registered digests from now on; returns the
   * register's line.
   */
  async begin({ origins, ids }: { origins: readonly string[]; ids: readonly string[] }): Promise<number> {
    const key = keyFingerprint(this.#key);
    const line = await this.register.append({ event: 'begun', key, persons: origins.length, ids: [...ids] });
    await this.lookFor(this.register.ids);
    return line;
  }

  /** Sets the digests to search for. */
  async lookFor(ids: readonly string[]): Promise<void> {
    this.#ids = new Set(ids);
    await this.#prepare(await this.session());
  }

  /** Returns the pulls unchanged, after cutting erased persons from their files; arriving pages are cut one by one. */
  async guard(pulls: readonly Pull[]): Promise<Pull[]> {
    if (this.#ids.size === 0) return [...pulls];
    const guarded: Pull[] = [];
    for (const pull of pulls) {
      const isCut = (): boolean => this.register.mayBeCut(pull.id);
      const { arriving } = pull;
      if (arriving !== undefined) {
        guarded.push({ ...pull, isCut, arriving: { ...arriving, pages: this.#arriving(arriving.pages) } });
        continue;
      }
      guarded.push({ ...pull, isCut });
      const folder = join(this.#landing, pull.id);
      if ((pull.stream !== 'events' && pull.stream !== 'opt_outs') || (await this.#isClean(folder))) continue;
      await this.late(await (pull.stream === 'events' ? this.#cutFolder(folder) : this.#cutOptOuts(folder)));
    }
    return guarded;
  }

  /** True if the sweep of this run has searched the folder, and nothing has changed in it since. */
  async #isClean(folder: string): Promise<boolean> {
    const changed = this.#clean.get(folder);
    return changed !== undefined && changed === (await stat(folder)).ctimeMs;
  }

  async *#arriving(pages: AsyncIterable<readonly Page[]>): AsyncGenerator<readonly Page[]> {
    for await (const some of pages) {
      await this.late(await this.#cut(some));
      yield await sized(some);
    }
  }

  /** Records in the register that records arrived after the erasure of their persons. */
  async late({ records }: Pick<Cut, 'records'>): Promise<void> {
    if (records > 0) await this.register.append({ event: 'late', records });
  }

  /**
   * Cuts erased persons from every landed file that changed since the last sweep, or from all files if the register has
   * grown or the landing zone is an older copy.
   *
   * @param before is called before each pull is cut
   */
  async sweep(before: Before = NOTHING_BEFORE): Promise<Cut> {
    const { last, swept } = this.register;
    if (last === undefined) return NOTHING;
    const since = swept?.of === last.line ? swept.changed : 0;
    let all = NOTHING;
    for (const { folder, changed } of await foldersOfPersons(this.#landing)) {
      if (changed < since) continue;
      const isOptOut = relative(this.#landing, folder).startsWith('opt_outs');
      const cut = await (isOptOut ? this.#cutOptOuts(folder, before) : this.#cutFolder(folder, before));
      all = sum(all, cut);
    }
    for (const { folder, changed } of await foldersOfPersons(this.#landing)) this.#clean.set(folder, changed);
    const changed = Math.floor(Math.max(0, ...this.#clean.values()));
    if (swept?.of !== last.line || swept.changed !== changed)
      await this.register.append({ event: 'swept', of: last.line, changed });
    return all;
  }

  /** Returns the records on these pages that hold one of the searched ids, by their positions alone or with their JSON. */
  async find(files: readonly SizedFile[], what: 'positions' | 'records' = 'positions'): Promise<Match[]> {
    const session = await this.session();
    const found: Match[] = [];
    for (const some of batchesOf(files)) {
      try {
        found.push(...(await this.#search(session, some, what)));
      } catch (error) {
        if (!isRefusal(error)) throw loadError(error, some[0]?.file ?? '');
        for (const one of some) {
          const matches = await this.#readable(one.file, () => this.#searchRepaired(session, one, what));
          found.push(...(matches ?? []));
        }
      }
    }
    return found;
  }

  /** Returns the landed pages of exports. */
  async pages(): Promise<SizedFile[]> {
    const files: string[] = [];
    for (const { folder } of await foldersOfPersons(this.#landing))
      if (relative(this.#landing, folder).startsWith('events')) files.push(...(await pagesIn(folder)));
    return this.#sized(files);
  }

  async #sized(files: readonly string[]): Promise<SizedFile[]> {
    const all: SizedFile[] = [];
    for (const file of files) all.push(...((await this.#readable(file, () => sized([{ file }]))) ?? []));
    return all;
  }

  /** Does the work on a file; a damaged file does not stop the search, since the load reports it. */
  async #readable<T>(file: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof DamageError)) throw error;
      this.unread.add(file);
      return undefined;
    }
  }

  /** Returns the opt-outs of erased persons in the landing zone, by file. */
  async optOuts(): Promise<{ file: string; row: string }[]> {
    const found: { file: string; row: string }[] = [];
    for (const { folder } of await foldersOfPersons(this.#landing)) {
      if (!relative(this.#landing, folder).startsWith('opt_outs')) continue;
      for (const file of await pagesIn(folder)) {
        const rows = optOutsIn((await this.#readable(file, () => readWhole(file))) ?? Buffer.alloc(0));
        const erased = await this.#numbers(rows);
        for (const { text, number } of rows) if (erased.has(number)) found.push({ file, row: text });
      }
    }
    return found;
  }

  /** Cuts the pages; each page is replaced durably. */
  async #cut(files: readonly SizedFile[]): Promise<Cut> {
    return this.#cutMatches(await this.find(files));
  }

  async #cutMatches(found: readonly Match[]): Promise<Cut> {
    const files = new Map<string, Map<number, boolean>>();
    for (const { file, position, own } of found)
      files.set(file, (files.get(file) ?? new Map<number, boolean>()).set(position, own));
    let all = NOTHING;
    for (const [file, own] of files) {
      const { text, records } = edited(await readWhole(file), (record, nth) => {
        const isOwn = own.get(nth);
        return isOwn === undefined ? record : isOwn ? undefined : this.#blanked(record);
      });
      const pull = relative(this.#landing, dirname(file));
      await this.#cutting(pull);
      await this.#disk.write(file, await gzipped(text), 'erasures/page');
      all = sum(all, { records, pulls: new Set([pull]) });
    }
    return all;
  }

  /** Records, before the first page of a pull is rewritten, that it may hold fewer records than its manifest says. */
  async #cutting(pull: string): Promise<void> {
    const { last } = this.register;
    if (this.register.cutPulls(last?.line).has(pull)) return;
    const landed = this.register.cutPulls().has(pull) ? undefined : await this.#rowsLanded(pull);
    const records = landed === undefined ? await this.#recordsIn(pull) : sumOf(landed.values());
    await this.register.append({ event: 'cutting', pull, records });
  }

  /** The number of records that landed on each page; undefined without a manifest that can be read. */
  async #rowsLanded(pull: string): Promise<ReadonlyMap<string, number> | undefined> {
    const read = await this.#readable(pull, () => readPull(this.#landing, pull));
    return read && new Map(read.files.map(({ file, rows }) => [file, rows]));
  }

  /** The number of records on the pages of a pull; those that landed on a page that cannot be read. */
  async #recordsIn(pull: string): Promise<number> {
    const landed = await this.#rowsLanded(pull);
    let records = 0;
    for (const file of await pagesIn(join(this.#landing, pull))) {
      const body = await this.#readable(file, () => readWhole(file));
      records += body === undefined ? (landed?.get(file) ?? 0) : (listIn(body)?.elements ?? 0);
    }
    return records;
  }

  async #cutFolder(folder: string, before: Before = NOTHING_BEFORE): Promise<Cut> {
    let all = NOTHING;
    for (const some of batchesOf(await this.#sized(await pagesIn(folder)))) {
      const found = await this.find(some);
      if (found.length === 0) continue;
      await before(writtenIn(found));
      all = sum(all, await this.#cutMatches(found));
    }
    return all;
  }

  async #cutOptOuts(folder: string, before: Before = NOTHING_BEFORE): Promise<Cut> {
    const pull = relative(this.#landing, folder);
    let all = NOTHING;
    for (const file of await pagesIn(folder)) {
      const body = await this.#readable(file, () => readWhole(file));
      if (body === undefined) continue;
      const erased = await this.#numbers(optOutsIn(body));
      if (erased.size === 0) continue;
      await before(erased);
      const { text, records } = edited(body, (row) => (erased.has(numberOf(row) ?? '') ? undefined : row));
      await this.#cutting(pull);
      await this.#disk.write(file, await gzipped(text), 'erasures/snapshot');
      all = sum(all, { records, pulls: new Set([pull]) });
    }
    return all;
  }

  async #numbers(rows: readonly Row[]): Promise<Set<string>> {
    const session = await this.session();
    await session.set({ given: [...new Set(rows.map(({ number }) => number))] });
    const erased = await session.rows('erasure/numbers', z.object({ given: z.string() }));
    return new Set(erased.map(({ given }) => given));
  }

  async #search(
    session: Session,
    files: readonly SizedFile[],
    what: 'positions' | 'records',
    as?: string,
  ): Promise<Match[]> {
    await session.set({
      landed: {
        with_records: what === 'records',
        files: files.map(({ file }) => asPattern(file)),
        largest_object: Math.max(SMALLEST_BUFFER, ...files.map(({ bytes }) => bytes * 2)),
      },
    });
    await session.run('erasure/scan');
    await session.run('load/redact');
    const rows = await session.rows('erasure/matches', match);
    return rows.map(({ filename, given, ...rest }) => ({
      ...rest,
      file: as ?? filename,
      given: given ?? [],
    }));
  }

  async #searchRepaired(session: Session, page: SizedFile, what: 'positions' | 'records'): Promise<Match[]> {
    const copy = await repair(page.file, this.#tempDirectory);
    try {
      return await this.#search(session, [{ file: copy, bytes: page.bytes * 2 }], what, page.file);
    } finally {
      await rm(copy, { force: true });
    }
  }

  /** Returns a record with asterisks in place of the erased numbers and addresses; undefined if none is found. */
  #blanked(text: string): string | undefined {
    const isErased = (plain: string): boolean => this.#ids.has(digestOf(this.#key, plain));
    const blank = text.replace(SCALARS, (scalar) => {
      // A number that is a JSON number has lost its leading zero.
      if (!scalar.startsWith('"')) return isErased(`0${scalar}`) ? '0' : scalar;
      const value = z.string().parse(JSON.parse(scalar));
      const without = blanked(value, isErased);
      return without === value ? scalar : JSON.stringify(without);
    });
    return blank === text ? undefined : blank;
  }

  /** Returns the number of records that an erasure, by its line in the register, has cut, and of the pulls it touched. */
  async cutBy(line: number): Promise<{ records: number; pulls: number }> {
    const held = this.register.cutPulls(line);
    let records = 0;
    for (const [pull, before] of held) records += before - (await this.#recordsIn(pull));
    return { records, pulls: held.size };
  }
}

/** Matches a text or a number in JSON. */
const SCALARS = /"(?:[^"\\]|\\.)*"|(?<![\w.+-])\d+(?![\w.])/g;

/** Returns the same digest as the load does, for a number or address in its plain spelling. */
function digestOf(key: Uint8Array, text: string): string {
  return createHmac('sha256', key).update(text).digest('hex');
}

/** An opt-out of E12: its JSON text and its number. */
interface Row {
  readonly text: string;
  readonly number: string;
}

function optOutsIn(body: Buffer): Row[] {
  const rows: Row[] = [];
  edited(body, (text) => {
    const number = numberOf(text);
    if (number !== undefined) rows.push({ text, number });
    return text;
  });
  return rows;
}

function numberOf(row: string): string | undefined {
  try {
    const value = z.looseObject({ recipientNo: z.union([z.string(), z.number()]) }).parse(JSON.parse(row));
    return String(value.recipientNo);
  } catch {
    return undefined;
  }
}

/** The list of records on a page. */
function listIn(page: Buffer): Part | undefined {
  const envelope = readEnvelope(page);
  return envelope?.kind === 'object' ? envelope.parts.get('data') : undefined;
}

/** Returns the page with each element of its list as `edit` returns it, without those for which it returns undefined. */
function edited(
  page: Buffer,
  edit: (element: string, nth: number) => string | undefined,
): { text: Buffer; records: number } {
  const list = listIn(page);
  if (list === undefined) return { text: page, records: 0 };
  const elements = elementsOf(page, list);
  const left = elements.flatMap(({ start, end }, nth) => edit(page.toString('utf8', start, end), nth) ?? []);
  const text = `${page.toString('utf8', 0, list.start)}[${left.join(',')}]${page.toString('utf8', list.end)}`;
  return { text: Buffer.from(text), records: elements.length - left.length };
}

/** Divides files into batches whose JSON is small enough to be searched at once. */
export function* batchesOf(files: readonly SizedFile[]): Generator<SizedFile[]> {
  let some: SizedFile[] = [];
  let bytes = 0;
  for (const one of files) {
    if (some.length > 0 && bytes + one.bytes > BATCH_BYTES) {
      yield some;
      [some, bytes] = [[], 0];
    }
    some.push(one);
    bytes += one.bytes;
  }
  if (some.length > 0) yield some;
}

/** Returns the ids, as spelled in the records, of the persons whose own records these are. */
function writtenIn(matches: readonly Match[]): Set<string> {
  return new Set(matches.filter(({ own }) => own).flatMap(({ given }) => given));
}

interface Folder {
  readonly folder: string;
  /** The inode change time in milliseconds, which also reveals a restored copy. */
  readonly changed: number;
}

/** Returns the folders that hold persons: those of exports and of opt-out snapshots. */
async function foldersOfPersons(landing: string): Promise<Folder[]> {
  const folders: Folder[] = [];
  for (const [stream, depth] of [
    ['events', 3],
    ['opt_outs', 2],
  ] as const) {
    let level = [join(landing, stream)];
    for (let below = 0; below < depth; below++) level = (await Promise.all(level.map(pathsIn))).flat();
    for (const folder of level.sort()) {
      const found = await stat(folder);
      if (!found.isDirectory()) continue;
      // A page that is written over changes its folder in nothing.
      const files = await Promise.all((await pathsIn(folder)).map((path) => stat(path)));
      folders.push({ folder, changed: Math.max(found.ctimeMs, ...files.map(({ ctimeMs }) => ctimeMs)) });
    }
  }
  return folders;
}

async function pathsIn(folder: string): Promise<string[]> {
  return (await namesIn(folder)).map((name) => join(folder, name));
}

async function pagesIn(folder: string): Promise<string[]> {
  return (await pathsIn(folder)).filter((path) => pageOf(basename(path)) !== undefined).sort();
}

function sumOf(numbers: Iterable<number>): number {
  return [...numbers].reduce((all, one) => all + one, 0);
}

function sum(a: Cut, b: Cut): Cut {
  return { records: a.records + b.records, pulls: new Set([...a.pulls, ...b.pulls]) };
}
