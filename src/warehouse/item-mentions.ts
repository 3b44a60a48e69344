/** Which catalogs' items are looked for in messages: what the configuration says, in `ops.item_mentions`. */
import type { Session } from './session.js';

/** Replaces `ops.item_mentions`; where it changes, the model that reads it is made anew. Inside a transaction. */
export async function noteItemMentions(session: Session, catalogs: readonly string[]): Promise<void> {
  await session.set({ item_mentions: [...catalogs] });
  await session.run('ops/item_mentions');
}
