/**
 * The journal of runs: one line at the start and one at the end of each run, so that a rebuilt warehouse lists them
 * too. Runs also read their earlier choice of main goals in it; no other decision depends on it. A line that cannot be
 * read is skipped.
 */
import { appendFile, mkdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { codeOf } from '../errors.js';
import { FILE_MODE, FOLDER_MODE } from './atomic-file.js';
import { foldersOf } from './paths.js';
import { orStorageError } from './storage-error.js';

const instant = z.iso.datetime().transform((text) => new Date(text));

const begun = z.object({
  runId: z.string(),
  command: z.string(),
  startedAt: instant,
  version: z.string(),
  processId: z.number().int(),
});
const over = z.object({
  runId: z.string(),
  finishedAt: instant,
  exitCode: z.number().int(),
  outcome: z.string(),
  summary: z.record(z.string(), z.unknown()),
});

type RunBegun = z.infer<typeof begun>;
export type RunOver = z.infer<typeof over>;

/** A past run; `over` is missing if the run was killed. */
export interface PastRun {
  readonly begun: RunBegun;
  readonly over: RunOver | undefined;
}

export class RunJournal {
  readonly #file: string;

  constructor(dataDir: string) {
    this.#file = join(foldersOf(dataDir).ledger, 'runs.jsonl');
  }

  begin(run: RunBegun): Promise<void> {
    return this.#append({ begun: run });
  }

  end(run: RunOver): Promise<void> {
    return this.#append({ over: run });
  }

  /** The last modification of the journal, in milliseconds; 0 if there is no journal. */
  async changedAt(): Promise<number> {
    return stat(this.#file).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    );
  }

  /** All runs that began, in order. */
  async runs(): Promise<PastRun[]> {
    const text = await orStorageError('read', this.#file, async () => {
      try {
        return await readFile(this.#file, 'utf8');
      } catch (error) {
        if (codeOf(error) === 'ENOENT') return '';
        throw error;
      }
    });
    const lines = text.split('\n').map(parseLine);
    const ends = new Map(
      lines.flatMap((line) => (line?.over === undefined ? [] : [[line.over.runId, line.over]])),
    );
    return lines.flatMap((line) =>
      line?.begun === undefined ? [] : [{ begun: line.begun, over: ends.get(line.begun.runId) }],
    );
  }

  async #append(line: object): Promise<void> {
    await orStorageError('write', this.#file, async () => {
      await mkdir(dirname(this.#file), { recursive: true, mode: FOLDER_MODE });
      // The newline comes first: after a line that a kill truncated, the next one still starts on a line of its own.
      await appendFile(this.#file, `\n${JSON.stringify(line)}`, { mode: FILE_MODE });
    });
  }
}

const journalLine = z.object({ begun: begun.optional(), over: over.optional() });

function parseLine(text: string): z.infer<typeof journalLine> | undefined {
  try {
    return journalLine.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
