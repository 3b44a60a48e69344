/** Entries of the ledger, made up, for what only reads them. */
import { type Export, billedAfter } from '../../src/exports/export.js';

/** A plain export of 20 November 2026, requested on the morning after, but for what is given. */
export function entry(given: Partial<Export> = {}): Export {
  const day = given.day ?? '2026-11-20';
  const state = given.state ?? 'requested';
  return {
    key: `${day}.1`,
    day,
    messageData: true,
    state,
    billed: billedAfter(state, 'yes'),
    estimate: 100,
    pricePerRecord: 1,
    troubles: 0,
    doubted: false,
    requestedAt: new Date('2026-11-20T22:05:00Z'),
    updatedAt: new Date('2026-11-20T22:05:00Z'),
    ...given,
  };
}
