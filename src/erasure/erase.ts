/** The final steps of an erasure: searches every file for the ids, and writes a receipt. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, realpath, rm, stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { createGunzip } from 'node:zlib';
import { z } from 'zod';
import type { Effects } from '../ground/effects.js';
import { DurableFolder } from '../disk/atomic-file.js';
import { dataFiles, foldersOf, instantName } from '../disk/paths.js';
import { orStorageError, readIfThere, unless } from '../disk/storage-error.js';
import { plural } from '../terminal/text.js';
import { spelledIn } from './spelling.js';

/**
 * Matches ids that are searched for in any text. Shorter ids and plain words would be found by chance, so they are searched for only in id
 * columns.
 */
const TELLING = /^(?=.{6})(?:.*[\d@]|.*[^\x20-\x7e]|.{16})/su;

/** Patterns for words that may be ids, even if letters of another script or a full stop are next to them. */
const WORDS = [/\w{6,}/g, /[\w.@+%~-]{5,}\w/g];

/** Up to this number of ids, searching for each one is faster than looking up every word of the text. */
const FEW = 100;

/** Searches texts for the ids of persons: ids verbatim, numbers and addresses in every spelling. */
export class Finder {
  readonly #words: readonly { readonly pattern: RegExp; readonly ids: ReadonlySet<string> }[];
  readonly #spelled: ReadonlySet<string>;
  readonly #others: readonly RegExp[];

  constructor(ids: Iterable<string>) {
    const telling = [...ids].filter((id) => TELLING.test(id));
    this.#words = WORDS.map((pattern) => ({
      pattern,
      ids: new Set(telling.filter((id) => WORDS.find((one) => id.match(one)?.[0] === id) === pattern)),
    }));
    this.#others = telling.filter((id) => !this.#words.some(({ ids }) => ids.has(id))).map(standingAlone);
    const whole = telling.flatMap((id) =>
      [...spelledIn(id)].filter(({ start, end }) => end - start === id.length),
    );
    this.#spelled = new Set(whole.map(({ plain }) => plain));
  }

  holds(text: string): boolean {
    if (this.blanked(text) !== text) return true;
    return this.#spelled.size > 0 && [...spelledIn(text)].some(({ plain }) => this.#spelled.has(plain));
  }

  blanked(text: string): string {
    let blank = text;
    const starred = (word: string): string => '*'.repeat(word.length);
    for (const { pattern, ids } of this.#words)
      if (mayHold(text, ids))
        blank = blank.replace(pattern, (word) => (ids.has(word) ? starred(word) : word));
    for (const id of this.#others) blank = blank.replace(id, starred);
    return blank;
  }
}

function mayHold(text: string, ids: ReadonlySet<string>): boolean {
  return ids.size > FEW || [...ids].some((id) => text.includes(id));
}

/** Matches an id that is not part of a longer word; an escape of JSON may be next to it. */
function standingAlone(id: string): RegExp {
  const text = id.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  const before = /^\w/.test(id) ? '(?<=^|\\W|\\\\[a-z]|\\\\u[0-9a-fA-F]{4})' : '';
  return new RegExp(`${before}${text}${/\w$/.test(id) ? '(?!\\w)' : ''}`, 'g');
}

/** Number of bytes by which consecutive chunks overlap, so that no id is split between two chunks. */
const OVERLAP = 512;

/** True if a file, unpacked if it is gzip, contains an id. */
async function fileHolds(path: string, finder: Finder): Promise<boolean> {
  const bytes = createReadStream(path, { highWaterMark: 1 << 20 });
  const unpacked = path.endsWith('.gz') ? bytes.pipe(createGunzip()) : bytes;
  let before = Buffer.alloc(0);
  try {
    const chunks: AsyncIterable<Buffer> = unpacked;
    for await (const chunk of chunks) {
      const text = Buffer.concat([before, chunk]);
      if (finder.holds(text.toString('utf8'))) return true;
      before = text.subarray(Math.max(0, text.length - OVERLAP));
    }
    return false;
  } finally {
    bytes.destroy();
  }
}

interface Searched {
  files: number;
  /** Files that contained an id and were removed: rejected answers, temporary files, and files that were set aside. */
  readonly removed: string[];
  readonly left: string[];
  readonly unread: string[];
  /** Number of ids not searched for in texts, because they are short or plain words. */
  readonly short_ids: number;
}

/** Files that no command needs. Such a file is removed if it contains an id. */
const REMOVABLE = /^(?:landing\/rejected\/|private\/tmp\/)|\.set-aside-|\/\.tmp-|\.next-/;

/** Files that have ids on purpose, so they are not searched. */
const PASSED_OVER = /^(?:private\/(?:erasing\.json|receipts\/)|(?:ledger|landing\/ledger)\/journal\.jsonl)/;

/** Lists all files below a folder, following links. Each folder is listed once, however many links lead to it. */
async function filesBelow(folder: string, seen = new Set<string>()): Promise<string[]> {
  const real = await realpath(folder);
  if (seen.has(real)) return [];
  seen.add(real);
  const files: string[] = [];
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    // A broken link has nothing to search.
    const stats = await stat(path).catch(unless('ENOENT ELOOP', undefined));
    if (stats?.isDirectory() === true) files.push(...(await filesBelow(path, seen)));
    else if (stats?.isFile() === true) files.push(path);
  }
  return files;
}

