/** What a push would send: the rows of the published file, checked, compared with what was acknowledged, and guarded. */
import { UsageError } from '../errors.js';
import type { Asking } from '../queries/question.js';
import type { Found } from '../queries/rows.js';
import { plural } from '../terminal/text.js';
import { GONE, type Hashed, type RowHashes } from '../storage/row-hashes.js';
import type { Counts, Push, PushLedger } from './ledger.js';
import {
  checkColumns,
  idOf,
  isOnce,
  NAME,
  itemOf,
  problemOf,
  takesAway,
  targetText,
  traitsOf,
  type FieldNames,
  type Fields,
  type Target,
  type Values,
} from './targets.js';

export interface Wanted {
  readonly target: Target;
  readonly source: Asking;
  /** The name in the configuration. */
  readonly name?: string | undefined;
  /** The column by which rows are compared with the last acknowledged ones. */
  readonly key?: string | undefined;
  /** The key of the only row to send. */
  readonly only?: string | undefined;
  readonly deleteMissing?: boolean | undefined;
}

/** A row that can be sent. */
export interface Item extends Hashed {
  readonly item: unknown;
  readonly bytes: number;
}

export interface Plan {
  /** The class of columns with which the rows are compared. */
  readonly c: string;
  readonly send: readonly Item[];
  /** Items of a catalog that were acknowledged and are missing now. */
  readonly gone: readonly Item[];
  /** Rows that cannot be sent, by the reason. */
  readonly invalid: ReadonlyMap<string, readonly Hashed[]>;
  readonly counts: Counts;
  /** The reasons, in sentences, why a person has to agree. */
  readonly doubts: readonly string[];
}

/** How often a rejected row is tried: once, and three times more. */
export const TRIES = 4;
const TENFOLD = 10;

interface Comparing {
  readonly memory: RowHashes;
  readonly ledger: PushLedger;
  /** The unfinished push that goes on. */
  readonly current: Push | undefined;
  readonly source: string;
  readonly hash: (text: string) => string;
  readonly projectId: string;
  readonly names: FieldNames;
  readonly fields: Fields;
  readonly hashesIds: boolean;
  /** The rows of erased persons. */
  readonly erased: ReadonlySet<Values>;
}

/** @throws UsageError if the columns do not fit the target, or no row has the only key */
export function planOf(wanted: Wanted, found: Found, comparing: Comparing): Plan {
  const { target, key, only, deleteMissing = false } = wanted;
  const { memory, current, hash, fields, erased } = comparing;
  checkColumns(target, found.columns, key, fields);
  const { identity } = traitsOf(target);
  const column = key ?? (target.kind === 'events' ? undefined : identity);
  const isOfItems = target.mode === 'replace' && column === identity;
  if (deleteMissing && !isOfItems)
    throw new UsageError('Only items that are replaced (--mode replace), by their id, can be deleted.');
  const textOf = (row: Values): string => keyText(row[column ?? identity]);
  const rows = only === undefined ? found.rows : found.rows.filter((row) => textOf(row) === only);
  if (only !== undefined && rows.length !== 1)
    throw new UsageError(`${rows.length} rows have that ${column ?? identity}, and --only sends one.`);
  const c = takesAway(target) ? GONE : classOf(target, found.columns, hash);
  const keyHash = keyHashOf(target, column, hash);
  const counts = { rows: rows.length, new: 0, changed: 0, unchanged: 0, unknown: 0, left: 0, erased: 0 };
  const send: Item[] = [];
  const invalid = new Map<string, Hashed[]>();
  const seen = new Set<string>();
  const [empty, repeated] = [`${column ?? identity}: is empty`, `${column ?? ''}: occurs more than once`];
  const known = { key: 0, alike: 0 };
  for (const row of rows) {
    const text = textOf(row);
    const values = takesAway(target) || target.kind === 'opt-outs' ? { [identity]: row[identity] } : row;
    const sorted = JSON.stringify(Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1)));
    const hashed = { k: column === undefined ? '' : keyHash(text), r: hash(`row ${sorted}`) };
    const item = itemOf(target, values, comparing);
    const bytes = Buffer.byteLength(JSON.stringify(item)) + 1;
    const isRepeated = column !== undefined && seen.has(text);
    seen.add(text);
    const wrong = text === '' ? empty : isRepeated ? repeated : problemOf(target, values, comparing, bytes);
    const isKnown = hashed.k !== '' && memory.knows(hashed.k);
    if (isKnown) known.key++;
    if (isKnown && memory.knows(hashed.k, c)) known.alike++;
    // A row that is refused here is remembered apart: it may fit one day.
    const place = wrong === undefined ? hashed : { k: hashed.k, r: `!${hashed.r}` };
    const tries = memory.rejectionOf(place)?.pushes;
    const compared = key === undefined ? 'different' : memory.compare(hashed, c, isOnce(target));
    if (erased.has(row)) counts.erased++;
    else if (wrong === undefined && compared === 'same') counts.unchanged++;
    else if (wrong === undefined && compared === 'in_doubt') counts.unknown++;
    else if (wrong === undefined && key === undefined && memory.takeSent(hashed)) continue;
    else if (current !== undefined && tries?.has(current.id) === true) continue;
    else if (tries !== undefined && tries.size >= TRIES) counts.left++;
    else if (wrong !== undefined) invalid.set(wrong, pushed(invalid.get(wrong), place));
    else {
      counts[isKnown ? 'changed' : 'new']++;
      send.push({ ...hashed, item, bytes });
    }
  }
  // Items that only pushes of other columns sent may be those of others.
  const missing =
    deleteMissing && only === undefined
      ? [...memory.keys].filter((id) => !seen.has(id) && memory.knows(id, c))
      : [];
  const ids = missing.filter((id) => NAME.test(id));
  const gone = ids.map((id) => ({ k: id, r: hash(`row ${id}`), item: { id }, bytes: id.length + 10 }));
  const some = {
    known,
    send,
    c,
    bad: (what: 'empty' | 'repeated') => invalid.get({ empty, repeated }[what])?.length ?? 0,
  };
  return { c, send, gone, invalid, counts, doubts: doubtsOf(wanted, found, comparing, counts, some) };
}

