/** Ledger entries and settings as the rows of `ops.exports` and `ops.budget` that analysts see. */
import type { ExportEntry } from './entry.js';
import type { ExportsConfig } from '../config.js';
import type { BudgetRow, ExportRow } from '../warehouse/rows.js';

export function exportRow(entry: ExportEntry): ExportRow {
  return {
    key: entry.key,
    windowStart: entry.window.start,
    windowEnd: entry.window.end,
    date: entry.day,
    state: entry.state,
    exportId: entry.exportId,
    messageData: entry.messageData,
    records: entry.records,
    pages: entry.pages,
    estimatedRecords: entry.estimate,
    pricePerRecord: entry.pricePerRecord,
    requestedAt: entry.requestedAt,
    updatedAt: entry.updatedAt,
    note: entry.note,
  };
}

export function budgetRow({ budget, pricePerRecord, currency, startDate }: ExportsConfig): BudgetRow {
  return {
    recordsPerRun: budget?.recordsPerRun,
    recordsPerMonth: budget?.recordsPerMonth,
    pricePerRecord,
    currency,
    startDate,
  };
}
