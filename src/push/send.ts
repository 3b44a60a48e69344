/**
 * The one way in which rows leave: planned, agreed, and sent call by call. The intent of a call is durable before it
 * leaves, what the service said of it after.
 */
import { createHash } from 'node:crypto';
import type { ServiceConfig } from '../config/config.js';
import type { Invocation } from '../config/invocation.js';
import type { PushSettings } from '../config/schema.js';
import { Register } from '../erasure/register.js';
import {
  CredentialsError,
  DawnloadError,
  InterruptedError,
  messageOf,
  RefusedError,
  ServiceError,
} from '../ground/errors.js';
import { assertNotForgotten, type Journal } from '../journal/journal.js';
import { dataFiles } from '../landing/paths.js';
import { GONE, PushedRows } from '../landing/pushed-rows.js';
import { ServiceClient } from '../service/client.js';
import { assertClocksAgree, presentOf } from '../service/clocks.js';
import { formatCount, plural } from '../terminal/text.js';
import { hmacKey, keyFingerprint } from '../warehouse/privacy.js';
import { hashingSession } from '../warehouse/warehouse.js';
import {
  adviceOn,
  lostCalls,
  named,
  nextId,
  PUSH,
  pushesOf,
  recordLost,
  spentBy,
  waits,
  type CallLine,
  type Push,
} from './ledger.js';
import {
  keyOf,
  planOf,
  readRemembered,
  rowsOf,
  writeAnswer,
  type Plan,
  type Row,
  type WantedPush,
} from './plan.js';
import { outcomeOf, parseTarget, requestOf, shownText, type Target } from './targets.js';

