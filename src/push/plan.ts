/**
 * The rows that a push would send. SQL writes the rows of the query as JSON, checks and hashes them, and compares them with those
 * that are remembered; `doubtsOf` names every reason why a person has to agree.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { UsageError } from '../ground/errors.js';
import type { Asking } from '../readers/queries/question.js';
import type { Found } from '../readers/queries/rows.js';
import { escaped } from '../landing/duckdb.js';
import { plural } from '../terminal/text.js';
import { statement, type Session } from '../warehouse/session.js';
import { GONE } from '../landing/pushed-rows.js';
import type { PushCounts } from '../journal/lines.js';
import type { Push, PushLedger } from './ledger.js';
import {
  BODY_BYTES,
  isBare,
  isOnce,
  itemSql,
  mostBytes,
  sendsNull,
  takesAway,
  targetText,
  traitsOf,
  wrongIdSql,
  type FieldNames,
  type Fields,
  type Target,
} from './targets.js';

export interface Wanted {
  readonly target: Target;
  readonly source: Asking;
  /** The name in the configuration. */
  readonly name?: string | undefined;
  /** The columns of the key, separated by commas; by default the identity of the target. */
  readonly key?: string | undefined;
  /** The key of the only row to send. */
  readonly only?: string | undefined;
  readonly deleteMissing?: boolean | undefined;
}

/** A row that can be sent, as the JSON text of a call. */
const row = z.object({ nth: z.number(), k: z.string(), r: z.string(), item: z.string() });
export type Row = z.infer<typeof row>;

const number = z.number();
const counts = z.object({
  ...{ rows: number, new: number, changed: number, unchanged: number, unknown: number, left: number },
  ...{ erased: number, alike: number, known: number, empty: number, repeated: number, nulls: number },
});
const invalid = z.object({ reason: z.string(), rows: number });

export interface Plan {
  /** The class of columns with which the rows are compared. */
  readonly columns: string;
  readonly counts: z.infer<typeof counts>;
  /** The counts that the journal keeps. */
  readonly begun: PushCounts;
  /** The number of rows to send, and of items that were acknowledged and are missing now. */
  readonly send: number;
  readonly gone: number;
  /** Rows that cannot be sent, by the reason. */
  readonly invalid: readonly z.infer<typeof invalid>[];
  /** The reasons, in sentences, why a person has to agree. */
  readonly doubts: readonly string[];
}

/** How often a rejected row is tried: once, and three times more. */
export const TRIES = 4;
const TENFOLD = 10;

/** The columns that name a person, under whatever kind of id. */
const PERSONAL = /^(service_)?(user|device)_id$|^recipient_no$|^\$phone_number$|^\$email$/;

/** The columns of the key. Throws `UsageError` for events without one: a user has many. */
export function keyOf({ target, key }: Pick<Wanted, 'target' | 'key'>): string[] {
  if (key !== undefined) return key.split(',').map((column) => column.trim());
  if (target.kind !== 'events') return [traitsOf(target).identity];
  throw new UsageError(
    'Events need --key: the column, or the columns with commas, that tell two events apart.',
    {
      hint: 'An order number, for example, or user_id and a day: --key user_id,day.',
    },
  );
}

const literal = (text: string): string => `'${escaped(text)}'`;

interface Shape {
  readonly projectId: string;
  readonly names: FieldNames;
  readonly fields: Fields;
  /** True if the data folder holds hashes of persons. */
  readonly hashes: boolean;
}

