/** The whole of a command in its process: handles signals, performs the command, and reports errors. */
import { setMaxListeners } from 'node:events';
import { existsSync } from 'node:fs';
import { CommanderError } from 'commander';
import type { Flags } from './config/config.js';
import { commandLine, mistakeOf, type Typed } from './commands/program.js';
import { packageVersion, realEffects } from './ground/effects.js';
import {
  codeOf,
  DawnloadError,
  endOf,
  EXIT,
  exitCodeOf,
  InterruptedError,
  messageOf,
  StorageError,
  type ExitCode,
} from './ground/errors.js';
import { jsonLog, quiet, realTerminal, timed } from './terminal/terminal.js';

// A key, a number or a query on the command line may name a person: from here on the process list shows the command alone.
process.title = 'dawnload';

const stop = new AbortController();
// Every concurrent request adds a listener to this signal and removes it again, so a large number is not a leak.
setMaxListeners(0, stop.signal);
const effects = realEffects();
const runId = `${effects.now().toISOString()}-${process.pid}`;
let terminal = realTerminal(process, Date.now);
const version = packageVersion();

process.on('SIGINT', () => {
  interrupt('press Ctrl-C again');
});
process.on('SIGTERM', () => {
  interrupt('send SIGTERM again');
});
// The terminal is gone, such as a lost connection of ssh. Kernel and shell may both send the signal.
process.on('SIGHUP', () => {
  if (!stop.signal.aborted) interrupt('send SIGTERM');
});
// An error that no call awaits, such as one of a worker without memory, ends the command like any other.
let unexpected: unknown;
const uncaught = new Promise<never>((_, fail) => {
  process.once('uncaughtException', (error) => {
    unexpected = error;
    fail(error);
  });
});
uncaught.catch(() => undefined);
// The reader of our output may go away (`| head`, a log collector), and a disk behind it may be full. Neither ends a command
// that has work to do: a paid request may be under way.
let lost: unknown;
process.stdout.on('error', (error) => {
  if (codeOf(error) !== 'EPIPE') lost = error;
});
process.stderr.on('error', () => undefined);

/** The commands whose last line in a structured log says how they ended. */
const RUNS = ['run', 'backfill', 'rebuild'];

/** Performs the command line; resolves to the exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  let exitCode: ExitCode = EXIT.done;
  let verbose = false;
  let command = '';
  let failure: unknown;
  const { program, parse } = commandLine(version);
  try {
    // The first one: `lake plan` is a lake.
    program.hook('preSubcommand', (_, one) => {
      command = one.name();
    });
    const typed = parse(argv);
    process.title = `dawnload ${command}`.trimEnd();
    verbose = typed?.flags.verbose === true;
    if (typed !== undefined) exitCode = await Promise.race([perform(typed, command), uncaught]);
  } catch (error) {
    const mistake = error instanceof CommanderError ? mistakeOf(error, command) : undefined;
    failure = mistake ?? error;
    exitCode = report(failure, verbose);
    const isUnheard = mistake !== undefined || error === unexpected;
    if (isUnheard && command === 'run') await reportUnstarted(failure, program.opts());
  }
  terminal.progress('');
  // A pipe may still have unread output.
  await new Promise((resolve) => process.stdout.write('', resolve));
  if (lost !== undefined && exitCode === EXIT.done) {
    failure = outputLost(lost);
    exitCode = report(failure, verbose);
  }
  if (RUNS.includes(command)) {
    const ended = endOf(exitCode, failure);
    const text = `The ${command} ended with exit code ${exitCode} (${ended.outcome}).`;
    terminal.record(text, { event: 'run_ended', ...ended });
  }
  return exitCode;
}

async function perform({ flags, perform: inInvocation }: Typed, command: string): Promise<ExitCode> {
  // Help and version need no settings, and loading the settings takes most of the time.
  const { loadConfig } = await import('./config/config.js');
  const { FIELDS } = await import('./streams/index.js');
  const { dataFiles } = await import('./landing/paths.js');
  const now = (): Date => effects.now();
  // The scheduler runs for months, so its lines need times.
  const logFormat = flags.logFormat ?? (command === 'schedule' ? 'timed' : 'text');
  if (logFormat === 'timed') terminal = timed(terminal, now);
  if (logFormat === 'json')
    terminal = jsonLog(terminal, { runId, now }, (line) => process.stderr.write(line));
  return inInvocation({
    flags: { ...flags, logFormat },
    effects,
    terminal: flags.quiet === true ? quiet(terminal) : terminal,
    signal: stop.signal,
    runId,
    version,
    environment: process.env,
    loadConfig: () => {
      const config = loadConfig(FIELDS, flags);
      if (existsSync(dataFiles(config.dataDir).erasing)) {
        terminal.warn('An erasure is unfinished. Run `dawnload forget` to complete it.');
      }
      return config;
    },
  });
}

/** Reports a `run` whose command line is wrong, or that an error outside of it ended: nobody reads what cron writes. */
async function reportUnstarted(
  failure: unknown,
  { config: settingsFile, ...flags }: Flags & { readonly config?: string },
): Promise<void> {
  const { loadConfig } = await import('./config/config.js');
  const { FIELDS } = await import('./streams/index.js');
  const alerts = await import('./operations/alerts.js');
  const given = { ...flags, settingsFile };
  const load = () => loadConfig(FIELDS, given);
  const invocation = { flags: given, environment: process.env, effects, terminal, runId, loadConfig: load };
  await alerts.reportUnstarted(invocation, failure);
}

