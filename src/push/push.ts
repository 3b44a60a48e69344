/** Sends a push call by call: the intent is durable before a call leaves, what the service said of it after. */
import { ServiceClient, unanswered, type ServiceAnswer } from '../api/client.js';
import { BODY_BYTES } from '../api/limits.js';
import { isRefusal, namedIn, refusalOf, takenBy, withoutWords, wordsOf } from '../api/written.js';
import type { ServiceConfig } from '../config.js';
import { DawnloadError, RefusedError, ServiceError } from '../errors.js';
import type { Journal } from '../journal/journal.js';
import { erasedRows } from '../erasure/rows.js';
import { declaredFields } from '../reference/catalogs.js';
import type { Invocation } from '../invocation.js';
import { KeptQueries } from '../storage/kept-queries.js';
import { dataFiles } from '../storage/paths.js';
import { hmacKey } from '../warehouse/privacy.js';
import { GONE, hashWith, RowHashes } from '../storage/row-hashes.js';
import { adviceOn, callsOf, isUnfinished, PushLedger, sentRows, type Outcome, type Push } from './ledger.js';
import { findRows } from '../queries/rows.js';
import { planOf, type Item, type Plan, type Wanted } from './plan.js';
import { isOnce, requestOf, takesAway, targetText, traitsOf, type Target } from './targets.js';

export interface Pushed {
  readonly plan: Plan;
  /** Undefined if nothing was begun: a dry run. */
  readonly push: Push | undefined;
  /** Rows that this command sent and the service took, and rows that it refused. */
  readonly sent: number;
  readonly rejected: number;
  readonly calls: number;
}

interface How {
  readonly dryRun?: boolean | undefined;
  /** Asks a person who may go on in spite of doubts. */
  agree(doubts: readonly string[]): Promise<boolean>;
}

/**
 * Pushes the answer of a query; goes on with the unfinished push of the same query. Requires the lock.
 *
 * @throws RefusedError if the budget, a doubt or an earlier push forbids it; nothing was sent
 * @throws UsageError, CredentialsError, ServiceError, StorageError; what was acknowledged is not sent again
 */
export async function pushRows(
  wanted: Wanted,
  config: ServiceConfig,
  invocation: Invocation,
  journal: Journal,
  how: How,
): Promise<Pushed> {
  const { effects, signal, version, runId } = invocation;
  const { dataDir } = config;
  const { target } = wanted;
  const hash = hashWith(await hmacKey(dataDir, effects));
  const ledger = new PushLedger(journal, effects);
  await ledger.settle();
  const unfinished = ledger.pushes.filter((one) => isUnfinished(one) && one.target === targetText(target));
  const ambiguous = unfinished.find(({ state }) => state === 'ambiguous');
  if (ambiguous !== undefined) throw new RefusedError(adviceOn(ambiguous));
  const found = await findRows(dataFiles(dataDir).published, wanted.source, effects.now());
  const source = hash(`source ${JSON.stringify([found.source, wanted.key, target, wanted.only])}`);
  const isWhole = wanted.only === undefined;
  const current = unfinished.find((one) => one.source === source);
  const other = unfinished.find((one) => one !== current && !one.only);
  if (other?.once === true && isWhole) {
    throw new RefusedError(`Push ${other.id} to ${other.target} is not finished, and it had another query.`, {
      hint: `Go on with it by \`dawnload push resume ${other.id}\`, or give it up by \`dawnload push abandon ${other.id}\`.`,
    });
  }
  const memory = await RowHashes.open(dataDir, targetText(target), ledger.stateOf, effects);
  const service = new ServiceClient(config, effects, signal, version);
  try {
    const isCatalog = target.kind === 'catalog-items';
    const stored = found.fields.filter(({ catalog }) => catalog === target.name);
    const fields = isCatalog ? await declaredFields(service, config.baseUrl, target.name, stored) : undefined;
    const erased = await erasedRows(isCatalog ? [] : found.rows, config, journal, effects);
    const { projectId, push: names } = config;
    const hashesIds = config.privacy.columns.some((one) => one.name === 'user_id' && one.rule === 'hash');
    const comparing = { hashesIds, memory, ledger, current, source, hash, projectId, names, fields, erased };
    const plan = planOf(wanted, found, comparing);
    if (how.dryRun === true)
      return { plan, push: undefined, sent: 0, rejected: 0, calls: callsFor(plan, target) };
    const rows = plan.send.length + plan.gone.length;
    if (rows > 0) assertWithin(config, wanted, rows, (name) => ledger.spent(runId, effects.now(), name));
    if (plan.doubts.length > 0 && !(await how.agree(plan.doubts))) {
      throw new RefusedError(`Nothing was sent. ${plan.doubts.join(' ')}`, {
        hint: '--yes sends it all the same.',
      });
    }
    const queries = new KeptQueries(dataDir, effects);
    for (const one of unfinished.filter((one) => isWhole && one !== current)) {
      await ledger.write(one, { event: 'abandoned' });
      await queries.drop(one.id);
    }
    const { name, key } = wanted;
    const { mode } = target;
    const about = { target: targetText(target), mode, name, key, once: isOnce(target), only: !isWhole };
    const push = current ?? (await ledger.begin({ ...about, source, run: runId, counts: plan.counts }));
    const bundled = wanted.source.name === undefined ? { sql: found.source[0] } : {};
    await queries.keep(push.id, { ...wanted, source: { ...wanted.source, file: undefined, ...bundled } });
    const sending = new Sending({ ...comparing, push, target, service, config, invocation, c: plan.c });
    /** Notes what calls that may be repeated took, also those of a command that was killed. */
    const noteSent = async (): Promise<void> => {
      const all = memory.takenBy(push.id);
      const [rows, calls] = [all.rows - sentRows(push), all.calls - callsOf(push)];
      if (!push.once && calls > 0) await ledger.write(push, { event: 'sent', rows, calls, run: runId });
    };
    try {
      for (const [reason, rows] of plan.invalid) await sending.reject(rows, reason);
      await sending.all(plan.send, target);
      await sending.all(plan.gone, { ...target, mode: 'delete' }, GONE);
    } catch (error) {
      const note = error instanceof DawnloadError ? error.message : 'It ended with an unforeseen error.';
      await noteSent().catch(() => undefined);
      await ledger.write(push, { event: 'stopped', note }).catch(() => undefined);
      throw error;
    }
    await noteSent();
    await ledger.write(push, { event: 'done' });
    await queries.drop(push.id);
    return { plan, push, ...sending.counted };
  } finally {
    await service.close();
  }
}

