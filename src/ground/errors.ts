/**
 * Error classes, one per remedy: what you have to do decides the class, not where the failure came from. `message` says what happened and
 * `hint` what to do next, in whole sentences; `cause` keeps the original error for `--verbose`.
 */

/** Exit codes of the command. cron, systemd and monitors rely on them. */
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
  readonly hint?: string | undefined;
  readonly cause?: unknown;
  /** The sentences of the message, if each is printed on a line of its own. */
  readonly lines?: readonly string[];
}

export abstract class DawnloadError extends Error {
  readonly exitCode: ExitCode = EXIT.incomplete;
  readonly hint: string | undefined;
  readonly lines: readonly string[];

  constructor(message: string, { hint, cause, lines = [message] }: ErrorDetails = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.hint = hint;
    this.lines = lines;
  }

  get sentences(): string {
    return `${this.message} ${this.hint ?? ''}`.trimEnd();
  }
}

/** The command line is wrong. You correct an argument. */
export class UsageError extends DawnloadError {
  override readonly exitCode = EXIT.usage;
}

/** `dawnload.yaml` or the environment is wrong. You correct a setting. */
export class ConfigError extends DawnloadError {
  override readonly exitCode = EXIT.usage;
}

/** The data folder belongs to another project, so nothing is written to it. */
export class OtherProjectError extends ConfigError {}

/** The service rejects the keys or the project (E1, 401, 403). You correct the credentials. */
export class CredentialsError extends DawnloadError {}

/** The service gave no answer, or an unusable one. Another run may succeed. */
export class ServiceError extends DawnloadError {}

/** The clocks of this machine and the service differ too much. You correct the wrong clock. */
export class ClockError extends DawnloadError {}

/** A file or folder cannot be read or written. You repair the machine; no received data is lost. */
export class StorageError extends DawnloadError {
  constructor(
    message: string,
    details?: ErrorDetails,
    /** The file or folder on which the operation failed. */
    readonly path?: string,
  ) {
    super(message, details);
  }
}

/** DuckDB ran out of memory. You give the machine more; no file is damaged. */
export class MemoryError extends StorageError {
  constructor(cause: unknown) {
    super('DuckDB ran out of memory.', {
      hint: 'Close other programs, or use a machine with more memory. No file is damaged, and nothing that was received is lost.',
      cause,
    });
  }
}

/** A file of the data folder is damaged. You decide how to repair it, usually with `dawnload rebuild`. */
export class DamageError extends DawnloadError {}

/** Many records of an export are outside its day, so it is not loaded until you correct its id or accept it. */
export class StrayError extends DamageError {}

/** A load of several pulls was rolled back, because each must be loaded by itself. Never shown. */
export class ApartError extends DawnloadError {}

/** The database file is damaged. `dawnload rebuild` replaces it from the landing zone. */
export class CorruptDatabaseError extends DawnloadError {
  constructor(message: string, cause?: unknown) {
    super(message, {
      hint: 'To rebuild it from the landing zone, without any request: `dawnload rebuild`.',
      cause,
    });
  }
}

/** A limit, a budget or a missing consent forbids the request. */
export class RefusedError extends DawnloadError {
  override readonly exitCode = EXIT.refused;
}

/** Too early: another run has the lock, or the day is incomplete. You try again later. */
export class TryLaterError extends DawnloadError {
  override readonly exitCode = EXIT.tryLater;
}

/** Ctrl-C or SIGTERM. The current durable step was completed, and the next run continues from there. */
export class InterruptedError extends DawnloadError {
  override readonly exitCode = EXIT.interrupted;
}

/** The error's message and hint, or the message of an unforeseen error. */
export function sentencesOf(error: unknown): string {
  return error instanceof DawnloadError ? error.sentences : messageOf(error);
}

export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // A failure to connect to all addresses of a host has a code but no message.
  return error.message === '' ? (codeOf(error) ?? error.name) : error.message;
}

export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

export function exitCodeOf(error: unknown): ExitCode {
  return error instanceof DawnloadError ? error.exitCode : EXIT.incomplete;
}

/** How a run ended, for the last log line and the heartbeat. */
export function endOf(exitCode: ExitCode, failure?: unknown) {
  const isOurs = failure instanceof DawnloadError;
  return {
    exit_code: exitCode,
    outcome: outcomeOf(exitCode, failure),
    /** The class of the error; null if the run ended without one. */
    error: failure === undefined ? null : isOurs ? failure.name : 'unforeseen',
    hint: (isOurs ? failure.hint : NEXT[exitCode]) ?? null,
  };
}

/** The outcome of a run as one word, for the journal and `ops.runs`. */
export function outcomeOf(exitCode: ExitCode, failure?: unknown): string {
  if (failure instanceof InterruptedError) return 'interrupted';
  if (failure instanceof TryLaterError) return 'try_later';
  if (failure !== undefined) return 'failed';
  const ends: Partial<Record<ExitCode, string>> = { [EXIT.done]: 'done', [EXIT.refused]: 'limited' };
  return ends[exitCode] ?? 'incomplete';
}

const NEXT: Partial<Record<ExitCode, string>> = {
  [EXIT.incomplete]: '`dawnload status` shows what is missing.',
  [EXIT.refused]: '`dawnload plan` shows which days are over the budget.',
};

export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
