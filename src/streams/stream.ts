/**
 * Declares a stream. The night pulls and loads every stream through this interface. Paid exports of events also have steps of their own: the
 * budget, your decisions, and the days that were removed.
 */
import type { Config } from '../config/config.js';
import type { Declaration } from '../config/schema.js';
import type { Invocation } from '../config/invocation.js';
import type { Ledger } from '../exports/ledger.js';
import type { ExportReport } from '../exports/paid-request.js';
import type { Day } from '../ground/calendar.js';
import type { Job, StreamName } from '../ground/streams.js';
import type { LandingParts } from '../landing/landing-zone.js';
import type { DataFiles } from '../disk/paths.js';
import type { ServiceClient } from '../service/client.js';
import type { Loadable } from '../warehouse/load.js';
import type { Session } from '../warehouse/session.js';
import type { Warehouse } from '../warehouse/warehouse.js';

export interface Stream extends Loadable, Declaration {
  /** The names that `--streams` accepts. Each pulls the whole stream, or the part of the same name. */
  readonly choices: readonly string[];
  /** For each name under which data lands, a pattern for the tables that it is loaded into. */
  readonly tables: Readonly<Record<StreamName, RegExp>>;
  /** True if requests are billed, so that budget and consent decide. */
  readonly paid: boolean;
  /** The names that the settings switch on. */
  on(config: Config): readonly StreamName[];
  /**
   * Requests the wanted days, lands the answers and loads them. Days that fail are reported as gaps.
   *
   * @throws CredentialsError, StorageError, and whatever else ends the run
   */
  pull(order: Order, parts: PullParts): Promise<void>;
}

/** What a night tells a stream to pull. */
export interface Order {
  readonly job: Job;
  readonly service: ServiceClient;
  /** The days of a free stream to request, because they are missing, may still change, or are in doubt. */
  readonly wanted: (stream: StreamName) => readonly Day[];
}

export interface PullParts extends LandingParts {
  readonly config: Config;
  readonly files: DataFiles;
  readonly ledger: Ledger;
  readonly warehouse: Warehouse;
  readonly report: LandingParts['report'] & ExportReport;
  readonly invocation: LandingParts['invocation'] & Pick<Invocation, 'environment'>;
  /** The erased persons; and a connection with the table `erased_ids`, whose macros hash ids. */
  readonly erasures: {
    readonly register: { readonly ids: readonly string[] };
    session(): Promise<Session>;
  };
}
