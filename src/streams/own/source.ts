/** Copies the source of an own table, so that it does not change while it is read. */
import { readdir } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { shellFor, type Config } from '../../config/config.js';
import { DamageError } from '../../ground/errors.js';
import { whyUnread } from '../../config/files.js';
import { runShell } from '../../ground/shell.js';
import { copyForeign, moreThan, openForeign, Unusable } from '../../disk/foreign-file.js';
import type { PullParts } from '../stream.js';
import { formatOf } from './settings.js';

export type OwnTable = Config['tables'][number];

/** Returns the error for a source that cannot be copied; `why` is a clause. */
export const refusal = ({ name }: OwnTable, why: string, cause?: unknown): DamageError =>
  new DamageError(`Your table ${name} was not copied: ${why}.`, {
    hint: 'The warehouse keeps the last copy, and the next run reads the table again.',
    cause,
  });

/**
 * Copies the source into the folder; resolves with the paths of the copies. A relative `from` starts at the folder of the settings file.
 */
export async function copySource(
  table: OwnTable,
  folder: string,
  parts: Pick<PullParts, 'config' | 'invocation'>,
): Promise<string[]> {
  const format = formatOf(table);
  const encoding = format === 'csv' || format === 'json' ? table.encoding : undefined;
  let left = table.largest;
  const copies: string[] = [];
  const copy = async (bytes: AsyncIterable<Buffer>): Promise<void> => {
    const path = join(folder, `source-${copies.length}`);
    copies.push(path);
    left -= await copyForeign(bytes, path, left, encoding);
  };
  try {
    if (table.command !== undefined) await copyOutput(table, table.command, copy, parts);
    else
      for (const file of await filesOf(table, parts.config.folder)) {
        const handle = await openForeign(file);
        try {
          // Don't start copying a huge or sparse file.
          if ((await handle.stat()).size > left) throw moreThan(left);
          await copy(handle.createReadStream({ autoClose: false }));
        } finally {
          await handle.close();
        }
      }
    return copies;
  } catch (error) {
    if (!(error instanceof Unusable)) throw error;
    const setting = error.setting === undefined ? '' : ` (tables.${table.name}.${error.setting})`;
    throw refusal(table, `${error.message}${setting}`, error);
  }
}

/** Copies the stdout of a command, if the command succeeds. */
async function copyOutput(
  table: OwnTable,
  command: string,
  copy: (stdout: AsyncIterable<Buffer>) => Promise<void>,
  { config, invocation }: Pick<PullParts, 'config' | 'invocation'>,
): Promise<void> {
  const { failure, output } = await runShell(command, {
    ...shellFor(config, invocation.environment),
    signal: invocation.signal,
    patienceMs: table.max_minutes * 60_000,
    effects: invocation.effects,
    read: copy,
  });
  if (failure === undefined) return;
  for (const line of output) invocation.terminal.warn(`${table.name}: ${line}`);
  throw refusal(table, `its command failed (${failure})`);
}

/** The files that `from` names: one file, or those in one folder that match its pattern. */
async function filesOf(table: OwnTable, base: string): Promise<string[]> {
  const from = resolve(base, table.from ?? '');
  if (!/[*?]/.test(from)) return [from];
  const folder = dirname(from);
  const plain = basename(from).replaceAll(/[\\^$.+()[\]{}|]/g, '\\$&');
  const pattern = new RegExp(`^${plain.replaceAll('*', '.*').replaceAll('?', '.')}$`, 's');
  const names = await readdir(folder).catch((cause: unknown) => {
    throw refusal(table, `${folder} cannot be read (${whyUnread(cause)})`, cause);
  });
  const matching = names.filter((name) => pattern.test(name)).sort();
  if (matching.length === 0) throw refusal(table, `no file matches ${from}`);
  if (formatOf(table) === 'duckdb' && matching.length > 1)
    throw refusal(table, `${matching.length} DuckDB files match ${from}, and only one can be read`);
  return matching.map((name) => join(folder, name));
}