export interface Pushed {
  readonly plan: Plan;
  /** The id of the push; undefined if nothing was begun: a dry run. */
  readonly id: string | undefined;
  /** Rows that the service took, rows that were rejected, and calls. */
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

/** The parts that a push uses. */
interface Work extends How {
  readonly wanted: WantedPush;
  readonly config: ServiceConfig;
  readonly invocation: Invocation;
  readonly journal: Journal;
  readonly service: ServiceClient;
  /** The pushes to all targets before this one. */
  readonly pushes: readonly Push[];
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
  wanted: WantedPush,
  config: ServiceConfig,
  invocation: Invocation,
  journal: Journal,
  how: How,
): Promise<Pushed> {
  const { effects, signal, version, runId: run } = invocation;
  const { dataDir } = config;
  const { target } = wanted;
  const { kind, name: of, mode, text, once } = target;
  const all = pushesOf(journal);
  const pushes = all.filter((one) => one.target === text);
  const ambiguous = pushes.find((one) => waits(one));
  if (ambiguous !== undefined) throw new RefusedError(adviceOn(ambiguous));
  const key = await hmacKey(dataDir, effects);
  const madeWith = keyFingerprint(key);
  const session = await hashingSession(config, key, dataFiles(dataDir).temp);
  const service = new ServiceClient(config, effects, signal, version);
  try {
    const pushed = await PushedRows.open(dataDir, text, effects);
    const lines = await readRemembered(session, pushed.path, pushes);
    await assertRemembered(lines, pushes, journal, madeWith);
    const found = await writeAnswer(session, wanted, config, { key, now: effects.now(), service });
    const sources = JSON.stringify([found.source, { kind, name: of, mode }]);
    const source = createHash('sha256').update(sources).digest('base64url');
    // Items of catalogs are not personal.
    const erased = kind === 'catalog-items' ? [] : new Register(journal, madeWith).ids;
    const plan = await planOf(session, wanted, pushes, { source, erased, standing: how.standing === true });
    const work: Work = { ...how, wanted, config, invocation, journal, service, pushes: all };
    const counted = { sent: 0, rejected: plan.rejected, calls: 0 };
    if (how.dryRun === true) {
      const over = overLimits(work, plan);
      if (over !== undefined) invocation.terminal.warn(`This would be refused: ${over.message}`);
      return { plan, id: undefined, ...counted, calls: plan.calls.length };
    }
    await assertAllowed(work, plan);
    const remembered = lines.map(({ push }) => push);
    const id = nextId(all, remembered, effects.now());
    const about = { target: text, mode, name: wanted.name, key: keyOf(wanted).join(), source, once, run };
    const planned = plan.send + plan.gone;
    await journal.append(PUSH, { event: 'begun', push: id, ...about, planned, counts: plan.counts });
    const sending: Sending = { ...work, id, pushed, madeWith, counted, refused: 0 };
    const end = (note?: string) => journal.append(PUSH, { event: 'ended', push: id, ...counted, note });
    const deleting: Target = { ...target, mode: 'delete', takesAway: true };
    try {
      for (const { call, deletes } of plan.calls) {
        const rows = await rowsOf(session, call);
        await (deletes ? send(sending, rows, deleting, GONE) : send(sending, rows, target, found.class));
      }
    } catch (error) {
      const note = error instanceof DawnloadError ? error.message : 'It ended with an unforeseen error.';
      await end(note).catch(() => undefined);
      throw error;
    }
    await end();
    return { plan, id, ...counted };
  } finally {
    session.close();
    await service.close();
  }
}

/**
 * Compares the calls of E13 and E16 in the journal with their lines in `ledger/pushed/`.
 *
 * @param pushes the pushes to the target
 * @throws DamageError if lines are missing, or were altered, and no person agreed to it (`recover`)
 * @throws RefusedError if rows were hashed with another key
 */
async function assertRemembered(
  lines: readonly CallLine[],
  pushes: readonly Push[],
  journal: Journal,
  fingerprint: string,
): Promise<void> {
  const known = new Set(pushes.flatMap(({ calls }) => calls.map(({ line }) => line)));
  if (lines.some(({ line, made_with }) => known.has(line) && made_with !== fingerprint))
    throw new RefusedError(
      'The rows in ledger/pushed were hashed with another key than private/hmac.key. Nothing was sent.',
      {
        hint: 'Rows could be sent twice. Restore the key from its newest backup; docs/recovery.md says what to do without one.',
      },
    );
  await recordLost(lostCalls(pushes, lines), journal);
  const doubt = assertNotForgotten(journal, []);
  if (doubt !== undefined) throw doubt;
}

/**
 * Compares the clocks and the limits, and asks for consent to every doubt.
 *
 * @throws RefusedError, ClockError; nothing was sent
 */
async function assertAllowed(work: Work, plan: Plan): Promise<void> {
  const { wanted, service, config, yes, standing } = work;
  const { terminal, signal } = work.invocation;
  const { send, gone, doubts } = plan;
  if (send + gone > 0) {
    await service.authorize();
    if (wanted.target.once || config.serviceClock !== 'ignore')
      assertClocksAgree(service, 'Nothing was sent.');
  }
  const over = overLimits(work, plan);
  if (over !== undefined) throw over;
  if (doubts.length === 0 || yes === true) return;
  if (standing !== true && (await terminal.confirm(`${doubts.join(' ')} Send it?`, signal))) return;
  throw new RefusedError(`Nothing was sent. ${doubts.join(' ')}`, { hint: '--yes sends it all the same.' });
}

/** The error if the rows are more than the settings allow, or the settings do not allow any. */
function overLimits(
  { wanted: { target, name }, service, config, invocation, pushes }: Work,
  { send, gone }: Plan,
): RefusedError | undefined {
  const { rowsPerRun: run, rowsPerMonth: month } = config.push;
  const rows = send + gone;
  if (rows > 0 && target.once && (run ?? month) === undefined)
    return new RefusedError('push.rows_per_run and push.rows_per_month are not set. Nothing was sent.', {
      hint: 'They bound how many rows may reach people.',
    });
  const present = presentOf(service);
  const all = spentBy(pushes, invocation.runId, present);
  const ofPush = spentBy(pushes, invocation.runId, present, name);
  const own = name === undefined ? undefined : config.pushes.find((one) => one.name === name);
  for (const [limit, used, setting] of [
    // A single limit counts for both, so that the missing one does not mean unlimited.
    [run ?? month, all.inRun, 'push.rows_per_run'],
    [month ?? run, all.inMonth, 'push.rows_per_month'],
    [own?.rows_per_run, ofPush.inRun, 'rows_per_run of this push'],
    [own?.rows_per_month, ofPush.inMonth, 'rows_per_month of this push'],
  ] as const) {
    const left = Math.max(0, (limit ?? Number.POSITIVE_INFINITY) - used);
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

/** The reason of a row that the service left out of its count (E14). */
const NOT_COUNTED = 'the service did not count it';

/** A push under way: what it has counted, and its refused calls in a row. */
interface Sending extends Work {
  readonly id: string;
  readonly pushed: PushedRows;
  readonly madeWith: string;
  readonly counted: { sent: number; rejected: number; calls: number };
  refused: number;
}

/**
 * Sends the rows in one call, and divides them if the service does not take all, until the refused rows are found.
 *
 * @param columns the class of columns with which the rows are compared
 */
async function send(sending: Sending, rows: readonly Row[], target: Target, columns: string): Promise<void> {
  const { id: push, counted, pushed, madeWith: made_with } = sending;
  const { service, config, invocation, journal } = sending;
  const items = rows.map(({ item }) => item);
  const failure = (reason: string) =>
    new ServiceError(`The push to ${target.text} stopped: ${reason}.`, {
      hint: `The service acknowledged ${plural(counted.sent, 'row')} of this command. The same command sends the others.`,
    });
  const divide = async (reason: string): Promise<void> => {
    if (rows.length === 1) {
      await pushed.append({ push, reason, rows });
      counted.rejected++;
      return;
    }
    const middle = Math.ceil(rows.length / 2);
    await send(sending, rows.slice(0, middle), target, columns);
    await send(sending, rows.slice(middle), target, columns);
  };
  invocation.signal.throwIfAborted();
  if (sending.refused > HOPELESS) throw failure(`${HOPELESS} calls in a row were refused`);
  const request = requestOf(target, config.projectId, items);
  // The token comes first, so that a call that lacks one is never recorded as intended.
  const permit = await service.authorize();
  const call = ++counted.calls;
  const line = await pushed.append({ target: target.text, push, call, made_with, columns, rows });
  if (request.once) await journal.append(PUSH, { event: 'intended', push, call, rows: rows.length, line });
  const answer = await (request.once ? permit.sendOnce(request) : service.ask(request).catch(withoutWords));
  invocation.effects.reach('push/answered');
  const outcome = outcomeOf(target, answer, rows.length, config.push);
  const settled = {
    taken: 'acknowledged',
    rejected: 'refused',
    refused: 'refused',
    unknown: 'ambiguous',
  } as const;
  const note = outcome.is === 'taken' ? undefined : outcome.reason;
  if (request.once)
    await journal.append(PUSH, { event: 'settled', push, call, outcome: settled[outcome.is], note });
  if (outcome.is === 'refused') throw failure(outcome.reason);
  if (outcome.is === 'unknown') {
    // The output of a night is kept, and this text must not be.
    if (outcome.text !== undefined && sending.standing !== true) {
      const shown = shownText(service.secrets.hide(outcome.text), items);
      const list =
        answer.verdict.kind === 'ok'
          ? 'If it says that all were taken, list it in dawnload.yaml under push.acknowledgements, with {count} for the number of rows; if that none was, under push.refusals.'
          : 'If it says that none was taken, list it in dawnload.yaml under push.refusals.';
      invocation.terminal.warn(`The service said: “${shown}”. ${list}`);
    }
    throw new ServiceError('The outcome of a call is unknown, so the push stopped.', {
      hint: adviceOn(named(push, pushesOf(journal))),
    });
  }
  const isNone = outcome.is === 'rejected' || outcome.isGone === true || outcome.rows === 0;
  sending.refused = isNone ? sending.refused + 1 : 0;
  if (outcome.is === 'rejected') return divide(outcome.reason);
  if (outcome.rows < rows.length) return divide(NOT_COUNTED);
  if (!request.once) await pushed.append({ push, call, taken: true });
  counted.sent += rows.length;
}

/** Throws the error without the service's words, which may repeat a value of what was sent. */
function withoutWords(error: unknown): never {
  if (!(error instanceof CredentialsError)) throw error;
  throw new CredentialsError(
    'The service denies what was pushed.',
    error.hint === undefined ? {} : { hint: error.hint },
  );
}

/** Says in one sentence what a push did, or what it would do. */
export function sentenceOn({ target }: WantedPush, { plan, id, sent, rejected, calls }: Pushed): string {
  const { counts, send, gone, nulls, invalid } = plan;
  const reasons = Object.entries(invalid).map(([why, rows]) => `${formatCount(rows)} × ${why}`);
  const why = reasons.length === 0 ? '' : ` (${reasons.slice(0, 5).join(', ')})`;
  const changed = target.once
    ? 'sent before with other values, and left out; name a column in --key if its values tell rows apart'
    : 'changed';
  const isDone = id !== undefined;
  const parts: readonly (readonly [number, string])[] = [
    [isDone ? 0 : counts.new, 'new'],
    [isDone && !target.once ? 0 : counts.changed, changed],
    [isDone ? 0 : gone, 'missing, to be deleted'],
    [isDone ? 0 : nulls, 'values set to null'],
    [counts.unchanged, 'unchanged'],
    [rejected, `rejected${why}`],
    [counts.left, 'left after four rejections'],
    [counts.unknown, 'left because it is not known whether the service has them'],
    [counts.erased, 'left because the persons were erased'],
  ];
  const others = parts.flatMap(([count, what]) => (count > 0 ? [`${formatCount(count)} ${what}`] : []));
  const rest = others.length === 0 ? '' : `; ${others.join(', ')}`;
  const did = isDone ? `Pushed ${plural(sent, 'row')}` : `Would push ${plural(send + gone, 'row')}`;
  return `${did} to ${target.text} in ${plural(calls, 'call')} (${id ?? 'dry run'})${rest}.`;
}

/** The push of an entry under `pushes`. */
export function wantedOf(settings: PushSettings): WantedPush {
  const { name, target, query, sql, file, params, key, mode, delete_missing: deleteMissing } = settings;
  const [kind = '', ...rest] = target.split(' ');
  const param = Object.entries(params).map(([parameter, value]) => `${parameter}=${value}`);
  const source = { name: query, sql, file, param };
  return { name, target: parseTarget(kind, rest.join(' '), mode), source, key, deleteMissing };
}

/** Makes the pushes of the configuration in order. A push that fails has its outcome, and the next one follows. */
export async function pushNightly(config: ServiceConfig, invocation: Invocation, journal: Journal) {
  const outcomes: { step: string; failed: boolean; sentence: string }[] = [];
  for (const settings of config.pushes) {
    const { name } = settings;
    const step = `push ${name}`;
    invocation.terminal.progress(`pushing ${name}`);
    try {
      const wanted = wantedOf(settings);
      const pushed = await pushRows(wanted, config, invocation, journal, { standing: true });
      outcomes.push({ step, failed: false, sentence: `${name}: ${sentenceOn(wanted, pushed)}` });
    } catch (error) {
      if (error instanceof InterruptedError) throw error;
      const hint = error instanceof DawnloadError ? ` ${error.hint ?? ''}` : '';
      const sentence = `The push ${name} failed: ${messageOf(error)}${hint}`.trim();
      outcomes.push({ step, failed: true, sentence });
    }
  }
  return outcomes;
}
