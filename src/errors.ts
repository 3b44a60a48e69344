/**
 * One class per remedy: what the reader of the message has to do decides the class, not where the failure came from.
 * Every message is one sentence, `hint` says what to do next, `cause` keeps the original for `--verbose`.
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

export interface ErrorDetails {
  /** What to do next, one sentence. */
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

/** A file or folder cannot be read or written: the machine to mend. Nothing that was received is lost. */
export class StorageError extends DawnloadError {
  readonly exitCode = EXIT.incomplete;
}

/** A file of ours is not what was written: a person decides, usually for `dawnload rebuild`. */
export class DamageError extends DawnloadError {
  readonly exitCode = EXIT.incomplete;
}

/** The database file is damaged: to be made again from the landing zone. */
export class CorruptDatabaseError extends DawnloadError {
  readonly exitCode = EXIT.incomplete;

  constructor(message: string, cause?: unknown) {
    super(message, {
      hint: 'Make it again from the landing zone, with no request: `dawnload rebuild`.',
      ...(cause === undefined ? {} : { cause }),
    });
  }
}

/** Paid work without budget or consent. */
export class RefusedError extends DawnloadError {
  readonly exitCode = EXIT.refused;
}

/** Nothing is wrong, it is only too early: another run holds the lock, or the day is not complete. */
export class TryLaterError extends DawnloadError {
  readonly exitCode = EXIT.tryLater;
}

/** Ctrl-C or SIGTERM: the durable step in hand was finished, the next run goes on from there. */
export class InterruptedError extends DawnloadError {
  readonly exitCode = EXIT.interrupted;
}

/** The message of anything thrown, for the `cause` chain and for one-line reports. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The `code` of a Node or socket error (`ENOSPC`, `ECONNREFUSED`), if it has one. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** A failure for want of open files, whoever met it (Node, its loader of modules, DuckDB), as one that can be mended. */
export function asOutOfFiles(error: unknown): unknown {
  if (error instanceof DawnloadError) return error;
  if (!/^E[MN]FILE$/.test(codeOf(error) ?? '') && !/too many open files/i.test(messageOf(error)))
    return error;
  return new StorageError('Too many files are open.', {
    hint: 'Raise the limit of open files (ulimit -n) to 1024 or more.',
    cause: error,
  });
}
