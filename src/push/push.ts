/**
 * The one way in which rows leave. SQL writes the rows of a query as JSON, checks and hashes them, and compares them with those
 * that are remembered; a person agrees; and they are sent call by call. The intent of a call is durable before it leaves, what
 * the service said of it after.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Config, ServiceConfig } from '../config/config.js';
import type { Invocation } from '../config/invocation.js';
import { Register } from '../erasure/register.js';
import { monthOf } from '../ground/calendar.js';
import { CredentialsError, DawnloadError, InterruptedError } from '../ground/errors.js';
import { messageOf, RefusedError, ServiceError, UsageError } from '../ground/errors.js';
import { assertNotForgotten, type Journal } from '../journal/journal.js';
import { dataFiles } from '../landing/paths.js';
import { GONE, PushedRows } from '../landing/pushed-rows.js';
import { findRows } from '../readers/queries/rows.js';
import { declaredFields } from '../reference/pull-reference.js';
import { ServiceClient } from '../service/client.js';
import { assertClocksAgree, presentOf } from '../service/clocks.js';
import { formatCount, plural } from '../terminal/text.js';
import { fingerprintOf, hmacKey, keyFingerprint } from '../warehouse/privacy.js';
import type { Session } from '../warehouse/session.js';
import { hashingSession } from '../warehouse/warehouse.js';
import * as ledger from './ledger.js';
import { configuredPush, frameOf, outcomeOf, requestOf, shownText, type Wanted } from './targets.js';

/** The rows of the query by what becomes of them, those that cannot be sent by their reasons, and what would be sent. */
const plan = ledger.pushCounts.extend({
  invalid: z.preprocess(
    (json): unknown => (typeof json === 'string' ? JSON.parse(json) : json),
    z.record(z.string(), z.number()),
  ),
  missing: z.number(),
  to_send: z.number(),
  set_to_null: z.number(),
  calls: z.number(),
});
type Plan = z.infer<typeof plan>;

/** A row that can be sent, as the JSON text of a call; `deletes` if it is an item that the query lacks. */
const row = z.object({ k: z.string(), r: z.string(), item: z.string(), deletes: z.boolean() });

export interface Pushed {
  readonly plan: Plan;
  /** The reasons why a person has to agree. */
  readonly doubts: readonly string[];
  /** The id of the push; undefined if nothing was begun: a dry run. */
  readonly id: string | undefined;
  /** Rows that the service took, rows that cannot be sent or that it rejected, and calls. */
  readonly sent: number;
  readonly rejected: number;
  readonly calls: number;
}

interface How {
  readonly dryRun?: boolean | undefined;
  /** True for a push of the night: the settings agree that its rows reach people, and nobody can be asked. */
  readonly standing?: boolean;
  /** True if a person agrees to every doubt; otherwise the person is asked, unless it is a push of the night. */
  readonly yes?: boolean | undefined;
}

/**
 * Pushes the answer of a query. Requires the lock.
 *
 * @throws RefusedError if the budget, a doubt or an earlier push forbids it; nothing was sent
 * @throws DamageError if the rows of earlier calls are not remembered any more
 * @throws ClockError if this machine's clock and the service's differ
 * @throws UsageError, CredentialsError, ServiceError, StorageError; what was acknowledged is not sent again
 */