const pushed = <T>(list: T[] = [], one: T): T[] => (list.push(one), list);

/** The reasons why a person has to agree before anything is sent. */
function doubtsOf(
  { target, name, key, only }: Wanted,
  { pushes }: Found,
  { ledger, memory, current, source }: Comparing,
  { rows, unchanged }: Counts,
  {
    known,
    c,
    send,
    bad,
  }: {
    known: { key: number; alike: number };
    c: string;
    send: readonly Item[];
    bad: (what: 'empty' | 'repeated') => number;
  },
): string[] {
  const isWhole = only === undefined;
  const isOfTarget = (one: { readonly target: string }): boolean => one.target === targetText(target);
  const ofTarget = ledger.pushes.filter(isOfTarget);
  const line = ofTarget.filter((one) => one.name === name && one.mode === target.mode && !one.only);
  const last = line.filter(({ state, counts }) => state === 'done' && counts.rows > 0).at(-1)?.counts.rows;
  const isOdd = last !== undefined && rows > 0 && (rows > TENFOLD * last || rows * TENFOLD < last);
  // A push of another name sets other columns; only rows with the same ones would be sent again.
  const own = line.filter((one) => one !== current).at(-1);
  const before = own ?? ofTarget.filter((one) => one !== current).at(-1);
  const isEdited = before !== undefined && before.source !== source && key !== undefined;
  const lost = pushes.filter((one) => isOfTarget(one) && !ledger.has(one.id));
  const isForgotten = ofTarget.some(({ id, calls }) =>
    [...calls].some(([call, { state }]) => state === 'acknowledged' && !memory.has(id, call)),
  );
  const changed = current !== undefined && key === undefined ? memory.unasked : 0;
  const agree = `${unchanged === 0 ? 'everything' : 'nearly everything'} would be sent again`;
  const doubts: readonly (readonly [boolean, string])[] = [
    [rows === 0, 'The query has no rows.'],
    [bad('empty') > 0, `${plural(bad('empty'), 'row')} without a key.`],
    [bad('repeated') > 0, `${plural(bad('repeated'), 'row')} with the key of another row.`],
    [isWhole && isOdd, `${plural(rows, 'row')}, and the last push had ${last ?? 0}.`],
    [
      isWhole && isEdited && unchanged * TENFOLD < (own === undefined ? known.alike : known.key),
      `The query was edited since the last push, and ${agree}: ${plural(send.length, 'row')}.`,
    ],
    [
      isOnce(target) && lost.length > 0,
      `The ledger lacks push ${lost.map(({ id }) => id).join(', ')}, which the warehouse remembers: rows may be sent twice.`,
    ],
    [
      isOnce(target) && isForgotten,
      'ledger/pushed lacks rows that the service took: rows may be sent twice. Restore the ledger folder from its newest backup.',
    ],
    // The class of columns of these targets is the keyed hash of one text.
    [
      isOnce(target) && memory.hasOthers(c),
      'ledger/pushed was made with another key than private/hmac.key: rows may be sent twice. Restore the key from its newest backup.',
    ],
    [
      isOnce(target) && isWhole && changed > 0,
      `${plural(changed, 'row')} that this push has sent are not in the answer any more: rows may be sent twice. --key tells them.`,
    ],
    [
      target.removes && send.length > 0,
      `${plural(send.length, 'recipient')} would leave the list of opt-outs.`,
    ],
  ];
  return doubts.flatMap(([is, sentence]) => (is ? [sentence] : []));
}

/** Returns the function that hashes keys. Ids of catalog items are not personal, and are kept as they are. */
export function keyHashOf(target: Target, column: string | undefined, hash: (text: string) => string) {
  const isPlain = target.kind === 'catalog-items' && column === traitsOf(target).identity;
  return (text: string): string => (isPlain ? text : `#${hash(`key ${column ?? ''} ${text}`)}`);
}

/** Rows of items and properties are compared with rows of the same columns: other pushes set others. */
function classOf({ kind, mode }: Target, columns: readonly string[], hash: (text: string) => string): string {
  const names = kind === 'catalog-items' || kind === 'user-properties' ? [...columns].sort() : [];
  return hash(`columns ${mode ?? ''} ${JSON.stringify(names)}`);
}

/** The text of a key; empty if there is none. */
export const keyText = (value: unknown): string =>
  typeof value === 'object' || typeof value === 'boolean'
    ? JSON.stringify(value ?? '').replace(/^""$/, '')
    : idOf(value);
