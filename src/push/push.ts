/** The one way in which rows leave: planned, agreed, and sent call by call. */
import { createHash } from 'node:crypto';
import { ServiceClient } from '../service/client.js';
import { assertClocksAgree, presentOf } from '../service/clocks.js';
import type { ServiceConfig } from '../config/config.js';
import { DawnloadError, RefusedError } from '../ground/errors.js';
import { Register } from '../erasure/register.js';
import type { Journal } from '../journal/journal.js';
import type { Invocation } from '../config/invocation.js';
import { findRows } from '../readers/queries/rows.js';
import { declaredFields } from '../reference/catalogs.js';
import { KeptQueries } from '../landing/kept-queries.js';
import { dataFiles } from '../landing/paths.js';
import { PushedRows } from '../landing/pushed-rows.js';
import { formatCount, plural } from '../terminal/text.js';
import { fingerprintOf, hmacKey, keyFingerprint } from '../warehouse/privacy.js';
import type { Session } from '../warehouse/session.js';
import { hashingSession } from '../warehouse/warehouse.js';
import { adviceOn, isUnfinished, PushLedger, type Push } from './ledger.js';
import { callsIn, keyOf, planOf, writeRows, type Plan, type Wanted } from './plan.js';
import { assertRemembered, readRemembered, type Decision } from './remembered.js';
import { Sending } from './sending.js';
import { checkColumns, isOnce, targetText } from './targets.js';

export interface Pushed {
  readonly plan: Plan;
  /** Undefined if nothing was begun: a dry run. */
  readonly push: Push | undefined;
  /** Rows that this command sent and the service took, and rows that it refused. */
  readonly sent: number;
  readonly rejected: number;
  readonly calls: number;
  /** The first rows of a dry run, as JSON texts. */
  readonly samples: readonly string[];
}

interface How {
  readonly dryRun?: boolean | undefined;
  /** The decision about a stopped push, with which it goes on. */
  readonly decision?: Decision | undefined;
  /** True if the settings agree that rows reach people: a push of the night. */
  readonly standing?: boolean;
  /** Asks a person who may go on in spite of doubts. */
  agree(doubts: readonly string[]): Promise<boolean>;
  /** Shows a text of the service to a person; it is kept nowhere. */
  show(text: string): void;
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
  wanted: Wanted,
  config: ServiceConfig,
  invocation: Invocation,
  journal: Journal,
  how: How,
): Promise<Pushed> {
  const { effects, signal, version, runId } = invocation;
  const { dataDir } = config;
  const { target, only, name } = wanted;
  const text = targetText(target);
  const ledger = new PushLedger(journal, effects);
  await ledger.settle();
  const unfinished = ledger.of(text).filter(isUnfinished);
  const ambiguous = unfinished.find(({ state, id }) => state === 'ambiguous' && id !== how.decision?.id);
  if (ambiguous !== undefined) throw new RefusedError(adviceOn(ambiguous));
  const key = await hmacKey(dataDir, effects);
  const session = await hashingSession(config, key, dataFiles(dataDir).temp);
  const service = new ServiceClient(config, effects, signal, version);
  try {
    const pushed = await PushedRows.open(dataDir, text, effects);
    const lines = await readRemembered(session, pushed, text, ledger, how.decision);
    const isForgotten = await assertRemembered(lines, text, ledger, journal, keyFingerprint(key));
    const published = dataFiles(dataDir).published;
    const privacy = { ...config.privacy, key };
    const found = await findRows(
      published,
      { ...wanted.source, queries: config.queries },
      effects.now(),
      privacy,
      session,
    );
    const stored = found.fields.filter(({ catalog }) => catalog === target.name);
    const fields =
      target.kind === 'catalog-items'
        ? await declaredFields(service, config.baseUrl, target.name, stored)
        : undefined;
    checkColumns(target, found, keyOf(wanted), fields);
    const { projectId, push: names } = config;
    const hashes = fingerprintOf(privacy) !== undefined;
    await writeRows(session, wanted, found, { projectId, names, fields, hashes });
    await findErased(wanted, session, new Register(journal, keyFingerprint(key)));

    const isWhole = only === undefined;
    const source = createHash('sha256')
      .update(JSON.stringify([found.source, target]))
      .digest('base64url');
    const current =
      how.decision === undefined
        ? unfinished.find((one) => isWhole && !one.only && one.source === source)
        : ledger.get(how.decision.id);
    const other = unfinished.find((one) => one !== current && !one.only);
    if (other?.once === true && isWhole) {
      throw new RefusedError(
        `Push ${other.id} to ${other.target} is not finished, and it had another query.`,
        {
          hint: `Go on with it by \`dawnload push resume ${other.id}\`, or give it up by \`dawnload push abandon ${other.id}\`.`,
        },
      );
    }
    const plan = await planOf(session, wanted, found, { ledger, current, source, isForgotten });
    if (how.dryRun === true) return await dryRun(session, wanted, plan);

    const rows = plan.send + plan.gone;
    if (rows > 0) {
      await service.authorize();
      if (isOnce(target) || config.serviceClock !== 'ignore')
        assertClocksAgree({ service }, 'Nothing was sent.');
      const present = presentOf({ service, effects, config });
      assertWithin(config, wanted, rows, (of) => ledger.spent(runId, present, of));
    }
    await assertAgreed(plan, wanted, how);
    if (current !== undefined && how.decision !== undefined)
      await ledger.decide(current, 'resumed', how.decision.again);
    const queries = new KeptQueries(dataDir, effects);
    for (const one of unfinished.filter((one) => isWhole && one !== current)) {
      await queries.drop(one.id);
      await ledger.write(one, { event: 'abandoned' });
    }
    const about = { target: text, mode: target.mode, name, key: keyOf(wanted).join(), once: isOnce(target) };
    const begun = { ...about, only: !isWhole, source, run: runId, counts: plan.begun };
    const ids = lines.map(({ push }) => push);
    const push = current ?? (await ledger.begin(begun, ids));
    const bundled = wanted.source.name === undefined ? { sql: found.source[0] } : {};
    await queries.keep(push.id, { ...wanted, source: { ...wanted.source, file: undefined, ...bundled } });

    const first = 1 + Math.max(0, ...lines.filter((line) => line.push === push.id).map(({ call }) => call));
    const calling = { push, target, plan, first, isNew: push !== current };
    const tools = { ledger, pushed, session, service, config, invocation, how };
    const sending = new Sending(tools, { ...calling, madeWith: keyFingerprint(key) });
    try {
      await sending.all();
    } catch (error) {
      const note = error instanceof DawnloadError ? error.message : 'It ended with an unforeseen error.';
      await sending.noteSent().catch(() => undefined);
      await ledger.write(push, { event: 'stopped', note }).catch(() => undefined);
      throw error;
    }
    await sending.noteSent();
    // First, so that nothing of the query of a finished push stays after a kill.
    await queries.drop(push.id);
    await ledger.write(push, { event: 'done' });
    return { plan, push, ...sending.counted, samples: [] };
  } finally {
    session.close();
    await service.close();
  }
}

