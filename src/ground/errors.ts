/**
 * Error classes, one per remedy: the class depends on what the user has to do, not on where the failure came from.
 * `message` states what happened and `hint` what to do next, both in whole sentences; `cause` keeps the original error
 * for `--verbose`.
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

/** The command line is wrong: the user corrects an argument. */
export class UsageError extends DawnloadError {
  override readonly exitCode = EXIT.usage;
}

/** `dawnload.yaml` or the environment is wrong: the user corrects a setting. */
export class ConfigError extends DawnloadError {
  override readonly exitCode = EXIT.usage;
}

/** The data folder belongs to another project: nothing is written there. */
export class OtherProjectError extends ConfigError {}

/** The service refuses the keys or the project (E1, 401, 403): the user corrects the credentials. */
export class CredentialsError extends DawnloadError {}

/** The service did not answer, or answered with something else; another run may succeed. */
export class ServiceError extends DawnloadError {}

/** The clocks of this machine and of the service differ too much: the user corrects the clock. */
export class ClockError extends DawnloadError {}

/** A file or folder cannot be read or written: the user repairs the machine. No received data is lost. */
export class StorageError extends DawnloadError {
  constructor(
    message: string,
    details?: ErrorDetails,
    /** The file or folder that a failed operation was about. */
    readonly path?: string,
  ) {
    super(message, details);
  }
}

/** DuckDB ran out of memory: the user gives the machine more. No file is damaged. */
export class MemoryError extends StorageError {
  constructor(cause: unknown) {
    super('DuckDB ran out of memory in this step.', {
      hint: 'Close other programs, or run it on a machine with more memory. No file is damaged, and nothing that was received is lost.',
      cause,
    });
  }
}

/** A file of the data folder is damaged: the user decides how to repair it, usually by `dawnload rebuild`. */
export class DamageError extends DawnloadError {}

/** Many records of an export are outside its day, so it is not loaded until you correct its id, or accept it. */
export class StrayError extends DamageError {}

/** The database file is damaged: `dawnload rebuild` replaces it from the landing zone. */
export class CorruptDatabaseError extends DawnloadError {
  constructor(message: string, cause?: unknown) {
    super(message, {
      hint: 'To rebuild it from the landing zone, without any request: `dawnload rebuild`.',
      cause,
    });
  }
}

/** A limit, a budget or a missing consent forbids what was requested. */
export class RefusedError extends DawnloadError {
  override readonly exitCode = EXIT.refused;
}

/** Too early: another run has the lock, or the day is incomplete. The user tries again later. */
export class TryLaterError extends DawnloadError {
  override readonly exitCode = EXIT.tryLater;
}

/** Ctrl-C or SIGTERM: the current durable step was completed; the next run continues from there. */
export class InterruptedError extends DawnloadError {
  override readonly exitCode = EXIT.interrupted;
}

/** What happened and what to do next, or the message of an error that nobody foresaw. */
export function sentencesOf(error: unknown): string {
  return error instanceof DawnloadError ? error.sentences : messageOf(error);
}

export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // A failure to connect to any address of a host has a code and no message.
  return error.message === '' ? (codeOf(error) ?? error.name) : error.message;
}

export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

export function exitCodeOf(error: unknown): ExitCode {
  return error instanceof DawnloadError ? error.exitCode : EXIT.incomplete;
}

/** How a run ended, for the last line of its log and for the heartbeat. */
export function endOf(exitCode: ExitCode, failure?: unknown) {
  const isOurs = failure instanceof DawnloadError;
  return {
    exit_code: exitCode,
    outcome: outcomeOf(exitCode, failure),
    /** The class of the error; null if none ended the run. */
    error: failure === undefined ? null : isOurs ? failure.name : 'unforeseen',
    hint: (isOurs ? failure.hint : NEXT[exitCode]) ?? null,
  };
}

/** The outcome of a run in one word, as the journal and `ops.runs` have it. */
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
