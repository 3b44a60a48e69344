/**
 * Removes erased persons from the landing zone: records of a person are cut out of landed pages, and the person's
 * numbers are blanked in the records of others. A line of the journal says beforehand which pull is cut, so that it may
 * hold fewer records than its manifest says.
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
import { DurableFolder } from '../landing/atomic-file.js';
import {
  listPulls,
  pagesIn,
  readPull,
  type LandingZone,
  type Page,
  type Pull,
} from '../landing/landing-zone.js';
import { compressed, readBody, textOf } from '../landing/page-file.js';
import { foldersOf } from '../landing/paths.js';
import { namesIn, readIfThere, unlessDamaged } from '../landing/storage-error.js';
import { keyFingerprint } from '../warehouse/privacy.js';
import { loadError, naming, orRepaired } from '../warehouse/load.js';
import { withMemoryLimit, type MemoryLimit } from '../warehouse/memory-limit.js';
import { isDivided, withSlices } from '../warehouse/slices.js';
import type { Warehouse } from '../warehouse/warehouse.js';
import {
  asPattern,
  count,
  inBatches,
  isRefusal,
  sized,
  SMALLEST_BUFFER,
  type Session,
} from '../warehouse/session.js';
import { Finder, Pending } from './erase.js';
import { deleteComputed, deleteFound, findDays, readLinks } from './person.js';
import { cutPulls, mayBeCut, type Register } from './register.js';
import { blanked } from './spelling.js';

/** Bytes of JSON that are searched in one batch. */
const BATCH_BYTES = 4 * 2 ** 20;

const match = z.object({
  /** The page. */
  filename: z.string(),
  /** The position of the record on the page, counted from 0, and the record as JSON. */
  position: count,
  record: z.string(),
  /** True if the record is about the person; false if its text only mentions the person's number or address. */
  own: z.boolean(),
  /** The ids as the record spells them. */
  given: z.array(z.string()),
});

/** A record on a page that contains an erased id. */
type Match = z.infer<typeof match>;

type SizedFile = Pick<Page, 'file' | 'bytes'>;

/** The number of records that were cut, and the pulls that lost records or had numbers blanked. */
interface Cut {
  records: number;
  readonly pulls: Set<string>;
}

/** Called before a page is cut, with the ids as its records spell them. */
type Before = (written: ReadonlySet<string>) => Promise<void>;

const nothingCut = (): Cut => ({ records: 0, pulls: new Set() });

/** Searches landed files for the ids of one set of digests, and cuts them out. */
export class Erasures {
  /** Landed files that could not be read and therefore were not searched. */
  readonly unread = new Set<string>();
  readonly #landing: string;
  readonly #disk: DurableFolder;
  /** The folders that the sweep of this run left clean, with their state then. */
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

  /** Returns a connection whose macros hash; its table `erased_ids` has the digests to search for. */
  async session(): Promise<Session> {
    this.#session ??= this.open().then((session) => this.#prepare(session));
    return this.#session;
  }

