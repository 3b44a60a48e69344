/**
 * Removes erased persons from the landing zone: deletes their records from landed pages (E21, E12), and replaces their numbers in other
 * people's records. The journal names each pull first, so that readers expect fewer records than its manifest.
 */
import { createHash, createHmac } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { z } from 'zod';
import type { Config } from '../config/config.js';
import type { Invocation } from '../config/invocation.js';
import { landedAmong } from '../exports/export.js';
import { type Ledger } from '../exports/ledger.js';
import type { Effects } from '../ground/effects.js';
import { jsonOf, readEnvelope, type Body } from '../ground/envelope.js';
import { elementsIn } from '../ground/large-body.js';
import { DurableFolder } from '../disk/atomic-file.js';
import {
  listPulls,
  pagesIn,
  readPull,
  type LandingZone,
  type Page,
  type Pull,
} from '../landing/landing-zone.js';
import { compressed, readBody, textOf } from '../landing/page-file.js';
import { foldersOf } from '../disk/paths.js';
import { namesIn, readIfThere, unlessDamaged } from '../disk/storage-error.js';
import { OWN } from '../ground/streams.js';
import { rowsIn } from '../warehouse/describe.js';
import { keyFingerprint } from '../warehouse/privacy.js';
import { withMemoryLimit, type MemoryLimit } from '../warehouse/memory-limit.js';
import type { Warehouse } from '../warehouse/warehouse.js';
import {
  asPattern,
  inBatches,
  isDivided,
  isRefusal,
  loadError,
  orRepaired,
  sized,
  SMALLEST_BUFFER,
  withSlices,
} from '../warehouse/pages.js';
import { count, type Session } from '../warehouse/session.js';
import { Finder, Pending } from './erase.js';
import { findInCopy, ownPulls } from './own.js';
import { deleteComputed, deleteFound, deleteOwn, findDays, readLinks } from './person.js';
import { cutPulls, mayBeCut, type Register } from './register.js';
import { blanked } from './spelling.js';

/** Bytes of JSON searched in one batch. */
const BATCH_BYTES = 4 * 2 ** 20;

const match = z.object({
  filename: z.string(),
  /** The position of the record on the page, counted from 0, and the record as JSON. */
  position: count,
  record: z.string(),
  /** True if the record is about the person; false if its text only mentions the person's number or address. */
  own: z.boolean(),
  written: z.array(z.string()),
});

type Match = z.infer<typeof match>;

type SizedFile = Pick<Page, 'file' | 'bytes'>;

/** The number of removed records, and the pulls that lost records or had numbers replaced. */
interface Cut {
  records: number;
  readonly pulls: Set<string>;
}

/** Called before a page is changed, with the ids as its records write them. */
type Before = (written: ReadonlySet<string>) => Promise<void>;

const nothingCut = (): Cut => ({ records: 0, pulls: new Set() });

/** Finds records by the keyed digests of their ids, and removes them from landed pages. */
export class Erasures {
  /** Landed files that could not be read, and so were not searched. */
  readonly unread = new Set<string>();
  readonly #landing: string;
  readonly #disk: DurableFolder;
  /** Folders that this run has already searched, with their state at that time. */
  readonly #clean = new Map<string, string>();
  #session: Promise<Session> | undefined;
  #ids: ReadonlySet<string>;
  #finder = new Finder([]);

  constructor(
    private readonly place: {
      readonly dataDir: string;
      readonly tempDirectory: string;
      readonly key: Uint8Array;
      readonly limits: MemoryLimit;
    },
    readonly register: Register,
    effects: Pick<Effects, 'reach'>,
    private readonly open: () => Promise<Session>,
  ) {
    this.#landing = foldersOf(place.dataDir).landing;
    this.#disk = new DurableFolder(place.dataDir, effects);
    this.#ids = new Set(register.ids);
  }