export async function pushRows(
  wanted: Wanted,
  config: ServiceConfig,
  invocation: Invocation,
  journal: Journal,
  { dryRun = false, standing = false, yes = false }: How,
): Promise<Pushed> {
  const { effects, signal, terminal, version, runId: run } = invocation;
  const { name, target, kind, mode, key, once } = wanted;
  const all = ledger.pushesOf(journal);
  const pushes = all.filter((one) => one.target === target);
  const ambiguous = pushes.find(({ state }) => state === 'ambiguous');
  if (ambiguous !== undefined) throw new RefusedError(ledger.adviceOn(ambiguous));
  const hmac = await hmacKey(config.dataDir, effects);
  const made_with = keyFingerprint(hmac);
  const session = await hashingSession(config, hmac, dataFiles(config.dataDir).temp);
  const service = new ServiceClient(config, effects, signal, version);
  try {
    const pushed = await PushedRows.open(config.dataDir, target, effects);
    const remembered = await readRemembered(session, pushed.path, pushes);
    ledger.assertSameKey(remembered, pushes, made_with);
    await ledger.recordLost(ledger.lostCalls(journal, remembered, pushes), journal);
    const doubt = assertNotForgotten(journal, []);
    if (doubt !== undefined) throw doubt;
    const names = await writeAnswer(session, wanted, config, hmac, effects.now());
    const isOfItems = kind === 'catalog-items';
    checkColumns(wanted, names, isOfItems ? await declaredFields(service, wanted.word) : undefined);
    const columns = classOf(wanted, names);
    // Items of catalogs are not personal.
    const erased_ids = isOfItems ? [] : new Register(journal, made_with).ids;
    await session.set({ columns, erased_ids });
    await session.run('push/compared');
    const planned = await session.row('push/plan', plan);
    const toSend = planned.to_send;
    if (toSend > 0 && !dryRun) {
      await service.authorize();
      if (once || config.serviceClock !== 'ignore') assertClocksAgree(service, 'Nothing was sent.');
    }
    const doubts = doubtsOn(wanted, planned, pushes, standing);

    const rejected = Object.values(planned.invalid).reduce((sum, rows) => sum + rows, 0);
    const counted = { sent: 0, rejected, calls: 0 };
    const over = excessOf(wanted, toSend, all, config, run, presentOf(service));
    if (dryRun) {
      if (over !== undefined) terminal.warn(`This would be refused: ${over.message}`);
      return { plan: planned, doubts, id: undefined, ...counted, calls: planned.calls };
    }
    if (over !== undefined) throw over;
    const isAsked = doubts.length > 0 && !yes;
    if (isAsked && (standing || !(await terminal.confirm(`${doubts.join(' ')} Send it?`, signal)))) {
      const hint = '--yes sends it all the same.';
      throw new RefusedError(`Nothing was sent. ${doubts.join(' ')}`, { hint });
    }
    const push = ledger.nextId(all, remembered, effects.now());
    const counts = ledger.pushCounts.parse(planned);
    const about = { target, mode, name, key, once, run, planned: toSend, counts };
    await journal.append(ledger.PUSH, { event: 'begun', push, ...about });
    const end = (note?: string) => journal.append(ledger.PUSH, { event: 'ended', push, ...counted, note });
    const parts = {
      push,
      wanted,
      columns,
      config,
      invocation,
      journal,
      service,
      pushed,
      made_with,
      standing,
    };
    const sending = { ...parts, counted, refused: 0 };
    try {
      for (let call = 1; call <= planned.calls; call++)
        await send(sending, await session.rows('push/call', row, {}, { call }));
    } catch (error) {
      const note = error instanceof DawnloadError ? error.message : 'It ended with an unforeseen error.';
      await end(note).catch(() => undefined);
      throw error;
    }
    await end();
    return { plan: planned, doubts, id: push, ...counted };
  } finally {
    session.close();
    await service.close();
  }
}

/** Reads the file of a target into the tables `lines`, `remembered` and `rejected`; returns the lines of its calls. */
export async function readRemembered(session: Session, file: string, pushes: readonly ledger.Push[]) {
  await session.set({ files: [file], calls: JSON.stringify(pushes.flatMap(({ intents }) => intents)) });
  await session.run('push/lines');
  await session.run('push/remembered');
  return session.rows('push/calls', ledger.callLine);
}

/**
 * Finds the rows of the query, and writes them as JSON, with their hashes, into the table `rows_found`. Returns its columns.
 *
 * @throws UsageError if the query cannot be run
 * @throws RefusedError if the file does not hold what the query asks about
 * @throws ConfigError if the file was made under another setting of `privacy`
 */
export async function writeAnswer(
  session: Session,
  wanted: Wanted,
  config: Config,
  key: Uint8Array,
  now: Date,
): Promise<readonly string[]> {
  const { kind, identity, once, most, keys, isBare, sendsNull, deleteMissing } = wanted;
  const privacy = { ...config.privacy, key };
  const asking = { ...wanted.source, queries: config.queries };
  const columns = await findRows(dataFiles(config.dataDir).published, asking, now, privacy, session);
  await session.set({
    target: {
      ...frameOf(wanted, config),
      kind,
      identity,
      once,
      most,
      keys,
      key: keys.join(', '),
      is_bare: isBare,
      sends_null: sendsNull,
      delete_missing: deleteMissing,
      hashes: fingerprintOf(privacy) !== undefined,
    },
  });
  await session.run('push/macros');
  await session.run('push/rows');
  return columns;
}

