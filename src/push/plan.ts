/**
 * The rows that a push would send. SQL writes the rows of the query as JSON, checks and hashes them, and compares them with those
 * that are remembered; `doubtsOf` names every reason why a person has to agree.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Config } from '../config/config.js';
import { RefusedError, UsageError } from '../ground/errors.js';
import { assertNotForgotten, type Journal } from '../journal/journal.js';
import { RUN } from '../journal/lines.js';
import type { Asking } from '../readers/queries/question.js';
import { findRows, type Found } from '../readers/queries/rows.js';
import { escaped, openInstance } from '../landing/duckdb.js';
import { dataFiles } from '../landing/paths.js';
import { GONE, pushedFiles } from '../landing/pushed-rows.js';
import { declaredFields } from '../reference/catalogs.js';
import type { ServiceClient } from '../service/client.js';
import { plural } from '../terminal/text.js';
import { fingerprintOf } from '../warehouse/privacy.js';
import { Session, statement } from '../warehouse/session.js';
import {
  callLine,
  isUnfinished,
  lostCalls,
  pushCounts,
  recordLost,
  type CallLine,
  type Push,
  type PushCounts,
} from './ledger.js';
import type { Target } from './targets.js';

export interface WantedPush {
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
const numbers = pushCounts.extend({
  alike: number,
  known: number,
  empty: number,
  repeated: number,
  missing: number,
  nulls: number,
});
const invalid = z.object({ reason: z.string(), rows: z.number() });

export interface Plan {
  /** The class of columns with which the rows are compared. */
  readonly columns: string;
  readonly counts: PushCounts;
  /** The number of values that would be set to null. */
  readonly nulls: number;
  /** The number of rows to send, and of items that were acknowledged and are missing now. */
  readonly send: number;
  readonly gone: number;
  /** The number of rows that cannot be sent, by the reason. */
  readonly invalid: Readonly<Record<string, number>>;
  /** The reasons, in sentences, why a person has to agree. */
  readonly doubts: readonly string[];
}

/** The largest body of a call, with room for its frame; that of catalogs, and no family shows a larger one. */
const BODY_BYTES = 4 * 1024 * 1024 - 4_096;
/** The largest item of a catalog. */
const ITEM_BYTES = 1024 * 1024;

/** How often a rejected row is tried: once, and three times more. */
export const TRIES = 4;
const TENFOLD = 10;

/** The columns that name a person, under whatever kind of id. */
const PERSONAL = /^(service_)?(user|device)_id$|^recipient_no$|^\$phone_number$|^\$email$/;

/** The columns of the key. Throws `UsageError` for events without one: a user has many. */
export function keyOf({ target, key }: Pick<WantedPush, 'target' | 'key'>): string[] {
  const columns = key?.split(',').map((column) => column.trim());
  if (columns?.includes('') === true)
    throw new UsageError(`--key ${key ?? ''} has a column without a name.`, {
      hint: 'Write the columns with commas between them.',
    });
  if (columns !== undefined) return columns;
  if (target.kind !== 'events') return [target.identity];
  throw new UsageError(
    'Events need --key: the column, or the columns with commas, that tell two events apart.',
    { hint: 'An order number, for example, or user_id and a day: --key user_id,day.' },
  );
}

/** Reads the file of a target into the tables `remembered` and `rejected`; returns the lines of its calls. */
export async function readRemembered(
  session: Session,
  file: string,
  pushes: readonly Push[],
): Promise<CallLine[]> {
  const calls = pushes.flatMap(({ id: push, calls: own }) =>
    own.map(({ call, state }) => ({ push, call, state })),
  );
  const unfinished = pushes.filter(isUnfinished).map(({ id }) => id);
  await session.set({ file, calls: JSON.stringify(calls), unfinished });
  await session.run('push/remembered');
  return session.rows('push/calls', callLine);
}