/** Writes the rows of the table `answer` as JSON, with their hashes, into the table `rows_found`. */
export async function writeRows(
  session: Session,
  wanted: Wanted,
  { columns }: Pick<Found, 'columns'>,
  { projectId, names, fields, hashes }: Shape,
): Promise<void> {
  const { target, only } = wanted;
  const { identity } = traitsOf(target);
  const key = keyOf(wanted);
  const named = new Map(columns.map((column, nth) => [column.name, { ...column, nth }]));
  const idColumn = named.get(identity);
  const keys = key.flatMap((name) => named.get(name) ?? []);
  if (idColumn === undefined || keys.length < key.length)
    throw new Error('The columns are checked before the rows are written.');
  const own = columns.map(({ name }, nth) => ({ name, nth }));
  const others = isBare(target) ? [] : own.filter(({ name }) => name !== identity);
  const members = others.map(({ name, nth }) => {
    const value = sendsNull(target) ? `coalesce(j${nth}, 'null')` : `j${nth}`;
    return `${literal(`${JSON.stringify(name)}:`)} || ${value}`;
  });
  const wrong = (isBare(target) ? [idColumn] : own).flatMap(({ name, nth }) => {
    const declared = fields?.get(name);
    const rules = [
      ...(named.get(name)?.nth === nth ? [] : [`'is the name of two columns'`]),
      ...(hashes ? [`if(is_hash(j${nth}), 'is a hash, which the service does not know', null)`] : []),
      `wrong_size(j${nth})`,
      ...(declared === undefined || name === identity
        ? []
        : [`wrong_type(j${nth}, ${literal(declared)}, ${target.mode === 'patch'})`]),
    ];
    return rules.map((rule) => `${literal(`${name}: `)} || ${rule}`);
  });
  const [single] = keys;
  const keyText =
    keys.length === 1 && single !== undefined
      ? single.text
      : `'[' || concat_ws(',', ${keys.map(({ json }) => `coalesce(${json}, 'null')`).join(', ')}) || ']'`;
  const isPlain = target.kind === 'catalog-items' && keys.length === 1 && single === idColumn;
  const persons = own.filter(({ name }) => PERSONAL.test(name) || name === identity);
  const parts: Record<string, string> = {
    values: columns.map(({ json }, nth) => `${json} as j${nth}`).join(', '),
    persons: persons.map(({ nth }) => columns[nth]?.text).join(', '),
    key: keyText,
    id: idColumn.id,
    only: only === undefined ? 'true' : `coalesce(${keyText}, '') = ${literal(only)}`,
    item: itemSql(target, projectId, names, members),
    content: ['to_json(id)::varchar', ...[...members].sort()].join(', '),
    nulls: sendsNull(target)
      ? ['0', ...others.map(({ nth }) => `(j${nth} is null)::integer`)].join(' + ')
      : '0',
    wrong: [wrongIdSql(target, idColumn), ...wrong].join(', '),
    key_hash: isPlain ? 'key' : `'#' || left(digest(${literal(`key ${key.join()} `)} || key), 32)`,
    key_name: literal(key.join(', ')),
    most_bytes: String(mostBytes(target)),
  };
  // The texts of columns may hold what looks like a placeholder, so all are filled at once.
  const filled = (name: string): string =>
    statement(name).replaceAll(/\{(\w+)\}/g, (_, part: string) => parts[part] ?? '');
  await session.run('push/macros');
  await session.runText(filled('push/values'));
  await session.runText(filled('push/rows'));
}

/** Compares the rows with those that are remembered. */
export async function planOf(
  session: Session,
  wanted: Wanted,
  found: Found,
  about: Comparing,
): Promise<Plan> {
  const { target, deleteMissing = false, only } = wanted;
  const columns = takesAway(target) ? GONE : classOf(target, found);
  const compared = { columns, once: isOnce(target), push: about.current?.id ?? '', tries: TRIES };
  await session.set({ compared });
  await session.run('push/compared');
  const counted = await session.row('push/counts', counts);
  if (only !== undefined && counted.rows !== 1)
    throw new UsageError(`${counted.rows} rows have that key, and --only sends one.`);
  const isWhole = only === undefined;
  const isOfItems = target.mode === 'replace' && keyOf(wanted).join() === traitsOf(target).identity;
  if (deleteMissing && !isOfItems)
    throw new UsageError('Only items that are replaced (--mode replace), by their id, can be deleted.');
  const deletes = deleteMissing && isWhole;
  const { missing } = await session.row('push/missing', z.object({ missing: number }));
  const gone = deletes ? missing : 0;
  const send = counted.new + counted.changed;
  const unfit = await session.rows('push/invalid', invalid);
  const doubts = doubtsOf(wanted, found, about, { counts: counted, send, gone });
  const { rows, unchanged, unknown, left, erased } = counted;
  const begun = { rows, new: counted.new, changed: counted.changed, unchanged, unknown, left, erased };
  return { columns, counts: counted, begun, send, gone, invalid: unfit, doubts };
}

interface Comparing {
  readonly ledger: PushLedger;
  /** The unfinished push that goes on. */
  readonly current: Push | undefined;
  readonly source: string;
  /** True if rows that the service took are lost from `ledger/pushed/`, and a person has confirmed it. */
  readonly isForgotten: boolean;
}

