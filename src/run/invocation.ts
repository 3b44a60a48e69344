/** What every command is given: the settings, the outside world, and a way to be stopped. */
import type { Config, Flags } from '../config.js';
import type { Environment } from '../config/files.js';
import type { Effects } from '../effects.js';
import type { LakeCatalog } from '../lake/lake.js';
import type { Terminal } from '../terminal/terminal.js';

export interface Invocation {
  readonly flags: Flags;
  readonly effects: Effects;
  readonly terminal: Terminal;
  /** Aborted by Ctrl-C or SIGTERM, with an `InterruptedError` as its reason. */
  readonly signal: AbortSignal;
  /** Of this process: in every line of the log, in `ops.runs`, and in alerts. */
  readonly runId: string;
  /** Of this package, `1.2.3`. */
  readonly version: string;
  /** The environment, for what is no setting. */
  readonly environment: Environment;
  /** How the lake's catalog is attached; the real one where nothing else is given. */
  readonly lakeCatalog?: LakeCatalog;
  /**
   * Reads the settings, when a command needs them.
   *
   * @throws ConfigError
   */
  loadConfig(): Config;
}
