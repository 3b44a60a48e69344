/**
 * Questions about one person (`access: recorded` in their header). Each use is recorded in the private folder first. Without a private
 * folder, these questions are not available.
 */
import { createHmac } from 'node:crypto';
import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../../ground/errors.js';
import { clauseOf } from '../../disk/storage-error.js';
import { foldersOf } from '../../disk/paths.js';
import { storedKey } from '../../warehouse/privacy.js';
import type { Question, QueryFile } from './catalogue.js';

/** The queries that are available with this data folder. */
export const offered = (catalogue: readonly QueryFile[], dataDir: string): readonly QueryFile[] =>
  existsSync(foldersOf(dataDir).private) ? catalogue : catalogue.filter(({ isRecorded }) => !isRecorded);

/** Records questions about one person. Returns true if there is one among these. */
export async function recorded(asked: readonly Question[], dataDir: string, now: Date): Promise<boolean> {
  const personal = asked.filter(({ query }) => query?.isRecorded === true);
  for (const question of personal) await record(question, dataDir, now);
  return personal.length > 0;
}

/** Appends a line to `private/access.jsonl`: the time, the query, and the keyed digest of the id. */
async function record({ query, values }: Question, dataDir: string, now: Date): Promise<void> {
  const name = query?.name ?? '';
  const id = values.get('id') ?? '';
  if (id === '') return;
  const folder = foldersOf(dataDir).private;
  try {
    if (!existsSync(folder)) throw new Error('this data folder has no private folder');
    const key = await storedKey(dataDir);
    if (key.length === 0) throw new Error('the key of hashes is missing');
    const person = createHmac('sha256', key).update(id).digest('hex');
    const line = JSON.stringify({ at: now.toISOString(), query: name, person });
    appendFileSync(join(folder, 'access.jsonl'), `${line}\n`, { mode: 0o600, flush: true });
  } catch (cause) {
    throw new UsageError(
      `The query ${name} shows one person's messages and cannot be recorded: ${clauseOf(cause)}.`,
      { hint: 'Run it where the job runs, under its account.', cause },
    );
  }
}
