/** The checks of `doctor`, in the order a run depends on them. */
import type { Effects } from '../ground/effects.js';
import { existsSync } from 'node:fs';
import { rm, stat, statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { completeFrom, formatKst, lastCompleteDay, type Day } from '../ground/calendar.js';
import {
  isLoopback,
  assertEncrypted,
  heartbeatBefore,
  requireCredentials,
  requireLake,
  requireSettings,
  type Config,
} from '../config/config.js';
import { DamageError, DawnloadError, InterruptedError, messageOf } from '../ground/errors.js';
import { Register } from '../erasure/register.js';
import { LakeState } from '../lake/commits.js';
import { withLake } from '../lake/lake.js';
import { changesOf } from '../lake/replicate.js';
import { MOST_SKEW_MS, NOTABLE_SKEW_MS, skewInWords } from '../service/clocks.js';
import type { Invocation } from '../config/invocation.js';
import { Journal, RUN, runsOf, type PastRun } from '../journal/journal.js';
import { duckdbVersion } from '../disk/duckdb.js';
import { dataFiles, foldersOf } from '../disk/paths.js';
import { makeTemporary, nearestExisting, unwritable } from '../disk/storage-error.js';
import { excludedIds } from '../config/files.js';
import { assertSameProject } from '../night/data-folder.js';
import { daysNow, ledgerNow } from '../night/days-now.js';
import { daysIn, nightJob, notBegun } from '../night/wanted-days.js';
import { DAY_STREAMS } from '../streams/index.js';
import { readCopies } from '../streams/own/read.js';
import { copySource } from '../streams/own/source.js';
import { lockState } from '../disk/run-lock.js';
import { formatBytes, formatCount, formatDuration, plural } from '../terminal/terminal.js';
import { assertSamePrivacy, keyFingerprint, storedKey, storedPrivacy } from '../warehouse/privacy.js';
import { pushesOf } from '../push/ledger.js';
import { configuredPush } from '../push/targets.js';
import { loadCatalogue, questionOf } from '../readers/queries/catalogue.js';
import { assertReplaceable } from '../warehouse/publish.js';
import { readEveryBlock, Reader } from '../warehouse/reader.js';
import { contactService } from './contact.js';
import { landedDamage } from './landed.js';
import { sendTestAlert } from './alerts.js';

const checkShape = z.object({
  name: z.string(),
  verdict: z.enum(['ok', 'warn', 'fail']),
  reason: z.string(),
  /** Null if the check succeeded. */
  remedy: z.string().nullable(),
});

export type Check = z.infer<typeof checkShape>;
type Finding = Omit<Check, 'name'>;

export const ok = (reason: string): Finding => ({ verdict: 'ok', reason, remedy: null });
const warn = (reason: string, remedy: string): Finding => ({ verdict: 'warn', reason, remedy });
const fail = (reason: string, remedy: string): Finding => ({ verdict: 'fail', reason, remedy });

/** Optional checks, named like the options of the command. */
export interface Extent {
  readonly first?: boolean;
  readonly deep?: boolean;
  readonly sendTestAlert?: boolean;
}

/** Runs all checks, also after failures. A check is skipped only if it would repeat another one's finding. */
export async function* examine(
  { first, deep, sendTestAlert: alerted }: Extent,
  invocation: Invocation,
): AsyncGenerator<Check> {
  const now = invocation.effects.now();
  yield check('versions', () =>
    ok(`dawnload ${invocation.version}, Node ${process.version}, DuckDB ${duckdbVersion()}`),
  );
  let loaded: Config | undefined;
  yield await check('settings', () => {
    loaded = invocation.loadConfig();
    requireSettings(loaded, 'baseUrl', 'projectId', 'startDate');
    const { file = 'no settings file, only the environment', exports } = loaded;
    // Throws if one of the user's queries has an incomplete header.
    loadCatalogue(loaded.queries);
    const faults = pushFaults(loaded, now);
    if (faults.length > 0) return warn(faults.join(' '), 'Correct these; the other pushes run.');
    return ok(`${file}; paid exports are ${exports.budget === undefined ? 'off' : 'on, within the budget'}`);
  });
  if (loaded === undefined) return;
  const config = loaded;
  const { dataDir, startDate } = config;
  const journal = (): Promise<Journal> => Journal.read(config, invocation.effects);

  yield check('keys', () => keys(config));
  if (!isRehearsal(config)) yield* lookAtService(config, invocation);
  yield check('permissions', () => permissions(config));
  // Reading a large table may take as long as its settings allow. The copy is removed afterwards.
  for (const table of config.tables)
    yield check(
      `table ${table.name}`,
      () => ownTable(table, config, invocation),
      (table.max_minutes + 1) * 60_000,
    );
  if (config.excluded.length > 0)
    yield check('exclude', () =>
      ok(`${plural(excludedIds(config.excluded).length, 'id')} of staff and test people`),
    );
  yield check('disk', () => disk(dataDir));
  yield check('lock', () => lock(dataDir, now));
  const project = await check('project', async () => {
    assertSameProject(await journal(), config);
    return ok(`${dataDir} is for project ${config.projectId ?? '(not set)'}`);
  });
  yield project;
  if (project.verdict === 'ok') yield check('ledger', () => ledger(config, invocation.effects));
  const runs = async (): Promise<PastRun[]> => runsOf((await journal()).of(RUN));
  const file = await check('warehouse', async () => warehouse(config, await runs()));
  yield file;
  if (project.verdict === 'ok' && file.verdict !== 'fail' && startDate !== undefined)
    yield check('days', () => days({ ...config, startDate }, invocation.effects));
  yield check('erasures', () => erasures(config, invocation.effects));
  yield check('last run', async () => lastRun(await runs(), now, (await lockState(dataDir)).taken));
  yield check('alerts', () => alerts(config, invocation));
  if (alerted === true) yield check('test alert', () => testAlert(config, invocation));
  if (config.lake !== undefined) yield check('lake', () => lake(config, invocation));
  const { working, published } = dataFiles(dataDir);
  if (first === true && file.verdict !== 'fail') yield* firstAccount(published);
  if (deep !== true) return;
  for (const [name, path] of Object.entries({ 'published file': published, 'private file': working }))
    if (existsSync(path)) yield check(name, () => everyBlock(path, dataDir), DEEP_PATIENCE_MS);
  yield check('landing zone', () => landedFiles(config, invocation.effects), DEEP_PATIENCE_MS);
}

/** Sentences about entries under `pushes` with a wrong query, parameter or file. */
function pushFaults({ pushes, queries }: Config, now: Date): string[] {
  return pushes.flatMap((push) => {
    try {
      questionOf({ ...configuredPush(push).source, queries }, now);
      return [];
    } catch (error) {
      return [`The push ${push.name}: ${messageOf(error)}`];
    }
  });
}

/** The assumptions about the service, in the order in which you confirm them with a first account. */
async function* firstAccount(published: string): AsyncGenerator<Check> {
  if (!existsSync(published)) {
    const remedy = 'Start `dawnload run`; docs/first-account.md has the steps.';
    yield { name: 'first: run', ...warn('nothing was published yet', remedy) };
    return;
  }
  yield* await Reader.using(published, (reader) => reader.rows('first/account', checkShape));
}

/** Reads a copy of an own table as a run does. Commands are not run. */
async function ownTable(
  table: Config['tables'][number],
  config: Config,
  invocation: Invocation,
): Promise<Finding> {
  if (table.command !== undefined) return ok('each night runs its command');
  const folder = makeTemporary('dawnload-doctor-');
  try {
    const files = await copySource(table, folder, { config, invocation });
    const out = join(folder, 'read.parquet');
    const { rows, columns } = await readCopies({ table, files, out, folder }, invocation.signal);
    const shown = columns.map(({ name, kind }) => (kind === 'text' ? `${name} (text)` : name)).join(', ');
    const { at, value = at } = config.conversions?.table === table.name ? config.conversions : {};
    const isTyped = (name?: string): boolean =>
      name === undefined || columns.some((one) => one.name === name && one.kind === 'value');
    if (isTyped(at) && isTyped(value)) return ok(`${plural(rows, 'row')} with ${shown}`);
    return fail(
      `\`conversions\` needs the column ${isTyped(at) ? value : at}, which is missing or a text. The columns are ${shown}.`,
      'Correct `conversions`, or write days as 2026-11-01 and numbers as 39000.',
    );
  } catch (error) {
    if (!(error instanceof DamageError)) throw error;
    return fail(messageOf(error), `Correct tables.${table.name}, or the file.`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Maximum duration of a check in milliseconds: 30 seconds, or six hours for a check that reads complete files. */
const PATIENCE_MS = 30_000;
const DEEP_PATIENCE_MS = 6 * 60 * 60_000;

/**
 * Runs one check with a time limit. An error becomes the finding.
 *
 * @throws InterruptedError
 */
export async function check(
  name: string,
  look: () => Finding | Promise<Finding>,
  patienceMs = PATIENCE_MS,
): Promise<Check> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Finding>((resolve) => {
    const finding = fail(
      `The check did not end within ${patienceMs / 1000} s.`,
      'Check for a hanging disk or network folder, or a machine without memory.',
    );
    timer = setTimeout(resolve, patienceMs, finding);
  });
  try {
    return { name, ...(await Promise.race([(async () => look())(), late])) };
  } catch (error) {
    if (error instanceof InterruptedError) throw error;
    const hint = error instanceof DawnloadError ? error.hint : undefined;
    const remedy = 'Try again. If it happens again, report it with the lines of the log.';
    return { name, ...fail(messageOf(error), hint ?? remedy) };
  } finally {
    clearTimeout(timer);
  }
}

/** True for a sandbox on this machine, whose keys stop working when the sandbox ends. */
function isRehearsal({ baseUrl, credentials }: Config): boolean {
  return credentials === undefined && baseUrl !== undefined && isLoopback(baseUrl);
}

function keys(config: Config): Finding {
  if (isRehearsal(config))
    return warn(
      'not set. base_url points to this machine (a demo), so the keys were not tested.',
      'To use your own service, run `dawnload init` in an empty folder.',
    );
  requireCredentials(config);
  if (config.trimmedKeys.length > 0)
    return warn(
      `Blank characters around ${config.trimmedKeys.join(' and ')} are ignored.`,
      'Remove them where the key is set.',
    );
  const [access, secret] = config.keysFrom;
  return ok(
    access === secret
      ? `both are set in ${access}`
      : `the access key is set in ${access}, the secret key in ${secret}`,
  );
}

/** Seconds after which a request counts as unanswered. */
const ANSWER_SECONDS = 20;

/** Checks the service. If a check fails, those that depend on it are skipped. */
async function* lookAtService(
  { baseUrl, allowHttp, projectId, credentials, ...config }: Config,
  invocation: Invocation,
): AsyncGenerator<Check> {
  if (baseUrl === undefined || credentials === undefined || projectId === undefined) return;
  const requestTimeoutSeconds = Math.min(config.requestTimeoutSeconds, ANSWER_SECONDS);
  let contact: Awaited<ReturnType<typeof contactService>> | undefined;
  const access = await check(
    'access',
    async () => {
      assertEncrypted(baseUrl, allowHttp, 'base_url');
      const settings = { baseUrl, projectId, credentials, requestTimeoutSeconds };
      contact = await contactService(settings, invocation);
      if (contact.error !== undefined && contact.about !== 'projectId') throw contact.error;
      return ok('the service accepts the keys');
    },
    2 * PATIENCE_MS,
  );
  yield access;
  if (contact === undefined) return;
  const { night, error, skewMs } = contact;
  if (access.verdict === 'ok') {
    yield check('project access', () => {
      if (night === undefined) throw error;
      const { day, messages, records } = night;
      const size = records === undefined ? '' : `, an export of about ${formatCount(records)} records`;
      return ok(`${projectId} had ${plural(messages, 'message')} on ${day}${size}`);
    });
  }
  if (access.verdict === 'ok' || skewMs !== undefined) yield check('clock', () => clock(skewMs));
}

function clock(skewMs: number | undefined): Finding {
  if (skewMs === undefined) return ok('the service sends no time, so this machine’s clock decides alone');
  const off = Math.abs(skewMs);
  // The header has whole seconds only.
  if (off < 2_000) return ok('agrees with the service');
  const reason = skewInWords(skewMs);
  if (off <= NOTABLE_SKEW_MS) return ok(reason);
  const remedy =
    'Correct the wrong clock. NTP keeps this machine’s clock right (`timedatectl set-ntp true`).';
  return off > MOST_SKEW_MS
    ? fail(`${reason}: no paid request is sent until they agree.`, remedy)
    : warn(`${reason}.`, remedy);
}

/** Checks that a run can write to its folders and that others cannot read the keys. */
async function permissions(config: Config): Promise<Finding> {
  const { dataDir, file } = config;
  const { landing, ledger, private: inner } = foldersOf(dataDir);
  const refused = await unwritable(config);
  if (refused !== undefined) return fail(refused.reason, refused.remedy);
  for (const path of [landing, ledger, inner, resolve(inner, 'hmac.key')])
    if (existsSync(path) && ((await stat(path)).mode & 0o077) !== 0)
      return warn(
        `Others on this machine can open ${path}, which has personal data or records of payments.`,
        `Run \`chmod -R go= ${path}\`.`,
      );
  if (file === undefined) return ok(`${dataDir} can be written`);
  const env = resolve(dirname(file), '.env');
  if (!existsSync(env)) return ok(`${dataDir} can be written`);
  return ((await stat(env)).mode & 0o077) === 0
    ? ok(`${dataDir} can be written, and .env is private`)
    : warn(`Others on this machine can read ${env}, which is for secrets.`, `Run \`chmod 600 ${env}\`.`);
}

/** The check warns below this number of free bytes. A large night needs them for events, pages and copies of the file. */
const LITTLE_SPACE = 2e9;

async function disk(dataDir: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(nearestExisting(dataDir));
  const free = bavail * bsize;
  // Room for a copy is needed, because the old copy is removed only after the new one is complete.
  const { size } = await stat(dataFiles(dataDir).working).catch(() => ({ size: 0 }));
  const state = `${formatBytes(free)} are free for ${dataDir}`;
  return free < Math.max(LITTLE_SPACE, 2 * size)
    ? warn(`Only ${state}.`, 'Free some space, or move data_dir to a larger disk.')
    : ok(state);
}

/** An instant and its age, such as `2026-11-21 07:30 KST, 12 min ago`. */
function since(then: Date, now: Date): string {
  return `${formatKst(then)}, ${formatDuration(Math.max(0, now.getTime() - then.getTime()))} ago`;
}

export async function lock(dataDir: string, now: Date): Promise<Finding> {
  const { taken, holder } = await lockState(dataDir);
  const who =
    holder === undefined
      ? 'another process'
      : `process ${holder.pid}, \`${holder.command}\`, since ${since(holder.since, now)}`;
  if (taken)
    return warn(
      `Taken by ${who}.`,
      'Wait until it has ended: a second run would end with exit code 75. If it hangs, end that process, and the lock is free.',
    );
  // A killed run may have left its name in the lock file; the lock itself is free.
  return ok(holder === undefined ? 'free' : `free; ${who} was killed and left its name, which does no harm`);
}

/** @throws DamageError if the ledger is damaged, or lacks exports that other files of the data folder have */
async function ledger(config: Config, effects: Effects): Promise<Finding> {
  const { ledger: whole, journal, lock, doubt, needed } = await ledgerNow(config, effects);
  if (doubt !== undefined) throw doubt;
  const entries = plural(whole.entries().length, 'paid export');
  const { length } = needed;
  const head = config.witness === 'head' ? '; witness: head, so a copied data folder is not recognized' : '';
  const paid = `${entries}, ${length || 'none'} ${length > 1 ? 'need' : 'needs'} action${head}`;
  const push = pushesOf(journal, lock.taken).find(({ state }) => state === 'ambiguous');
  const waits = push && ` Push ${push.id} to ${push.target} needs your decision.`;
  if (length === 0 && waits === undefined) return ok(paid);
  const lists = [...(length > 0 ? ['exports'] : []), ...(waits ? ['push'] : [])];
  return warn(
    `${paid}.${waits ?? ''}`,
    `What to do: ${lists.map((one) => `\`dawnload ${one} list\``).join(', ')}.`,
  );
}

/** Checks the wanted days, which `plan` and `status` show. */
async function days(config: Config & { startDate: Day }, effects: Effects): Promise<Finding> {
  const now = effects.now();
  const waits = notBegun(config.startDate, now);
  if (waits !== undefined) return warn(`No day is wanted yet: ${waits}.`, 'Correct a wrong start_date.');
  const { wanted } = await daysNow(config, effects, () => nightJob(config, now));
  const givenUp = daysIn(wanted, 'events', 'given_up').length;
  const waiting = daysIn(wanted, 'events', 'waits').length;
  const others: readonly (readonly [days: number, sentence: string])[] = [
    [waiting, `${plural(waiting, 'day')} of events ${waiting === 1 ? 'needs' : 'need'} your decision`],
    [givenUp, `${plural(givenUp, 'day')} of events ${givenUp === 1 ? 'was' : 'were'} given up by decision`],
  ];
  const but = others.flatMap(([days, sentence]) => (days === 0 ? [] : [`; ${sentence}`])).join('');
  const missing = DAY_STREAMS.flatMap((stream) => {
    const lacked = daysIn(wanted, stream, 'missing');
    return lacked.length === 0 ? [] : [`${plural(lacked.length, 'day')} of ${stream}`];
  });
  return ok(
    missing.length === 0
      ? `every ${waiting === 0 ? '' : 'other '}wanted day is loaded or in progress${but}`
      : `missing: ${missing.join(', ')}; \`dawnload plan\` shows what the next run requests${but}`,
  );
}

/**
 * @throws CorruptDatabaseError if the warehouse cannot be opened
 * @throws DamageError if the next run could not replace the published file
 * @throws ConfigError, as a run does, if the file was made with other privacy settings
 */
async function warehouse({ dataDir, privacy }: Config, runs: readonly PastRun[]): Promise<Finding> {
  const { published, working } = dataFiles(dataDir);
  await assertReplaceable(published);
  if (!existsSync(published))
    return runs.length === 0
      ? ok('none yet; `dawnload run` creates it')
      : warn(`Runs were recorded, but ${published} does not exist.`, 'Run `dawnload run`: it publishes one.');
  const key = await storedKey(dataDir);
  await Reader.using(published, async (reader) => {
    // The next run changes the private file and publishes a copy of it, so the private file is checked too.
    if (existsSync(working))
      assertSamePrivacy(await reader.rowsIfAny('ops/privacy_stored', storedPrivacy), { ...privacy, key });
  });
  return ok(published);
}

/** @throws ConfigError, as a run does, if the register of erasures was made with another hash key */
async function erasures(config: Config, effects: Effects): Promise<Finding> {
  const fingerprint = keyFingerprint(await storedKey(config.dataDir));
  const register = new Register(await Journal.read(config, effects), fingerprint);
  if (register.unfinished !== undefined)
    return warn(
      `The erasure of ${formatKst(register.unfinished.erasedAt)} was stopped.`,
      'Run `dawnload forget` to complete it.',
    );
  const { length } = register.erasures;
  return ok(length === 0 ? 'nobody was erased' : `${plural(length, 'erasure')}; the register fits the key`);
}

/** A nightly run is reported if it is this many milliseconds late. */
const LATE_MS = 3 * 60 * 60_000;

function lastRun(runs: readonly PastRun[], now: Date, underWay: boolean): Finding {
  const last = runs.at(-1);
  if (last === undefined)
    return warn(
      'No run was recorded yet.',
      'Run `dawnload run`, then start a scheduler: `dawnload schedule`, or one from deploy/.',
    );
  const { begun, over } = last;
  if (over === undefined) {
    return underWay
      ? ok(`${begun.command} has been running since ${formatKst(begun.at)}`)
      : warn(
          `${begun.command} was killed (it began ${since(begun.at, now)}).`,
          'Run `dawnload run`: it continues from there, and pays for nothing twice.',
        );
  }
  const day = lastCompleteDay(now);
  const due = completeFrom(day);
  const failure = over.summary['failure'];
  const why = typeof failure === 'string' ? `: ${failure.replace(/\.$/, '')}` : '';
  const text = `${begun.command} ended with exit code ${over.exitCode} (${over.outcome}; ${since(over.at, now)})${why}`;
  if (over.at < due && now.getTime() - due.getTime() > LATE_MS)
    return warn(
      `No run has fetched ${day}, which has been complete since ${formatKst(due)}; ${text}.`,
      'Check the scheduler and its log, then run `dawnload run`.',
    );
  if (over.exitCode === 0) return ok(text);
  const remedy =
    over.outcome === 'limited'
      ? 'Days wait for budget: `dawnload plan` shows how much they need. Raise exports.budget, or wait for the next month.'
      : '`dawnload status` shows what is missing; `dawnload run` tries again.';
  return warn(`${text}.`, remedy);
}

function alerts({ alerts, heartbeat }: Config, { flags, environment }: Invocation): Finding {
  const unset = alerts.flatMap(({ url, variable }) => (url === undefined ? [variable ?? ''] : []));
  if (unset.length > 0)
    return warn(`${unset.join(', ')} is not set to an address.`, 'Set it in the environment or in .env.');
  const beats = (heartbeatBefore(flags, environment) ?? heartbeat) === undefined ? [] : ['a heartbeat'];
  const receivers = [...(alerts.length === 0 ? [] : [plural(alerts.length, 'receiver')]), ...beats];
  return receivers.length === 0
    ? warn(
        'Nobody gets an alert when a run fails.',
        'Add alerts to dawnload.yaml, or set DAWNLOAD_HEARTBEAT_URL: docs/monitoring.md.',
      )
    : ok(receivers.join(', '));
}

async function testAlert(config: Config, invocation: Invocation): Promise<Finding> {
  const taken = await sendTestAlert(config, invocation);
  const receivers = config.alerts.length;
  if (receivers === 0) return warn('No receiver got an alert.', 'Add alerts to dawnload.yaml.');
  return taken === receivers
    ? ok(`accepted by ${plural(taken, 'receiver')}`)
    : fail(
        `accepted by ${taken} of ${plural(receivers, 'receiver')}`,
        'Correct the address of each that is named above.',
      );
}

/** @throws the errors of a push to the lake, which become the finding */
async function lake(settings: Config, invocation: Invocation): Promise<Finding> {
  const config = requireLake(settings);
  return withLake(config, invocation, async (opened) => {
    await new LakeState(await Journal.read(config, invocation.effects), config.lake).newestOfOurs(opened);
    const { streams } = await changesOf(opened);
    const days = new Set([...streams.values()].flat()).size;
    const where = `${config.lake.namespace} at ${new URL(config.lake.catalog.uri).host}`;
    return days === 0
      ? ok(`${where} has all days of the published file`)
      : warn(`${where} lacks ${plural(days, 'day')} of the published file`, 'Run `dawnload lake push`.');
  });
}

async function everyBlock(path: string, dataDir: string): Promise<Finding> {
  return path === dataFiles(dataDir).working && (await lockState(dataDir)).taken
    ? warn('A run has it open, so it was not read.', 'Start the check again when the run has ended.')
    : ok(`every block of ${plural(await readEveryBlock(path), 'table')} is intact`);
}

/** Maximum number of damaged files to name. */
const MOST_SHOWN = 10;

async function landedFiles(config: Config, effects: Effects): Promise<Finding> {
  const { files, damage } = await landedDamage(config, effects);
  if (damage.length === 0) return ok(`${plural(files, 'file')}, all intact`);
  const shown = damage.slice(0, MOST_SHOWN);
  const more =
    damage.length > shown.length ? ` ${plural(damage.length - shown.length, 'more finding')}.` : '';
  const remedies = new Set(shown.map(({ hint = 'Restore it from a backup.' }) => hint));
  return fail(`${shown.map(({ message }) => message).join(' ')}${more}`, [...remedies].join(' '));
}
