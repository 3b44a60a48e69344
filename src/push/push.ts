/**
 * Sends a query's rows to the service. SQL writes the rows as JSON, validates and hashes them, and compares them with rows sent earlier.
 * With your consent, they are sent call by call. Each intent is durable before its call is sent, and each outcome is recorded before it is
 * used.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Config, ServiceConfig } from '../config/config.js';
import type { Invocation } from '../config/invocation.js';
import { Register } from '../erasure/register.js';
import { monthOf } from '../ground/calendar.js';
import { CredentialsError, DawnloadError, RefusedError, ServiceError, UsageError } from '../ground/errors.js';
import type { Entry, Journal, LineOf } from '../journal/journal.js';
import { dataFiles } from '../disk/paths.js';
import { findRows } from '../readers/queries/rows.js';
import { declaredFields } from '../streams/reference/pull.js';
import { ServiceClient } from '../service/client.js';
import { withoutValuesOf } from '../service/verdict.js';
import { formatCount, plural } from '../terminal/text.js';
import { fingerprintOf, hmacKey, keyFingerprint } from '../warehouse/privacy.js';
import type { Session } from '../warehouse/session.js';
import { hashingSession } from '../warehouse/warehouse.js';
import * as ledger from './ledger.js';
import { frameOf, outcomeOf, requestOf, type Wanted } from './targets.js';

/** The number of rows by outcome, the reasons of rows that cannot be sent, and the rows to send. */
const planShape = ledger.pushCounts.extend({
  invalid: z.string().transform((json) => z.record(z.string(), z.number()).parse(JSON.parse(json))),
  missing: z.number(),
  to_send: z.number(),
  set_to_null: z.number(),
  calls: z.number(),
});
type Plan = z.infer<typeof planShape>;

/** A row that can be sent, as JSON text; `deletes` is true for an item to delete because the query lacks it. */
const row = z.object({ k: z.string(), r: z.string(), item: z.string(), deletes: z.boolean() });

/** After this number of consecutive refused calls, the cause is not in the rows, so the push stops. */
const HOPELESS = 256;

export type Pushed = Awaited<ReturnType<typeof pushRows>>;

/** A push, and the parts of the program that it uses. */
interface Pushing {
  readonly wanted: Wanted;
  readonly config: ServiceConfig;
  readonly invocation: Invocation;
  readonly journal: Journal;
  /** All earlier pushes, to any target. */
  readonly pushes: readonly ledger.Push[];
  /** A database whose macros hash ids with `key`. */
  readonly session: Session;
  readonly service: ServiceClient;
  readonly key: Uint8Array;
  /** True for a nightly push: the settings give the consent, and nobody can be asked. */
  readonly standing: boolean;
}

/**
 * Pushes the answer of a query. Requires the lock. Returns the plan, the reasons why you must agree, the id of the push
 * (undefined for a dry run), the calls, the rows that the service accepted, and the rows that it rejected or that cannot be sent.
 *
 * @param how `standing` for a nightly push; `yes` if you consent to every doubt in advance; otherwise the command asks you
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
  {
    standing = false,
    yes = false,
    dryRun = false,
  }: Partial<Record<'standing' | 'yes' | 'dryRun', boolean | undefined>>,
) {
  const { effects, terminal } = invocation;
  terminal.progress(`pushing ${wanted.name ?? wanted.target}`);
  const pushes = ledger.pushesOf(journal);
  const ambiguous = pushes.find(({ target, state }) => target === wanted.target && state === 'ambiguous');
  if (ambiguous !== undefined) throw new RefusedError(ledger.adviceOn(ambiguous));
  const key = await hmacKey(config.dataDir, effects);
  const session = await hashingSession(config, key, dataFiles(config.dataDir).temp);
  await using service = ServiceClient.open(config, invocation);
  try {
    const pushing = { wanted, config, invocation, journal, pushes, session, service, key, standing };
    const compared = await compareRows(pushing);
    const { plan, rejected } = compared;
    const doubts = doubtsOn(pushing, plan);
    if (plan.to_send > 0 && !dryRun) await assertReady(pushing);
    const over = excessOf(pushing, plan.to_send);
    if (dryRun) {
      if (over !== undefined) terminal.warn(`This would be refused: ${over.message}`);
      return { plan, doubts, id: undefined, sent: 0, rejected, calls: plan.calls };
    }
    if (over !== undefined) throw over;
    if (doubts.length > 0 && !yes) await assertConsent(doubts.join(' '), pushing);
    return { plan, doubts, ...(await sendRows(compared, pushing)) };
  } finally {
    session.close();
  }
}

/** The rows of a query, compared with rows sent earlier. */
interface Compared {
  readonly plan: Plan;
  /** The number of rows that cannot be sent. */
  readonly rejected: number;
  /** The class of columns: rows are compared only within it. */
  readonly columns: string;
  /** The rows of earlier calls; this push adds its own. */
  readonly pushed: ledger.PushedRows;
  /** The id of this push. */
  readonly push: string;
}

