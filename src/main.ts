/**
 * Runs one command: handles signals, parses the command line (`commands/program.ts`), runs the command, and turns errors into an exit code.
 */
import { setMaxListeners } from 'node:events';
import { existsSync } from 'node:fs';
import { CommanderError } from 'commander';
import type { Flags } from './config/config.js';
import type { Invocation } from './config/invocation.js';
import { commandLine, mistakeOf, type Typed } from './commands/program.js';
import { packageVersion, realEffects } from './ground/effects.js';
import { codeOf, endOf, EXIT, InterruptedError, type ExitCode } from './ground/errors.js';
import { quoteShell } from './ground/text.js';
import { outputLost, printFailure } from './terminal/failure.js';
import { jsonLog, quiet, realTerminal, repeating, timed } from './terminal/terminal.js';

// The process list shows only the command's name, because arguments may be personal data.
process.title = 'dawnload';

const stop = new AbortController();
// Every concurrent request adds a listener to this signal and removes it later, so a large number is not a leak.
setMaxListeners(0, stop.signal);
const effects = realEffects();
const now = (): Date => effects.now();
const runId = `${now().toISOString()}-${process.pid}`;
const version = packageVersion();
let terminal = realTerminal(process, Date.now);

/** Commands that log `run_ended` as their last line. */
const RUNS = ['run', 'backfill', 'rebuild'];

/** Performs the command line; resolves to the exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  const { program, parse } = commandLine(version);
  let [command, isVerbose] = ['', false];
  let exitCode: ExitCode = EXIT.done;
  let failure: unknown;
  // The first subcommand counts: `lake plan` is `lake`.
  program.hook('preSubcommand', (_, first) => {
    command = first.name();
  });
  try {
    const typed = parse(argv);
    process.title = `dawnload ${command}`.trimEnd();
    isVerbose = typed?.flags.verbose === true;
    if (typed !== undefined) exitCode = await Promise.race([perform(typed, command), uncaught]);
  } catch (error) {
    const mistake = error instanceof CommanderError ? mistakeOf(error, command) : undefined;
    failure = mistake ?? (error !== undefined && error === unwritable ? outputLost(error) : error);
    // The parser also throws after printing help or the version.
    if (failure instanceof CommanderError) exitCode = failure.exitCode === 0 ? EXIT.done : EXIT.usage;
    else exitCode = printFailure(failure, terminal, isVerbose);
    // Runs that started send their own alerts.
    if (command === 'run' && (mistake !== undefined || error === unexpected))
      await alertOf(failure, program.opts());
  }
  terminal.progress('');
  // Wait until a pipe has taken all output.
  await new Promise((resolve) => process.stdout.write('', resolve));
  if (unwritable !== undefined && exitCode === EXIT.done) {
    failure = outputLost(unwritable);
    exitCode = printFailure(failure, terminal, isVerbose);
  }
  if (RUNS.includes(command)) {
    const end = endOf(exitCode, failure);
    const text = `The ${command} ended with exit code ${exitCode} (${end.outcome}).`;
    terminal.record(text, { event: 'run_ended', ...end });
  }
  return exitCode;
}

/** Runs a parsed command with the real side effects. */
async function perform(typed: Typed, command: string): Promise<ExitCode> {
  const { dataFiles } = await import('./disk/paths.js');
  // Log lines of the scheduler have timestamps, because it runs for months.
  const logFormat = typed.flags.logFormat ?? (command === 'schedule' ? 'timed' : 'text');
  const flags = { ...typed.flags, logFormat };
  if (logFormat === 'timed') terminal = timed(terminal, now);
  if (logFormat === 'json')
    terminal = jsonLog(terminal, { runId, now }, (line) => process.stderr.write(line));
  const given = { '--config': flags.settingsFile, '--data-dir': flags.dataDir };
  const options = Object.entries(given).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name} ${quoteShell(value)}`],
  );
  if (options.length > 0) terminal = repeating(terminal, options.join(' '));
  const load = await configLoader(flags);
  return typed.perform({
    flags,
    effects,
    terminal: flags.quiet === true ? quiet(terminal) : terminal,
    signal: stop.signal,
    runId,
    version,
    environment: process.env,
    loadConfig: () => {
      const config = load();
      if (existsSync(dataFiles(config.dataDir).erasing))
        terminal.warn('An erasure is unfinished. Run `dawnload forget` to complete it.');
      return config;
    },
  });
}

/** Loads the settings code only when needed, because it takes most of the startup time. */
async function configLoader(flags: Flags): Promise<Invocation['loadConfig']> {
  const { loadConfig } = await import('./config/config.js');
  const { STREAMS } = await import('./streams/index.js');
  return () => loadConfig(STREAMS, flags);
}

/** Sends an alert if `run` could not start, for example because of a mistyped option, because nobody reads cron's output. */
async function alertOf(
  failure: unknown,
  { config: settingsFile, ...others }: Flags & { readonly config?: string },
): Promise<void> {
  const { reportUnstarted } = await import('./operations/alerts.js');
  const flags = { ...others, settingsFile };
  const loadConfig = await configLoader(flags);
  const invocation = { flags, environment: process.env, effects, terminal, runId, loadConfig };
  await reportUnstarted(invocation, failure);
}

process.on('SIGINT', () => {
  interrupt('press Ctrl-C again');
});
process.on('SIGTERM', () => {
  interrupt('send SIGTERM again');
});
// The terminal was closed, for example because ssh lost its connection. Kernel and shell may both send the signal.
process.on('SIGHUP', () => {
  if (!stop.signal.aborted) interrupt('send SIGTERM');
});

/** @param again how to stop immediately, such as `press Ctrl-C again` */
function interrupt(again: string): void {
  // The second signal ends the process immediately. Durable data stays.
  if (stop.signal.aborted) {
    // `process.exit` would wait for DuckDB's threads, which may take as long as the current statement. If SIGINT ends the process instead,
    // the shell sees the same exit code. Process 1 of a container ignores SIGINT and exits below.
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

// Errors outside an awaited call, such as a worker that runs out of memory, end the command like any other error.
let unexpected: unknown;
const uncaught = new Promise<never>((_, fail) => {
  process.once('uncaughtException', (error) => {
    unexpected = error;
    fail(error);
  });
});
uncaught.catch(() => undefined);
// The reader of our output may close it (`| head`, a log collector), or its disk may be full. The command continues, because a paid request
// may be in progress.
let unwritable: unknown;
process.stdout.on('error', (error) => {
  if (codeOf(error) !== 'EPIPE') unwritable = error;
});
process.stderr.on('error', () => undefined);
