/**
 * The rows that a push would send. SQL writes the rows of the query as JSON, checks and hashes them, and compares them with those
 * that are remembered; `doubtsOf` names every reason why a person has to agree.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Config } from '../config/config.js';
import { UsageError } from '../ground/errors.js';
import { openInstance } from '../landing/duckdb.js';
import { dataFiles } from '../landing/paths.js';
import { GONE, pushedFiles } from '../landing/pushed-rows.js';
import type { Asking } from '../readers/queries/question.js';
import { findRows, type Found } from '../readers/queries/rows.js';
import { declaredFields } from '../reference/pull-reference.js';
import type { ServiceClient } from '../service/client.js';
import { plural } from '../terminal/text.js';
import { fingerprintOf } from '../warehouse/privacy.js';
import { Session } from '../warehouse/session.js';
import { callLine, type CallLine, pushCounts, rowOf, type Push } from './ledger.js';
import type { Target } from './targets.js';

export interface WantedPush {
  readonly target: Target;
  readonly source: Asking;
  /** The name in the configuration. */
  readonly name?: string | undefined;
  /** The columns of the key, separated by commas; by default the identity of the target. */
  readonly key?: string | undefined;
  readonly deleteMissing?: boolean | undefined;
}

/** A row that can be sent, as the JSON text of a call. */
const row = z.object({ k: z.string(), r: z.string(), item: z.string() });
export type Row = z.infer<typeof row>;

/** The rows of the query without a key, with the key of another one, and those to send; values to set to null, items to delete. */
const counted = z.object({
  ...pushCounts.shape,
  empty: z.number(),
  repeated: z.number(),
  nulls: z.number(),
  send: z.number(),
  missing: z.number(),
});
const sent = z.object({ call: z.number(), deletes: z.boolean() });
const invalid = z.object({ reason: z.string(), rows: z.number() });

export type Plan = Awaited<ReturnType<typeof planOf>>;

/** The largest row, an item of a catalog; with the rows of a window it fits into the largest body, 4 MiB, and its frame. */
const ROW_BYTES = 1024 * 1024;
const WINDOW_BYTES = 3 * 1024 * 1024 - 4_096;

const TENFOLD = 10;

