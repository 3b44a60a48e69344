/** Finds the rows of erased persons among rows that are about to leave the data folder. */
import { z } from 'zod';
import type { Effects } from '../effects.js';
import { hmacKey, keyFingerprint } from '../warehouse/privacy.js';
import { hashingSession } from '../warehouse/warehouse.js';
import type { Journal } from '../journal/journal.js';
import { Register } from './register.js';

type Row = Readonly<Record<string, unknown>>;

/** The columns that name a person, with the kind of id. */
const COLUMNS = {
  user_id: 'user_id',
  recipient_no: 'recipient',
  $phone_number: 'recipient',
  $email: 'recipient',
};

/**
 * Compares the persons of the rows with the register of erasures.
 *
 * @throws ConfigError as `Register`
 */
export async function erasedRows<T extends Row>(
  rows: readonly T[],
  { dataDir, brand, messenger }: { dataDir: string; brand: string; messenger: string },
  journal: Journal,
  effects: Effects,
): Promise<ReadonlySet<T>> {
  const key = await hmacKey(dataDir, effects);
  const ids = new Set(new Register(journal, keyFingerprint(key)).ids);
  if (ids.size === 0 || rows.length === 0) return new Set();
  const given = rows.flatMap((row) =>
    Object.entries(COLUMNS).flatMap(([column, kind]) => {
      const value = row[column];
      const isId = (typeof value === 'string' && value !== '') || typeof value === 'number';
      return isId ? [{ row, kind, value: String(value) }] : [];
    }),
  );
  const session = await hashingSession({ brand, messenger }, key);
  try {
    await session.set({ kinds: given.map(({ kind }) => kind), given: given.map(({ value }) => value) });
    const digests = await session.rows('erasure/digests', z.object({ ids: z.array(z.string()) }));
    return new Set(
      given.filter((_, nth) => digests[nth]?.ids.some((id) => ids.has(id))).map(({ row }) => row),
    );
  } finally {
    session.close();
  }
}