/** @throws RefusedError if the rows are more than the settings allow, or the settings do not allow any */
function assertWithin(
  { push: { rowsPerRun: run, rowsPerMonth: month }, pushes }: ServiceConfig,
  { target, name }: Wanted,
  rows: number,
  spent: (name?: string) => { readonly inRun: number; readonly inMonth: number },
): void {
  const own = name === undefined ? undefined : pushes.find((one) => one.name === name);
  const refuse = (what: string, hint: string): void => {
    throw new RefusedError(`${what} Nothing was sent.`, { hint });
  };
  if (isOnce(target) && (run ?? month) === undefined)
    refuse(
      'push.rows_per_run and push.rows_per_month are not set.',
      'They bound how many rows may reach people.',
    );
  for (const [limit, used, setting] of [
    // A single limit counts for both, so that the missing one does not mean unlimited.
    [run ?? month, spent().inRun, 'push.rows_per_run'],
    [month ?? run, spent().inMonth, 'push.rows_per_month'],
    [own?.rows_per_run, spent(name).inRun, 'rows_per_run of this push'],
    [own?.rows_per_month, spent(name).inMonth, 'rows_per_month of this push'],
  ] as const) {
    const left = Math.max(0, (limit ?? Number.POSITIVE_INFINITY) - used);
    if (rows > left)
      refuse(
        `${rows} rows are over ${setting}, of which ${left} are left.`,
        'Narrow the query, or raise it.',
      );
  }
}

function* batches(rows: readonly Item[], most: number): Generator<readonly Item[]> {
  let batch: Item[] = [];
  let bytes = 0;
  for (const row of rows) {
    if (batch.length === most || bytes + row.bytes > BODY_BYTES) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(row);
    bytes += row.bytes;
  }
  if (batch.length > 0) yield batch;
}

export function callsFor({ send, gone }: Plan, target: Target): number {
  const { most } = traitsOf(target);
  return [...batches(send, most)].length + [...batches(gone, most)].length;
}

/** Statuses of a call that is refused for what one of its rows holds. */
const OF_ROWS: readonly (number | undefined)[] = [200, 400, 409, 413, 422];

/** So many refused calls in a row: the service refuses the push, not its rows. */
const HOPELESS = 256;

interface Context {
  readonly ledger: PushLedger;
  readonly memory: RowHashes;
  readonly push: Push;
  readonly target: Target;
  readonly service: ServiceClient;
  readonly config: ServiceConfig;
  readonly invocation: Invocation;
  readonly hash: (text: string) => string;
  readonly c: string;
}

class Sending {
  readonly counted = { sent: 0, rejected: 0, calls: 0 };
  readonly #context: Context;
  #target: Target;
  #c: string;
  #refused = 0;
  /** The number of the last call that may be repeated. */
  #last: number;