/** @param again describes what ends the process immediately, such as `press Ctrl-C again` */
function interrupt(again: string): void {
  // The second signal ends the process immediately; durable data stays.
  if (stop.signal.aborted) {
    // `process.exit` waits for DuckDB's threads, which may take as long as the current statement. If SIGINT ends the
    // process, a shell sees the same exit code. Process 1 of a container ignores it and exits below.
    process.removeAllListeners('SIGINT');
    process.kill(process.pid, 'SIGINT');
    process.exit(EXIT.interrupted);
  }
  terminal.note(`Stopping after this step; ${again} to quit now.`);
  stop.abort(
    new InterruptedError('Interrupted.', {
      hint: 'Completed steps are kept. The same command continues from there.',
    }),
  );
}

/** Prints the error and its hint; returns its exit code. */
function report(thrown: unknown, verbose: boolean): ExitCode {
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? EXIT.done : EXIT.usage;
  const isOutput = thrown !== undefined && thrown === lost;
  const error = isOutput ? outputLost(thrown) : (bindingMissing(thrown) ?? thrown);
  const known = error instanceof DawnloadError;
  terminal.error(known ? sentenceOf(error) : `Something unforeseen went wrong: ${messageOf(error)}`);
  if (known && error.hint !== undefined) terminal.note(`  ${error.hint}`);
  if (verbose || !known) {
    for (let cause = error; cause instanceof Error; cause = cause.cause)
      for (const line of (cause.stack ?? cause.message).split('\n')) terminal.note(line);
  }
  return exitCodeOf(error);
}

function outputLost(cause: unknown): DawnloadError {
  return new StorageError(`The output cannot be written (${messageOf(cause)}).`, {
    hint: 'Free disk space, or choose another output. Then run the command again.',
    cause,
  });
}

/** Returns the error that people see if the native part of DuckDB is missing, or cannot be loaded by this system. */
function bindingMissing(cause: unknown): DawnloadError | undefined {
  const message = messageOf(cause);
  if (!/duckdb native binding|@duckdb\/node-bindings/.test(message)) return undefined;
  const platform =
    /node-bindings-(\w+-\w+(?:-musl)?)/.exec(message)?.[1] ?? `${process.platform}-${process.arch}`;
  return new StorageError(`The native part of DuckDB for ${platform} is not installed or cannot be loaded.`, {
    hint: 'Install on this machine, with optional packages (`npm ci`, without `--omit=optional`), or use the container image.',
    cause,
  });
}

/** Returns the error's message; for an interruption, wherever it was noticed, a sentence about the current step. */
function sentenceOf(error: DawnloadError): string {
  if (!(error instanceof InterruptedError)) return error.message;
  return terminal.doing === '' ? 'Interrupted.' : `Interrupted. The current step was: ${terminal.doing}.`;
}