/** The reasons why a person has to agree before anything is sent. */
function doubtsOf(
  { target, name, key, only }: Wanted,
  { pushes }: Found,
  { ledger, current, source, isForgotten }: Comparing,
  {
    counts: { rows, unchanged, changed, known, alike, empty, repeated },
    send,
    gone,
  }: Pick<Plan, 'counts' | 'send' | 'gone'>,
): string[] {
  const isWhole = only === undefined;
  const isOfTarget = (one: { readonly target: string }): boolean => one.target === targetText(target);
  const ofTarget = ledger.pushes.filter(isOfTarget);
  const line = ofTarget.filter((one) => one.name === name && one.mode === target.mode && !one.only);
  const last = line.filter(({ state, counts: { rows: all } }) => state === 'done' && all > 0).at(-1)
    ?.counts.rows;
  const isOdd = last !== undefined && rows > 0 && (rows > TENFOLD * last || rows * TENFOLD < last);
  // A push of another name sets other columns; only rows with the same ones would be sent again.
  const own = line.filter((one) => one !== current).at(-1);
  const before = own ?? ofTarget.filter((one) => one !== current).at(-1);
  const isEdited = before !== undefined && before.source !== source;
  const keyText = keyOf({ target, key }).join();
  const others = ofTarget.filter((one) => one.source === source || (name !== undefined && one.name === name));
  const otherKeys = others.filter((one) => one.key !== '').at(-1)?.key ?? keyText;
  const lost = pushes.filter((one) => isOfTarget(one) && !ledger.has(one.id));
  const agree = `${unchanged === 0 ? 'everything' : 'nearly everything'} would be sent again`;
  const doubts: readonly (readonly [boolean, string])[] = [
    [rows === 0, 'The query has no rows.'],
    [empty > 0, `${plural(empty, 'row')} without a key.`],
    [repeated > 0, `${plural(repeated, 'row')} with the key of another row.`],
    [isWhole && isOdd, `${plural(rows, 'row')}, and the last push had ${last ?? 0}.`],
    [
      isWhole && isEdited && unchanged * TENFOLD < (own === undefined ? alike : known),
      `The query was edited since the last push, and ${agree}: ${plural(send, 'row')}.`,
    ],
    [
      isOnce(target) && changed > 0,
      `${plural(changed, 'row')} reached people before with other values. Name a column in --key if its values tell rows apart.`,
    ],
    [
      otherKeys !== keyText && send > 0,
      `The rows of this query were told apart by ${otherKeys} before, and now by ${keyText}: rows may be sent again.`,
    ],
    [
      isOnce(target) && lost.length > 0,
      `The ledger lacks push ${lost.map(({ id }) => id).join(', ')}, which the warehouse remembers: rows may be sent twice.`,
    ],
    [
      isForgotten,
      'ledger/pushed lacks rows that the service took: rows may be sent twice. Restore the ledger folder from its newest backup.',
    ],
    [gone > 0 && gone > rows, `${plural(gone, 'item')} would be deleted, more than the query has rows.`],
    [target.removes && send > 0, `${plural(send, 'recipient')} would leave the list of opt-outs.`],
  ];
  return doubts.flatMap(([is, sentence]) => (is ? [sentence] : []));
}

/** Rows of items and properties are compared with rows of the same columns: other pushes set others. */
function classOf({ kind, mode }: Target, { columns }: Pick<Found, 'columns'>): string {
  const names =
    kind === 'catalog-items' || kind === 'user-properties' ? columns.map(({ name }) => name).sort() : [];
  return createHash('sha256')
    .update(JSON.stringify([mode ?? '', names]))
    .digest('hex')
    .slice(0, 32);
}

/** The rows to send, or the items to delete, in calls. */
export async function* callsIn(
  session: Session,
  name: 'push/to_send' | 'push/to_delete',
  target: Target,
): AsyncGenerator<readonly Row[]> {
  const { most } = traitsOf(target);
  const bytes = name === 'push/to_send' ? { bytes: BODY_BYTES } : {};
  let after = 0;
  for (;;) {
    const rows = await session.rowsWith(name, row, { after, most, ...bytes });
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.nth;
    yield rows;
  }
}