/** Runs the query and compares its rows with those of earlier calls, in tables of the session. */
async function compareRows(pushing: Pushing): Promise<Compared> {
  const { wanted, config, invocation, journal, pushes, session, service, key } = pushing;
  const { effects } = invocation;
  const pushed = await ledger.PushedRows.open(config.dataDir, wanted.target, effects);
  const toTarget = pushes.filter(({ target }) => target === wanted.target);
  const remembered = await ledger.callsIn(pushed.path);
  await ledger.assertRemembered(journal, toTarget, remembered, keyFingerprint(key));
  await readRemembered(session, pushed.path, toTarget);
  const named = await writeRows(session, wanted, config, key, effects.now());
  // Catalog items are not personal data.
  const isOfItems = wanted.kind === 'catalog-items';
  const erased_ids = isOfItems ? [] : new Register(journal, keyFingerprint(key)).ids;
  checkColumns(wanted, named, isOfItems ? await declaredFields(service, wanted.word) : undefined);
  const columns = classOf(wanted, named);
  await session.set({ columns });
  await session.run('push/compared', { erased_ids });
  const plan = await session.row('push/plan', planShape);
  const rejected = Object.values(plan.invalid).reduce((sum, rows) => sum + rows, 0);
  return { plan, rejected, columns, pushed, push: ledger.nextId(pushes, remembered, effects.now()) };
}

/** Gets a token. Throws ClockError if the clocks differ, unless the target or the settings ignore that. */
async function assertReady({ wanted, config, service }: Pushing): Promise<void> {
  await service.authorize();
  if (wanted.once || config.serviceClock !== 'ignore') service.clocks.assertAgree('Nothing was sent.');
}

/** @throws RefusedError unless you agree to the doubts; a nightly push throws, because nobody can be asked */
async function assertConsent(doubts: string, { wanted, invocation, standing }: Pushing): Promise<void> {
  const { terminal, signal } = invocation;
  if (!standing && (await terminal.confirm(`${doubts} Send it?`, signal))) return;
  const command = wanted.name === undefined ? '--yes' : `\`dawnload push ${wanted.name} --yes\``;
  throw new RefusedError(`Nothing was sent. ${doubts}`, { hint: `Run ${command} to send it anyway.` });
}

/** Sends the rows, between the lines of the journal that begin and end the push. */
async function sendRows(compared: Compared, pushing: Pushing) {
  const { plan, push, rejected } = compared;
  const { target, mode, name, key, once } = pushing.wanted;
  const record = (line: Entry<LineOf<typeof ledger.PUSH>>) => pushing.journal.append(ledger.PUSH, line);
  const counts = ledger.pushCounts.parse(plan);
  const run = pushing.invocation.runId;
  await record({ event: 'begun', push, target, mode, name, key, once, run, planned: plan.to_send, counts });
  const counted = { sent: 0, rejected, calls: 0 };
  const end = (note?: string) => record({ event: 'ended', push, ...counted, note });
  try {
    await sendCalls(plan.calls, { ...pushing, ...compared, counted });
  } catch (error) {
    const note = error instanceof DawnloadError ? error.message : 'It ended with an unexpected error.';
    await end(note).catch(() => undefined);
    throw error;
  }
  await end();
  return { id: push, ...counted };
}

