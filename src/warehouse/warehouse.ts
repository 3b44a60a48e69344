/** The private working file of the warehouse: opened, migrated, loaded, modelled, checked, closed. */
import type { Day, DayRange } from '../calendar.js';
import type { Effects } from '../effects.js';
import type { Pull, Stream } from './pull.js';
import type { Covered, ExportRow, Finding, LoadReport, MessageTotals, RunEnd, RunStart } from './rows.js';

/** How recipients' numbers are kept; the key never enters the database file. */
export interface Privacy {
  readonly recipients: 'keep' | 'hash' | 'drop';
  readonly key: Buffer;
}

export interface WarehouseOptions {
  /** The private working file; readers use the published one. */
  readonly path: string;
  /** Where DuckDB may spill what does not fit into memory. */
  readonly tempDirectory: string;
  /** The word before `_user_id` and `_device_id` in export records, and the name of the web-push object. */
  readonly brand: string;
  /** The messenger's word in channels, replaced by `chatapp`. */
  readonly messenger: string;
  readonly privacy: Privacy;
  readonly effects: Effects;
  readonly memoryLimitMb?: number;
  readonly threads?: number;
}

/** The surface of the warehouse that the pipeline works with. */
export interface WarehouseSurface {
  /** Ids of the pulls that this file has loaded. */
  loaded(): Promise<Set<string>>;
  /** Loads a pull in one transaction; nothing changes when it was loaded before. */
  load(pull: Pull): Promise<LoadReport>;
  /** The days that the warehouse holds of a stream. */
  coverage(stream: Stream): Promise<Map<Day, Covered>>;
  /** Campaign ids in the daily statistics of the range, in order. */
  campaignsSeen(range: DayRange): Promise<string[]>;
  /** The sums of a day; undefined where the statistics do not cover it. */
  messages(day: Day): Promise<MessageTotals | undefined>;
  /** Replaces `ops.exports` by what the ledger says. */
  replaceExports(rows: readonly ExportRow[]): Promise<void>;
  startRun(run: RunStart): Promise<void>;
  finishRun(run: RunEnd): Promise<void>;
  /** Creates or replaces the views of `sql/models`. */
  model(): Promise<void>;
  /** Runs `sql/checks` and replaces `ops.checks` by what they find. */
  check(): Promise<Finding[]>;
  /** Writes everything into the file, leaves no log beside it, and lets it go. */
  close(): Promise<void>;
}