/**
 * @param fields the fields of a catalog; undefined for another target, or if the service does not show them
 * @throws UsageError if the columns of a query do not fit the target
 */
function checkColumns(wanted: Wanted, columns: readonly string[], fields?: readonly string[]): void {
  const { identity, target, word, mode, keys, once, isBare } = wanted;
  const reserved = ['__proto__', ...(once ? ['userId', 'projectId', 'eventName'] : [])];
  const missing = [identity, ...keys].find((one) => !columns.includes(one));
  const taken = columns.find((one) => reserved.includes(one));
  const unknown = fields && columns.find((one) => one !== identity && !fields.includes(one));
  const faults: readonly (readonly [isFault: boolean, what: string, hint: string])[] = [
    [
      missing !== undefined,
      `The query has no column ${missing}, which ${target} needs.`,
      `Its columns are ${columns.join(', ')}. Name one \`as ${missing}\`.`,
    ],
    [
      taken !== undefined,
      `The column ${taken} would replace a part of the request.`,
      'Give it another name.',
    ],
    [
      unknown !== undefined && mode !== 'delete',
      `The catalog ${word} has no field ${unknown}.`,
      `Its fields are ${fields?.join(', ')}.`,
    ],
    [
      !isBare && !once && columns.length < 2,
      `The query has no column but ${identity}: nothing would be set.`,
      'Add the columns that are to be set.',
    ],
  ];
  const fault = faults.find(([isFault]) => isFault);
  if (fault !== undefined) throw new UsageError(fault[1], { hint: fault[2] });
}

/**
 * Rows of items and properties are compared with rows of the same columns: other pushes set others. The columns are named by
 * digests, and a replaced item by `*` before them.
 */
function classOf({ mode, identity, isBare, once }: Wanted, columns: readonly string[]): string {
  if (mode === 'delete') return GONE;
  if (isBare || once) return '';
  const digest = (name: string) => createHash('sha256').update(name).digest('hex').slice(0, 16);
  const others = columns.filter((name) => name !== identity).map(digest);
  return [...(mode === 'replace' ? [GONE] : []), ...others.sort()].join();
}

const TENFOLD = 10;

/** The reasons, in sentences, why a person has to agree; `standing` if the settings agree that rows reach people. */
function doubtsOn(
  { name, mode, key, keys, once }: Wanted,
  { rows, invalid, missing, to_send: toSend }: Plan,
  pushes: readonly ledger.Push[],
  standing: boolean,
): string[] {
  const own = pushes.filter((one) => one.name === name && one.mode === mode);
  const last = own.findLast((one) => one.rows > 0 && one.state === 'done')?.rows ?? rows;
  const isOdd = rows > 0 && (rows > TENFOLD * last || rows * TENFOLD < last);
  // A call that `recover` entered has no key.
  const before = (own.at(-1) ?? pushes.at(-1))?.key ?? key;
  const because = (reason: string): number => invalid[`${keys.join(', ')}: ${reason}`] ?? 0;
  const [empty, repeated] = [because('is empty'), because('occurs more than once')];
  const all: readonly (readonly [boolean, string])[] = [
    [rows === 0, 'The query has no rows.'],
    [empty > 0, `${plural(empty, 'row')} without a key.`],
    [repeated > 0, `${plural(repeated, 'row')} with the key of another row.`],
    [isOdd, `${plural(rows, 'row')}, and the last push had ${last}.`],
    [
      before !== key && toSend > missing,
      `The rows were told apart by ${before} before, and now by ${key}: rows may be sent again.`,
    ],
    [missing > rows, `${plural(missing, 'item')} would be deleted, more than the query has rows.`],
    [once && toSend > 0 && !standing, `${plural(toSend, 'row')} would reach people.`],
  ];
  return all.flatMap(([is, sentence]) => (is ? [sentence] : []));
}