  /** Returns a connection whose macros hash ids and clean texts. Its table `erased_ids` has the digests to search for. */
  async session(): Promise<Session> {
    this.#session ??= this.open().then(async (session) => {
      await this.#prepare(session);
      await session.run('streams/own/pull/macros');
      return session;
    });
    return this.#session;
  }

  async #prepare(session: Session): Promise<void> {
    await session.run('erasure/ids', { erased_ids: [...this.#ids] });
  }

  /** Registers the persons to erase; resolves with the number of the journal line. */
  async begin({ origins, ids }: { origins: readonly string[]; ids: readonly string[] }): Promise<number> {
    const key = keyFingerprint(this.place.key);
    const line = await this.register.append({ event: 'begun', key, persons: origins.length, ids: [...ids] });
    await this.lookFor(this.register.ids);
    return line;
  }

  async lookFor(ids: readonly string[]): Promise<void> {
    this.#ids = new Set(ids);
    await this.#prepare(await this.session());
  }

  /** Deletes rows that models computed about erased persons and cannot recompute, because the landed pages were removed. */
  async deleteComputed(): Promise<void> {
    if (this.register.last !== undefined) await deleteComputed(await this.session());
  }

  async guard(pulls: readonly Pull[]): Promise<void> {
    if (this.#ids.size === 0) return;
    for (const pull of pulls) {
      const folder = join(this.#landing, pull.id);
      const isOfPersons = pull.stream === 'events' || pull.stream === 'opt_outs';
      if (isOfPersons && !(await this.#isClean(folder)))
        await this.late(await this.#cutPages(await this.#pagesIn(folder)));
    }
  }

  /** True if this run has searched the folder and nothing in it has changed since. */
  async #isClean(folder: string): Promise<boolean> {
    const state = this.#clean.get(folder);
    return state !== undefined && state === (await stateOf(folder));
  }

  /** Records that data of erased persons arrived after the erasure and was removed. */
  async late({ records }: Pick<Cut, 'records'>): Promise<void> {
    if (records > 0) await this.register.append({ event: 'late', records });
  }

  /**
   * Removes erased persons from every landed folder that changed since the last sweep, such as a restored older copy. If the register has
   * grown, searches all folders.
   *
   * @param before is called before each page is changed
   */
  async sweep(before?: Before): Promise<Cut> {
    const all = nothingCut();
    const { last } = this.register;
    if (last === undefined) return all;
    const memory = sweptShape.safeParse(jsonOf((await readIfThere(this.#memory)) ?? '')).data;
    const swept = memory?.of === last.line ? memory.folders : {};
    const sweepAll = async (ids: readonly string[], cut: (id: string) => Promise<unknown>): Promise<void> => {
      for (const id of ids) {
        const folder = join(this.#landing, id);
        const state = await stateOf(folder);
        if (swept[id] !== state) await cut(id);
        this.#clean.set(folder, swept[id] === state ? state : await stateOf(folder));
      }
    };
    await sweepAll(await this.#idsOfPersons(), async (id) =>
      this.#cutPages(await this.#pagesIn(join(this.#landing, id)), before, all),
    );
    await sweepAll(await ownPulls(this.#landing), (id) => this.#cutCopy(id, all, before));
    const folders = Object.fromEntries(
      [...this.#clean].map(([folder, state]) => [relative(this.#landing, folder), state]),
    );
    await this.#disk.write(this.#memory, JSON.stringify({ of: last.line, folders }), 'swept');
    return all;
  }

  /** Yields batches of records that contain an erased id, by default from all pages of exports and opt-outs. */
  async *find(files?: readonly SizedFile[]): AsyncGenerator<readonly Match[]> {
    const session = await this.session();
    for (const some of inBatches(files ?? (await this.#pages()), BATCH_BYTES)) {
      let matches: Match[] | undefined;
      if (!some.some(isDivided))
        try {
          matches = await this.#search(session, some);
        } catch (error) {
          if (!isRefusal(error)) throw loadError(error, { name: some[0]?.file ?? '' });
        }
      if (matches === undefined) {
        matches = [];
        for (const one of some) {
          const inPage = await this.#readable(one.file, this.#searchRepaired(session, one));
          matches.push(...(inPage ?? []));
        }
      }
      if (matches.length > 0) yield matches;
    }
  }

  /** Searches one page. It may be larger than memory, or need repair before DuckDB can read it. */
  #searchRepaired(session: Session, page: SizedFile): Promise<Match[]> {
    const { file: filename } = page;
    return withSlices([page], this.place.tempDirectory, async (slices) => {
      const all: Match[] = [];
      for (const slice of slices) {
        const search = async (usable: readonly SizedFile[]) => this.#search(session, await sized(usable));
        const subject = { name: filename };
        const matches = await orRepaired(session, [slice], this.place.tempDirectory, subject, search);
        for (const one of matches) all.push({ ...one, filename, position: slice.first + one.position });
      }
      return all;
    });
  }

  async #pages(): Promise<SizedFile[]> {
    const all: SizedFile[] = [];
    for (const id of await this.#idsOfPersons()) all.push(...(await this.#pagesIn(join(this.#landing, id))));
    return all;
  }

  async #pagesIn(folder: string): Promise<SizedFile[]> {
    const all: SizedFile[] = [];
    for (const file of (await pagesIn(folder)).values())
      all.push(...((await this.#readable(file, sized([{ file }]))) ?? []));
    return all;
  }

  /** Resolves with undefined for a damaged file, which the load reports. */
  #readable<T>(file: string, reading: Promise<T>): Promise<T | undefined> {
    return unlessDamaged(reading, () => this.unread.add(file));
  }

  /** Removes the records from these pages, and adds their number to `cut`. */
  async #cutPages(files: readonly SizedFile[], before?: Before, cut = nothingCut()): Promise<Cut> {
    for await (const matches of this.find(files)) {
      await before?.(new Set(matches.filter(({ own }) => own).flatMap(({ written }) => written)));
      for (const file of new Set(matches.map(({ filename }) => filename))) {
        const here = matches.filter(({ filename }) => filename === file);
        await this.#cutPage(cut, file, new Map(here.map(({ position, own }) => [position, own])));
      }
    }
    return cut;
  }

  /**
   * Durably replaces a page by one without the records. The journal names the pull before its first page is rewritten, so that readers
   * expect fewer records than the manifest lists.
   *
   * @param own the positions of the records that contain an erased id, each with true if it is the person's own
   */
  async #cutPage(cut: Cut, file: string, own: ReadonlyMap<number, boolean>): Promise<void> {
    const body = await readBody(file);
    if (recordsIn(body) === undefined) return;
    const leave = (record: string, nth: number): string | undefined => {
      const isOwn = own.get(nth);
      if (isOwn === undefined) return this.#finder.holds(record) ? (this.#blanked(record) ?? record) : record;
      return isOwn ? undefined : this.#blanked(record);
    };
    const pull = relative(this.#landing, dirname(file));
    await this.#announce(pull, () => this.#recordsIn(pull));
    const point = pull.startsWith('opt_outs') ? 'erasures/snapshot' : 'erasures/page';
    let records = 0;
    await this.#disk.write(file, compressed(cutText(file, leave, () => records++)), point);
    cut.records += records;
    cut.pulls.add(pull);
  }

  /** Removes erased persons from the copy of an own table, and blanks their ids in its texts. */
  async #cutCopy(id: string, cut: Cut, before?: Before): Promise<void> {
    const session = await this.session();
    const copy = await this.#readable(id, findInCopy(session, this.#landing, id));
    if (copy === undefined) return;
    await before?.(new Set(copy.written));
    await this.#announce(id, () => Promise.resolve(copy.rows));
    await copy.cut(this.#disk);
    cut.records += copy.own;
    cut.pulls.add(id);
  }

  /** Writes the pull and its number of records into the journal, before the first record is removed. */
  async #announce(pull: string, records: () => Promise<number>): Promise<void> {
    if (!cutPulls(this.register.lines, this.register.last?.line).has(pull))
      await this.register.append({ event: 'cutting', pull, records: await records() });
  }

  async #recordsIn(pull: string): Promise<number> {
    const read = await this.#readable(pull, readPull(this.#landing, pull));
    if (read !== undefined && !mayBeCut(this.register.lines, pull))
      return read.files.reduce((all, { rows }) => all + rows, 0);
    const [table] = read?.facts.own === undefined ? [] : read.files;
    if (table !== undefined) return rowsIn(await this.session(), table.file);
    const landed = new Map(read?.files.map(({ file, rows }) => [file, rows]));
    let records = 0;
    for (const file of (await pagesIn(join(this.#landing, pull))).values()) {
      const body = await this.#readable(file, readBody(file));
      records += body === undefined ? (landed.get(file) ?? 0) : (recordsIn(body) ?? 0);
    }
    return records;
  }

  /** Searches pages. If memory runs out, searches again with a higher limit and smaller batches. */
  #search(session: Session, files: readonly SizedFile[]): Promise<Match[]> {
    const { limits } = this.place;
    return withMemoryLimit(session, limits, async ({ batchBytes }) => {
      const matches: Match[] = [];
      for (const some of inBatches(files, (BATCH_BYTES * batchBytes) / limits.batchBytes))
        matches.push(...(await this.#searchAtOnce(session, some)));
      return matches;
    });
  }

  async #searchAtOnce(session: Session, files: readonly SizedFile[]): Promise<Match[]> {
    await session.run('erasure/scan', {
      files: files.map(({ file }) => asPattern(file)),
      largest_object: Math.max(SMALLEST_BUFFER, ...files.map(({ bytes }) => bytes * 2)),
    });
    return session.rows('erasure/matches', match);
  }

  /** Finds numbers and addresses by their digests in the register. Ids that consist of digits are left out, because they may be amounts. */
  async blank(ids: readonly string[]): Promise<void> {
    this.#finder = new Finder(ids.filter((id) => /\D/.test(id)));
    for (const { file } of await this.#pages()) {
      if ((await this.#readable(file, this.#mentions(file))) === true)
        await this.#cutPage(nothingCut(), file, new Map());
    }
  }

  async #mentions(file: string): Promise<boolean> {
    for await (const pieces of elementsIn(textOf(file), 'data'))
      if (pieces.some(({ isElement, bytes }) => isElement && this.#finder.holds(bytes.toString())))
        return true;
    return false;
  }

  /** Returns the record with asterisks in place of erased ids; undefined if it has none. */
  #blanked(text: string): string | undefined {
    // The load stores this digest in place of a number or address.
    const isErased = (plain: string): boolean =>
      this.#ids.has(createHmac('sha256', this.place.key).update(plain).digest('hex'));
    const blank = text.replace(SCALARS, (scalar) => {
      // In JSON, a telephone number written as a number has lost its leading zero.
      if (!scalar.startsWith('"')) return isErased(`0${scalar}`) ? '0' : scalar;
      const value = jsonOf(scalar);
      if (typeof value !== 'string') return scalar;
      const without = blanked(this.#finder.blanked(value), isErased);
      return without === value ? scalar : JSON.stringify(without);
    });
    return blank === text ? undefined : blank;
  }

  /** The numbers of records and pulls that the erasure of a journal line has changed. */
  async cutBy(line: number): Promise<{ records: number; pulls: number }> {
    const pulls = cutPulls(this.register.lines, line);
    let records = 0;
    for (const [pull, before] of pulls) records += before - (await this.#recordsIn(pull));
    return { records, pulls: pulls.size };
  }

  async #idsOfPersons(): Promise<string[]> {
    return (await listPulls(this.#landing, ['events', 'opt_outs'])).map(({ id }) => id);
  }

  get #memory(): string {
    return join(foldersOf(this.place.dataDir).private, 'swept.json');
  }
}

/** The state after the last sweep: the journal line of the newest erasure, and a fingerprint of each folder. */
const sweptShape = z.object({ of: z.number(), folders: z.record(z.string(), z.string()) });

/**
 * Identifies the state of a folder and its files by their change times (ctime). Programs cannot set these, so a restored page is noticed.
 */
async function stateOf(folder: string): Promise<string> {
  const files = (await namesIn(folder)).sort().map((name) => stat(join(folder, name)));
  const changes = (await Promise.all([stat(folder), ...files])).map(({ ctimeMs }) => ctimeMs);
  return createHash('sha256').update(changes.join(' ')).digest('hex').slice(0, 16);
}

// Every command that opens the folder searches data that arrived or was restored after an erasure.

/** The parts of the open data folder that erasures need. */
interface ErasureParts {
  readonly erasures: Erasures;
  readonly landing: LandingZone;
  readonly warehouse: Pick<Warehouse, 'loader' | 'knownErasure' | 'refining'>;
  readonly ledger: Pick<Ledger, 'entries'>;
  readonly load: (pulls: readonly Pull[], how?: 'new' | 'again') => Promise<boolean>;
  readonly config: Pick<Config, 'dataDir'>;
  readonly invocation: Pick<Invocation, 'effects'>;
}

/**
 * Removes erased persons from data that has arrived. Resolves with undefined while an erasure is unfinished, because `dawnload forget`
 * resumes it.
 */
export async function sweepArrived({ erasures, config, invocation }: ErasureParts): Promise<Cut | undefined> {
  const pending = new Pending(config.dataDir, invocation.effects);
  if (erasures.register.unfinished !== undefined && (await pending.read()) !== undefined) return undefined;
  const cut = await erasures.sweep();
  await erasures.late(cut);
  return cut;
}

export async function dropArrived(parts: ErasureParts, { records, pulls }: Cut): Promise<void> {
  const { register } = parts.erasures;
  const isOlder = (await parts.warehouse.knownErasure()) !== register.last?.line;
  if (isOlder) await register.append({ event: 'rows-deleted' });
  if (records > 0 || isOlder) await reloadErased(parts, pulls);
}

/** Loads the changed pulls again, and the days that still have an erased person. Deletes rows whose pages are missing. */
export async function reloadErased(parts: ErasureParts, cut: ReadonlySet<string>): Promise<void> {
  const { erasures, landing, warehouse, ledger } = parts;
  if (erasures.register.last === undefined) return;
  const session = await erasures.session();
  const daysLeft = () =>
    warehouse.refining(async () => {
      await readLinks(session);
      return findDays(session);
    });
  const { days, firstOptOut } = await daysLeft();
  const exports = await landing.exportPulls(landedAmong(ledger.entries()));
  const changed = exports.filter((pull) => days.includes(pull.days.start) || cut.has(pull.id));
  await parts.load(changed, 'again');
  const snapshots = await landing.pulls(landing.pullFolders.filter(({ stream }) => stream === 'opt_outs'));
  const first = snapshots.findIndex(
    (pull) => cut.has(pull.id) || (firstOptOut !== undefined && pull.days.start >= firstOptOut),
  );
  const [earliest, ...later] = first < 0 ? [] : snapshots.slice(first);
  if (earliest !== undefined) {
    await warehouse.loader.unloadAfter([earliest]);
    await parts.load([earliest], 'again');
    await parts.load(later);
  }
  const copies = await landing.pulls(landing.pullFolders.filter(({ stream }) => stream.startsWith(OWN)));
  await parts.load(
    copies.filter(({ id }) => cut.has(id)),
    'again',
  );
  await deleteOwn(session);
  const left = await daysLeft();
  if (left.days.length > 0 || left.firstOptOut !== undefined) await deleteFound(session, left.days);
  await erasures.deleteComputed();
}

const SCALARS = /"(?:[^"\\]|\\.)*"|(?<![\w.+-])\d+(?![\w.])/g;

/** The number of records on a page; undefined if the page has no list of records. */
function recordsIn(page: Body): number | undefined {
  const envelope = readEnvelope(page);
  return envelope?.kind === 'object' ? envelope.parts.get('data')?.elements : undefined;
}

/**
 * Yields the text of a page without the erased records, piece by piece.
 *
 * @param leave returns the new text of the record at a position; undefined to remove the record
 * @param onCut called for each removed record
 */
async function* cutText(
  file: string,
  leave: (record: string, nth: number) => string | undefined,
  onCut: () => void,
): AsyncGenerator<Buffer> {
  let nth = 0;
  let isFirst = true;
  for await (const pieces of elementsIn(textOf(file), 'data')) {
    const texts: Buffer[] = [];
    for (const { isElement, bytes } of pieces) {
      const left = isElement ? leave(bytes.toString(), nth++) : undefined;
      if (!isElement) texts.push(bytes);
      else if (left === undefined) onCut();
      else {
        texts.push(Buffer.from(isFirst ? left : `,${left}`));
        isFirst = false;
      }
    }
    yield Buffer.concat(texts);
  }
}