  async #prepare(session: Session): Promise<Session> {
    await session.run('erasure/ids', { erased_ids: [...this.#ids] });
    return session;
  }

  /**
   * Records in the register who is to be erased, and searches for all registered digests from now on; returns the
   * register's line.
   */
  async begin({ origins, ids }: { origins: readonly string[]; ids: readonly string[] }): Promise<number> {
    const key = keyFingerprint(this.place.key);
    const line = await this.register.append({ event: 'begun', key, persons: origins.length, ids: [...ids] });
    await this.lookFor(this.register.ids);
    return line;
  }

  /** Sets the digests to search for. */
  async lookFor(ids: readonly string[]): Promise<void> {
    this.#ids = new Set(ids);
    await this.#prepare(await this.session());
  }

  /** Deletes what models computed of erased persons and cannot compute again, because the pages are missing. */
  async deleteComputed(): Promise<void> {
    if (this.register.last !== undefined) await deleteComputed(await this.session());
  }

  /** Cuts erased persons from the files of pulls. */
  async guard(pulls: readonly Pull[]): Promise<void> {
    if (this.#ids.size === 0) return;
    for (const pull of pulls) {
      const folder = join(this.#landing, pull.id);
      const isOfPersons = pull.stream === 'events' || pull.stream === 'opt_outs';
      if (isOfPersons && !(await this.#isClean(folder)))
        await this.late(await this.#cutPages(await this.#pagesIn(folder)));
    }
  }

  /** True if the sweep of this run has searched the folder, and nothing has changed in it since. */
  async #isClean(folder: string): Promise<boolean> {
    const state = this.#clean.get(folder);
    return state !== undefined && state === (await stateOf(folder));
  }

  /** Records in the register that records arrived after the erasure of their persons. */
  async late({ records }: Pick<Cut, 'records'>): Promise<void> {
    if (records > 0) await this.register.append({ event: 'late', records });
  }

  /**
   * Cuts erased persons from every landed folder that is not as the last sweep left it, such as an older copy that was
   * moved back; from all folders if the register has grown.
   *
   * @param before is called before each page is cut
   */
  async sweep(before?: Before): Promise<Cut> {
    const all = nothingCut();
    const { last } = this.register;
    if (last === undefined) return all;
    const memory = sweptShape.safeParse(jsonOf((await readIfThere(this.#memory)) ?? '')).data;
    const known = memory?.of === last.line ? memory.folders : {};
    for (const id of await this.#idsOfPersons()) {
      const folder = join(this.#landing, id);
      const found = await stateOf(folder);
      if (known[id] !== found) await this.#cutPages(await this.#pagesIn(folder), before, all);
      this.#clean.set(folder, known[id] === found ? found : await stateOf(folder));
    }
    const folders = Object.fromEntries(
      [...this.#clean].map(([folder, state]) => [relative(this.#landing, folder), state]),
    );
    await this.#disk.write(this.#memory, JSON.stringify({ of: last.line, folders }), 'swept');
    return all;
  }

  /** Yields the records on pages, by default all of exports and opt-outs, that hold one of the searched ids, in batches. */
  async *find(files?: readonly SizedFile[]): AsyncGenerator<readonly Match[]> {
    const session = await this.session();
    for (const some of inBatches(files ?? (await this.#pages()), BATCH_BYTES)) {
      let found: Match[] | undefined;
      if (!some.some(isDivided))
        try {
          found = await this.#search(session, some);
        } catch (error) {
          if (!isRefusal(error)) throw loadError(error, some[0]?.file ?? '');
        }
      if (found === undefined) {
        found = [];
        for (const one of some) {
          const matches = (await this.#readable(one.file, this.#searchRepaired(session, one))) ?? [];
          found.push(...matches);
        }
      }
      if (found.length > 0) yield found;
    }
  }

  /** Searches one page, which may be too large to read whole, or not readable for DuckDB. */
  #searchRepaired(session: Session, page: SizedFile): Promise<Match[]> {
    const { file: filename } = page;
    return withSlices([page], this.place.tempDirectory, async (slices) => {
      const found: Match[] = [];
      for (const slice of slices) {
        const fail = (cause: unknown): Error => loadError(naming(cause, [[slice.file, filename]]), filename);
        const search = async (usable: readonly SizedFile[]) => this.#search(session, await sized(usable));
        const matches = await orRepaired(session, [slice], this.place.tempDirectory, fail, search);
        for (const one of matches) found.push({ ...one, filename, position: slice.first + one.position });
      }
      return found;
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

  /** Awaits the reading of a file; undefined if the file is damaged, which the load reports. */
  #readable<T>(file: string, reading: Promise<T>): Promise<T | undefined> {
    return unlessDamaged(reading, () => this.unread.add(file));
  }

  /** Cuts the records on these pages, and adds to what was cut. */
  async #cutPages(files: readonly SizedFile[], before?: Before, cut = nothingCut()): Promise<Cut> {
    for await (const found of this.find(files)) {
      await before?.(new Set(found.filter(({ own }) => own).flatMap(({ given }) => given)));
      for (const file of new Set(found.map(({ filename }) => filename))) {
        const here = found.filter(({ filename }) => filename === file);
        await this.#cutPage(cut, file, new Map(here.map(({ position, own }) => [position, own])));
      }
    }
    return cut;
  }

  /**
   * Replaces a page durably by what is left of it. Before the first page of a pull is rewritten, the journal notes that it
   * may hold fewer records than its manifest says.
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
    if (!cutPulls(this.register.lines, this.register.last?.line).has(pull))
      await this.register.append({ event: 'cutting', pull, records: await this.#recordsIn(pull) });
    const point = pull.startsWith('opt_outs') ? 'erasures/snapshot' : 'erasures/page';
    let records = 0;
    await this.#disk.write(file, compressed(cutText(file, leave, () => records++)), point);
    cut.records += records;
    cut.pulls.add(pull);
  }

  /** The number of records on the pages of a pull; those that landed on a page that was never cut or cannot be read. */
  async #recordsIn(pull: string): Promise<number> {
    const read = await this.#readable(pull, readPull(this.#landing, pull));
    if (read !== undefined && !mayBeCut(this.register.lines, pull))
      return read.files.reduce((all, { rows }) => all + rows, 0);
    const landed = new Map(read?.files.map(({ file, rows }) => [file, rows]));
    let records = 0;
    for (const file of (await pagesIn(join(this.#landing, pull))).values()) {
      const body = await this.#readable(file, readBody(file));
      records += body === undefined ? (landed.get(file) ?? 0) : (recordsIn(body) ?? 0);
    }
    return records;
  }

  /** Searches pages; where memory does not suffice, with more of it and in smaller batches. */
  #search(session: Session, files: readonly SizedFile[]): Promise<Match[]> {
    const { limits } = this.place;
    return withMemoryLimit(session, limits, async ({ batchBytes }) => {
      const found: Match[] = [];
      for (const some of inBatches(files, (BATCH_BYTES * batchBytes) / limits.batchBytes))
        found.push(...(await this.#searchAtOnce(session, some)));
      return found;
    });
  }

  async #searchAtOnce(session: Session, files: readonly SizedFile[]): Promise<Match[]> {
    await session.run('erasure/scan', {
      files: files.map(({ file }) => asPattern(file)),
      largest_object: Math.max(SMALLEST_BUFFER, ...files.map(({ bytes }) => bytes * 2)),
    });
    return session.rows('erasure/matches', match);
  }

  /**
   * Blanks these ids in the records of others. The register has digests, so it finds only numbers and addresses there.
   * Ids of digits alone stay, because an amount may look the same.
   */
  async blank(ids: readonly string[]): Promise<void> {
    this.#finder = new Finder(ids.filter((id) => /\D/.test(id)));
    for (const { file } of await this.#pages()) {
      if ((await this.#readable(file, this.#mentions(file))) === true)
        await this.#cutPage(nothingCut(), file, new Map());
    }
  }

  /** True if a record on a page holds one of the ids to blank. */
  async #mentions(file: string): Promise<boolean> {
    for await (const pieces of elementsIn(textOf(file), 'data'))
      if (pieces.some(({ isElement, bytes }) => isElement && this.#finder.holds(bytes.toString())))
        return true;
    return false;
  }

  /** Returns a record with asterisks in place of what is to be erased; undefined if nothing is found. */
  #blanked(text: string): string | undefined {
    // The digest that the load makes of a number or address.
    const isErased = (plain: string): boolean =>
      this.#ids.has(createHmac('sha256', this.place.key).update(plain).digest('hex'));
    const blank = text.replace(SCALARS, (scalar) => {
      // A number that is a JSON number has lost its leading zero.
      if (!scalar.startsWith('"')) return isErased(`0${scalar}`) ? '0' : scalar;
      const value = jsonOf(scalar);
      if (typeof value !== 'string') return scalar;
      const without = blanked(this.#finder.blanked(value), isErased);
      return without === value ? scalar : JSON.stringify(without);
    });
    return blank === text ? undefined : blank;
  }

  /** Returns the number of records that an erasure, by its line in the register, has cut, and of the pulls it touched. */
  async cutBy(line: number): Promise<{ records: number; pulls: number }> {
    const held = cutPulls(this.register.lines, line);
    let records = 0;
    for (const [pull, before] of held) records += before - (await this.#recordsIn(pull));
    return { records, pulls: held.size };
  }

  /** The landed folders that hold persons: of exports, and of snapshots of opt-outs. */
  async #idsOfPersons(): Promise<string[]> {
    return (await listPulls(this.#landing, ['events', 'opt_outs'])).map(({ id }) => id);
  }

  get #memory(): string {
    return join(foldersOf(this.place.dataDir).private, 'swept.json');
  }
}

/** What the last sweep remembers: the line of the erasure it searched for, and each folder's state by its id. */
const sweptShape = z.object({ of: z.number(), folders: z.record(z.string(), z.string()) });

/**
 * The state of a landed folder: the inode change times of it and of its files, which no program can set. A page that is
 * written over changes nothing of its folder; a restored copy has other times, earlier or later ones.
 */
async function stateOf(folder: string): Promise<string> {
  const files = (await namesIn(folder)).sort().map((name) => stat(join(folder, name)));
  const changes = (await Promise.all([stat(folder), ...files])).map(({ ctimeMs }) => ctimeMs);
  return createHash('sha256').update(changes.join(' ')).digest('hex').slice(0, 16);
}

// Data that arrives after an erasure, or is restored: searched whenever a folder is opened.

/** The parts of the open data folder that hold persons. */
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
 * Cuts erased persons from what has landed; undefined if an erasure was killed, which is left to `dawnload forget` as long as its
 * record is there.
 */
export async function sweepArrived({ erasures, config, invocation }: ErasureParts): Promise<Cut | undefined> {
  const pending = new Pending(config.dataDir, invocation.effects);
  if (erasures.register.unfinished !== undefined && (await pending.read()) !== undefined) return undefined;
  const cut = await erasures.sweep();
  await erasures.late(cut);
  return cut;
}

/** Removes the rows of what was cut from the warehouse, and those of erased persons whom an older file still holds. */
export async function dropArrived(parts: ErasureParts, { records, pulls }: Cut): Promise<void> {
  const { register } = parts.erasures;
  const isOlder = (await parts.warehouse.knownErasure()) !== register.last?.line;
  if (isOlder) await register.append({ event: 'rows-deleted' });
  if (records > 0 || isOlder) await reloadErased(parts, pulls);
}

/**
 * Loads the cut pulls again, and the days that still have an erased person in the warehouse but not in the pages. Rows
 * without pages are deleted.
 */
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
  const snapshots = await landing.pulls(landing.found.filter(({ stream }) => stream === 'opt_outs'));
  const first = snapshots.findIndex(
    (pull) => cut.has(pull.id) || (firstOptOut !== undefined && pull.days.start >= firstOptOut),
  );
  const [earliest, ...later] = first < 0 ? [] : snapshots.slice(first);
  if (earliest !== undefined) {
    await warehouse.loader.unloadAfter([earliest]);
    await parts.load([earliest], 'again');
    await parts.load(later);
  }
  const left = await daysLeft();
  if (left.days.length > 0 || left.firstOptOut !== undefined) await deleteFound(session, left.days);
  await erasures.deleteComputed();
}

/** Matches a text or a number in JSON. */
const SCALARS = /"(?:[^"\\]|\\.)*"|(?<![\w.+-])\d+(?![\w.])/g;

/** The number of records on a page; undefined if it has no list of them. */
function recordsIn(page: Body): number | undefined {
  const envelope = readEnvelope(page);
  return envelope?.kind === 'object' ? envelope.parts.get('data')?.elements : undefined;
}

/**
 * The text of a page with what is left of its records, piece by piece.
 *
 * @param leave what is left of a record, by its position; undefined if nothing is
 * @param onCut called for each record of which nothing is left
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
