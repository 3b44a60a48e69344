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
   * Reads the settings, when a command needs them.
   *
   * @throws ConfigError
   */
  loadConfig(): Config;
  /**
   * Called with the settings in use when the command has left a data folder that it may have changed; never rejects.
   *
   * @param journal the `Journal` of that folder, which takes seconds to read once it has the lines of years
   */
  changed?(invocation: Invocation, journal: object): Promise<void>;
}
