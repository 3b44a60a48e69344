/** The result of a check, and the examination that runs checks one after the other. */
import { DawnloadError, InterruptedError, messageOf, ServiceError, codeOf } from '../errors.js';
import { existsSync, constants } from 'node:fs';
import { type Config, isLoopback, isUnencrypted, requireSettings } from '../config.js';
import { completeFrom, formatKst, lastCompleteDay, koreanTime } from '../calendar.js';
import { landedPages, sumOf } from '../exports/poll.js';
import { Ledger } from '../exports/ledger.js';
import { ledgerState } from '../exports/advice.js';
import { RunJournal } from '../run/journal.js';
import { dataFiles, foldersOf } from '../storage/paths.js';
import { LandingZone } from '../storage/landing-zone.js';
import { lockState } from '../storage/run-lock.js';
import { formatDuration, plural, formatBytes, formatCount } from '../terminal/terminal.js';
import { readEveryBlock } from '../warehouse/opening.js';
import { assertReplaceable } from '../warehouse/publish.js';
import { remembered } from '../warehouse/remembered-exports.js';
import { schemaVersions } from '../warehouse/reader.js';
import { requireLake } from '../config/lake.js';
import { changesOf } from '../lake/transaction.js';
import { latestCommits, LakeState } from '../lake/commits.js';
import type { Invocation } from '../run/invocation.js';
import { withLake } from '../run/hand-over.js';
import { access, stat, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { ask } from '../storage/duckdb.js';
import { certificateTrouble, lookAtConnection, type Certificate } from '../api/transport.js';
import { ServiceClient } from '../api/client.js';
import { estimateDays } from '../exports/budget.js';
import { MOST_SKEW_MS } from '../run/clocks.js';
import { dayTotals } from '../statistics/pull-daily.js';

type Verdict = 'ok' | 'warn' | 'fail';

interface Finding {
  readonly verdict: Verdict;
  readonly reason: string;
  /** The remedy; null where all is well. */
  readonly remedy: string | null;
}

export interface Check extends Finding {
  readonly name: string;
}

export const ok = (reason: string): Finding => ({ verdict: 'ok', reason, remedy: null });
const warn = (reason: string, remedy: string): Finding => ({ verdict: 'warn', reason, remedy });
const fail = (reason: string, remedy: string): Finding => ({ verdict: 'fail', reason, remedy });

/** The longest that a check may take, in milliseconds; reading whole files may take longer. */
const PATIENCE_MS = 30_000;

export class Examination {
  readonly #checks: Check[] = [];
  readonly #tell: (check: Check) => void;
  readonly #signal: AbortSignal;

  /** @param tell is given each check as soon as it is done */
  constructor(tell: (check: Check) => void, signal: AbortSignal) {
    this.#tell = tell;
    this.#signal = signal;
  }

  get checks(): readonly Check[] {
    return this.#checks;
  }

  /**
   * Runs one check. What it throws is its finding, and it never takes longer than its patience. Resolves with whether it
   * did not fail.
   *
   * @throws InterruptedError
   */
  async look(
    name: string,
    how: () => Finding | Promise<Finding>,
    patienceMs = PATIENCE_MS,
  ): Promise<boolean> {
    this.#signal.throwIfAborted();
    const finding = await within(patienceMs, how);
    const check = { name, ...finding };
    this.#checks.push(check);
    this.#tell(check);
    return check.verdict !== 'fail';
  }
}

async function within(ms: number, how: () => Finding | Promise<Finding>): Promise<Finding> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Finding>((resolve) => {
    timer = setTimeout(() => {
      resolve(
        fail(
          `The check did not end within ${ms / 1000} s.`,
          'Look at what it has to wait for: a disk or a network folder that hangs, or a machine without memory.',
        ),
      );
    }, ms);
  });
  try {
    return await Promise.race([(async () => how())(), late]);
  } catch (error) {
    if (error instanceof InterruptedError) throw error;
    return fail(messageOf(error), remedyOf(error));
  } finally {
    clearTimeout(timer);
  }
}

