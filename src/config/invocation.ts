/** The invocation of a command: its settings, the outside world, and the signal that stops it. */
import type { Config, Flags } from './config.js';
import type { Effects, Environment } from '../ground/effects.js';
import type { Terminal } from '../terminal/terminal.js';

export interface Invocation {
  readonly flags: Flags;
  readonly effects: Effects;
  readonly terminal: Terminal;
  /** Aborted by Ctrl-C or SIGTERM, with an `InterruptedError` as its reason. */
  readonly signal: AbortSignal;
  /** Identifies this process in log lines, in `ops.runs`, and in alerts. */
  readonly runId: string;
  readonly version: string;
  readonly environment: Environment;
  /**
   * Reads the settings. Called only by commands that need them.
   *
   * @throws ConfigError
   */
  loadConfig(): Config;
  /**
   * Called when a command that may have changed a data folder has closed it. Never rejects.
   *
   * @param journal the folder's `Journal`; passed on, because reading the lines of years takes seconds
   */
  changed?(invocation: Invocation, journal: object): Promise<void>;
}