  constructor(context: Context) {
    this.#context = context;
    this.#target = context.target;
    this.#c = context.c;
    this.#last = context.memory.lastCall(context.push.id);
  }

  async all(rows: readonly Item[], target: Target, c = this.#context.c): Promise<void> {
    [this.#target, this.#c] = [target, c];
    for (const batch of batches(rows, traitsOf(target).most)) await this.#call(batch);
  }

  async reject(rows: readonly { k: string; r: string }[], reason: string): Promise<void> {
    const { ledger, memory, push } = this.#context;
    this.counted.rejected += rows.length;
    await memory.reject(push.id, reason, this.#c, rows);
    await ledger.write(push, { event: 'rejected', rows: rows.length, reason });
  }

  /** Sends the rows in one call; what the service does not take is divided until the refused rows are found. */
  async #call(rows: readonly Item[]): Promise<void> {
    const { service, config, ledger, memory, push, invocation, hash } = this.#context;
    const target = this.#target;
    invocation.signal.throwIfAborted();
    const items = rows.map(({ item }) => item);
    const request = requestOf(target, config.projectId, items);
    // The token comes first, so that a call that lacks one is never recorded as intended.
    const permit = await service.authorize();
    const call = request.once ? push.calls.size + 1 : ++this.#last;
    await memory.intend(push.id, call, this.#c, rows);
    if (request.once) {
      const payload = hash(`payload ${JSON.stringify(request.body)}`);
      await ledger.write(push, {
        event: 'intended',
        call,
        run: invocation.runId,
        rows: rows.length,
        payload,
      });
    }
    this.counted.calls++;
    const answer = await (request.once ? permit.sendOnce(request) : service.ask(request).catch(withoutWords));
    invocation.effects.reach('push/answered');
    const settle = async (outcome: Outcome, note?: string): Promise<void> => {
      if (request.once) await ledger.write(push, { event: 'settled', call, outcome, note });
      else if (outcome === 'acknowledged') await memory.settle(push.id, call);
    };
    const taken = takenBy(request.endpoint, answer, rows.length);
    const isMissing = target.kind === 'catalog-items' && answer.status === 404;
    // An item that a repeated call does not find is taken away already.
    if (taken === rows.length || (isMissing && takesAway(target) && rows.length === 1)) {
      await settle('acknowledged');
      memory.acknowledged(this.#c, rows);
      this.counted.sent += rows.length;
      this.#refused = 0;
    } else if (request.once && !isRefusal(answer)) {
      if (answer.verdict.kind === 'unreachable' && !answer.verdict.sent) {
        await settle('withdrawn', answer.verdict.reason);
        throw this.#failure(answer);
      }
      const note =
        taken === undefined
          ? `The answer is unknown (${wordsOf(answer, items)}).`
          : `The service counts ${taken} of ${rows.length} rows.`;
      await settle('ambiguous', note);
      throw new ServiceError(`The outcome of a call is unknown, so the push stopped. ${adviceOn(push)}`);
    } else if (taken !== undefined) {
      await settle('short', `The service counts ${taken} of ${rows.length} rows.`);
      await (taken === 0
        ? this.reject(rows, 'the service did not count it')
        : this.#divide(rows, 'the service did not count it'));
    } else {
      const reason = wordsOf(answer, items);
      await settle('refused', refusalOf(answer));
      if (!(answer.verdict.kind === 'refused' && OF_ROWS.includes(answer.status)) && !isMissing)
        throw this.#failure(answer, reason);
      this.#refused += isMissing ? 0 : 1;
      if (this.#refused > HOPELESS) throw this.#failure(answer, `${HOPELESS} calls were refused, ${reason}`);
      const named = namedIn(answer, rows.length);
      for (const [nth, why] of named) await this.reject(rows.slice(nth, nth + 1), why);
      const rest = rows.filter((_, nth) => !named.has(nth));
      if (named.size > 0 && rest.length > 0) await this.#call(rest);
      else if (named.size === 0) await this.#divide(rows, refusalOf(answer));
    }
  }

  async #divide(rows: readonly Item[], reason: string): Promise<void> {
    if (rows.length === 1) return this.reject(rows, reason);
    const middle = Math.ceil(rows.length / 2);
    await this.#call(rows.slice(0, middle));
    await this.#call(rows.slice(middle));
  }

  #failure({ verdict }: ServiceAnswer, reason = 'no usable answer'): ServiceError {
    const what = targetText(this.#target);
    if (verdict.kind === 'unreachable' && !verdict.sent)
      return unanswered(what, this.#context.config.baseUrl, verdict);
    return new ServiceError(`The push to ${what} stopped: ${reason}.`, {
      hint: `${sentRows(this.#context.push)} rows were taken. The same command goes on with the others.`,
    });
  }
}