export async function searchFolder(dataDir: string, ids: readonly string[]): Promise<Searched> {
  const finder = new Finder(ids);
  const short_ids = new Set(ids.filter((id) => !TELLING.test(id))).size;
  const search: Searched = { files: 0, removed: [], left: [], unread: [], short_ids };
  for (const path of await orStorageError('list', dataDir, () => filesBelow(dataDir))) {
    const name = relative(dataDir, path);
    if (PASSED_OVER.test(name)) continue;
    search.files++;
    try {
      if (!(await fileHolds(path, finder))) continue;
    } catch {
      search.unread.push(name);
      continue;
    }
    const isRemovable = REMOVABLE.test(name);
    if (isRemovable) await orStorageError('remove', path, () => rm(path, { force: true }));
    (isRemovable ? search.removed : search.left).push(name);
  }
  return search;
}

const begun = z.object({
  at: z.iso.datetime(),
  reference: z.string().optional(),
  origins: z.array(z.string()),
  ids: z.array(z.string()),
  /** The ids in plain text and as landed records write them, to search for remains. */
  written: z.array(z.string()),
  sharedIds: z.number(),
  rows: z.record(z.string(), z.number()),
  serviceDeletedRows: z.number().optional(),
  line: z.number().optional(),
});

export type Begun = z.infer<typeof begun>;

/** The record of an unfinished erasure. It has the ids in plain text and is deleted at the end. */
export class Pending {
  readonly path: string;
  readonly #disk: DurableFolder;

  constructor(dataDir: string, effects: Pick<Effects, 'reach'>) {
    this.path = dataFiles(dataDir).erasing;
    this.#disk = new DurableFolder(dataDir, effects);
  }

  /** Reads the record; undefined if it is missing or damaged, in which case you have to name the persons again. */
  async read(): Promise<Begun | undefined> {
    const bytes = await readIfThere(this.path);
    try {
      return bytes && begun.parse(JSON.parse(bytes.toString('utf8')));
    } catch {
      return undefined;
    }
  }

  write(erasing: Begun): Promise<void> {
    return this.#disk.write(this.path, JSON.stringify(erasing), 'erasing');
  }

  async remove(): Promise<void> {
    await orStorageError('remove', this.path, () => rm(this.path, { force: true }));
    await this.#disk.syncFolder(dirname(this.path));
  }
}

type Receipt = ReturnType<typeof receiptOf>;

export interface Erased {
  readonly receipt: Receipt;
  readonly file: string;
  /** The plain ids of a killed erasure that this one resumed. */
  readonly resumed: readonly string[] | undefined;
}

const RULE =
  'records of the given ids, and of every id that shares a record with one of them; an id that more than three persons share is not followed';