/** A push in progress. */
interface Sending extends Pushing, Omit<Compared, 'rejected'> {
  /** Running totals of the calls. */
  readonly counted: { sent: number; rejected: number; calls: number };
}

type Row = z.infer<typeof row>;

/** Sends the planned calls. A call that the service accepts only partly is split until the refused rows are found. */
async function sendCalls(calls: number, sending: Sending): Promise<void> {
  const { wanted, invocation, session, pushed, push, counted } = sending;
  const parts: Row[][] = [];
  let refused = 0;
  for (let next = 1; next <= calls || parts.length > 0;) {
    const rows = parts.shift() ?? (await session.rows('push/call', row, { call: next++ }));
    invocation.signal.throwIfAborted();
    if (refused >= HOPELESS) throw stopped(`${HOPELESS} calls in a row were refused`, sending);
    const { taken, isGone, note } = await sendCall(rows, sending);
    refused = taken > 0 && isGone !== true ? 0 : refused + 1;
    if (taken === rows.length) {
      if (!wanted.once) await pushed.append({ push, call: counted.calls, taken: true });
      counted.sent += taken;
    } else if (rows.length > 1) {
      const middle = Math.ceil(rows.length / 2);
      parts.unshift(rows.slice(0, middle), rows.slice(middle));
    } else {
      await pushed.append({ push, reason: note ?? 'the service did not count it', rows });
      counted.rejected++;
    }
  }
}

/**
 * Sends one call. Its rows and, for E13 and E16, its intent are durable before it leaves, and its outcome before it is used.
 *
 * @throws ServiceError if the service refuses the push, or the outcome is unknown
 */
async function sendCall(rows: readonly Row[], sending: Sending) {
  const { wanted, config, invocation, journal, service, key, standing } = sending;
  const { push, pushed, columns, counted } = sending;
  const { once, target } = wanted;
  const isDeletion = rows[0]?.deletes === true;
  const called: Wanted = isDeletion ? { ...wanted, mode: 'delete' } : wanted;
  const items = rows.map(({ item }) => item);
  const request = requestOf(called, config.projectId, items);
  // Get the token first, so that a call without one is never recorded as intended.
  const permit = await service.authorize();
  const call = ++counted.calls;
  const line = await pushed.append({
    push,
    target,
    made_with: keyFingerprint(key),
    call,
    columns: isDeletion ? ledger.GONE : columns,
    rows,
  });
  if (once) await journal.append(ledger.PUSH, { event: 'intended', push, call, rows: rows.length, line });
  const answer = await (request.once ? permit.sendOnce(request) : service.ask(request).catch(withoutWords));
  invocation.effects.reach('push/answered');
  const meaning = outcomeOf(called, answer, rows.length, config.push);
  const { outcome, reason, text, taken, isGone, isOfRow } = meaning;
  const note = outcome === 'acknowledged' ? undefined : reason;
  if (once) await journal.append(ledger.PUSH, { event: 'settled', push, call, outcome, note });
  if (outcome === 'refused' && isOfRow !== true) throw stopped(reason, sending);
  if (outcome === 'ambiguous') {
    // The output of a night is stored, but this text must not be.
    if (text !== undefined && !standing)
      invocation.terminal.warn(
        `The service said: “${withoutValuesOf(service.secrets.hide(text), items)}”. If that means that no row was taken, add it to push.refusals in dawnload.yaml. If you pushed events and it means that all were taken, add it to push.acknowledgements, with {count} for the number of rows.`,
      );
    const hint = ledger.pushesOf(journal).slice(-1).map(ledger.adviceOn).join();
    throw new ServiceError('The outcome of a call is unknown, so the push stopped.', { hint });
  }
  return { taken, isGone, note };
}

function stopped(reason: string, { wanted: { target }, counted: { sent } }: Sending): ServiceError {
  return new ServiceError(`The push to ${target} stopped: ${reason}.`, {
    hint: `The service acknowledged ${plural(sent, 'row')} of this command. The same command sends the others.`,
  });
}

export async function readRemembered(session: Session, file: string, pushes: readonly ledger.Push[]) {
  await session.run('push/remembered', {
    file,
    calls: JSON.stringify(pushes.flatMap(({ intents }) => intents)),
  });
}

