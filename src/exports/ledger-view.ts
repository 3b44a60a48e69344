/** The ledger of paid exports, to read: also for `plan` and `status` while a run writes it. */
import { closest } from 'fastest-levenshtein';
import type { Day, DayRange } from '../calendar.js';
import { UsageError } from '../errors.js';
import { coveredDays, missingDays } from './windows.js';
import { applyRecord, exportRecord, type ExportEntry } from './entry.js';
import { damaged, readLedger } from './ledger-content.js';

/** What the ledger says, in the order in which exports were intended. */
export class LedgerView {
  protected readonly book = new Map<string, ExportEntry>();

  /** @throws DamageError for an invalid line */
  constructor(
    /** The lines of the ledger, as they were read. */
    readonly bodies: readonly unknown[],
    /** Lines that only its second copy still holds: the ledger was lost, or is an older copy. */
    readonly lost: readonly unknown[] = [],
  ) {
    for (const [i, body] of bodies.entries()) this.replay(body, i + 1);
  }

  /** @throws DamageError for an invalid line */
  protected replay(body: unknown, line: number): void {
    const record = exportRecord.safeParse(body);
    if (!record.success) throw damaged(`Line ${line} of the ledger has an unknown shape.`, record.error);
    const entry = applyRecord(this.book.get(record.data.key), record.data);
    if (typeof entry === 'string') throw damaged(`Line ${line} of the ledger is invalid. ${entry}`);
    this.book.set(entry.key, entry);
  }

  /** The ledger as it is on disk; changes nothing. Throws `DamageError`, `StorageError`. */
  static async read(dataDir: string): Promise<LedgerView> {
    const { bodies, lost } = await readLedger(dataDir);
    return new LedgerView(
      bodies,
      lost.map(({ body }) => body),
    );
  }

  /** All exports, oldest intent first. */
  entries(): ExportEntry[] {
    return [...this.book.values()];
  }

  find(key: string): ExportEntry | undefined {
    return this.book.get(key);
  }

  /** The export of that key. Throws `UsageError` when there is none. */
  get(key: string): ExportEntry {
    const entry = this.find(key);
    if (entry === undefined) throw unknownExport(key, this.book.keys());
    return entry;
  }

  /** The days that no run may request, oldest first. */
  coveredDays(): Day[] {
    return coveredDays(this.book.values());
  }

  /** The days of a range that a run may request, oldest first. */
  missing(range: DayRange): Day[] {
    return missingDays(range, this.book.values());
  }
}

/** The error for a key that no export has. */
export function unknownExport(key: string, known: Iterable<string>): UsageError {
  const keys = [...known];
  const nearest = keys.length === 0 ? '' : `Did you mean ${closest(key, keys)}? `;
  return new UsageError(`There is no export ${key} in the ledger.`, {
    hint: `${nearest}\`dawnload exports list\` shows the exports and their keys.`,
  });
}