/** The error if the rows are more than the settings allow, or the settings do not allow any. */
function excessOf(
  { name, once }: Wanted,
  rows: number,
  pushes: readonly ledger.Push[],
  config: ServiceConfig,
  run: string,
  present: Date,
): RefusedError | undefined {
  const { rowsPerRun, rowsPerMonth } = config.push;
  if (rows > 0 && once && (rowsPerRun ?? rowsPerMonth) === undefined)
    return new RefusedError('push.rows_per_run and push.rows_per_month are not set. Nothing was sent.', {
      hint: 'They bound how many rows may reach people.',
    });
  const limits = config.pushes.find((one) => one.name === name);
  // A clock that was set back opens no other month.
  const latest = Math.max(present.getTime(), ...pushes.map(({ updatedAt }) => updatedAt.getTime()));
  const ofRun = pushes.filter((push) => push.run === run);
  const ofMonth = pushes.filter(({ at }) => monthOf(at) === monthOf(new Date(latest)));
  const own = (some: readonly ledger.Push[]) => some.filter((push) => push.name === name);
  for (const [setting, limit = Number.POSITIVE_INFINITY, counted] of [
    // A single limit counts for both, so that the missing one does not mean unlimited.
    ['push.rows_per_run', rowsPerRun ?? rowsPerMonth, ofRun],
    ['push.rows_per_month', rowsPerMonth ?? rowsPerRun, ofMonth],
    ['rows_per_run of this push', limits?.rows_per_run, own(ofRun)],
    ['rows_per_month of this push', limits?.rows_per_month, own(ofMonth)],
  ] as const) {
    const left = Math.max(
      0,
      counted.reduce((rest, { sent, unknown }) => rest - sent - unknown, limit),
    );
    if (rows > left)
      return new RefusedError(
        `${setting} leaves ${plural(left, 'row')}, and the push has ${plural(rows, 'row')}. Nothing was sent.`,
        { hint: 'Narrow the query, or raise the limit.' },
      );
  }
  return undefined;
}

/** So many refused calls in a row: the service refuses the push, not its rows. */
const HOPELESS = 256;

const SETTLED = {
  taken: 'acknowledged',
  rejected: 'refused',
  refused: 'refused',
  unknown: 'ambiguous',
} as const;

/** A push under way; `refused` counts its refused calls in a row. */
interface Sending {
  readonly push: string;
  readonly wanted: Wanted;
  /** The class of columns with which the rows are compared. */
  readonly columns: string;
  readonly config: ServiceConfig;
  readonly invocation: Invocation;
  readonly journal: Journal;
  readonly service: ServiceClient;
  readonly pushed: PushedRows;
  readonly made_with: string;
  readonly standing: boolean;
  readonly counted: { sent: number; rejected: number; calls: number };
  refused: number;
}

/** Sends the rows in one call, and divides them if the service does not take all, until the refused rows are found. */
async function send(sending: Sending, rows: readonly z.infer<typeof row>[]): Promise<void> {
  const { push, config, invocation, journal, service, pushed, made_with, counted } = sending;
  const failure = (reason: string) =>
    new ServiceError(`The push to ${wanted.target} stopped: ${reason}.`, {
      hint: `The service acknowledged ${plural(counted.sent, 'row')} of this command. The same command sends the others.`,
    });
  const deletes = rows[0]?.deletes === true;
  const wanted: Wanted = deletes ? { ...sending.wanted, mode: 'delete' } : sending.wanted;
  const { target, once } = wanted;
  invocation.signal.throwIfAborted();
  if (sending.refused > HOPELESS) throw failure(`${HOPELESS} calls in a row were refused`);
  const items = rows.map(({ item }) => item);
  const request = requestOf(wanted, config.projectId, items);
  // The token comes first, so that a call that lacks one is never recorded as intended.
  const permit = await service.authorize();
  const call = ++counted.calls;
  const columns = deletes ? GONE : sending.columns;
  const line = await pushed.append({ target, push, call, made_with, columns, rows });
  if (once) await journal.append(ledger.PUSH, { event: 'intended', push, call, rows: rows.length, line });
  const answer = await (request.once ? permit.sendOnce(request) : service.ask(request).catch(withoutWords));
  invocation.effects.reach('push/answered');
  const { is, taken, isGone, reason, text } = outcomeOf(wanted, answer, rows.length, config.push);
  const [outcome, note] = [SETTLED[is], is === 'taken' ? undefined : reason];
  if (once) await journal.append(ledger.PUSH, { event: 'settled', push, call, outcome, note });
  if (is === 'refused') throw failure(reason);
  if (is === 'unknown') {
    // The output of a night is kept, and this text must not be.
    if (text !== undefined && !sending.standing)
      invocation.terminal.warn(
        `The service said: “${shownText(service.secrets.hide(text), items)}”. If it says that none was taken, list it in dawnload.yaml under push.refusals; if it answers events and says that all were, under push.acknowledgements, with {count} for the number of rows.`,
      );
    const own = ledger.pushesOf(journal).filter(({ id }) => id === push);
    throw new ServiceError('The outcome of a call is unknown, so the push stopped.', {
      hint: own.map(ledger.adviceOn).join(),
    });
  }
  sending.refused = taken > 0 && isGone !== true ? 0 : sending.refused + 1;
  if (taken === rows.length) {
    if (!once) await pushed.append({ push, call, taken: true });
    counted.sent += taken;
  } else if (rows.length === 1) {
    await pushed.append({ push, reason: note ?? 'the service did not count it', rows });
    counted.rejected++;
  } else {
    const middle = Math.ceil(rows.length / 2);
    await send(sending, rows.slice(0, middle));
    await send(sending, rows.slice(middle));
  }
}