/**
 * Runs the query and writes its rows, as JSON with their hashes, into the table `rows_found`. Returns the query's columns.
 *
 * @throws UsageError if the query cannot be run
 * @throws RefusedError if the file lacks days that the query names
 * @throws ConfigError if the file was made under another setting of `privacy`
 */
export async function writeRows(
  session: Session,
  wanted: Wanted,
  config: Config,
  key: Uint8Array,
  now: Date,
) {
  const { source, ...target } = wanted;
  const privacy = { ...config.privacy, key };
  const asking = { ...source, queries: config.queries };
  const columns = await findRows(dataFiles(config.dataDir).published, asking, now, privacy, session);
  const hashes = fingerprintOf(privacy) !== undefined;
  await session.set({ target: { ...target, ...frameOf(wanted, config), hashes } });
  await session.run('push/macros');
  await session.run('push/rows');
  return columns;
}

/**
 * @param fields the fields of a catalog; undefined for another target, or if the service does not show them
 * @throws UsageError if the columns of a query do not fit the target
 */
function checkColumns(wanted: Wanted, columns: readonly string[], fields?: readonly string[]): void {
  const { identity, target, word, mode, keys, once, is_bare } = wanted;
  const check = (isFault: boolean, what: string, hint: string): void => {
    if (isFault) throw new UsageError(what, { hint });
  };
  const missing = [identity, ...keys].find((one) => !columns.includes(one));
  const rename = `Its columns are ${columns.join(', ')}. Name one \`as ${missing}\`.`;
  check(missing !== undefined, `The query has no column ${missing}, which ${target} needs.`, rename);
  const reserved = ['__proto__', ...(once ? ['userId', 'projectId', 'eventName'] : [])];
  const taken = columns.find((one) => reserved.includes(one));
  check(
    taken !== undefined,
    `The column ${taken} would replace a part of the request.`,
    'Give it another name.',
  );
  const unknown = fields && columns.find((one) => one !== identity && !fields.includes(one));
  const all = `Its fields are ${fields?.join(', ')}.`;
  check(unknown !== undefined && mode !== 'delete', `The catalog ${word} has no field ${unknown}.`, all);
  const isAlone = !is_bare && !once && columns.length < 2;
  check(isAlone, `The query has no column but ${identity}: nothing would be set.`, 'Add what is to be set.');
}

/** The class of columns with which rows are compared, as digests of their names; `*` means that items are replaced. */
function classOf({ mode, identity, is_bare, once }: Wanted, columns: readonly string[]): string {
  if (mode === 'delete') return ledger.GONE;
  if (is_bare || once) return '';
  const digest = (name: string) => createHash('sha256').update(name).digest('hex').slice(0, 16);
  const others = columns.filter((name) => name !== identity).map(digest);
  return [...(mode === 'replace' ? [ledger.GONE] : []), ...others.sort()].join();
}

/** The reasons why your consent is needed, one sentence each. */
function doubtsOn(
  { wanted, pushes, standing, journal }: Pushing,
  { rows, missing, to_send: toSend }: Plan,
): string[] {
  const { name, target, mode, key, once } = wanted;
  const toTarget = pushes.filter((one) => one.target === target);
  const own = toTarget.filter((one) => one.name === name && one.mode === mode);
  const last = own.findLast((one) => one.rows > 0 && one.state === 'done')?.rows ?? rows;
  const isOdd = rows > 0 && (rows > 10 * last || rows * 10 < last);
  // A call that `recover` entered has no key.
  const before = (own.at(-1) ?? toTarget.at(-1))?.key ?? key;
  const all: readonly (readonly [boolean, string])[] = [
    [rows === 0, 'The query has no rows.'],
    [isOdd, `This push has ${plural(rows, 'row')}; the last one had ${last}.`],
    [
      before !== key && toSend > missing,
      `The key of the rows was ${before} and is now ${key}, so rows may be sent again.`,
    ],
    [
      missing > rows,
      `${plural(missing, 'item')} would be deleted. The query has only ${plural(rows, 'row')}.`,
    ],
    [
      once && toSend > 0 && ledger.mayLackCalls(journal, toTarget),
      'The journal lost lines (`dawnload recover`) and this is the first push to the target since then, so rows may be sent again.',
    ],
    [once && toSend > 0 && !standing, `${plural(toSend, 'row')} would reach people.`],
  ];
  return all.flatMap(([is, sentence]) => (is ? [sentence] : []));
}