/** The hint of an error, without what is meant for a run. */
function remedyOf(error: unknown): string {
  const hint = error instanceof DawnloadError ? (error.hint ?? '') : '';
  const remedy = hint.replace(/ ?Nothing is lost;.*$/, '');
  if (remedy !== '') return remedy;
  return error instanceof ServiceError
    ? 'Try again later. If it goes on, ask the operator of the service.'
    : 'Try again. If it goes on, report it with what this machine’s log says.';
}

export async function lock(dataDir: string, now: Date): Promise<Finding> {
  const { held, holder } = await lockState(dataDir);
  const who =
    holder === undefined
      ? 'another process'
      : `process ${holder.pid}, \`${holder.command}\`, since ${formatKst(holder.since)}`;
  if (held) {
    const long =
      holder === undefined
        ? ''
        : ` (${formatDuration(Math.max(0, now.getTime() - holder.since.getTime()))} ago)`;
    return warn(
      `Held by ${who}${long}.`,
      'Wait until it has ended: a second run would end with exit code 75. If it hangs, end that process, and the lock is free.',
    );
  }
  // The word of a run that was killed may still lie there; the lock itself is the kernel's.
  return ok(holder === undefined ? 'free' : `free; ${who} was killed and left its name, which does no harm`);
}

/** @throws DamageError when it is damaged, or lacks exports that the data folder remembers */
export async function ledger(config: Config, now: Date): Promise<Finding> {
  const { exports } = await remembered(dataFiles(config.dataDir).published);
  const { ledger: whole, doubt, restored, needed } = await ledgerState(config, exports, now);
  if (doubt !== undefined) throw doubt;
  if (restored !== undefined)
    return warn(restored, '`dawnload exports recover` shows what is known, and asks.');
  const entries = whole.entries();
  const waiting = needed.length;
  if (waiting === 0) return ok(`${plural(entries.length, 'paid export')}, none needs action`);
  return warn(
    `${waiting} of ${plural(entries.length, 'paid export')} ${waiting === 1 ? 'needs' : 'need'} action.`,
    '`dawnload exports list` names each, and what to do.',
  );
}

/** @throws CorruptDatabaseError when it cannot be opened, DamageError when the next run could not replace it */
export async function warehouse(dataDir: string): Promise<Finding> {
  const { published } = dataFiles(dataDir);
  await assertReplaceable(published);
  if (!existsSync(published)) return ok('none yet; `dawnload run` creates it');
  const { file, program } = await schemaVersions(published);
  if (file > program) {
    return fail(
      `${published} has schema ${file}; this version of dawnload knows up to ${program}.`,
      'Install the newer version again, or rebuild the warehouse with `dawnload rebuild`.',
    );
  }
  return ok(
    file < program
      ? `${published} has schema ${file}; the next run brings it to ${program}`
      : `${published}, schema ${file}`,
  );
}

/** A night may be late by so much before anybody is told, in milliseconds. */
const LATE_MS = 3 * 60 * 60_000;

export async function lastRun(dataDir: string, now: Date, underWay: boolean): Promise<Finding> {
  const runs = await new RunJournal(dataDir).runs();
  const last = runs.at(-1);
  if (last === undefined) return warn('There was no run yet.', 'Start `dawnload run`, then a scheduler.');
  const { begun, over } = last;
  const ago = (then: Date): string =>
    `${formatKst(then)}, ${formatDuration(Math.max(0, now.getTime() - then.getTime()))} ago`;
  if (over === undefined) {
    return underWay
      ? ok(`${begun.command} is under way, since ${formatKst(begun.startedAt)}`)
      : warn(
          `${begun.command} was killed (it began ${ago(begun.startedAt)}).`,
          'Run `dawnload run`: it continues from there, and pays for nothing twice.',
        );
  }
  const day = lastCompleteDay(now);
  const due = completeFrom(day);
  const failure = over.summary['failure'];
  const why = typeof failure === 'string' ? `: ${failure.replace(/\.$/, '')}` : '';
  const text = `${begun.command} ended with exit code ${over.exitCode} (${over.outcome}; ${ago(over.finishedAt)})${why}`;
  if (over.finishedAt < due && now.getTime() - due.getTime() > LATE_MS) {
    return warn(
      `Nobody has fetched ${day}, which is complete since ${formatKst(due)}; ${text}.`,
      'Check the scheduler and its log, then run `dawnload run`.',
    );
  }
  return over.exitCode === 0
    ? ok(text)
    : warn(`${text}.`, '`dawnload status` says what is missing; `dawnload run` tries again.');
}