/** The calls of all targets whose rows are remembered, oldest first. Throws `StorageError`. */
export async function rememberedCalls(dataDir: string): Promise<CallLine[]> {
  const session = await Session.open(await openInstance(':memory:', {}));
  try {
    const calls: CallLine[] = [];
    for (const file of await pushedFiles(dataDir)) calls.push(...(await readRemembered(session, file, [])));
    return calls;
  } finally {
    session.close();
  }
}

/**
 * Compares the calls of E13 and E16 in the journal with their lines in `ledger/pushed/`. Returns true if lines are
 * missing, and a person has confirmed that they are lost.
 *
 * @param pushes the pushes to the target
 * @throws DamageError if lines are missing and nobody knew it
 * @throws RefusedError if rows were hashed with another key
 */
export async function assertRemembered(
  lines: readonly CallLine[],
  pushes: readonly Push[],
  journal: Journal,
  fingerprint: string,
): Promise<boolean> {
  const [first] = pushes;
  if (first?.once !== true) return false;
  // An altered line counts as lost.
  const known = new Set(pushes.flatMap(({ calls }) => calls.map(({ line }) => line)));
  if (lines.some(({ line, made_with }) => known.has(line) && made_with !== fingerprint)) {
    throw new RefusedError(
      'The rows in ledger/pushed were hashed with another key than private/hmac.key. Nothing was sent.',
      {
        hint: 'Rows could be sent twice. Restore the key from its newest backup; docs/recovery.md says what to do without one.',
      },
    );
  }
  const lost = lostCalls(pushes, lines);
  await recordLost(lost, journal);
  const doubt = assertNotForgotten(journal, []);
  if (doubt !== undefined) throw doubt;
  // A push that was made after it named the doubt has sent, or left out, what was lost.
  const confirmed = journal.of(RUN).findLast(({ event }) => event === 'confirmed')?.seq ?? 0;
  const isNamed = ({ state, only, seq }: Push): boolean => state === 'done' && !only && seq > confirmed;
  return lost.length > 0 && !pushes.some(isNamed);
}

/** The declared types of a catalog's fields by name; undefined if the service does not show them. */
type Fields = ReadonlyMap<string, string> | undefined;

/** @throws UsageError if the columns of a query do not fit the target */
function checkColumns(target: Target, columns: readonly string[], fields: Fields): void {
  const { identity } = target;
  const reserved = ['__proto__', ...(target.once ? ['userId', ...Object.keys(fixedIn(target, ''))] : [])];
  const taken = columns.find((one) => reserved.includes(one));
  if (taken !== undefined) {
    throw new UsageError(`The column ${taken} would replace a part of the request.`, {
      hint: 'Give it another name.',
    });
  }
  if (target.takesAway) return;
  const unknown = fields && columns.find((one) => one !== identity && !fields.has(one));
  if (unknown !== undefined) {
    throw new UsageError(`The catalog ${target.name} has no field ${unknown}.`, {
      hint: `Its fields are ${[...(fields?.keys() ?? [])].join(', ')}.`,
    });
  }
  if (/^catalog|^user/.test(target.kind) && columns.length < 2)
    throw new UsageError(`The query has no column but ${identity}: nothing would be set.`);
}

const literal = (text: string): string => `'${escaped(text)}'`;

const object = (members: readonly string[]): string =>
  `'{' || concat_ws(',', ${['null', ...members].join(', ')}) || '}'`;

/** The fields that every row of a target carries beside its columns. */
const fixedIn = ({ kind, name }: Target, projectId: string): Readonly<Record<string, string>> =>
  kind === 'events' ? { projectId, eventName: name } : kind === 'user-properties' ? { projectId } : {};

/**
 * The SQL of what a call carries of a row, as JSON text.
 *
 * @param names the names of fields that the specification does not show (N13, N14, N16); undefined puts fields beside
 *   the user's id
 * @param members the SQL of `"name":value` for each column but the identity; null is left out
 */