/** Returns an error if the rows exceed what is left of a limit. */
function excessOf(
  { wanted, pushes, config, invocation, service }: Pushing,
  rows: number,
): RefusedError | undefined {
  const { name, once } = wanted;
  const { rowsPerRun, rowsPerMonth } = config.push;
  // No limit means that no row may reach people. If only one limit is set, it is the limit of the run and of the month.
  const least = once ? 0 : undefined;
  const limits = config.pushes.find((one) => one.name === name);
  // Setting the clock back does not open another month's limit.
  const present = service.clocks.present().getTime();
  const latest = Math.max(present, ...pushes.map(({ updatedAt }) => updatedAt.getTime()));
  const ofRun = pushes.filter(({ run }) => run === invocation.runId);
  const ofMonth = pushes.filter(({ begunAt }) => monthOf(begunAt) === monthOf(new Date(latest)));
  const own = (some: readonly ledger.Push[]) => some.filter((one) => one.name === name);
  const bounds = [
    ['push.rows_per_run', rowsPerRun ?? rowsPerMonth ?? least, ofRun],
    ['push.rows_per_month', rowsPerMonth ?? rowsPerRun ?? least, ofMonth],
    ['rows_per_run of this push', limits?.rows_per_run, own(ofRun)],
    ['rows_per_month of this push', limits?.rows_per_month, own(ofMonth)],
  ] as const;
  const hint = 'Narrow the query, or raise the limit. Rows that reach people always need a limit.';
  const [over] = bounds.flatMap(([setting, limit = Number.POSITIVE_INFINITY, counted]) => {
    const left = counted.reduce((rest, { sent, unknown }) => Math.max(0, rest - sent - unknown), limit);
    return rows > left
      ? `${setting} leaves ${plural(left, 'row')}, and the push has ${plural(rows, 'row')}.`
      : [];
  });
  return over === undefined ? undefined : new RefusedError(`${over} Nothing was sent.`, { hint });
}

/** Rethrows the error without the service's text, which may repeat a value. */
function withoutWords(error: unknown): never {
  if (!(error instanceof CredentialsError)) throw error;
  throw new CredentialsError('The service denied access for this push.', {
    hint: 'Check that project_id belongs to the access key.',
  });
}

export function sentenceOn({ target, once }: Wanted, { plan, id, sent, rejected, calls }: Pushed): string {
  const reasons = Object.entries(plan.invalid).map(([why, rows]) => `${formatCount(rows)} × ${why}`);
  const why = reasons.length === 0 ? '' : ` (${reasons.slice(0, 5).join(', ')})`;
  const changed = once
    ? 'skipped, because rows with the same key were sent with other values (add columns to --key to tell them apart)'
    : 'changed';
  const isDone = id !== undefined;
  const parts: readonly (readonly [number, string])[] = [
    [isDone ? 0 : plan.new, 'new'],
    [isDone && !once ? 0 : plan.changed, changed],
    [isDone ? 0 : plan.missing, 'missing, to be deleted'],
    [isDone ? 0 : plan.set_to_null, 'values set to null'],
    [plan.unchanged, 'unchanged'],
    [rejected, `rejected${why}`],
    [plan.left, 'skipped after four rejections'],
    [plan.unknown, 'skipped, because the service may have them already'],
    [plan.erased, 'skipped, because the persons were erased'],
  ];
  const did = isDone ? `Pushed ${plural(sent, 'row')}` : `Would push ${plural(plan.to_send, 'row')}`;
  const others = parts.flatMap(([count, what]) => (count > 0 ? [`${formatCount(count)} ${what}`] : []));
  const rest = others.length === 0 ? '' : `; ${others.join(', ')}`;
  return `${did} to ${target} in ${plural(calls, 'call')} (${id ?? 'dry run'})${rest}.`;
}