/** Throws the error without the service's words, which may repeat a value of what was sent. */
function withoutWords(error: unknown): never {
  if (!(error instanceof CredentialsError)) throw error;
  throw new CredentialsError('The service denies what was pushed.', {
    hint: 'Check that project_id belongs to the access key.',
  });
}

/** Says in one sentence what a push did, or what it would do. */
export function sentenceOn({ target, once }: Wanted, { plan, id, sent, rejected, calls }: Pushed): string {
  const reasons = Object.entries(plan.invalid).map(([why, rows]) => `${formatCount(rows)} × ${why}`);
  const why = reasons.length === 0 ? '' : ` (${reasons.slice(0, 5).join(', ')})`;
  const changed = once
    ? 'sent before with other values, and left out; name a column in --key if its values tell rows apart'
    : 'changed';
  const isDone = id !== undefined;
  const parts: readonly (readonly [number, string])[] = [
    [isDone ? 0 : plan.new, 'new'],
    [isDone && !once ? 0 : plan.changed, changed],
    [isDone ? 0 : plan.missing, 'missing, to be deleted'],
    [isDone ? 0 : plan.set_to_null, 'values set to null'],
    [plan.unchanged, 'unchanged'],
    [rejected, `rejected${why}`],
    [plan.left, 'left after four rejections'],
    [plan.unknown, 'left because it is not known whether the service has them'],
    [plan.erased, 'left because the persons were erased'],
  ];
  const did = isDone ? `Pushed ${plural(sent, 'row')}` : `Would push ${plural(plan.to_send, 'row')}`;
  const others = parts.flatMap(([count, what]) => (count > 0 ? [`${formatCount(count)} ${what}`] : []));
  const rest = others.length === 0 ? '' : `; ${others.join(', ')}`;
  return `${did} to ${target} in ${plural(calls, 'call')} (${id ?? 'dry run'})${rest}.`;
}

/** Makes the pushes of the settings in order. A push that fails has its outcome, and the next one follows. */
export async function pushNightly(config: ServiceConfig, invocation: Invocation, journal: Journal) {
  const outcomes: { step: string; failed: boolean; sentence: string }[] = [];
  for (const settings of config.pushes) {
    const { name } = settings;
    const step = `push ${name}`;
    invocation.terminal.progress(`pushing ${name}`);
    try {
      const wanted = configuredPush(settings);
      const pushed = await pushRows(wanted, config, invocation, journal, { standing: true });
      outcomes.push({ step, failed: false, sentence: `${name}: ${sentenceOn(wanted, pushed)}` });
    } catch (error) {
      if (error instanceof InterruptedError) throw error;
      const why = error instanceof DawnloadError ? error.sentences : messageOf(error);
      outcomes.push({ step, failed: true, sentence: `The push ${name} failed: ${why}` });
    }
  }
  return outcomes;
}
