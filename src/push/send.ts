/**
 * The one way in which rows leave: planned, agreed, and sent call by call. The intent of a call is durable before it
 * leaves, what the service said of it after.
 */
import { createHash } from 'node:crypto';
import type { ServiceConfig } from '../config/config.js';
import type { Invocation } from '../config/invocation.js';
import type { PushSettings } from '../config/schema.js';
import { Register } from '../erasure/register.js';
import { DawnloadError, InterruptedError, messageOf, RefusedError, ServiceError } from '../ground/errors.js';
import type { Journal } from '../journal/journal.js';
import { dataFiles } from '../landing/paths.js';
import { GONE, PushedRows } from '../landing/pushed-rows.js';
import { ServiceClient, type Permit, type ServiceAnswer } from '../service/client.js';
import { assertClocksAgree, presentOf } from '../service/clocks.js';
import type { OnceRequest } from '../service/endpoints.js';
import {
  isMissing,
  isOfService,
  onceOutcome,
  refusalOf,
  shownText,
  takenBy,
  withoutWords,
  parseTarget,
  requestOf,
} from './targets.js';
import { formatCount, plural } from '../terminal/text.js';
import { hmacKey, keyFingerprint } from '../warehouse/privacy.js';
import type { Session } from '../warehouse/session.js';
import { hashingSession } from '../warehouse/warehouse.js';
import {
  adviceOn,
  callsOf,
  isUnfinished,
  PushLedger,
  sentRows,
  waits,
  type CallLine,
  type Push,
} from './ledger.js';
import {
  assertRemembered,
  callsIn,
  keyOf,
  planOf,
  readRemembered,
  rememberedCalls,
  writeAnswer,
  type Plan,
  type Row,
  type WantedPush,
} from './plan.js';

