/** The current days and ledger, from the published file and the journal, for commands without the lock (`plan`, `status`, `doctor`). */
import { existsSync } from 'node:fs';
import { z } from 'zod';
import type { Config } from '../config/config.js';
import { ledgerState, type LedgerState } from '../exports/ledger.js';
import { dayOf, type Day } from '../ground/calendar.js';
import type { Effects } from '../ground/effects.js';
import type { Job, StreamName } from '../ground/streams.js';
import type { KnownHead } from '../journal/doubt.js';
import type { Journal } from '../journal/journal.js';
import { dataFiles } from '../disk/paths.js';
import { findingGroup } from '../warehouse/checks.js';
import { storedPrivacy } from '../warehouse/privacy.js';
import { headIn, knownBy, Reader, type Rows } from '../warehouse/reader.js';
import { assertSameProject } from './data-folder.js';
import { dayFactsIn, wantedDays, withLedger } from './wanted-days.js';

const instant = z.number().transform((ms) => new Date(ms));
const exclusions = z.object({ listed: z.number(), people: z.number(), events: z.number() });

const runRow = z
  .object({
    run_id: z.string(),
    command: z.string(),
    started_at_ms: instant,
    finished_at_ms: instant.nullable(),
    exit_code: z.number().nullable(),
    outcome: z.string().nullable(),
  })
  .transform((row) => ({
    begun: { runId: row.run_id, command: row.command, at: row.started_at_ms },
    over: { at: row.finished_at_ms, exitCode: row.exit_code, outcome: row.outcome },
  }));
export type PublishedRun = z.output<typeof runRow>;

/**
 * Reads the ledger without the lock, and lists what needs your decision.
 *
 * @param head the journal's head in the published file, if the caller has it open
 * @throws ConfigError when the data folder belongs to another project
 * @throws DamageError, StorageError if the journal cannot be read
 */
export async function ledgerNow(
  config: Config,
  effects: Effects,
  head?: readonly KnownHead[],
  journal?: Journal,
): Promise<LedgerState> {
  const heads = head ?? (await knownBy(dataFiles(config.dataDir).published));
  const state = await ledgerState(config, heads, effects, journal);
  assertSameProject(state.journal, config);
  return state;
}

/** The wanted days of a job, with the facts from which they follow. */
type DaysNow = Awaited<ReturnType<typeof daysNow>>;

/**
 * Computes the wanted days without the lock, from the published file and the ledger.
 *
 * @param jobFrom returns the job, given the first day that the file covers. Without a job, no days are wanted.
 * @param journal the journal, if it was read already
 * @throws ConfigError when the data folder belongs to another project
 * @throws CorruptDatabaseError, DamageError if the file or the journal cannot be read
 */
export async function daysNow(
  config: Config,
  effects: Effects,
  jobFrom: (first: Day | undefined) => Job | undefined,
  journal?: Journal,
) {
  const { published: file } = dataFiles(config.dataDir);
  const now = effects.now();
  const read = async (rows: Rows, reader?: Reader) => ({
    inFile: await dayFactsIn(rows, dayOf(now)),
    runs: await rows('status/runs', runRow),
    findings: await rows('status/findings', findingGroup),
    exclusions: (await reader?.rowsIfAny('status/exclusions', exclusions)) ?? [],
    privacy: (await reader?.rowsIfAny('ops/privacy_stored', storedPrivacy)) ?? [],
    head: reader === undefined ? [] : await headIn(reader, file),
  });
  // Without a published file, every list is empty.
  const { head, inFile, ...published } = existsSync(file)
    ? await Reader.using(file, (reader) => read((name, shape) => reader.rows(name, shape), reader))
    : await read(() => Promise.resolve([]));
  const state = await ledgerNow(config, effects, head, journal);
  const facts = withLedger(inFile, state);
  const { coverage, removed, messages: counted } = facts;
  const job = jobFrom(coverage.map(({ date }) => date).sort()[0]);
  const isRunning = state.lock.taken;
  const wanted = job ? wantedDays(job, { ...facts, isRunning }, config.exports, now) : [];
  return { wanted, state, coverage, removed, counted, ...published };
}

export function newestOf(coverage: DaysNow['coverage'], stream: StreamName): Day | undefined {
  const days = coverage.flatMap((row) => (row.stream === stream ? [row.date] : []));
  return days.sort().at(-1);
}
