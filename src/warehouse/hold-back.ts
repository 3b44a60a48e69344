/** Holds back what would delete most of a day: the warehouse gives the sizes, `replaces` decides. */
import { z } from 'zod';
import { DamageError } from '../errors.js';
import { isLoss, replaces } from './holding.js';
import type { DayPull } from '../storage/pull.js';
import { count, type Session } from './session.js';

const heldAnswer = z
  .object({ rows: count, messages: count, pulled_at_ms: z.number() })
  .transform(({ rows, messages, pulled_at_ms }) => ({ rows, messages, pulledAt: new Date(pulled_at_ms) }));

const change = z
  .object({
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
  })
  .transform(({ date, campaign_id, rows_before, messages_before, rows, messages, held }) => ({
    key: [date, campaign_id ?? []].flat().join(' '),
    before: { rows: rows_before, messages: messages_before },
    after: { rows, messages },
    held,
  }));

/** Pulls that would be held back, or are accepted because others were, must be loaded one by one. */
export class NotTogetherError extends DamageError {}

/**
 * Removes what the pull must not replace from the days that it replaces, and records it in `ops.held_back`. Inside the
 * load's transaction, when `sizes` exists.
 *
 * @throws NotTogetherError when something of several pulls may have to be held back
 */
export async function holdBack(session: Session, pulls: readonly DayPull[]): Promise<void> {
  const losses = (await session.rows('load/losses', change)).filter(({ before, after }) =>
    isLoss(before, after),
  );
  const [pull, ...others] = pulls;
  if (pull === undefined || losses.length === 0) return;
  if (others.length > 0)
    throw new NotTogetherError(`The pull ${pull.id} and the later ones must be loaded one by one.`);
  if (pull.accepted === true) return;
  const held = losses.filter(
    ({ before, after, held }) => !replaces(before, { ...after, pulledAt: pull.pulledAt }, held),
  );
  await session.set({ held_keys: held.map(({ key }) => key) });
  await session.run('load/hold_back');
}