export interface Pushed {
  readonly plan: Plan;
  /** Undefined if nothing was begun: a dry run. */
  readonly push: Push | undefined;
  /** Rows that this command sent and the service took, and its calls. */
  readonly sent: number;
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
interface Work {
  readonly wanted: WantedPush;
  readonly config: ServiceConfig;
  readonly invocation: Invocation;
  readonly journal: Journal;
  readonly how: How;
  readonly ledger: PushLedger;
  /** The pushes to the target. */
  readonly pushes: readonly Push[];
  /** The rows of earlier calls to the target, and the lines of these calls. */
  readonly pushed: PushedRows;
  readonly lines: readonly CallLine[];
  readonly session: Session;
  readonly service: ServiceClient;
  readonly key: Uint8Array;
  /** The fingerprint of the key of the hashes. */
  readonly madeWith: string;
}

/**
 * Pushes the answer of a query; goes on with the unfinished push of the same query. Requires the lock.
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
  const { effects, signal, version } = invocation;
  const { dataDir } = config;
  const ledger = new PushLedger(journal, effects);
  const pushes = ledger.pushes.filter(({ target }) => target === wanted.target.text);
  const ambiguous = pushes.find(waits);
  if (ambiguous !== undefined) throw new RefusedError(adviceOn(ambiguous));
  const key = await hmacKey(dataDir, effects);
  const session = await hashingSession(config, key, dataFiles(dataDir).temp);
  const service = new ServiceClient(config, effects, signal, version);
  try {
    const pushed = await PushedRows.open(dataDir, wanted.target.text, effects);
    const lines = await readRemembered(session, pushed.path, pushes);
    await noteKilled(ledger, dataDir);
    const given = { wanted, config, invocation, journal, how, ledger, pushes };
    const work = { ...given, pushed, lines, session, service, key, madeWith: keyFingerprint(key) };
    const { plan, source, current } = await planned(work);
    if (how.dryRun === true) {
      let calls = 0;
      for await (const _ of callsIn(session, wanted.target, plan)) calls++;
      const over = overLimits(work, plan);
      if (over !== undefined) invocation.terminal.warn(`This would be refused: ${over.message}`);
      return { plan, push: undefined, sent: 0, calls };
    }
    await assertAllowed(work, plan);
    // A push of one row alone ends no other one.
    for (const one of wanted.only === undefined ? pushes.filter(isUnfinished) : [])
      if (one !== current) await ledger.write(one, { event: 'abandoned' });
    const push = current ?? (await begun(work, plan, source));
    const sending = new Sending(work, plan, push);
    try {
      await sending.all();
    } catch (error) {
      const note = error instanceof DawnloadError ? error.message : 'It ended with an unforeseen error.';
      await sending.noteSent().catch(() => undefined);
      await ledger.write(push, { event: 'stopped', note }).catch(() => undefined);
      throw error;
    }
    await sending.noteSent();
    // Once, at the end: the rows that fit may be others when a push goes on.
    for (const [reason, rows] of Object.entries(plan.invalid))
      await ledger.write(push, { event: 'rejected', rows, reason });
    await ledger.write(push, { event: 'done' });
    return { plan, push, ...sending.counted };
  } finally {
    session.close();
    await service.close();
  }
}

/** Notes in the journal the calls, to any target, that may be repeated of commands that were killed before they noted them. */
async function noteKilled(ledger: PushLedger, dataDir: string): Promise<void> {
  const killed = ledger.pushes.filter((push) => isUnfinished(push) && !push.once);
  const lines = killed.length === 0 ? [] : await rememberedCalls(dataDir);
  for (const push of killed) {
    const own = lines.filter((line) => line.push === push.id);
    const rows = sum(own.map((line) => (line.taken ? line.rows : 0))) - sentRows(push);
    const calls = own.length - callsOf(push);
    if (calls > 0) await ledger.write(push, { event: 'sent', rows, calls, run: push.run });
  }
}

/** Compares the rows of the query with those of earlier pushes. `current` is the unfinished push that goes on. */
async function planned(work: Work): Promise<{ plan: Plan; source: string; current: Push | undefined }> {
  const { wanted, config, invocation, journal, how, pushes, lines, session, service, key, madeWith } = work;
  const { target, only } = wanted;
  const { kind, name, mode, text } = target;
  const isConfirmed = await assertRemembered(lines, pushes, journal, madeWith);
  const now = invocation.effects.now();
  const found = await writeAnswer(session, wanted, config, { key, now, service });
  // Items of catalogs are not personal.
  await session.set({ erased_ids: kind === 'catalog-items' ? [] : new Register(journal, madeWith).ids });
  await session.run('push/erased');
  const sources = JSON.stringify([found.source, { kind, name, mode }]);
  const source = createHash('sha256').update(sources).digest('base64url');
  const unfinished = only === undefined ? pushes.filter((one) => isUnfinished(one) && !one.only) : [];
  const current = unfinished.find((one) => one.source === source);
  const other = unfinished.find((one) => one !== current);
  if (other?.once === true) {
    throw new RefusedError(`Push ${other.id} to ${other.target} is not finished, and it had another query.`, {
      hint: `Make that push again, or give it up by \`dawnload push abandon ${other.id}\`.`,
    });
  }
  const known = new Set(pushes.map(({ id }) => id));
  const isUnknown = found.pushes.some((one) => one.target === text && !known.has(one.id));
  const isForgotten = isConfirmed || (target.once && isUnknown);
  const about = { pushes, current, source, isForgotten, standing: how.standing === true };
  return { plan: await planOf(session, wanted, found, about), source, current };
}

async function begun(work: Work, { counts }: Plan, source: string): Promise<Push> {
  const { wanted, invocation, ledger, lines } = work;
  const { text, mode, once } = wanted.target;
  const { name, only } = wanted;
  const about = { target: text, mode, name, key: keyOf(wanted).join(), once, only: only !== undefined };
  const ids = lines.map((line) => line.push);
  return ledger.begin({ ...about, source, run: invocation.runId, counts }, ids);
}

/**
 * Compares the clocks and the limits, and asks for consent to every doubt.
 *
 * @throws RefusedError, ClockError; nothing was sent
 */
async function assertAllowed(work: Work, plan: Plan): Promise<void> {
  const { wanted, service, config, how } = work;
  const { terminal, signal } = work.invocation;
  const { send, gone, doubts } = plan;
  if (send + gone > 0) {
    await service.authorize();
    if (wanted.target.once || config.serviceClock !== 'ignore')
      assertClocksAgree({ service }, 'Nothing was sent.');
  }
  const over = overLimits(work, plan);
  if (over !== undefined) throw over;
  if (doubts.length === 0 || how.yes === true) return;
  if (how.standing !== true && (await terminal.confirm(`${doubts.join(' ')} Send it?`, signal))) return;
  throw new RefusedError(`Nothing was sent. ${doubts.join(' ')}`, { hint: '--yes sends it all the same.' });
}

/** The error if the rows are more than the settings allow, or the settings do not allow any. */
function overLimits(
  { wanted: { target, name }, service, config, invocation, ledger }: Work,
  { send, gone }: Plan,
): RefusedError | undefined {
  const { rowsPerRun: run, rowsPerMonth: month } = config.push;
  const rows = send + gone;
  if (rows > 0 && target.once && (run ?? month) === undefined)
    return new RefusedError('push.rows_per_run and push.rows_per_month are not set. Nothing was sent.', {
      hint: 'They bound how many rows may reach people.',
    });
  const present = presentOf({ service, effects: invocation.effects, config });
  const all = ledger.spent(invocation.runId, present);
  const ofPush = ledger.spent(invocation.runId, present, name);
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

/** Statuses of a call that is refused for what one of its rows holds. */
const OF_ROWS: readonly (number | undefined)[] = [200, 400, 409, 413, 422];

/** So many refused calls in a row: the service refuses the push, not its rows. */
const HOPELESS = 256;

/** The reason of a row that the service left out of its count (E14). */
const NOT_COUNTED = 'the service did not count it';

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

class Sending {
  readonly counted = { sent: 0, calls: 0 };
  #target: WantedPush['target'];
  #columns: string;
  #call: number;
  #refused = 0;

  constructor(
    private readonly work: Work,
    private readonly plan: Plan,
    private readonly push: Push,
  ) {
    this.#target = work.wanted.target;
    this.#columns = plan.columns;
    this.#call = 1 + Math.max(0, ...work.lines.map((line) => (line.push === push.id ? line.call : 0)));
  }

  async all(): Promise<void> {
    const { session, wanted } = this.work;
    for await (const { rows, deletes } of callsIn(session, wanted.target, this.plan)) {
      if (deletes)
        [this.#target, this.#columns] = [{ ...wanted.target, mode: 'delete', takesAway: true }, GONE];
      await this.#send(rows);
    }
  }

  /** Notes in the journal the calls that may be repeated, and the rows that the service took. */
  async noteSent(): Promise<void> {
    const { push, counted, work } = this;
    const { sent: rows, calls } = counted;
    if (!push.once && calls > 0)
      await work.ledger.write(push, { event: 'sent', rows, calls, run: work.invocation.runId });
  }

  async #reject(rows: readonly Row[], reason: string): Promise<void> {
    const { ledger, pushed } = this.work;
    await pushed.append({ push: this.push.id, reason, rows });
    await ledger.write(this.push, { event: 'rejected', rows: rows.length, reason });
  }

  /** Sends the rows in one call. */
  async #send(rows: readonly Row[]): Promise<void> {
    const { push } = this;
    const { service, config, pushed, invocation, madeWith: made_with } = this.work;
    invocation.signal.throwIfAborted();
    if (this.#refused > HOPELESS) throw this.#failure(`${HOPELESS} calls in a row were refused`);
    const items = rows.map(({ item }) => item);
    const request = requestOf(this.#target, config.projectId, items);
    // The token comes first, so that a call that lacks one is never recorded as intended.
    const permit = await service.authorize();
    const call = this.#call++;
    const about = { target: this.#target.text, push: push.id, call, made_with };
    const line = await pushed.append({ ...about, columns: this.#columns, rows });
    this.counted.calls++;
    if (request.once) return this.#sendOnce(rows, request, { call, line, permit });
    const answer = await service.ask(request).catch(withoutWords);
    invocation.effects.reach('push/answered');
    const count = takenBy(request.endpoint, answer, rows.length);
    // An item that a repeated call does not find is taken away already.
    const isGone = this.#target.takesAway && rows.length === 1 && this.#isNoItem(answer);
    if (count === rows.length || isGone) {
      await pushed.append({ push: push.id, call, taken: true });
      this.counted.sent += rows.length;
      this.#refused = isGone ? this.#refused + 1 : 0;
    } else if (count === undefined) await this.#refusal(rows, answer);
    else if (count === 0) await this.#reject(rows, NOT_COUNTED);
    else await this.#divide(rows, NOT_COUNTED);
  }

  /** Sends a call that must not be repeated (E13, E16). */
  async #sendOnce(
    rows: readonly Row[],
    request: OnceRequest,
    { call, line, permit }: { call: number; line: string; permit: Permit },
  ): Promise<void> {
    const { push } = this;
    const { ledger, service, config, invocation, how } = this.work;
    const { runId: run, effects } = invocation;
    await ledger.write(push, { event: 'intended', call, run, rows: rows.length, line });
    const answer = await permit.sendOnce(request);
    effects.reach('push/answered');
    const endpoint = request.endpoint === 'E13' ? 'E13' : 'E16';
    const { outcome, text } = onceOutcome(endpoint, answer, rows.length, config.push);
    const note = outcome === 'acknowledged' ? undefined : refusalOf(answer);
    await ledger.write(push, { event: 'settled', call, outcome, note });
    if (outcome === 'acknowledged') {
      this.counted.sent += rows.length;
      this.#refused = 0;
      return;
    }
    if (outcome === 'refused') return this.#refusal(rows, answer);
    // The output of a night is kept, and this text must not be.
    if (text !== undefined && how.standing !== true) {
      const items = rows.map(({ item }) => item);
      const shown = shownText(service.secrets.hide(text), items);
      const list =
        answer.verdict.kind === 'ok'
          ? 'If it says that all were taken, list it in dawnload.yaml under push.acknowledgements, with {count} for the number of rows; if that none was, under push.refusals.'
          : 'If it says that none was taken, list it in dawnload.yaml under push.refusals.';
      invocation.terminal.warn(`The service said: “${shown}”. ${list}`);
    }
    throw new ServiceError(`The outcome of a call is unknown, so the push stopped. ${adviceOn(push)}`);
  }

  /** Divides the rows that the service does not take, until the refused rows are found. */
  async #refusal(rows: readonly Row[], answer: ServiceAnswer): Promise<void> {
    const isUnclear = answer.verdict.kind === 'ok' && !this.push.once;
    const reason = `${refusalOf(answer)}${isUnclear ? ', which does not say what was taken' : ''}`;
    const isOfRows =
      answer.verdict.kind === 'refused' && OF_ROWS.includes(answer.status) && isOfService(answer);
    if (!isOfRows && !this.#isNoItem(answer)) throw this.#failure(reason);
    this.#refused++;
    await this.#divide(rows, reason);
  }

  async #divide(rows: readonly Row[], reason: string): Promise<void> {
    if (rows.length === 1) return this.#reject(rows, reason);
    const middle = Math.ceil(rows.length / 2);
    await this.#send(rows.slice(0, middle));
    await this.#send(rows.slice(middle));
  }

  /** True if a catalog says that an item is not there. A replaced item need not be there, so the catalog is missing. */
  #isNoItem(answer: ServiceAnswer): boolean {
    const { mode } = this.#target;
    return (mode === 'patch' || mode === 'delete') && isMissing(answer);
  }

  #failure(reason: string): ServiceError {
    return new ServiceError(`The push to ${this.#target.text} stopped: ${reason}.`, {
      hint: `The service acknowledged ${plural(this.counted.sent, 'row')} of this command. The same command goes on with the others.`,
    });
  }
}

/** Says in one sentence what a push did, or what it would do. */
export function sentenceOn({ target }: WantedPush, { plan, push, sent, calls }: Pushed): string {
  const { counts, send, gone, nulls, invalid } = plan;
  const reasons = Object.entries(invalid).map(([why, rows]) => `${formatCount(rows)} × ${why}`);
  const why = reasons.length === 0 ? '' : ` (${reasons.slice(0, 5).join(', ')})`;
  const planned = [
    [counts.new, 'new'],
    [counts.changed, 'changed'],
    [gone, 'missing, to be deleted'],
    [nulls, 'values set to null'],
  ] as const;
  const left = [
    [counts.unchanged, 'unchanged'],
    // If the push continues an earlier one, the rows rejected then count too.
    [push?.rejected ?? sum(Object.values(invalid)), `rejected${why}`],
    [counts.left, 'left after four rejections'],
    [counts.unknown, 'left because it is not known whether the service has them'],
    [counts.erased, 'left because the persons were erased'],
  ] as const;
  const parts = [...(push === undefined ? planned : []), ...left];
  const others = parts.flatMap(([count, what]) => (count > 0 ? [`${formatCount(count)} ${what}`] : []));
  const rest = others.length === 0 ? '' : `; ${others.join(', ')}`;
  const did =
    push === undefined ? `Would push ${plural(send + gone, 'row')}` : `Pushed ${plural(sent, 'row')}`;
  return `${did} to ${target.text} in ${plural(calls, 'call')} (${push?.id ?? 'dry run'})${rest}.`;
}

/** The push of an entry under `pushes`. */
export function wantedOf(settings: PushSettings): WantedPush {
  const { name, target, query, sql, file, params, key, mode, delete_missing: deleteMissing } = settings;
  const [kind = '', ...rest] = target.split(' ');
  const param = Object.entries(params).map(([parameter, value]) => `${parameter}=${value}`);
  const source = { name: query, sql, file, param };
  return { name, target: parseTarget([kind, rest.join(' ')], mode), source, key, deleteMissing };
}

/** Makes the pushes of the configuration in order. A push that fails has its outcome, and the next one follows. */
export async function pushNightly(
  config: ServiceConfig,
  invocation: Invocation,
  journal: Journal,
): Promise<{ step: string; failed: boolean; sentence: string }[]> {
  const outcomes = [];
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