/** Finds the rows of persons in the register of erasures; items of catalogs are not personal. */
async function findErased({ target }: Wanted, session: Session, { ids }: Register): Promise<void> {
  if (ids.length === 0 || target.kind === 'catalog-items') return session.run('push/not_erased');
  await session.set({ erased_ids: ids });
  await session.run('push/erased');
}

async function dryRun(session: Session, { target }: Wanted, plan: Plan): Promise<Pushed> {
  const samples: string[] = [];
  let calls = 0;
  for (const name of ['push/to_send', 'push/to_delete'] as const) {
    if (name === 'push/to_delete' && plan.gone === 0) continue;
    for await (const rows of callsIn(session, name, target)) {
      calls++;
      if (samples.length < 3) samples.push(...rows.slice(0, 3 - samples.length).map(({ item }) => item));
    }
  }
  return { plan, push: undefined, sent: 0, rejected: 0, calls, samples };
}

/** Names every reason why a person has to agree. Throws `RefusedError` unless one does. */
async function assertAgreed({ doubts, send }: Plan, { target }: Wanted, how: How): Promise<void> {
  const reaches = isOnce(target) && send > 0 && how.standing !== true;
  const all = [...doubts, ...(reaches ? [reachText(send)] : [])];
  if (all.length === 0 || (await how.agree(all))) return;
  throw new RefusedError(`Nothing was sent. ${all.join(' ')}`, { hint: '--yes sends it all the same.' });
}

export const reachText = (rows: number): string => `${plural(rows, 'row')} would reach people.`;

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

/** Describes the result of a push in one sentence. */
export function sentenceOn({ target }: Wanted, pushed: Pushed): string {
  const { plan, push, sent, rejected, calls } = pushed;
  const { unchanged, left, unknown, erased } = plan.counts;
  const reasons = Object.entries(reasonsOf(pushed)).map(([why, rows]) => `${formatCount(rows)} × ${why}`);
  const why = reasons.length === 0 ? '' : ` (${reasons.slice(0, 5).join(', ')})`;
  const parts = [
    [unchanged, 'unchanged'],
    [rejected, `rejected${why}`],
    [left, 'left after four rejections'],
    [unknown, 'left because it is not known whether the service has them'],
    [erased, 'left because the persons were erased'],
  ] as const;
  const others = parts.flatMap(([count, what]) => (count > 0 ? [`${formatCount(count)} ${what}`] : []));
  const rest = others.length === 0 ? '' : `; ${others.join(', ')}`;
  return `Pushed ${plural(sent, 'row')} to ${targetText(target)} in ${plural(calls, 'call')} (${push?.id ?? 'dry run'})${rest}.`;
}

/** The number of rows that cannot be sent, by the reason. */
export function reasonsOf({ plan }: Pushed): Record<string, number> {
  return Object.fromEntries(plan.invalid.map(({ reason, rows }) => [reason, rows]));
}