/** A machine may be off for a night; after two days nothing starts the job any more. */
const ABANDONED_MS = 48 * 60 * 60_000;

/** Whether something starts the job every night, as far as the journal of runs shows. */
export async function scheduler(dataDir: string, now: Date): Promise<Finding> {
  const last = (await new RunJournal(dataDir).runs()).findLast(({ begun }) => begun.command === 'run')?.begun;
  const remedy =
    '`dawnload schedule` starts the job every night; deploy/ has files for systemd, cron, Kubernetes, launchd.';
  if (last === undefined) return warn('There was no nightly run yet, so nothing may start one.', remedy);
  const age = now.getTime() - last.startedAt.getTime();
  if (age > ABANDONED_MS)
    return warn(
      `The last nightly run began ${formatDuration(age)} ago, so nothing starts the job at night.`,
      remedy,
    );
  return ok(`the last nightly run began ${formatKst(last.startedAt)}`);
}

/** Reading every byte takes its time. */
const DEEP_PATIENCE_MS = 6 * 60 * 60_000;

/** Reads what a run reads only in part: every block of both database files, and every landed file. */
export async function lookDeeply(dataDir: string, examination: Examination): Promise<void> {
  const { working, published } = dataFiles(dataDir);
  for (const [name, path] of [
    ['published file', published],
    ['private file', working],
  ] as const) {
    if (!existsSync(path)) continue;
    const look = async (): Promise<Finding> => {
      if (path === working && (await lockState(dataDir)).held)
        return warn(
          'A run has it open, so it was not read.',
          'Start the check again when the run has ended.',
        );
      return ok(`every block of ${plural(await readEveryBlock(path), 'table')} is intact`);
    };
    await examination.look(name, look, DEEP_PATIENCE_MS);
  }
  await examination.look('landing zone', () => landedFiles(dataDir), DEEP_PATIENCE_MS);
}

/** So many damaged files are named. */
const MOST_TOLD = 10;

/** Every landed file and manifest, and the records of every paid export against the ledger, which a missing page lacks. */
async function landedFiles(dataDir: string): Promise<Finding> {
  const landing = LandingZone.read(dataDir);
  const damage: { readonly message: string; readonly hint?: string | undefined }[] = [];
  const files = await landing.verifyAll((error) => damage.push(error));
  // A damaged ledger has a finding of its own.
  const entries = await Ledger.read(dataDir).then(
    (ledger) => ledger.entries(),
    () => [],
  );
  for (const { key, day, exportId, state, records } of entries) {
    if (exportId === undefined || (state !== 'landed' && state !== 'loaded')) continue;
    const held = sumOf(await landedPages({ landing }, { day, key, exportId }));
    if (held === records) continue;
    damage.push({
      message: `The pages of export ${key} hold ${held} of its ${records ?? 0} records: pages are missing or damaged.`,
      hint: `To download them again at no cost: \`dawnload exports resume ${key}\`.`,
    });
  }
  const [first] = damage;
  if (first === undefined) return ok(`${plural(files, 'file')}, all intact`);
  const told = damage.slice(0, MOST_TOLD).map(({ message }) => message);
  const more = damage.length > told.length ? ` ${plural(damage.length - told.length, 'more finding')}.` : '';
  return fail(`${told.join(' ')}${more}`, first.hint ?? 'Restore it from a backup.');
}