/** The columns of the key. Throws `UsageError` for events without one: a user has many. */
export function keyOf({ target, key }: Pick<WantedPush, 'target' | 'key'>): string[] {
  if (key !== undefined) return key.split(',').map((column) => column.trim());
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
  const calls = pushes.flatMap((push) =>
    push.calls.map(({ call, state }) => ({ push: push.id, call, state })),
  );
  await session.set({ file, calls: JSON.stringify(calls) });
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
 * @param fields the declared types of a catalog's fields; undefined if the service does not show them
 * @throws UsageError if the columns of a query do not fit the target
 */
function checkColumns(
  wanted: WantedPush,
  columns: readonly string[],
  fields: ReadonlyMap<string, string> | undefined,
): void {
  const { identity, kind, name, text, once, takesAway } = wanted.target;
  const missing = [identity, ...keyOf(wanted)].find((one) => !columns.includes(one));
  if (missing !== undefined)
    throw new UsageError(`The query has no column ${missing}, which ${text} needs.`, {
      hint: `Its columns are ${columns.join(', ')}. Name one \`as ${missing}\`.`,
    });
  const reserved = ['__proto__', ...(once ? ['userId', 'projectId', 'eventName'] : [])];
  const taken = columns.find((one) => reserved.includes(one));
  if (taken !== undefined)
    throw new UsageError(`The column ${taken} would replace a part of the request.`, {
      hint: 'Give it another name.',
    });
  const unknown = fields && columns.find((one) => one !== identity && !fields.has(one));
  if (unknown !== undefined && !takesAway)
    throw new UsageError(`The catalog ${name} has no field ${unknown}.`, {
      hint: `Its fields are ${[...(fields?.keys() ?? [])].join(', ')}.`,
    });
  if (!takesAway && /^catalog|^user/.test(kind) && columns.length < 2)
    throw new UsageError(`The query has no column but ${identity}: nothing would be set.`);
}

/** The text of a row before its id, and the field for the other columns (N13, N14, N16), if they are not beside the id. */
function frameOf({ kind, name: eventName }: Target, { projectId, push }: Config): Record<string, string> {
  if (kind === 'opt-outs') return { head: '', field: '' };
  const fields = {
    events: push.eventField,
    journey: push.journeyField,
    'user-properties': push.propertiesField,
  };
  const field = kind === 'catalog-items' ? undefined : fields[kind];
  const fixed =
    kind === 'events' ? { projectId, eventName } : kind === 'user-properties' ? { projectId } : {};
  const members = Object.entries(fixed).map(([key, value]) => `"${key}":${JSON.stringify(value)},`);
  const head = `{${members.join('')}"${kind === 'catalog-items' ? 'id' : 'userId'}":`;
  return { head, field: field === undefined ? '' : JSON.stringify(field) };
}

/**
 * Rows of items and properties are compared with rows of the same columns: other pushes set others. The columns are named by
 * digests, and a replaced item by `*` before them.
 */
function classOf({ kind, mode, identity, takesAway }: Target, columns: readonly string[]): string {
  if (takesAway) return GONE;
  if (kind !== 'catalog-items' && kind !== 'user-properties') return '';
  const others = columns.filter((name) => name !== identity).map((name) => digest(name));
  return [...(mode === 'replace' ? [GONE] : []), ...others.sort()].join();
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

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
): Promise<Found & { readonly class: string }> {
  const { target } = wanted;
  const { identity, kind, once, isBare, sendsNull, most } = target;
  const privacy = { ...config.privacy, key: hmac };
  const { published } = dataFiles(config.dataDir);
  const asking = { ...wanted.source, queries: config.queries };
  const found = await findRows(published, asking, now, privacy, session);
  const { columns: names } = found;
  const isOfItems = kind === 'catalog-items';
  const types = isOfItems && service ? await declaredFields(service, target.name) : undefined;
  checkColumns(wanted, names, types);
  const [keys, columns] = [keyOf(wanted), classOf(target, names)];
  await session.set({
    target: {
      ...frameOf(target, config),
      kind,
      identity,
      columns,
      once,
      most,
      keys,
      key: keys.join(', '),
      is_bare: isBare,
      sends_null: sendsNull,
      is_plain: isOfItems && keys.join() === identity,
      most_bytes: ROW_BYTES,
      window_bytes: WINDOW_BYTES,
      twice: names.filter((name, nth) => names.indexOf(name) !== nth),
      hashes: fingerprintOf(privacy) !== undefined,
      fields: [...(types?.keys() ?? [])],
      types: [...(types?.values() ?? [])],
    },
  });
  await session.run('push/macros');
  await session.run('push/rows');
  return { ...found, class: columns };
}

/**
 * Compares the rows in `rows_found` with those that are remembered, but for those of erased persons.
 *
 * @param pushes the pushes to the target
 * @param source the hash of the query
 * @param standing true if the settings agree that rows reach people
 */
export async function planOf(
  session: Session,
  wanted: WantedPush,
  pushes: readonly Push[],
  { source, standing, erased }: { source: string; standing: boolean; erased: readonly string[] },
) {
  const { target, deleteMissing = false } = wanted;
  await session.set({ erased_ids: erased });
  await session.run('push/erased');
  await session.run('push/compared');
  const { empty, repeated, nulls, send, missing, ...counts } = await session.row('push/counts', counted);
  if (deleteMissing && !(target.mode === 'replace' && keyOf(wanted).join() === target.identity))
    throw new UsageError('Only items that are replaced (--mode replace), by their id, can be deleted.');
  const gone = deleteMissing ? missing : 0;
  const unfit = await session.rows('push/invalid', invalid);
  const reasons = Object.fromEntries(unfit.map(({ reason, rows }) => [reason, rows]));
  const rejected = unfit.reduce((sum, { rows: some }) => sum + some, 0);
  const { rows, unchanged, changed } = counts;
  const own = pushes.filter((one) => one.name === wanted.name && one.mode === target.mode);
  const before = own.at(-1) ?? pushes.at(-1);
  const last = own.findLast((one) => one.counts.rows > 0 && rowOf(one).state === 'done')?.counts.rows;
  const isOdd = last !== undefined && rows > 0 && (rows > TENFOLD * last || rows * TENFOLD < last);
  const isEdited = own.length > 0 && before?.source !== source;
  const key = keyOf(wanted).join();
  // A call that `recover` entered has no key.
  const otherKey = before === undefined || before.key === '' ? key : before.key;
  const agree = `${unchanged === 0 ? 'everything' : 'nearly everything'} would be sent again`;
  const all: readonly (readonly [boolean, string])[] = [
    [rows === 0, 'The query has no rows.'],
    [empty > 0, `${plural(empty, 'row')} without a key.`],
    [repeated > 0, `${plural(repeated, 'row')} with the key of another row.`],
    [isOdd, `${plural(rows, 'row')}, and the last push had ${last ?? 0}.`],
    [
      isEdited && !target.once && changed > unchanged * TENFOLD,
      `The query was edited since the last push, and ${agree}: ${plural(changed, 'row')}.`,
    ],
    [
      otherKey !== key && send > 0,
      `The rows were told apart by ${otherKey} before, and now by ${key}: rows may be sent again.`,
    ],
    [gone > 0 && gone > rows, `${plural(gone, 'item')} would be deleted, more than the query has rows.`],
    [target.once && send > 0 && !standing, `${plural(send, 'row')} would reach people.`],
  ];
  /** The reasons, in sentences, why a person has to agree. */
  const doubts = all.flatMap(([is, sentence]) => (is ? [sentence] : []));
  const sends = await session.rows('push/sends', sent);
  const calls = sends.filter(({ deletes }) => deleteMissing || !deletes);
  return { counts, nulls, send, gone, calls, invalid: reasons, rejected, doubts };
}

/** The rows of a call. */
export const rowsOf = (session: Session, call: number): Promise<Row[]> =>
  session.rows('push/call', row, {}, { call });
