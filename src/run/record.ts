/** The record of a run: in `ops.runs` for analysts, and in a journal of its own for a rebuild. */
import { EXIT, exitCodeOf, messageOf } from '../errors.js';
import type { LocalContext } from './context.js';
import type { Invocation } from './invocation.js';
import type { RunReport } from './report.js';

export class RunRecord {
  readonly #context: LocalContext;
  readonly #runId: string;
  readonly #command: string;
  readonly #version: string;

  constructor(
    context: LocalContext,
    command: string,
    { runId, version }: Pick<Invocation, 'runId' | 'version'>,
  ) {
    this.#context = context;
    this.#runId = runId;
    this.#command = command;
    this.#version = version;
  }

  async begin(): Promise<void> {
    const { warehouse, runs, report } = this.#context;
    const run = {
      runId: this.#runId,
      command: this.#command,
      startedAt: report.startedAt,
      version: this.#version,
      processId: process.pid,
    };
    await runs.begin(run);
    await warehouse.startRun(run);
  }

  async end(report: RunReport, failure: Error | undefined): Promise<void> {
    const { warehouse, runs, effects } = this.#context;
    const exitCode = failure === undefined ? report.exitCode() : exitCodeOf(failure);
    const run = {
      runId: this.#runId,
      finishedAt: effects.now(),
      exitCode,
      outcome: failure !== undefined ? 'failed' : exitCode === EXIT.done ? 'done' : 'incomplete',
      summary: { ...report.toJSON(), ...(failure === undefined ? {} : { failure: messageOf(failure) }) },
    };
    await runs.end(run);
    await warehouse.finishRun(run);
  }
}

/** Writes the runs of the journal into a new warehouse. */
export async function retellRuns({ runs, warehouse }: LocalContext): Promise<void> {
  for (const { begun, over } of await runs.runs()) {
    await warehouse.startRun(begun);
    if (over !== undefined) await warehouse.finishRun(over);
  }
}
