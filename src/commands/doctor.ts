/** `dawnload doctor`: everything that a night depends on, looked at in daylight. Sends E1 and nothing else. */
import { existsSync } from 'node:fs';
import { access, constants, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { styleText } from 'node:util';
import { formatKst } from '../calendar.js';
import { isUnencrypted, requireService, type Config, type ServiceConfig } from '../config.js';
import { DawnloadError, EXIT, messageOf, type ExitCode } from '../errors.js';
import { dataFiles } from '../storage/data-files.js';
import type { ExportEntry } from '../exports/entry.js';
import { LandingZone } from '../storage/landing-zone.js';
import { lockHolder, type LockHolder } from '../storage/run-lock.js';
import { Ledger } from '../exports/ledger.js';
import { assertSameProject } from '../storage/project.js';
import { needsPerson } from '../exports/advice.js';
import { ServiceClient } from '../api/client.js';
import { formatBytes, formatDuration, plural } from '../terminal/terminal.js';
import { engineVersion } from '../storage/duckdb.js';
import { readEveryBlock } from '../warehouse/deep.js';
import { Reader } from '../warehouse/reader.js';
import { visible } from '../terminal/visible.js';
import type { Invocation } from '../run/invocation.js';

export interface DoctorOptions {
  readonly deep?: boolean;
  readonly json?: boolean;
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

/** Less free space than this is worth a word, bytes. */
const LITTLE_SPACE = 2e9;

/** A clock that is further off than this may take a day for complete that is not, milliseconds. */
const MOST_SKEW_MS = 2 * 60_000;

export async function doctorCommand(options: DoctorOptions, invocation: Invocation): Promise<ExitCode> {
  const { terminal } = invocation;
  const diagnoses: Diagnosis[] = [];
  /** Tries one thing and tells of it; undefined when it failed. */
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
    if (options.json !== true) terminal.draw(line(diagnosis, terminal.interactive));
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
      () => requireService(config),
      () => ok('both are set'),
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
    await look('ledger', () => Ledger.read(dataDir), ledgerVerdict);
    await look('warehouse', () => openPublished(dataFiles(dataDir).published), ok);
    if (options.deep === true) await lookDeeply(dataDir, look);
    if (service !== undefined) await lookAtService(service, invocation, look);
  }

  if (options.json === true) terminal.out(JSON.stringify(diagnoses));
  return diagnoses.some(({ level }) => level === 'fail') ? EXIT.incomplete : EXIT.done;
}

/** Reads what a night reads only in part: every block of both database files, and every landed file. */
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
      (tables) => ok(`every block of ${plural(tables, 'table')} is as it was written`),
    );
  }
  await look(
    'landing zone',
    () => LandingZone.read(dataDir).verifyAll(),
    (files) => ok(`${plural(files, 'file')}, each whole`),
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

function settingsVerdict({ file, baseUrl, exports }: Config): Finding {
  const where = file ?? 'no file, the environment alone';
  if (baseUrl !== undefined && isUnencrypted(baseUrl)) {
    return { level: 'warn', text: `${where}; base_url is http: keys and data travel unencrypted` };
  }
  return ok(`${where}; paid exports are ${exports.budget === undefined ? 'off' : 'on, within the budget'}`);
}

/** Free bytes of the disk that a folder is on, or will be. */
async function freeSpace(dataDir: string): Promise<number> {
  const existing = nearestExisting(dataDir);
  await access(existing, constants.W_OK | constants.X_OK).catch(() => {
    throw new Error(`${existing} cannot be written to; choose another data_dir or change its owner`);
  });
  const { bavail, bsize } = await statfs(existing);
  return bavail * bsize;
}

function folderVerdict(dataDir: string, free: number): Finding {
  const text = `${dataDir}, ${formatBytes(free)} free`;
  return free < LITTLE_SPACE ? { level: 'warn', text: `${text}: that is little` } : ok(text);
}

function nearestExisting(folder: string): string {
  return existsSync(folder) ? folder : nearestExisting(dirname(folder));
}

function lockVerdict(holder: LockHolder | undefined): Finding {
  if (holder === undefined) return ok('free');
  // The word of a run that was killed may still lie there; the lock itself is the kernel's.
  return ok(`last taken by process ${holder.pid} (${holder.command}, ${formatKst(holder.since)})`);
}

function ledgerVerdict(ledger: { entries(): ExportEntry[] }): Finding {
  const entries = ledger.entries();
  const waiting = entries.filter(needsPerson).length;
  if (waiting === 0) return ok(`${plural(entries.length, 'paid export')}, none waits for a person`);
  const text = `${plural(waiting, 'paid export')} of ${entries.length} waits for a person: \`dawnload exports list\``;
  return { level: 'warn', text };
}

async function openPublished(published: string): Promise<string> {
  if (!existsSync(published)) return 'none yet; `dawnload run` makes it';
  const reader = await Reader.open(published);
  await reader.close();
  return published;
}

function clockVerdict(skewMs: number | undefined): Finding {
  if (skewMs === undefined) return ok('the service does not tell its time');
  const text = `${formatDuration(Math.abs(skewMs))} ${skewMs > 0 ? 'behind' : 'ahead of'} the service`;
  // The header counts whole seconds.
  if (Math.abs(skewMs) < 2_000) return ok('agrees with the service');
  return Math.abs(skewMs) > MOST_SKEW_MS ? { level: 'warn', text: `${text}: set it right` } : ok(text);
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
