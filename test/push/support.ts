/** A published warehouse and the sandbox that it came from; each test begins without a push. */
import { realEffects } from '../../src/ground/effects.js';
import { EXPORT } from '../../src/exports/export.js';
import { Journal, PROJECT, RUN } from '../../src/journal/journal.js';
import { PUSH } from '../../src/push/ledger.js';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Place, type Ended } from '../support/dawnload.js';
import type { FaultySandboxOptions } from '../support/faults/index.js';

export const YAML = `start_date: 2026-11-19
lookback_days: 1
retries: 2
push: { rows_per_run: 100000, rows_per_month: 1000000 }
`;

export interface Written {
  readonly users: { userId: string; properties: Record<string, unknown> }[];
  readonly events: ({ eventName: string; userId: string } & Record<string, unknown>)[];
  readonly journeys: ({ userJourneyId: string; userId: string } & Record<string, unknown>)[];
  readonly optOuts: { registered: { recipientNo: string }[]; removed: { recipientNo: string }[] };
  readonly catalogs: {
    changed: { name: string; items: { id: string; item: Record<string, unknown> | null }[] }[];
  };
}

export async function published(yaml = YAML, options: FaultySandboxOptions = {}): Promise<Place> {
  const place = await Place.make(yaml, { eventsPerDay: 60, ...options });
  const night = await place.run(['run']);
  if (night.code !== 0) throw new Error(`the night ended with ${night.code}: ${night.stderr}`);
  return place;
}

export const written = (place: Place): Written => place.sandbox.state() as Written;

/** Forgets all pushes; what the sandbox received stays. */
export async function forgetPushes(place: Place): Promise<void> {
  place.sandbox.setFaults([]);
  await rm(join(place.folder, 'data', 'ledger', 'pushed'), { recursive: true, force: true });
  const dataDir = join(place.folder, 'data');
  const journal = await Journal.read({ dataDir }, realEffects({}));
  for (const path of ['ledger/journal.jsonl', 'landing/ledger/journal.jsonl', 'private/witness.json'])
    await rm(join(dataDir, path), { force: true });
  const anew = await Journal.open({ dataDir }, realEffects({}));
  for (const { seq: _, at: __, ...line } of journal.of(PROJECT)) await anew.append(PROJECT, line);
  for (const { seq: _, at: __, ...line } of journal.of(RUN)) await anew.append(RUN, line);
  for (const { seq: _, at: __, ...line } of journal.of(EXPORT)) await anew.append(EXPORT, line);
  // The published file knows the number that the journal had.
  await anew.confirm(journal.head.seq + 1_000);
  await anew.close();
}

/** The lines of the ledger of pushes, without their instants. */
export async function lines(place: Place): Promise<Record<string, unknown>[]> {
  const journal = await Journal.read({ dataDir: join(place.folder, 'data') }, realEffects({}));
  return journal.of(PUSH).map((line) => ({ ...line }));
}

/** Writes SQL into a file, so that it is not on the command line. */
export async function sqlFile(place: Place, sql: string): Promise<string> {
  await writeFile(join(place.folder, 'query.sql'), sql);
  return 'query.sql';
}

/** Every byte that the data folder holds, but for the warehouse. */
export async function bytesOf(place: Place): Promise<string> {
  const entries = await readdir(join(place.folder, 'data'), { recursive: true, withFileTypes: true });
  const files = entries.filter((one) => one.isFile() && !/duckdb|\.gz$/.test(one.name));
  const texts = await Promise.all(files.map((one) => readFile(join(one.parentPath, one.name), 'latin1')));
  return texts.join('\n');
}

export const push = (place: Place, ...args: readonly string[]): Promise<Ended> =>
  place.run(['push', ...args]);
