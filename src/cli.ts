#!/usr/bin/env node
/** Where the command begins and ends: signals, the one place that reports errors, the only place that exits. */
import { setMaxListeners } from 'node:events';
import type { Action } from './commands/program.js';
import type { Flags } from './config.js';
import { asOutOfFiles, codeOf, DawnloadError, EXIT, InterruptedError, messageOf } from './errors.js';

// What is imported above is one file: a process that may open too few files fails below, where it can be said.
const { CommanderError } = await import('commander').catch(cannotStart);
const { realTerminal } = await import('./terminal/terminal.js').catch(cannotStart);
const { realEffects } = await import('./effects.js').catch(cannotStart);
const { packageVersion } = await import('./package.js').catch(cannotStart);
const { loadConfig } = await import('./config.js').catch(cannotStart);
const { commandLine } = await import('./commands/program.js').catch(cannotStart);

const stop = new AbortController();
// Every request under way listens to it, and takes its listener away again: many of them are no leak.
setMaxListeners(0, stop.signal);
const terminal = realTerminal(process, Date.now);
const version = packageVersion();

process.on('SIGINT', () => {
  interrupt('Ctrl-C');
});
process.on('SIGTERM', () => {
  interrupt('SIGTERM');
});
// Who reads our output may stop reading (`| head`): that is no failure of ours.
process.stdout.on('error', (error) => {
  process.exit(codeOf(error) === 'EPIPE' ? EXIT.done : EXIT.incomplete);
});

process.exit(await main(process.argv));

async function main(argv: readonly string[]): Promise<number> {
  let exitCode: number = EXIT.done;
  let verbose = false;
  const perform = async (flags: Flags & { verbose?: boolean }, action: Action): Promise<void> => {
    verbose = flags.verbose === true;
    exitCode = await action({
      flags,
      effects: realEffects(),
      terminal,
      signal: stop.signal,
      version,
      loadConfig: () => loadConfig(flags),
    });
  };
  try {
    await commandLine(version, perform).parseAsync(argv);
  } catch (error) {
    exitCode = report(error, verbose);
  }
  await flushed(process.stdout);
  return exitCode;
}

/** A module that cannot be found is what the loader makes of a file that it may not open. */
function cannotStart(error: unknown): never {
  process.stderr.write(
    `dawnload: The program cannot be loaded (${messageOf(error).split('\n', 1)[0] ?? ''}).\n` +
      '  Raise the limit of open files (ulimit -n) to 1024 or more; if it is not that, install the package anew.\n',
  );
  process.exit(EXIT.incomplete);
}

function interrupt(name: string): void {
  // The second signal ends at once; what is durable stays so.
  if (stop.signal.aborted) {
    // `process.exit` waits for DuckDB's threads, which may take as long as the statement in hand. Ended by SIGINT, the
    // process has the same exit code for a shell. As process 1 of a container it cannot be ended so.
    process.removeAllListeners('SIGINT');
    process.kill(process.pid, 'SIGINT');
    process.exit(EXIT.interrupted);
  }
  terminal.note(`${name}: finishing the step in hand (once more ends at once)`);
  stop.abort(
    new InterruptedError('Interrupted.', { hint: 'What is done is kept; the next run goes on from there.' }),
  );
}

/** One sentence, what to do next, and the exit code that the failure carries. */
function report(thrown: unknown, verbose: boolean): number {
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? EXIT.done : EXIT.usage;
  const error = asOutOfFiles(thrown);
  const known = error instanceof DawnloadError;
  const place =
    error instanceof InterruptedError && terminal.doing !== '' ? ` It was at: ${terminal.doing}.` : '';
  terminal.error(
    known ? asSentence(error.message) + place : `Something unforeseen went wrong: ${messageOf(error)}`,
  );
  if (known && error.hint !== undefined) terminal.note(`  ${asSentence(error.hint)}`);
  if (verbose || !known) {
    for (let cause = error; cause instanceof Error; cause = cause.cause)
      for (const line of (cause.stack ?? cause.message).split('\n')) terminal.note(line);
  }
  return known ? error.exitCode : EXIT.incomplete;
}

function asSentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?`]$/.test(begun) ? begun : `${begun}.`;
}

/** Resolves once everything written is with the reader: a pipe may still hold it back. */
function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.write('', () => {
      resolve();
    });
  });
}
