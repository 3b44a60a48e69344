/** The machine: versions, time zones, permissions, space. */
import { constants, existsSync } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { koreanTime } from '../calendar.js';
import type { Config } from '../config.js';
import { codeOf } from '../errors.js';
import { dataFiles } from '../storage/data-files.js';
import { ask } from '../storage/duckdb.js';
import { foldersOf } from '../storage/paths.js';
import { formatBytes, plural } from '../terminal/terminal.js';
import { fail, ok, warn, type Finding } from './check.js';

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
 * What a record takes while it is landed, loaded and published, in bytes. Those of the demo take 670 in all copies; long
 * messages and sorting take more.
 */
const RECORD_BYTES = 2_000;

/** What a night takes without any event, in bytes. */
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
