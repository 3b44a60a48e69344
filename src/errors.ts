/**
 * One class per remedy: what the reader of the message has to do decides the class, not where the failure came from.
 * `message` says what happened, `hint` what to do next, both in whole sentences; `cause` keeps the original for `--verbose`.
 */

/** Exit codes of the command, a contract with cron, systemd and monitors. */
export const EXIT = {
  done: 0,
  incomplete: 1,
  usage: 2,
  refused: 3,
  tryLater: 75,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

interface ErrorDetails {
  /** The next step, in whole sentences. */
  readonly hint?: string;
  readonly cause?: unknown;
}

/** The base of every failure that a user may see. */
export abstract class DawnloadError extends Error {
  abstract readonly exitCode: ExitCode;
  readonly hint: string | undefined;

  constructor(message: string, { hint, cause }: ErrorDetails = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.hint = hint;
  }
}

/** The command line is wrong: an argument to correct. */
export class UsageError extends DawnloadError {
  readonly exitCode = EXIT.usage;
}

/** `dawnload.yaml` or the environment is wrong: a setting to correct. */
export class ConfigError extends DawnloadError {
  readonly exitCode = EXIT.usage;
}

/** The service refuses the keys or the project (E1, 401, 403): credentials to correct. */
export class CredentialsError extends DawnloadError {
  readonly exitCode = EXIT.incomplete;
}

/** The service did not answer, or not with what was asked for; another run may succeed. */
export class ServiceError extends DawnloadError {
  readonly exitCode = EXIT.incomplete;
}

/** This machine's clock and the service's are too far apart: the clock to set right. */
export class ClockError extends DawnloadError {
  readonly exitCode = EXIT.incomplete;
}

/** A file or folder cannot be read or written: the machine to repair. Nothing that was received is lost. */
export class StorageError extends DawnloadError {
  readonly exitCode = EXIT.incomplete;
}

/** A file of the data folder is damaged: a person decides, usually for `dawnload rebuild`. */
export class DamageError extends DawnloadError {
  readonly exitCode = EXIT.incomplete;
}

/** The database file is damaged: `dawnload rebuild` replaces it from the landing zone. */
export class CorruptDatabaseError extends DawnloadError {
  readonly exitCode = EXIT.incomplete;

  constructor(message: string, cause?: unknown) {
    super(message, {
      hint: 'To rebuild it from the landing zone, without any request: `dawnload rebuild`.',
      ...(cause === undefined ? {} : { cause }),
    });
  }
}

/** Paid work without budget or consent. */
export class RefusedError extends DawnloadError {
  readonly exitCode = EXIT.refused;
}

/** Nothing is wrong, but it is too early: another run holds the lock, or the day is not complete. */
export class TryLaterError extends DawnloadError {
  readonly exitCode = EXIT.tryLater;
}

/** Ctrl-C or SIGTERM: the current durable step was completed, the next run continues from there. */
export class InterruptedError extends DawnloadError {
  readonly exitCode = EXIT.interrupted;
}

/** The message of anything thrown, for the `cause` chain and for one-line reports. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The hint of an error for a command that is no run: without the part that only a run can promise. */
export function hintOf({ hint = '' }: DawnloadError): string {
  return hint.replace(/ ?Nothing is lost;.*$/, '');
}

/** The exit code of a command that ends with this error. */
export function exitCodeOf(error: unknown): ExitCode {
  return error instanceof DawnloadError ? error.exitCode : EXIT.incomplete;
}

/** The `code` of a Node or socket error (`ENOSPC`, `ECONNREFUSED`), if it has one. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** An error for want of open files, from Node, its module loader or DuckDB, as a `StorageError`; any other unchanged. */
export function asOutOfFiles(error: unknown): unknown {
  if (error instanceof DawnloadError) return error;
  if (!/^E[MN]FILE$/.test(codeOf(error) ?? '') && !/too many open files/i.test(messageOf(error)))
    return error;
  return new StorageError('Too many files are open.', {
    hint: 'Raise the limit of open files (ulimit -n) to 1024 or more.',
    cause: error,
  });
}
