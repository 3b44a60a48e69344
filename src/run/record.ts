/** The record of a run: in `ops.runs` for analysts, and in a journal of its own for a rebuild. */
import { EXIT, exitCodeOf, InterruptedError, messageOf } from '../errors.js';
import type { LocalContext } from './context.js';
import type { Invocation } from './invocation.js';
import type { RunOver } from './journal.js';
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

  /** Before its own start it corrects the run before: what that one wrote in the warehouse was written before its end. */
  async begin(): Promise<void> {
    const { warehouse, runs, report } = this.#context;
    const last = (await runs.runs()).at(-1)?.over;
    if (last !== undefined) await warehouse.finishRun(last);
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

  /** In the file that is published next, and for its report: how the run ends if nothing fails from here on. */
  async expect(report: RunReport, failure: Error | undefined): Promise<RunOver> {
    const over = this.#over(report, failure);
    await this.#context.warehouse.finishRun(over);
    return over;
  }

  /** In the journal, once nothing of the run is left to do. A disk that refuses it leaves a run without an end. */
  async end(report: RunReport, failure: Error | undefined): Promise<void> {
    await this.#context.runs.end(this.#over(report, failure));
  }

  #over(report: RunReport, failure: Error | undefined): RunOver {
    const exitCode = failure === undefined ? report.exitCode() : exitCodeOf(failure);
    return {
      runId: this.#runId,
      finishedAt: this.#context.effects.now(),
      exitCode,
      outcome: outcomeOf(exitCode, failure),
      summary: { ...report.toJSON(), ...(failure === undefined ? {} : { failure: messageOf(failure) }) },
    };
  }
}

function outcomeOf(exitCode: number, failure: Error | undefined): string {
  if (failure instanceof InterruptedError) return 'interrupted';
  if (failure !== undefined) return 'failed';
  return exitCode === EXIT.done ? 'done' : 'incomplete';
}

/** Writes the runs of the journal into a new warehouse. */
export async function retellRuns({ runs, warehouse }: LocalContext): Promise<void> {
  for (const { begun, over } of await runs.runs()) {
    await warehouse.startRun(begun);
    if (over !== undefined) await warehouse.finishRun(over);
  }
}