function itemSql(
  target: Target,
  projectId: string,
  names: Config['push'],
  members: readonly string[],
): string {
  const { kind } = target;
  const id = 'to_json(id)::varchar';
  if (kind === 'opt-outs') return id;
  const { propertiesField, eventField, journeyField } = names;
  const fields = { events: eventField, journey: journeyField, 'user-properties': propertiesField };
  const field = kind === 'catalog-items' ? undefined : fields[kind];
  return object([
    ...Object.entries(fixedIn(target, projectId)).map(([key, value]) =>
      literal(`"${key}":${JSON.stringify(value)}`),
    ),
    `'"${kind === 'catalog-items' ? 'id' : 'userId'}":' || ${id}`,
    ...(field === undefined ? members : [`${literal(`${JSON.stringify(field)}:`)} || ${object(members)}`]),
  ]);
}

/** The SQL of the reason why the id of a row does not fit: `user_id: is empty`; null if it fits. */
function wrongIdSql({ kind, identity }: Target, { isText, nth }: { isText: boolean; nth: number }): string {
  const form =
    kind === 'catalog-items'
      ? `when not regexp_full_match(id, '[A-Za-z0-9_-]{1,250}') then 'id: must have 1 to 250 letters, digits, _ and -'`
      : kind === 'opt-outs'
        ? `when not ${isText} or not regexp_full_match(id, '[+0-9][0-9 -]{5,24}') then 'recipient_no: must be a telephone number of at most 25 characters'`
        : '';
  const none = `when id = '' and j${nth} <> '""' then '${identity}: must be a text or a whole number'`;
  return `case ${none} when trim(id) = '' then '${identity}: is empty' ${form} end`;
}

/**
 * Finds the rows of the query, and writes them as JSON, with their hashes, into the table `rows_found`.
 *
 * @param service is asked for the types of a catalog's fields
 * @throws UsageError if the query cannot be run, or its columns do not fit the target
 * @throws RefusedError if the file does not hold what the query asks about, or the service has no such catalog
 * @throws ConfigError if the file was made under another setting of `privacy`
 */
export async function writeAnswer(
  session: Session,
  wanted: WantedPush,
  config: Config,
  { key: hmac, now, service }: { key: Uint8Array; now: Date; service?: ServiceClient },
): Promise<Found> {
  const { target, only, source } = wanted;
  const { dataDir, queries, projectId = '', baseUrl = '' } = config;
  const privacy = { ...config.privacy, key: hmac };
  const found = await findRows(dataFiles(dataDir).published, { ...source, queries }, now, privacy, session);
  const isOfItems = target.kind === 'catalog-items';
  const fields = isOfItems && service ? await declaredFields(service, baseUrl, target.name) : undefined;
  const { identity, isBare, sendsNull } = target;
  const key = keyOf(wanted);
  const columns = found.columns.map((column, nth) => ({ ...column, nth }));
  const names = columns.map(({ name }) => name);
  const columnOf = (wantedName: string) => {
    const column = columns.findLast(({ name }) => name === wantedName);
    if (column !== undefined) return column;
    throw new UsageError(`The query has no column ${wantedName}, which ${target.text} needs.`, {
      hint: `Its columns are ${names.join(', ')}. Name one \`as ${wantedName}\`.`,
    });
  };
  const idColumn = columnOf(identity);
  const keys = key.map(columnOf);
  checkColumns(target, names, fields);
  const hashes = fingerprintOf(privacy) !== undefined;
  const others = isBare ? [] : columns.filter(({ name }) => name !== identity);
  const members = others.map(({ name, nth }) => {
    const value = sendsNull ? `coalesce(j${nth}, 'null')` : `j${nth}`;
    return `${literal(`${JSON.stringify(name)}:`)} || ${value}`;
  });
  const wrong = (isBare ? [idColumn] : columns).flatMap(({ name, nth }) => {
    const declared = name === identity ? undefined : fields?.get(name);
    const rules = [
      ...(names.lastIndexOf(name) === nth ? [] : [`'is the name of two columns'`]),
      ...(hashes ? [`if(is_hash(j${nth}), 'is a hash, which the service does not know', null)`] : []),
      `wrong_size(j${nth})`,
      ...(declared === undefined
        ? []
        : [`wrong_type(j${nth}, ${literal(declared)}, ${target.mode === 'patch'})`]),
    ];
    return rules.map((rule) => `${literal(`${name}: `)} || ${rule}`);
  });
  const [single] = keys;
  const keyText =
    keys.length === 1 && single !== undefined
      ? single.text
      : `if(${keys.map(({ json }) => `${json} is null`).join(' or ')}, null, '[' || concat_ws(',', ${keys.map(({ json }) => json).join(', ')}) || ']')`;
  const isPlain = isOfItems && key.join() === identity;
  const nullable = sendsNull ? others : [];
  const persons = columns.filter(({ name }) => PERSONAL.test(name) || name === identity);
  const parts: Record<string, string> = {
    values: columns.map(({ json, nth }) => `${json} as j${nth}`).join(', '),
    persons: persons.map(({ text }) => text).join(', '),
    key: keyText,
    id: idColumn.id,
    only: only === undefined ? 'true' : `coalesce(${keyText}, '') = ${literal(only)}`,
    item: itemSql(target, projectId, config.push, members),
    content: ['to_json(id)::varchar', ...[...members].sort()].join(', '),
    nulls: ['0', ...nullable.map(({ nth }) => `(j${nth} is null)::integer`)].join(' + '),
    wrong: [wrongIdSql(target, idColumn), ...wrong].join(', '),
    key_hash: isPlain ? 'key' : `'#' || left(digest(${literal(`key ${key.join()} `)} || key), 32)`,
    key_name: literal(key.join(', ')),
    most_bytes: String(isOfItems ? ITEM_BYTES : BODY_BYTES),
  };
  // The texts of columns may hold what looks like a placeholder, so all are filled at once.
  const filled = (name: string): string =>
    statement(name).replaceAll(/\{(\w+)\}/g, (_, part: string) => parts[part] ?? '');
  await session.run('push/macros');
  await session.runText(filled('push/values'));
  await session.runText(filled('push/rows'));
  return found;
}

