/** Prints the error of a command: a sentence, a hint and, with `--verbose`, the causes. */
import { DawnloadError, exitCodeOf, InterruptedError, messageOf, StorageError } from '../ground/errors.js';
import type { ExitCode } from '../ground/errors.js';
import type { Terminal } from './terminal.js';

/** Prints the error and its hint; returns its exit code. */
export function printFailure(failure: unknown, terminal: Terminal, isVerbose: boolean): ExitCode {
  const error = bindingMissing(failure) ?? failure;
  const isForeseen = error instanceof DawnloadError;
  const lines = isForeseen
    ? linesOf(error, terminal)
    : [`Something unexpected went wrong: ${messageOf(error)}`];
  for (const line of lines) terminal.error(line);
  if (isForeseen && error.hint !== undefined) terminal.note(`  ${error.hint}`);
  if (isVerbose || !isForeseen)
    for (let cause = error; cause instanceof Error; cause = cause.cause)
      for (const line of (cause.stack ?? cause.message).split('\n')) terminal.note(line);
  return exitCodeOf(error);
}

/** The error's message; for an interruption, a sentence about the current step. */
function linesOf(error: DawnloadError, { doing }: Terminal): readonly string[] {
  if (!(error instanceof InterruptedError)) return error.lines;
  return [doing === '' ? 'Interrupted.' : `Interrupted. The current step was: ${doing}.`];
}

/** The error shown if stdout cannot be written. */
export function outputLost(cause: unknown): DawnloadError {
  return new StorageError(`The output cannot be written (${messageOf(cause)}).`, {
    hint: 'Free disk space, or choose another output. Then run the command again.',
    cause,
  });
}

/** The error shown if the native part of DuckDB is missing, or if this system cannot load it. */
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
