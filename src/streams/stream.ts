/** The declaration of a stream, the only interface that the rest of the program uses. */
import type { Config } from '../config/config.js';
import type { Declaration } from '../config/schema.js';
import type { Invocation } from '../config/invocation.js';
import type { Ledger } from '../exports/ledger.js';
import type { ExportReport } from '../exports/paid-request.js';
import type { Day } from '../ground/calendar.js';
import type { Job, StreamName } from '../ground/streams.js';
import type { LandingParts } from '../landing/landing-zone.js';
import type { DataFiles } from '../landing/paths.js';
import type { ServiceClient } from '../service/client.js';
import type { Loadable } from '../warehouse/load.js';
import type { Session } from '../warehouse/session.js';
import type { Warehouse } from '../warehouse/warehouse.js';

export interface Stream extends Loadable, Declaration {
  /** The names for `--streams`; each pulls the whole stream, or the part of it with the same name. */
  readonly choices: readonly string[];
  /** The tables that each of what lands is loaded into, by their names. */
  readonly tables: Readonly<Record<StreamName, RegExp>>;
  /** True if requests are billed, so that budget and consent decide. */
  readonly paid: boolean;
  /** The parts that the settings switch on. */
  on(config: Config): readonly StreamName[];
  /**
   * Requests what is wanted, lands the answers and loads them. Days that fail are gaps of the report.
   *
   * @throws CredentialsError, StorageError, and whatever else ends the run
   */
  pull(order: Order, parts: PullParts): Promise<void>;
}

/** What a night asks of a stream. */
export interface Order {
  readonly job: Job;
  readonly service: ServiceClient;
  /** The days of a free stream to request: missing, restatable or in doubt. */
  readonly wanted: (stream: StreamName) => readonly Day[];
}

export interface PullParts extends LandingParts {
  readonly config: Config;
  readonly files: DataFiles;
  readonly ledger: Ledger;
  readonly warehouse: Warehouse;
  readonly report: LandingParts['report'] & ExportReport;
  readonly invocation: LandingParts['invocation'] & Pick<Invocation, 'environment'>;
  /** The erased persons, and a connection whose macros hash ids, with the table `erased_ids`. */
  readonly erasures: {
    readonly register: { readonly ids: readonly string[] };
    session(): Promise<Session>;
  };
}