interface Comparing {
  /** The pushes to the target. */
  readonly pushes: readonly Push[];
  /** The unfinished push that goes on. */
  readonly current: Push | undefined;
  readonly source: string;
  /** True if rows that the service took are not remembered any more, and a person has confirmed it. */
  readonly isForgotten: boolean;
  /** True if the settings agree that rows reach people. */
  readonly standing: boolean;
}

/** Compares the rows with those that are remembered. */
export async function planOf(
  session: Session,
  wanted: WantedPush,
  found: Found,
  about: Comparing,
): Promise<Plan> {
  const { target, deleteMissing = false, only } = wanted;
  const columns = target.takesAway ? GONE : classOf(target, found);
  const compared = { columns, once: target.once, push: about.current?.id ?? '', tries: TRIES };
  await session.set({ compared });
  await session.run('push/compared');
  const counted = await session.row('push/counts', numbers);
  const { missing, nulls } = counted;
  const counts = pushCounts.parse(counted);
  if (only !== undefined && counts.rows !== 1)
    throw new UsageError(`${counts.rows} rows have that key, and --only sends one.`, {
      hint: 'Give --only the value of the key in one row of the query; of several columns a list such as ["u1",1].',
    });
  const isOfItems = target.mode === 'replace' && keyOf(wanted).join() === target.identity;
  if (deleteMissing && !isOfItems)
    throw new UsageError('Only items that are replaced (--mode replace), by their id, can be deleted.');
  const gone = deleteMissing && only === undefined ? missing : 0;
  const send = counts.new + counts.changed;
  const unfit = await session.rows('push/invalid', invalid);
  const reasons = Object.fromEntries(unfit.map(({ reason, rows }) => [reason, rows]));
  const doubts = doubtsOf(wanted, about, counted, { send, gone });
  return { columns, counts, nulls, send, gone, invalid: reasons, doubts };
}

