/** Sends a push call by call: the intent is durable before a call leaves, what the service said of it after. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { ServiceClient, unanswered, type ServiceAnswer } from '../api/client.js';
import { BODY_BYTES } from '../api/limits.js';
import { namedIn, refusalOf, takenBy } from '../api/written.js';
import type { ServiceConfig } from '../config.js';
import { DawnloadError, messageOf, RefusedError, ServiceError } from '../errors.js';
import { erasedRows } from '../erasure/rows.js';
import { REFUSING_STATUSES, SIGNS_OF_WORK } from '../exports/request-outcome.js';
import { declaredFields } from '../reference/catalogs.js';
import type { Invocation } from '../run/invocation.js';
import { DurableFolder } from '../storage/atomic-file.js';
import { dataFiles, foldersOf } from '../storage/paths.js';
import { readIfThere } from '../storage/storage-error.js';
import { hmacKey } from '../warehouse/privacy.js';
import {
  adviceOn,
  GONE,
  isUnfinished,
  Memory,
  PushLedger,
  sentRows,
  type Outcome,
  type Push,
} from './ledger.js';
import { findRows, type Found } from '../queries/rows.js';
import { hashWith, planOf, type Item, type Plan, type Wanted } from './plan.js';
import { requestOf, takesAway, targetText, traitsOf, type Target } from './targets.js';

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
  how: How,
): Promise<Pushed> {
  const { effects, signal, version, runId } = invocation;
  const { dataDir } = config;
  const { target } = wanted;
  const hash = hashWith(await hmacKey(dataDir, effects));
  const ledger = await PushLedger.open(dataDir, effects);
  await ledger.settle();
  const sources = new Sources(dataDir, effects);
  const sourceHash = hash(
    `source ${JSON.stringify([wanted.source, wanted.key, target.mode, target.removes])}`,
  );
  const unfinished = ledger.pushes.filter((one) => isUnfinished(one) && one.target === targetText(target));
  const ambiguous = unfinished.find(({ state }) => state === 'ambiguous');
  if (ambiguous !== undefined) throw new RefusedError(adviceOn(ambiguous));
  const current =
    wanted.only === undefined ? unfinished.find(({ source }) => source === sourceHash) : undefined;
  const other = unfinished.find((one) => one !== current);
  if (other?.once === true && wanted.only === undefined) {
    throw new RefusedError(`Push ${other.id} to ${other.target} is not finished, and it had another query.`, {
      hint: `Go on with it by \`dawnload push resume ${other.id}\`, or give it up by \`dawnload push abandon ${other.id}\`.`,
    });
  }
  const memory = await Memory.open(dataDir, targetText(target), ledger, effects);
  const found = await findRows(dataFiles(dataDir).published, wanted.source, effects.now());
  const service = new ServiceClient(config, effects, signal, version);
  try {
    const fields = await fieldsOf(target, service, config.baseUrl, found);
    const erased = await erasedRows(target.kind === 'catalog-items' ? [] : found.rows, config, effects);
    const { projectId, push: names } = config;
    const comparing = { memory, ledger, current, sourceHash, hash, projectId, names, fields, erased };
    const plan = planOf(wanted, found, comparing);
    if (how.dryRun === true)
      return { plan, push: undefined, sent: 0, rejected: 0, calls: callsFor(plan, target) };
    assertWithin(config, wanted, plan, ledger, runId, effects.now());
    if (plan.doubts.length > 0 && !(await how.agree(plan.doubts))) {
      throw new RefusedError(`Nothing was sent. ${plan.doubts.join(' ')}`, {
        hint: '--yes sends it all the same.',
      });
    }
    for (const one of unfinished)
      if (one !== current && !one.once) await ledger.write(one, { event: 'abandoned' });
    const about = {
      target: targetText(target),
      once: !traitsOf(target).repeatable,
      only: wanted.only !== undefined,
    };
    const push =
      current ??
      (await ledger.begin({
        ...about,
        name: wanted.name,
        key: wanted.key,
        source: sourceHash,
        run: runId,
        counts: plan.counts,
      }));
    await sources.keep(push, wanted);
    const sending = new Sending({
      ledger,
      memory,
      push,
      target,
      service,
      config,
      invocation,
      hash,
      c: plan.c,
    });
    try {
      for (const [reason, rows] of plan.invalid) await sending.reject(rows, reason);
      await sending.all(plan.send, target);
      await sending.all(plan.gone, { ...target, mode: 'delete' }, GONE);
    } catch (error) {
      const note = error instanceof DawnloadError ? error.message : 'It ended with an unforeseen error.';
      await ledger.write(push, { event: 'stopped', note }).catch(() => undefined);
      throw error;
    }
    await ledger.write(push, { event: 'done' });
    await sources.drop(push);
    return { plan, push, ...sending.counted };
  } finally {
    await service.close();
  }
}

/** The query of an unfinished push, which a person can resume. It is removed when the push ends. */
export class Sources {
  readonly #dataDir: string;
  readonly #disk: DurableFolder;

