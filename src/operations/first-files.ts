/** The files that `init` writes: `dawnload.yaml` and `.env`. */
import { existsSync } from 'node:fs';
import { chmod, rename, writeFile } from 'node:fs/promises';
import { parseEnv } from 'node:util';
import { stringify } from 'yaml';
import { isUnencrypted } from '../config/config.js';
import { UsageError } from '../ground/errors.js';
import { fromTemplate } from '../readers/queries/contracts.js';
import { writeFileWhole } from '../readers/queries/output.js';
import { plural, type Terminal } from '../terminal/terminal.js';

/** Writes a file as a whole; an existing one is kept under a name that ends with `.bak`. */
export async function writeKept(
  path: string,
  text: string,
  terminal: Terminal,
  secretMode?: number,
): Promise<void> {
  const mode = secretMode ?? 0o666;
  await writeFileWhole(path, async (next) => {
    await writeFile(next, text, { mode, flush: true });
    if (secretMode !== undefined) await chmod(next, mode);
    if (!existsSync(path)) return;
    let copy = `${path}.bak`;
    for (let n = 2; existsSync(copy); n++) copy = `${path}.bak${n}`;
    if (secretMode !== undefined) await chmod(path, mode);
    await rename(path, copy);
    terminal.note(`Kept the previous file as ${copy}.`);
  });
  const secret = ', readable only by you. Keep it out of version control';
  terminal.note(`Wrote ${path}${secretMode === undefined ? '' : secret}.`);
}

const HEAD = "# The keys of the service's API. Keep this file out of version control.";

/** The content of `.env`: the keys, followed by the other variables of an earlier file. */
export function envFile(keys: Readonly<Record<'accessKey' | 'secretKey', string>>, earlier = ''): string {
  const own = /^\s*(?:export\s+)?DAWNLOAD_(?:ACCESS|SECRET)_KEY\s*=/;
  const rest = earlier.split(/\r?\n/).filter((line) => !own.test(line) && line !== HEAD);
  const values = { DAWNLOAD_ACCESS_KEY: keys.accessKey, DAWNLOAD_SECRET_KEY: keys.secretKey };
  const lines = Object.entries(values).map(([name, value]) => {
    const quote = ["'", '`', '"'].find((mark) => !value.includes(mark)) ?? "'";
    return `${name}=${/^[\w./+=:@%-]+$/.test(value) ? value : quote + value + quote}`;
  });
  const text = `${[HEAD, ...lines, '', rest.join('\n').trim()].join('\n').trim()}\n`;
  const read = parseEnv(text);
  if (Object.entries(values).every(([name, value]) => read[name] === value)) return text;
  throw new UsageError('The keys have characters that cannot be written to .env.', {
    hint: 'Set DAWNLOAD_ACCESS_KEY and DAWNLOAD_SECRET_KEY in the environment of the job instead.',
  });
}

interface Settings extends Readonly<Record<'baseUrl' | 'projectId' | 'startDate' | 'dataDir', string>> {
  readonly allowHttp?: boolean;
  /** The number of records of the night that the service reported; undefined if it is unknown. */
  readonly records?: number | undefined;
}

export function settingsFile(settings: Settings): string {
  const { baseUrl, allowHttp, projectId, dataDir, startDate, records } = settings;
  // YAML would read some unquoted texts as other values.
  const scalar = (text: string): string => stringify(text, { lineWidth: 0 }).trimEnd();
  // The suggested budget is that of one night and a half, which buys no backlog, and of a month of such nights.
  const budget = Math.ceil(((records ?? 1_000) * 1.5) / 100) * 100;
  return fromTemplate('examples/init.yaml', {
    base_url: scalar(baseUrl),
    allow_http: allowHttp === true && isUnencrypted(baseUrl) ? true : undefined,
    project_id: scalar(projectId),
    data_dir: scalar(dataDir),
    start_date: startDate,
    night: records
      ? `a night is about ${plural(records, 'record')}`
      : 'a night of yours, see `dawnload plan`',
    records_per_run: budget,
    records_per_month: budget * 31,
  });
}