/** The reasons why a person has to agree before anything is sent. */
function doubtsOf(
  { target, name, key, only }: WantedPush,
  { pushes, current, source, isForgotten, standing }: Comparing,
  { rows, unchanged, changed, known, alike, empty, repeated }: z.infer<typeof numbers>,
  { send, gone }: Pick<Plan, 'send' | 'gone'>,
): string[] {
  const isWhole = only === undefined;
  const line = pushes.filter((one) => one.name === name && one.mode === target.mode && !one.only);
  const last = line.findLast(({ state, counts }) => state === 'done' && counts.rows > 0)?.counts.rows;
  const isOdd = last !== undefined && rows > 0 && (rows > TENFOLD * last || rows * TENFOLD < last);
  // A push of another name sets other columns; only rows with the same ones would be sent again.
  const own = line.at(-1);
  const before = own ?? pushes.at(-1);
  // A push that goes on was allowed when it began.
  const isEdited = current === undefined && before !== undefined && before.source !== source;
  const keyText = keyOf({ target, key }).join();
  const isOfQuery = (one: Push): boolean =>
    one.source === source || (name !== undefined && one.name === name);
  const ofQuery = pushes.findLast((one) => isOfQuery(one) && one.key !== '');
  const toPeople = target.once && before?.key !== '' ? before : undefined;
  const otherKey = (ofQuery ?? toPeople)?.key ?? keyText;
  const agree = `${unchanged === 0 ? 'everything' : 'nearly everything'} would be sent again`;
  const doubts: readonly (readonly [boolean, string])[] = [
    [rows === 0, 'The query has no rows.'],
    [empty > 0, `${plural(empty, 'row')} without a key.`],
    [repeated > 0, `${plural(repeated, 'row')} with the key of another row.`],
    [isWhole && isOdd, `${plural(rows, 'row')}, and the last push had ${last ?? 0}.`],
    [
      isWhole && isEdited && changed > 0 && unchanged * TENFOLD < (own === undefined ? alike : known),
      `The query was edited since the last push, and ${agree}: ${plural(changed, 'row')}.`,
    ],
    [
      target.once && changed > 0,
      `${plural(changed, 'row')} reached people before with other values. Name a column in --key if its values tell rows apart.`,
    ],
    [
      otherKey !== keyText && send > 0,
      `The rows were told apart by ${otherKey} before, and now by ${keyText}: rows may be sent again.`,
    ],
    [
      isForgotten,
      'The ledger lacks rows that the service took: rows may be sent twice. Restore the ledger folder from its newest backup.',
    ],
    [gone > 0 && gone > rows, `${plural(gone, 'item')} would be deleted, more than the query has rows.`],
    [target.once && send > 0 && !standing, `${plural(send, 'row')} would reach people.`],
  ];
  return doubts.flatMap(([is, sentence]) => (is ? [sentence] : []));
}

/**
 * Rows of items and properties are compared with rows of the same columns: other pushes set others. The columns are named by
 * digests, and a replaced item by `*` before them.
 */
function classOf({ kind, mode, identity }: Target, { columns }: Pick<Found, 'columns'>): string {
  if (kind !== 'catalog-items' && kind !== 'user-properties') return '';
  const others = columns.filter(({ name }) => name !== identity).map(({ name }) => digest(name));
  return [...(mode === 'replace' ? [GONE] : []), ...others.sort()].join();
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

/** The rows to send, and then the items to delete, in calls. */
export async function* callsIn(
  session: Session,
  { most }: Target,
  { gone }: Pick<Plan, 'gone'>,
): AsyncGenerator<{ readonly rows: readonly Row[]; readonly deletes: boolean }> {
  for (const deletes of gone > 0 ? [false, true] : [false]) {
    let after: number | undefined = 0;
    while (after !== undefined) {
      const rows: Row[] = await session.rowsWith('push/call', row, {
        deletes,
        after,
        most,
        bytes: BODY_BYTES,
      });
      after = rows.at(-1)?.nth;
      if (after !== undefined) yield { rows, deletes };
    }
  }
}
