/** The lake as runs and commands use it: opened under the settings, pushed to after publishing. */
import type { Config } from '../config.js';
import type { LakeConfig } from '../config/lake.js';
import { DawnloadError, InterruptedError, messageOf } from '../errors.js';
import { catalogFailure } from '../lake/failure.js';
import { icebergCatalog } from '../lake/iceberg.js';
import { Lake } from '../lake/lake.js';
import type { Commit } from '../lake/commits.js';
import { push } from '../lake/push.js';
import { LakeState } from '../lake/state.js';
import type { Invocation } from './invocation.js';
import type { RunReport } from './report.js';

export type LakeSettings = Pick<Config, 'dataDir'> & { readonly lake: LakeConfig };

/** Opens the lake for the work, and closes it. Throws as `Lake.open` does. */
export async function withLake<T>(
  { dataDir, lake: settings }: LakeSettings,
  { signal, lakeCatalog }: Invocation,
  work: (lake: Lake) => Promise<T>,
): Promise<T> {
  const catalog = lakeCatalog ?? icebergCatalog(settings);
  try {
    const lake = await Lake.open({ dataDir, lake: settings, signal, catalog });
    try {
      return await work(lake);
    } finally {
      await lake.close();
    }
  } catch (error) {
    throw catalogFailure(error);
  }
}

/** Pushes what differs; for the holder of the lock. Throws as `push` does. */
export function pushLake(settings: LakeSettings, invocation: Invocation, command: string): Promise<Commit[]> {
  const { effects, terminal, version } = invocation;
  return withLake(settings, invocation, async (lake) => {
    const state = await LakeState.open(settings, effects);
    return push({
      lake,
      state,
      effects,
      command,
      version,
      progress: (what) => {
        terminal.progress(what);
      },
    });
  });
}

/**
 * Pushes what a run has published, if a lake is set. A failure is told in the report: the file is published in any case, and
 * the next run pushes what is missing.
 *
 * @throws InterruptedError after Ctrl-C
 */
export async function pushAfterRun(
  config: Pick<Config, 'dataDir' | 'lake'>,
  invocation: Invocation,
  command: string,
  report: RunReport,
): Promise<void> {
  const { dataDir, lake } = config;
  if (lake === undefined) return;
  try {
    const commits = await pushLake({ dataDir, lake }, invocation, command);
    report.lake({ pushed: true, commits: commits.length, rows: rowsOf(commits) });
  } catch (error) {
    if (error instanceof InterruptedError) throw error;
    const reason = [messageOf(error), error instanceof DawnloadError ? (error.hint ?? '') : '']
      .join(' ')
      .trim();
    report.lake({ pushed: false, days: report.loadedDays, reason });
  }
}

/** The rows that commits brought. */
export function rowsOf(commits: readonly Commit[]): number {
  return commits.reduce((sum, { rows }) => sum + rows, 0);
}
