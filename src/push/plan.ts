/** What a push would send: the rows of the published file, checked, compared with what was acknowledged, and guarded. */
import { createHmac } from 'node:crypto';
import { UsageError } from '../errors.js';
import type { Asking } from '../queries/question.js';
import type { Found } from '../queries/rows.js';
import { plural } from '../terminal/text.js';
import { GONE, type Counts, type Hashed, type Memory, type Push, type PushLedger } from './ledger.js';
import {
  checkColumns,
  idOf,
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

/** Hashes a text with the key of the data folder. */
export const hashWith =
  (key: Uint8Array) =>
  (text: string): string =>
    createHmac('sha256', key).update(text).digest('base64url').slice(0, 22);

/** How often a rejected row is tried: once, and three times more. */
const TRIES = 4;
const TENFOLD = 10;

interface Comparing {
  readonly memory: Memory;
  readonly ledger: PushLedger;
  /** The unfinished push that goes on. */
  readonly current: Push | undefined;
  readonly sourceHash: string;
  readonly hash: (text: string) => string;
  readonly projectId: string;
  readonly names: FieldNames;
  readonly fields: Fields;
  /** The rows of erased persons. */
  readonly erased: ReadonlySet<Values>;
}

/** @throws UsageError if the columns do not fit the target, or no row has the only key */
export function planOf(wanted: Wanted, found: Found, comparing: Comparing): Plan {
  const { target, key, only } = wanted;
  const { memory, ledger, current, hash, fields, erased } = comparing;
  checkColumns(target, found.columns, key, fields);
  const { identity, repeatable } = traitsOf(target);
  const keyColumn = key ?? (target.kind === 'events' ? undefined : identity);
  if (
    wanted.deleteMissing === true &&
    (target.kind !== 'catalog-items' || target.mode === 'delete' || keyColumn !== identity)
  )
    throw new UsageError('Only items of a catalog, by their id, can be deleted as missing.');
  const textOf = (row: Values, column = identity): string => keyText(row[column]);
  const rows = only === undefined ? found.rows : found.rows.filter((row) => textOf(row, keyColumn) === only);
  if (only !== undefined && rows.length !== 1) {
    const some = rows.length === 0 ? 'No row has' : `${rows.length} rows have`;
    throw new UsageError(`${some} that ${keyColumn ?? identity}.`, {
      hint: '--only sends one row; --key names the column.',
    });
  }
  const c = takesAway(target) ? GONE : classOf(target, found.columns, hash);
  const keyHash = keyHashOf(target, keyColumn, hash);

  const send: Item[] = [];
  const invalid = new Map<string, Hashed[]>();
  const counts = { rows: rows.length, new: 0, changed: 0, unchanged: 0, unknown: 0, left: 0, erased: 0 };
  const seen = new Set<string>();
  const [empty, repeated] = [`${keyColumn ?? ''}: is empty`, `${keyColumn ?? ''}: occurs more than once`];
  const reject = (reason: string, row: Hashed): void => {
    const rows = invalid.get(reason);
    if (rows === undefined) invalid.set(reason, [row]);
    else rows.push(row);
  };
  let known = 0;
  for (const row of rows) {
    const text = keyColumn === undefined ? '' : textOf(row, keyColumn);
    const values = takesAway(target) || target.kind === 'opt-outs' ? { [identity]: row[identity] } : row;
    const hashed = {
      k: keyColumn === undefined ? '' : keyHash(text),
      r: hash(`row ${JSON.stringify(Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1)))}`),
    };
    const item = itemOf(target, values, comparing);
    const bytes = Buffer.byteLength(JSON.stringify(item)) + 1;
    const isRepeated = keyColumn !== undefined && seen.has(text);
    seen.add(text);
    const problem =
      keyColumn !== undefined && text === ''
        ? empty
        : isRepeated
          ? repeated
          : problemOf(target, values, fields, bytes);
    if (erased.has(row)) counts.erased++;
    else if (problem !== undefined) reject(problem, hashed);
    else {
      const rejection = memory.rejections.get(`${hashed.k} ${hashed.r}`);
      const compared = key === undefined ? 'different' : memory.compare(hashed, c);
      const isKnown = hashed.k !== '' && memory.knows(hashed.k);
      if (isKnown) known++;
      if (compared === 'same') counts.unchanged++;
      else if (compared === 'in_doubt') counts.unknown++;
      else if (key === undefined && memory.takeSent(hashed)) continue;
      else if (current !== undefined && rejection?.pushes.has(current.id) === true) continue;
      else if (rejection !== undefined && rejection.pushes.size >= TRIES) counts.left++;
      else {
        counts[isKnown ? 'changed' : 'new']++;
        send.push({ ...hashed, item, bytes });
      }
    }
  }
  const missing =
    wanted.deleteMissing === true && only === undefined ? [...memory.keys].filter((id) => !seen.has(id)) : [];
  const gone = missing.map((id) => ({ k: id, r: hash(`row ${id}`), item: { id }, bytes: id.length + 10 }));

  const doubts: string[] = [];
  const doubt = (is: boolean, sentence: string): void => void (is && doubts.push(sentence));
  const count = (reason: string): number => invalid.get(reason)?.length ?? 0;
  doubt(rows.length === 0, 'The query has no rows.');
  doubt(count(empty) > 0, `${plural(count(empty), 'row')} without ${keyColumn ?? ''}.`);
  doubt(
    count(repeated) > 0,
    `${plural(count(repeated), 'row')} with the same ${keyColumn ?? ''} as another.`,
  );
  const line = ledger.pushes.filter((one) => one.target === targetText(target) && one.name === wanted.name);
  const last = line.filter((one) => one.state === 'done' && !one.only && one.counts.rows > 0).at(-1);
  const isOdd =
    last !== undefined &&
    (rows.length > TENFOLD * last.counts.rows || rows.length * TENFOLD < last.counts.rows);
  doubt(
    isOdd && only === undefined && rows.length > 0,
    `${plural(rows.length, 'row')}, and the last push had ${last?.counts.rows ?? 0}.`,
  );
  const before = line.filter((one) => one !== current && !one.only).at(-1);
  doubt(
    key !== undefined &&
      known > 0 &&
      counts.unchanged * TENFOLD < known &&
      before !== undefined &&
      before.source !== comparing.sourceHash,
    `The query was edited since the last push, and ${counts.unchanged === 0 ? 'everything' : 'nearly everything'} would be sent again: ${plural(send.length, 'row')}.`,
  );
  const lost = found.pushes
    .filter((one) => one.target === targetText(target))
    .map(({ id }) => id)
    .filter((id) => !ledger.pushes.some((one) => one.id === id));
  doubt(
    !repeatable && lost.length > 0,
    `The ledger lacks push ${lost.join(', ')}, which the warehouse remembers: rows may be sent twice.`,
  );
  doubt(
    target.removes && send.length > 0,
    `${plural(send.length, 'recipient')} would be removed from the list of those who opted out.`,
  );
  return { c, send, gone, invalid, counts, doubts };
}

/** Returns the function that hashes keys. Ids of catalog items are not personal, and are kept as they are. */
export function keyHashOf(target: Target, column: string | undefined, hash: (text: string) => string) {
  const isPlain = target.kind === 'catalog-items' && column === traitsOf(target).identity;
  return (text: string): string => (isPlain ? text : hash(`key ${column ?? ''} ${text}`));
}

/** Rows of items and properties are compared with rows of the same columns: other pushes set others. */
function classOf({ kind, mode }: Target, columns: readonly string[], hash: (text: string) => string): string {
  const names = kind === 'catalog-items' || kind === 'user-properties' ? [...columns].sort() : [];
  return hash(`columns ${mode ?? ''} ${JSON.stringify(names)}`);
}

export function keyText(value: unknown): string {
  return typeof value === 'object' && value !== null
    ? JSON.stringify(value)
    : typeof value === 'boolean'
      ? String(value)
      : idOf(value);
}