/** Throws, as a finding, what a push would throw. */
export async function lake(settings: Config, invocation: Invocation): Promise<Finding> {
  const config = requireLake(settings);
  return withLake(config, invocation, async (opened) => {
    const [newest] = await latestCommits(opened, 1);
    (await LakeState.open(config, invocation.effects)).assertOurs(newest);
    const { streams } = await changesOf(opened);
    const days = new Set([...streams.values()].flat()).size;
    const where = `${config.lake.namespace} at ${new URL(config.lake.catalog.uri).host}`;
    return days === 0
      ? ok(`${where} holds the days of the published file`)
      : warn(`${where} lacks ${plural(days, 'day')} of the published file`, 'Run `dawnload lake push`.');
  });
}

export async function versions(version: string): Promise<Finding> {
  const duckdb = await ask('select version()');
  return ok(`dawnload ${version}, Node ${process.version}, DuckDB ${duckdb}`);
}

/** An instant and what clocks in Korea show then. */
const INSTANT = '2026-11-20T22:00:00.000Z';
const IN_KOREA = '2026-11-21T07:00:00';

/** Whether Node and DuckDB both know the time in Korea: each brings data of its own. */
export async function timeZones(): Promise<Finding> {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const node = koreanTime(new Date(INSTANT));
  if (!node.startsWith(IN_KOREA)) {
    return fail(
      `Node takes ${INSTANT} for ${node} in Korea.`,
      'Install a Node with full time zone data (--with-intl=full-icu).',
    );
  }
  const duckdb = await ask(
    `select strftime(timestamptz '${INSTANT}' at time zone 'Asia/Seoul', '%Y-%m-%dT%H:%M:%S')`,
  );
  return duckdb === IN_KOREA
    ? ok(`Node and DuckDB know Asia/Seoul; this machine is in ${own}`)
    : fail(
        `DuckDB takes ${INSTANT} for ${duckdb} in Korea.`,
        'Install dawnload again: its DuckDB lacks time zone data.',
      );
}

/** Whether a run can write where it has to, and whether others can read the keys. */
export async function permissions({ dataDir, file }: Config): Promise<Finding> {
  const { working, published, ledger } = dataFiles(dataDir);
  const { landing, private: inner } = foldersOf(dataDir);
  for (const path of [nearestExisting(dataDir), landing, ledger, inner, working, published]) {
    if (!existsSync(path)) continue;
    const refused = await access(path, constants.W_OK).then(() => undefined, codeOf);
    if (refused === undefined) continue;
    return fail(
      `${path} cannot be written to (${refused}).`,
      refused === 'EROFS'
        ? 'Mount it writable, or choose another data_dir.'
        : 'Give it to the account that runs dawnload (chown -R), or choose another data_dir.',
    );
  }
  if (file === undefined) return ok(`${dataDir} can be written`);
  const env = resolve(dirname(file), '.env');
  const mode = await stat(env).then(
    (found) => found.mode,
    () => 0,
  );
  return (mode & 0o077) === 0
    ? ok(existsSync(env) ? `${dataDir} can be written, and .env is private` : `${dataDir} can be written`)
    : warn(`Others on this machine can read ${env}, which is for secrets.`, `Run \`chmod 600 ${env}\`.`);
}

/**
 * The disk space of a record while it is landed, loaded and published, in bytes. One of the demo takes 670 in all copies; long
 * messages and sorting take more.
 */
const RECORD_BYTES = 2_000;

/** The disk space of a night without any event, in bytes. */
const NIGHT_BYTES = 64e6;

/** Less free space than this is a warning, in bytes. */
const LITTLE_SPACE = 2e9;

