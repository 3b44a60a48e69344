/** Reads the state of the published warehouse, for commands that may run at the same time as a run. */
import { existsSync } from 'node:fs';
import { z } from 'zod';
import type { Config } from '../config/config.js';
import type { Effects } from '../ground/effects.js';
import { ledgerState, type LedgerState } from '../exports/ledger.js';
import type { KnownHead } from '../journal/journal.js';
import { dataFiles } from '../landing/paths.js';
import { assertSameProject } from './data-folder.js';
import { wantedDays } from './wanted-days.js';
import { dayOf, daysOf, type Day } from '../ground/calendar.js';
import { withForecasts } from '../exports/budget.js';
import { findingGroup } from '../warehouse/checks.js';
import { storedPrivacy } from '../warehouse/privacy.js';
import { headIn, knownBy, Reader } from '../warehouse/reader.js';
import { knownDays, type Rows } from '../warehouse/rows.js';
import type { Job, Stream } from '../ground/streams.js';

const instant = z.number().transform((ms) => new Date(ms));
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
 * Reads the ledger on disk beside a run, and what of it needs a person.
 *
 * @param head the journal's head in the published file, where that is open already
 * @throws ConfigError when the data folder holds another project
 * @throws DamageError, StorageError if the journal cannot be read
 */
export async function ledgerNow(
  config: Config,
  effects: Effects,
  head?: readonly KnownHead[],
): Promise<LedgerState> {
  const known = head ?? (await knownBy(dataFiles(config.dataDir).published)).head;
  const state = await ledgerState(config, known, effects);
  assertSameProject(state.journal, config);
  return state;
}

/** The wanted days of a job, by what the published file and the ledger know, and what was read to tell them. */
export type DaysNow = Awaited<ReturnType<typeof daysNow>>;

/**
 * Reads the wanted days beside a run, for `plan`, `status` and `doctor`.
 *
 * @param jobFrom returns the job; its argument is the first day that the file covers. Without a job no days are wanted
 * @param forecasts true if days whose statistics the job pulls first have a forecast of their events
 * @throws ConfigError when the data folder holds another project
 * @throws CorruptDatabaseError, DamageError if the file or the journal cannot be read
 */
export async function daysNow(
  config: Config,
  effects: Effects,
  jobFrom: (first: Day | undefined) => Job | undefined,
  forecasts = false,
) {
  const { published: file } = dataFiles(config.dataDir);
  const read = async (rows: Rows, reader?: Reader) => ({
    known: await knownDays(rows, dayOf(effects.now())),
    runs: await rows('status/runs', runRow),
    findings: await rows('status/findings', findingGroup),
    // The change of counts that was found the latest after its day.
    latestChange: await rows('status/latest_change', z.object({ date: z.string(), days_after: z.number() })),
    privacy: (await reader?.rowsIfAny('ops/privacy_stored', storedPrivacy)) ?? [],
    head: reader === undefined ? [] : await headIn(reader, file),
  });
  // Without a published file there are no rows.
  const { head, known, ...published } = existsSync(file)
    ? await Reader.using(file, (reader) => read((name, shape) => reader.rows(name, shape), reader))
    : await read(() => Promise.resolve([]));
  const { coverage, removed } = known;
  const state = await ledgerNow(config, effects, head);
  const [first] = coverage.map(({ date }) => date).sort();
  const job = jobFrom(first);
  const entries = state.ledger.entries();
  const pulled = job !== undefined && forecasts && job.streams.has('statistics') ? daysOf(job.days) : [];
  const messages = withForecasts(known.messages, pulled);
  const ofLedger = { entries, unsure: state.doubt !== undefined, isRunning: state.lock.taken };
  const wanted =
    job === undefined
      ? []
      : wantedDays(job, { ...known, messages, ...ofLedger }, config.exports, effects.now());
  return { wanted, state, coverage, removed, counted: known.messages, ...published };
}

/** The newest day of a stream. */
export function newestOf(coverage: DaysNow['coverage'], stream: Stream): Day | undefined {
  return coverage
    .flatMap((row) => (row.stream === stream ? [row.date] : []))
    .sort()
    .at(-1);
}