const OUT_OF_REACH = [
  'backups of the data folder: restore the journal with them, and the next run erases these persons again',
  'programs that still have a replaced file open, until they close it',
  'answers, copies and reports that people have saved elsewhere',
];

/** The receipt. It names the persons only by keyed digests of the requested ids. */
export function receiptOf(
  { at, reference, origins, sharedIds, rows, serviceDeletedRows }: Begun,
  cut: { readonly records: number; readonly pulls: number },
  search: Searched,
  unread: readonly string[],
  /** The state of the lake, as a clause; undefined without a lake. */
  lake: string | undefined,
) {
  return {
    erased_at: at,
    reference,
    rule: RULE,
    persons: origins,
    /** Ids that belong to more than three persons; they were neither followed nor erased. */
    shared_ids: sharedIds,
    places: [
      { place: `landing zone, ${plural(cut.pulls, 'pull')}`, erased: cut.records, unit: 'records' },
      ...Object.entries(rows).map(([name, erased]) => ({
        place: `warehouse, ${name}`,
        erased,
        unit: 'rows',
      })),
    ],
    search: { ...search, unread: [...new Set([...search.unread, ...unread])] },
    /** Rows that E15 reports as deleted. */
    service_deleted_rows: serviceDeletedRows,
    lake,
    out_of_reach: OUT_OF_REACH,
  };
}

const REMAINS =
  'Ids of digits alone stay in messages of others, because an amount may look the same. Lists of the service (catalogs, templates) are not cut: remove the id at the service, run `dawnload run`, delete the landed folders of these lists and run `dawnload rebuild`. `dawnload forget` of the same ids then searches again.';

function receiptText(receipt: Receipt): string {
  const { search, reference, shared_ids: shared, service_deleted_rows: atService } = receipt;
  const lines = [
    `Erased at ${receipt.erased_at} (${reference === undefined ? 'without a reference' : `reference: ${reference}`}).`,
    `Rule: ${receipt.rule}`,
    'Persons, by the keyed digest of the id that was given:',
    ...receipt.persons.map((id) => `  ${id}`),
    shared > 0 && `Not followed and not erased: ${plural(shared, 'id')} that more than three persons share.`,
    'Erased:',
    ...receipt.places.map(({ place, erased, unit }) => `  ${place}: ${plural(erased, unit.slice(0, -1))}`),
    atService !== undefined && `  the service (E15): ${plural(atService, 'row')}`,
    ...search.removed.map((file) => `  ${file}: removed, because it contained an id`),
    search.left.length === 0
      ? `Searched ${search.files} files of the data folder for every spelling of the ${search.short_ids > 0 ? 'other ' : ''}ids: none found.`
      : `Searched ${search.files} files of the data folder: found in ${search.left.join(', ')}. ${REMAINS}`,
    search.short_ids > 0 &&
      `Not searched for in texts: ${plural(search.short_ids, 'id')} too short or too common. Records of the person are erased; catalogs and templates may still contain such ids.`,
    ...search.unread.map((file) => `Could not be read and was not searched: ${file}.`),
    receipt.lake !== undefined && `Lake: ${receipt.lake}.`,
    'Out of reach of this command:',
    ...receipt.out_of_reach.map((what) => `  ${what}`),
    '',
  ];
  return lines.filter((line) => line !== false).join('\n');
}

export async function writeReceipt(
  dataDir: string,
  receipt: Receipt,
  effects: Pick<Effects, 'reach'>,
): Promise<string> {
  const disk = new DurableFolder(dataDir, effects);
  const text = receiptText(receipt);
  const name = join(foldersOf(dataDir).private, 'receipts', instantName(new Date(receipt.erased_at)));
  const text_sha256 = createHash('sha256').update(text).digest('hex');
  const json = JSON.stringify({ ...receipt, text_sha256 }, null, 1);
  await disk.write(`${name}.txt`, text, 'erase-receipt');
  await disk.write(`${name}.json`, `${json}\n`, 'erase-receipt-json');
  effects.reach('erase/receipt');
  return `${name}.txt`;
}