/** @param records of the largest night that is to be expected; undefined where none is known */
export async function disk(dataDir: string, records: number | undefined): Promise<Finding> {
  const { bavail, bsize } = await statfs(nearestExisting(dataDir));
  const free = bavail * bsize;
  // The private file is copied, and the old copy removed only afterwards.
  const copy = await stat(dataFiles(dataDir).working).then(
    ({ size }) => size,
    () => 0,
  );
  const need = NIGHT_BYTES + copy + (records ?? 0) * RECORD_BYTES;
  const night = `a night${records === undefined ? '' : ` of about ${plural(records, 'record')}`} takes up to ${formatBytes(need)}`;
  const state = `${formatBytes(free)} are free for ${dataDir}; ${night}`;
  if (free < need) {
    return fail(
      `Only ${state}.`,
      `Free at least ${formatBytes(need - free)}, or move data_dir to a larger disk.`,
    );
  }
  return free < Math.max(LITTLE_SPACE, 2 * need)
    ? warn(`Only ${state}.`, 'Free some space, or move data_dir to a larger disk.')
    : ok(state);
}

function nearestExisting(folder: string): string {
  return existsSync(folder) ? folder : nearestExisting(dirname(folder));
}

const CONNECT_MS = 10_000;
const ANSWER_SECONDS = 20;

/** From here on a clock may take an incomplete day for a complete one, in milliseconds. */
const NOTABLE_SKEW_MS = 2 * 60_000;

/** A certificate that ends sooner is a warning, in days. */
const NOTICE_DAYS = 14;
const DAY_MS = 86_400_000;

/** Resolves with the records of a night, where the service tells. What depends on a check that failed is left out. */
export async function lookAtService(
  config: Config,
  invocation: Invocation,
  examination: Examination,
): Promise<number | undefined> {
  const { baseUrl, allowHttp } = config;
  if (baseUrl === undefined) return undefined;
  let certificate: Certificate | undefined;
  const { host } = new URL(baseUrl);
  const reached = await examination.look('connection', async () => {
    const began = performance.now();
    const connection = await lookAtConnection(baseUrl, CONNECT_MS, invocation.signal);
    certificate = connection.certificate;
    return ok(`${host} is reached in ${Math.ceil(performance.now() - began)} ms`);
  });
  const now = invocation.effects.now();
  const unencrypted = encryption(baseUrl, allowHttp);
  // Without a connection there is no certificate to look at; that it cannot be reached is told once.
  if (!reached && unencrypted?.verdict !== 'fail') return undefined;
  const safe = await examination.look('TLS', () => unencrypted ?? certificateFinding(certificate, host, now));
  if (!reached || !safe) return undefined;
  return lookAtAccess({ ...config, baseUrl }, invocation, examination);
}

async function lookAtAccess(
  { baseUrl, projectId, credentials, ...config }: Config & { readonly baseUrl: string },
  { effects, signal, version }: Invocation,
  examination: Examination,
): Promise<number | undefined> {
  if (credentials === undefined || projectId === undefined) return undefined;
  const settings = {
    baseUrl,
    projectId,
    credentials,
    requestsPerSecond: config.requestsPerSecond,
    concurrency: 1,
    requestTimeoutSeconds: Math.min(config.requestTimeoutSeconds, ANSWER_SECONDS),
    retries: 0,
  };
  const service = new ServiceClient(settings, effects, signal, version);
  try {
    const accepted = await examination.look('access', async () => {
      await service.authorize();
      return ok('the service accepts the keys');
    });
    const skewMs = service.clockSkewMs;
    let records: number | undefined;
    if (accepted) {
      // The earlier of two clocks decides, as in a run.
      const day = lastCompleteDay(new Date(effects.now().getTime() + Math.min(0, skewMs ?? 0)));
      await examination.look('project access', async () => {
        const totals = await dayTotals(service, baseUrl, day);
        records = estimateDays([], new Map([[day, totals]]), [day]).candidates[0]?.estimate;
        const night = records === undefined ? '' : `, an export of about ${formatCount(records)} records`;
        return ok(`${projectId} had ${plural(totals.sent, 'message')} on ${day}${night}`);
      });
    }
    if (accepted || skewMs !== undefined) await examination.look('clock', () => clock(skewMs));
    return records;
  } finally {
    await service.close();
  }
}

