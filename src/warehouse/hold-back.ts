/** Holding back what would wipe most of a day: the warehouse tells the sizes, `replaces` decides. */
import { z } from 'zod';
import { replaces } from './holding.js';
import type { FreePull } from './pull.js';
import { count, type Session } from './session.js';

const heldAnswer = z
  .object({ rows: count, messages: count, pulled_at_ms: z.number() })
  .transform(({ rows, messages, pulled_at_ms }) => ({ rows, messages, pulledAt: new Date(pulled_at_ms) }));

const loss = z.object({
  date: z.string(),
  campaign_id: z.string().nullable(),
  rows_before: count,
  messages_before: count,
  rows: count,
  messages: count,
  held: z
    .string()
    .transform((text): unknown => JSON.parse(text))
    .pipe(z.array(heldAnswer)),
});

/**
 * Takes what must not be replaced by the pull out of the days that it replaces, and notes it in `ops.held_back`. Inside
 * the load's transaction, when `sizes` is there.
 */
export async function holdBack(session: Session, pull: FreePull, keepDays: string): Promise<void> {
  const losses = pull.accepted === true ? [] : await session.rows('load/losses', loss);
  const held = losses.filter(
    ({ rows_before, messages_before, rows, messages, held }) =>
      !replaces(
        { rows: rows_before, messages: messages_before },
        { rows, messages, pulledAt: pull.pulledAt },
        held,
      ),
  );
  await session.set({
    held_keys: held.map(({ date, campaign_id }) => [date, campaign_id ?? []].flat().join(' ')),
  });
  await session.run('load/hold_back');
  await session.run(keepDays);
}
