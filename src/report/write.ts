/** Writes the report to a file, complete or not at all. */
import { chmod, writeFile } from 'node:fs/promises';
import type { Language } from '../dictionary/dictionary.js';
import { writeFileWhole } from '../queries/sink.js';
import { RunJournal, type RunOver } from '../run/journal.js';
import { dataFiles } from '../storage/paths.js';
import { makeReport } from './report.js';

/**
 * Makes the report of the published warehouse and writes it.
 *
 * @returns its size in bytes
 * @throws ConfigError without a published warehouse; CorruptDatabaseError when it is damaged; StorageError when the file
 *   cannot be written
 */
export async function writeReport(
  file: string,
  {
    dataDir,
    language,
    now,
    ending,
  }: {
    readonly dataDir: string;
    readonly language: Language;
    readonly now: Date;
    /** How the run ends that writes it, which the journal does not hold yet. */
    readonly ending?: RunOver | undefined;
  },
): Promise<number> {
  const past = await new RunJournal(dataDir).runs();
  const runs = past.map((run) => (run.begun.runId === ending?.runId ? { ...run, over: ending } : run));
  const page = await makeReport(dataFiles(dataDir).published, { language, now, runs });
  // For everybody who may read the warehouse: it holds no recipient.
  await writeFileWhole(file, async (path) => {
    await writeFile(path, page);
    await chmod(path, 0o644);
  });
  return Buffer.byteLength(page);
}