function certificateFinding(certificate: Certificate | undefined, host: string, now: Date): Finding {
  if (certificate === undefined) return ok('no certificate');
  const { refused, validTo } = certificate;
  if (refused !== undefined) {
    const trouble = certificateTrouble(refused);
    return fail(
      `The certificate of ${host} ${trouble?.what ?? 'is not accepted'} (${refused}).`,
      trouble?.remedy ?? 'Check base_url, and what stands between this machine and the service.',
    );
  }
  const end = validTo.toISOString().slice(0, 10);
  const days = Math.floor((validTo.getTime() - now.getTime()) / DAY_MS);
  return days < NOTICE_DAYS
    ? warn(
        `The certificate of ${host} ends on ${end}.`,
        'Ask the operator of the service whether it is renewed in time.',
      )
    : ok(`the certificate of ${host} is accepted, and ends on ${end}`);
}

function clock(skewMs: number | undefined): Finding {
  if (skewMs === undefined) return ok('the service sends no time, so this machine’s clock decides alone');
  const off = Math.abs(skewMs);
  // The header counts whole seconds.
  if (off < 2_000) return ok('agrees with the service');
  const reason = `${formatDuration(off)} ${skewMs > 0 ? 'behind' : 'ahead of'} the service’s`;
  if (off <= NOTABLE_SKEW_MS) return ok(`this machine’s clock is ${reason}`);
  const remedy = 'Correct this machine’s clock, and keep it right with NTP (`timedatectl set-ntp true`).';
  return off > MOST_SKEW_MS
    ? fail(`This machine’s clock is ${reason}: no paid request is sent until they agree.`, remedy)
    : warn(`This machine’s clock is ${reason}.`, remedy);
}

export function settings(config: Config): Finding {
  requireSettings(config);
  const { file, exports } = config;
  return ok(
    `${file ?? 'no settings file, only the environment'}; paid exports are ${exports.budget === undefined ? 'off' : 'on, within the budget'}`,
  );
}

/** Whether the service is, or was, a sandbox on this machine, whose keys are gone with it. */
export function isRehearsal({ baseUrl, credentials }: Config): boolean {
  return credentials === undefined && baseUrl !== undefined && isLoopback(baseUrl);
}

const SET_KEYS =
  'Set DAWNLOAD_ACCESS_KEY and DAWNLOAD_SECRET_KEY in the environment, or in a .env file beside dawnload.yaml.';

export function keys(config: Config): Finding {
  if (config.credentials !== undefined) return ok('both are set');
  return isRehearsal(config)
    ? warn(
        'not set; base_url is this machine, as it is after a demo, so the service is not asked',
        'For a service of your own, start `dawnload init` in a folder of its own.',
      )
    : fail('The access keys are not set.', SET_KEYS);
}

/** Undefined where the address is https: then the certificate is looked at. */
function encryption(baseUrl: string, allowHttp: boolean): Finding | undefined {
  if (!isUnencrypted(baseUrl))
    return baseUrl.startsWith('http:') ? ok('http, on this machine alone') : undefined;
  const reason = `The base_url ${baseUrl} uses http, so keys and data travel unencrypted.`;
  return allowHttp
    ? warn(reason, 'Use https where the service has it.')
    : fail(reason, 'Use https, or set allow_http: true in dawnload.yaml if you trust the network.');
}

export function alerts({ alerts, pingUrl }: Config): Finding {
  const unset = alerts.flatMap(({ url, variable }) => (url === undefined ? [variable ?? ''] : []));
  if (unset.length > 0) {
    return warn(`${unset.join(', ')} holds no address.`, 'Set it in the environment or in .env.');
  }
  const health = pingUrl === undefined ? 'no health check is pinged' : 'a health check is pinged';
  return ok(`${alerts.length === 0 ? 'nobody gets alerts' : plural(alerts.length, 'receiver')}; ${health}`);
}

export function testAlert(taken: number, receivers: number): Finding {
  if (receivers === 0) return warn('Nobody gets alerts.', 'Add alerts to dawnload.yaml.');
  return taken === receivers
    ? ok(`taken by ${plural(taken, 'receiver')}`)
    : fail(
        `taken by ${taken} of ${plural(receivers, 'receiver')}`,
        'Correct the address of each that is named above.',
      );
}
