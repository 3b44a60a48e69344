/** The bills: each accepted export request (E20), by the requested records. */
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';

export interface Bill {
  readonly at: string;
  readonly export_id: string;
  readonly start: string;
  readonly end: string;
  readonly message_data: boolean;
  readonly records: number;
}

export interface Bills {
  /** Notes a bill; when this returns, it is on disk. */
  add(bill: Bill): void;
  all(): Bill[];
  close(): void;
}

/** @param journal a file to append to, or null to keep bills in memory only */
export function openBills(journal: string | null): Bills {
  const bills: Bill[] = [];
  let file = journal === null ? null : openSync(journal, 'a');
  return {
    add(bill) {
      bills.push(bill);
      if (file === null) return;
      // Synced before the answer leaves: a client killed at any moment is judged by this file.
      writeSync(file, `${JSON.stringify(bill)}\n`);
      fsyncSync(file);
    },
    all: () => [...bills],
    close() {
      if (file !== null) closeSync(file);
      file = null;
    },
  };
}