  constructor(dataDir: string, effects: Invocation['effects']) {
    this.#dataDir = dataDir;
    this.#disk = new DurableFolder(dataDir, effects);
  }

  #path({ id }: Push): string {
    return join(foldersOf(this.#dataDir).private, 'pushes', `${id}.json`);
  }

  keep(push: Push, wanted: Wanted): Promise<void> {
    return this.#disk.write(this.#path(push), JSON.stringify(wanted), 'push-source');
  }

  /** @throws RefusedError if it is not there */
  async read(push: Push): Promise<Wanted> {
    const text = await readIfThere(this.#path(push));
    if (text === undefined)
      throw new RefusedError(`The query of push ${push.id} is not kept any more.`, {
        hint: 'Give it up by `dawnload push abandon`, and push again.',
      });
    return kept.parse(JSON.parse(text.toString('utf8')));
  }

  drop(push: Push): Promise<void> {
    return rm(this.#path(push), { force: true });
  }
}

const text = z.string().optional();
const kept = z.object({
  target: z
    .object({
      kind: z.enum(['catalog-items', 'user-properties', 'opt-outs', 'events', 'journey']),
      name: z.string(),
      mode: z
        .enum(['replace', 'patch', 'delete'])
        .optional()
        .transform((mode) => mode),
      removes: z.boolean(),
    })
    .transform(({ mode, ...rest }) => ({ ...rest, mode })),
  source: z.object({ name: text, sql: text, file: text, param: z.array(z.string()).optional() }),
  ...{ name: text, key: text, only: text, deleteMissing: z.boolean().optional() },
});

async function fieldsOf(target: Target, service: ServiceClient, baseUrl: string, found: Found) {
  if (target.kind !== 'catalog-items') return undefined;
  const fields = await declaredFields(service, baseUrl, target.name);
  if (fields === null)
    throw new RefusedError(`The service has no catalog ${target.name}.`, { hint: 'Create it there first.' });
  const held = found.fields.filter(({ catalog }) => catalog === target.name);
  return fields ?? (held.length === 0 ? undefined : new Map(held.map(({ name, type }) => [name, type])));
}

/** @throws RefusedError if the rows are more than the settings allow, or the settings do not allow any */
function assertWithin(
  { push: { rowsPerRun, rowsPerMonth }, pushes }: ServiceConfig,
  { target, name }: Wanted,
  { send, gone }: Plan,
  ledger: PushLedger,
  run: string,
  now: Date,
): void {
  const own = pushes.find((one) => one.name === name);
  const rows = send.length + gone.length;
  if (!traitsOf(target).repeatable && (rowsPerRun ?? rowsPerMonth) === undefined && rows > 0) {
    throw new RefusedError(
      `Nothing is sent to ${targetText(target)} without push.rows_per_run and push.rows_per_month.`,
      { hint: 'Set them in dawnload.yaml: they bound how many rows may reach the service.' },
    );
  }
  const all = ledger.spent(ledger.pushes, run, now);
  const mine = ledger.spent(
    ledger.pushes.filter((one) => one.name === name),
    run,
    now,
  );
  for (const [limit, used, setting] of [
    [rowsPerRun ?? rowsPerMonth, all.inRun, 'push.rows_per_run'],
    [rowsPerMonth ?? rowsPerRun, all.inMonth, 'push.rows_per_month'],
    [own?.rows_per_run, mine.inRun, `rows_per_run of ${name ?? ''}`],
    [own?.rows_per_month, mine.inMonth, `rows_per_month of ${name ?? ''}`],
  ] as const) {
    if (limit === undefined || rows <= limit - used || rows === 0) continue;
    throw new RefusedError(
      `${rows} rows are over ${setting}: ${Math.max(0, limit - used)} of ${limit} are left. Nothing was sent.`,
      { hint: 'Narrow the query, or raise the limit.' },
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

/** So many refused calls without a row that was taken: the service refuses the push, not its rows. */
const HOPELESS = 64;

interface Context {
  readonly ledger: PushLedger;
  readonly memory: Memory;
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

  constructor(context: Context) {
    this.#context = context;
    this.#target = context.target;
    this.#c = context.c;
  }

  async all(rows: readonly Item[], target: Target, c = this.#context.c): Promise<void> {
    [this.#target, this.#c] = [target, c];
    for (const batch of batches(rows, traitsOf(target).most)) await this.#call(batch);
  }

  async reject(rows: readonly { k: string; r: string }[], reason: string): Promise<void> {
    const { memory, push } = this.#context;
    this.counted.rejected += rows.length;
    await memory.reject(push, reason, this.#c, rows);
  }

  /** Sends the rows in one call; what the service does not take is divided until the refused rows are found. */
  async #call(rows: readonly Item[]): Promise<void> {
    const { service, config, ledger, memory, push, invocation, hash } = this.#context;
    const target = this.#target;
    invocation.signal.throwIfAborted();
    const request = requestOf(
      target,
      config.projectId,
      rows.map(({ item }) => item),
    );
    // The token comes first, so that a call that lacks one is never recorded as intended.
    const permit = await service.authorize();
    const call = push.calls.size + 1;
    await memory.intend(push, call, this.#c, rows);
    const payload = hash(`payload ${JSON.stringify(request.body)}`);
    await ledger.write(push, { event: 'intended', call, run: invocation.runId, rows: rows.length, payload });
    this.counted.calls++;
    const answer = await (request.once ? permit.sendOnce(request) : service.ask(request));
    invocation.effects.reach('push/answered');
    const settle = (outcome: Outcome, note?: string): Promise<Push> =>
      ledger.write(push, { event: 'settled', call, outcome, note });
    const taken = takenBy(request.endpoint, answer, rows.length);
    if (taken === rows.length || this.#isGone(answer, rows)) {
      await settle('acknowledged');
      memory.acknowledged(this.#c, rows);
      this.counted.sent += rows.length;
    } else if (request.once && !isRefusal(answer)) {
      if (answer.verdict.kind === 'unreachable' && !answer.verdict.sent) {
        await settle('withdrawn', answer.verdict.reason);
        throw this.#failure(answer);
      }
      const note =
        taken === undefined
          ? `The answer is unknown (${this.#words(answer, rows)}).`
          : `The service counts ${taken} of ${rows.length} rows.`;
      await settle('ambiguous', note);
      throw new ServiceError(`The outcome of a call is unknown, so the push stopped. ${adviceOn(push)}`);
    } else if (taken !== undefined) {
      await settle('short', `The service counts ${taken} of ${rows.length} rows.`);
      await (taken === 0
        ? this.reject(rows, 'the service did not count it')
        : this.#divide(rows, 'the service did not count it'));
    } else {
      const reason = this.#words(answer, rows);
      await settle('refused', refusalOf(answer));
      const isMissing = target.kind === 'catalog-items' && answer.status === 404;
      if (!(answer.verdict.kind === 'refused' && OF_ROWS.includes(answer.status)) && !isMissing)
        throw this.#failure(answer, reason);
      if (++this.#refused > HOPELESS && this.counted.sent === 0)
        throw new ServiceError(`The service has refused all of ${HOPELESS} calls (${reason}).`);
      const named =
        target.kind === 'catalog-items' ? namedIn(answer.body, rows.length) : new Map<number, string>();
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

  /** True if the only row is taken away already: a repeated call finds nothing. */
  #isGone({ status }: ServiceAnswer, rows: readonly Item[]): boolean {
    return (
      takesAway(this.#target) && this.#target.kind === 'catalog-items' && status === 404 && rows.length === 1
    );
  }

  /** The service's words, if they repeat no value of the rows. */
  #words(answer: ServiceAnswer, rows: readonly Item[]): string {
    const { verdict } = answer;
    const said = verdict.kind === 'ok' ? 'it does not say what was taken' : verdict.reason;
    const values = rows.flatMap(({ item }) => valuesIn(item));
    return values.some((value) => said.includes(value)) ? refusalOf(answer) : said;
  }

  #failure({ verdict }: ServiceAnswer, reason = 'no usable answer'): ServiceError {
    const what = targetText(this.#target);
    if (verdict.kind === 'unreachable' && !verdict.sent)
      return unanswered(what, this.#context.config.baseUrl, verdict);
    return new ServiceError(`The push to ${what} stopped: ${messageOf(reason)}.`, {
      hint: `${sentRows(this.#context.push)} rows were taken. The same command goes on with the others.`,
    });
  }
}

/** True if the service clearly refused a call that is sent once, so that none of its rows was taken. */
function isRefusal({ verdict, status, body }: ServiceAnswer): boolean {
  return (
    /^(refused|forbidden|unauthorized|busy)$/.test(verdict.kind) &&
    REFUSING_STATUSES.has(status ?? 0) &&
    /^\s*\{.*"(error|message)"/s.test(body.toString('utf8', 0, 4_096)) &&
    !SIGNS_OF_WORK.test(body.toString('utf8'))
  );
}

/** The texts and numbers of an item that are long enough to be recognised. */
function valuesIn(item: unknown): string[] {
  if (typeof item === 'object' && item !== null) return Object.values(item).flatMap(valuesIn);
  const value = typeof item === 'string' || typeof item === 'number' ? String(item) : '';
  return value.length > 2 ? [value] : [];
}
