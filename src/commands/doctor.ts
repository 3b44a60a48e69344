/** `dawnload doctor`: checks everything that the nightly run depends on. Sends only E1. */
import { existsSync } from 'node:fs';
import { access, constants, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { styleText } from 'node:util';
import { sendTestAlert } from '../alerts/notify.js';
import { formatKst } from '../calendar.js';
import { isLoopback, isUnencrypted, requireService, type Config, type ServiceConfig } from '../config.js';
import { DawnloadError, EXIT, messageOf, type ExitCode } from '../errors.js';
import { dataFiles } from '../storage/data-files.js';
import type { ExportEntry } from '../exports/entry.js';
import { LandingZone } from '../storage/landing-zone.js';
import { lockHolder, type LockHolder } from '../storage/run-lock.js';
import { Ledger } from '../exports/ledger.js';
import { doubtAbout } from '../exports/needs-action.js';
import { assertSameProject } from '../storage/project.js';
import { needsPerson } from '../exports/advice.js';
import { ServiceClient } from '../api/client.js';
import { formatBytes, formatDuration, plural } from '../terminal/terminal.js';
import { engineVersion } from '../storage/duckdb.js';
import { readEveryBlock } from '../warehouse/deep.js';
import { Reader } from '../warehouse/reader.js';
import { rememberedExports } from '../warehouse/remembered-exports.js';
import { visible } from '../terminal/visible.js';
import type { Invocation } from '../run/invocation.js';

export interface DoctorOptions {
  readonly deep?: boolean;
  readonly json?: boolean;
  /** Whether to send an alert to everybody who gets alerts. */
  readonly sendTestAlert?: boolean;
}

type Level = 'ok' | 'warn' | 'fail';

interface Finding {
  readonly level: Level;
  readonly text: string;
}

interface Diagnosis extends Finding {
  readonly check: string;
}

type Look = <T>(
  check: string,
  how: () => T | Promise<T>,
  tell: (value: T) => Finding,
) => Promise<T | undefined>;

/** Less free space than this is a warning, in bytes. */
const LITTLE_SPACE = 2e9;

/** A clock that is further off may take an incomplete day for a complete one, in milliseconds. */
const MOST_SKEW_MS = 2 * 60_000;

export async function doctorCommand(options: DoctorOptions, invocation: Invocation): Promise<ExitCode> {
  const { terminal } = invocation;
  const diagnoses: Diagnosis[] = [];
  /** Runs one check and prints what it finds; undefined when it failed. */
  const look: Look = async (check, how, tell) => {
    let value;
    let verdict: Finding;
    try {
      value = await how();
      verdict = tell(value);
    } catch (error) {
      verdict = failed(error);
    }
    const diagnosis = { check, ...verdict };
    diagnoses.push(diagnosis);
    if (options.json !== true) terminal.draw(line(diagnosis, terminal.color));
    return value;
  };

  await look('versions', engineVersion, (duckdb) =>
    ok(`dawnload ${invocation.version}, Node ${process.version}, DuckDB ${duckdb}`),
  );
  const config = await look('settings', () => invocation.loadConfig(), settingsVerdict);
  if (config !== undefined) {
    const { dataDir } = config;
    const service = await look(
      'keys',
      () => (isRehearsal(config) ? undefined : requireService(config)),
      (found) =>
        found === undefined
          ? { level: 'warn', text: 'not set; base_url is this machine, as it is after a demo' }
          : ok('both are set'),
    );
    await look(
      'data folder',
      () => freeSpace(dataDir),
      (free) => folderVerdict(dataDir, free),
    );
    await look('lock', () => lockHolder(dataDir), lockVerdict);
    await look(
      'project',
      () => assertSameProject(config),
      () => ok(config.projectId ?? 'not set'),
    );
    await look('ledger', () => lookAtLedger(dataDir), ledgerVerdict);
    await look('warehouse', () => openPublished(dataFiles(dataDir).published), ok);
    await look('alerts', () => config, alertsVerdict);
    if (options.sendTestAlert === true) {
      await look(
        'test alert',
        () => sendTestAlert(config, invocation),
        (taken) => testVerdict(taken, config.alerts.length),
      );
    }
    if (options.deep === true) await lookDeeply(dataDir, look);
    if (service !== undefined) await lookAtService(service, invocation, look);
  }

  if (options.json === true) terminal.out(JSON.stringify(diagnoses));
  return diagnoses.some(({ level }) => level === 'fail') ? EXIT.incomplete : EXIT.done;
}

function alertsVerdict({ alerts, pingUrl }: Config): Finding {
  const unset = alerts.flatMap(({ url, variable }) => (url === undefined ? [variable ?? ''] : []));
  if (unset.length > 0) {
    return {
      level: 'warn',
      text: `${unset.join(', ')} holds no address; set it in the environment or in .env`,
    };
  }
  const health = pingUrl === undefined ? 'no health check is pinged' : 'a health check is pinged';
  return ok(`${plural(alerts.length, 'receiver')}; ${health}`);
}

function testVerdict(taken: number, receivers: number): Finding {
  if (receivers === 0) return { level: 'warn', text: 'nobody gets alerts; add alerts to dawnload.yaml' };
  return taken === receivers
    ? ok(`taken by ${plural(taken, 'receiver')}`)
    : { level: 'fail', text: `taken by ${taken} of ${plural(receivers, 'receiver')}` };
}

/** Reads what a run reads only in part: every block of both database files, and every landed file. */
async function lookDeeply(dataDir: string, look: Look): Promise<void> {
  const { working, published } = dataFiles(dataDir);
  for (const [what, path] of [
    ['published file', published],
    ['private file', working],
  ] as const) {
    if (!existsSync(path)) continue;
    await look(
      what,
      () => readEveryBlock(path),
      (tables) => ok(`every block of ${plural(tables, 'table')} is intact`),
    );
  }
  await look(
    'landing zone',
    () => LandingZone.read(dataDir).verifyAll(),
    (files) => ok(`${plural(files, 'file')}, all intact`),
  );
}

async function lookAtService(config: ServiceConfig, invocation: Invocation, look: Look): Promise<void> {
  const settings = { ...config, retries: 0 };
  const service = new ServiceClient(settings, invocation.effects, invocation.signal, invocation.version);
  try {
    const reached = await look(
      'service',
      async () => {
        await service.authorize();
        return true;
      },
      () => ok(`${config.baseUrl} accepts the keys`),
    );
    if (reached === true) await look('clock', () => service.clockSkewMs, clockVerdict);
  } finally {
    await service.close();
  }
}

/** Whether the service is, or was, a sandbox on this machine, whose keys are gone with it. */
function isRehearsal({ baseUrl, credentials }: Config): boolean {
  return credentials === undefined && baseUrl !== undefined && isLoopback(baseUrl);
}

function settingsVerdict({ file, baseUrl, exports }: Config): Finding {
  const where = file ?? 'no settings file, only the environment';
  if (baseUrl !== undefined && isUnencrypted(baseUrl)) {
    return { level: 'warn', text: `${where}. The base_url uses http, so keys and data travel unencrypted.` };
  }
  return ok(`${where}; paid exports are ${exports.budget === undefined ? 'off' : 'on, within the budget'}`);
}

/** Free bytes of the disk that a folder is on, or will be. */
async function freeSpace(dataDir: string): Promise<number> {
  const existing = nearestExisting(dataDir);
  await access(existing, constants.W_OK | constants.X_OK).catch(() => {
    throw new Error(`${existing} cannot be written to. Choose another data_dir or change its owner.`);
  });
  const { bavail, bsize } = await statfs(existing);
  return bavail * bsize;
}

function folderVerdict(dataDir: string, free: number): Finding {
  return free < LITTLE_SPACE
    ? { level: 'warn', text: `${dataDir}, only ${formatBytes(free)} free. Free some space.` }
    : ok(`${dataDir}, ${formatBytes(free)} free`);
}

function nearestExisting(folder: string): string {
  return existsSync(folder) ? folder : nearestExisting(dirname(folder));
}

function lockVerdict(holder: LockHolder | undefined): Finding {
  if (holder === undefined) return ok('free');
  // The word of a run that was killed may still lie there; the lock itself is the kernel's.
  return ok(`last taken by process ${holder.pid} (${holder.command}, ${formatKst(holder.since)})`);
}

/**
 * The exports of the ledger.
 *
 * @throws DamageError when it is damaged, or lacks exports that the data folder remembers
 */
async function lookAtLedger(dataDir: string): Promise<readonly ExportEntry[]> {
  const ledger = await Ledger.read(dataDir);
  const remembered = await rememberedExports(dataFiles(dataDir).published);
  const doubt = await doubtAbout(dataDir, ledger, remembered);
  if (doubt !== undefined) throw doubt;
  return ledger.entries();
}

function ledgerVerdict(entries: readonly ExportEntry[]): Finding {
  const waiting = entries.filter(needsPerson).length;
  if (waiting === 0) return ok(`${plural(entries.length, 'paid export')}, none needs action`);
  const text = `${waiting} of ${plural(entries.length, 'paid export')} ${waiting === 1 ? 'needs' : 'need'} action. See \`dawnload exports list\`.`;
  return { level: 'warn', text };
}

async function openPublished(published: string): Promise<string> {
  if (!existsSync(published)) return 'none yet; `dawnload run` creates it';
  const reader = await Reader.open(published);
  await reader.close();
  return published;
}

function clockVerdict(skewMs: number | undefined): Finding {
  if (skewMs === undefined) return ok('the service sends no time');
  const text = `${formatDuration(Math.abs(skewMs))} ${skewMs > 0 ? 'behind' : 'ahead of'} the service`;
  // The header counts whole seconds.
  if (Math.abs(skewMs) < 2_000) return ok('agrees with the service');
  return Math.abs(skewMs) > MOST_SKEW_MS
    ? { level: 'warn', text: `${text}. Correct this machine’s clock.` }
    : ok(text);
}

function ok(text: string): Finding {
  return { level: 'ok', text };
}

function failed(error: unknown): Finding {
  const hint = error instanceof DawnloadError && error.hint !== undefined ? ` ${error.hint}` : '';
  return { level: 'fail', text: `${messageOf(error)}${hint}` };
}

function line({ check, level, text }: Diagnosis, colour: boolean): string {
  const colours = { ok: 'green', warn: 'yellow', fail: 'red' } as const;
  const mark = level.padEnd(4);
  return `${colour ? styleText(colours[level], mark) : mark}  ${check.padEnd(11)}  ${visible(text)}`;
}
