/** E21: the pages of an export become events and messages. */
import { z } from 'zod';
import { damaged, portionsOf } from './landed-files.js';
import type { EventsPull } from './pull.js';
import { count, type Session } from './session.js';
import type { Reading, Staging } from './staging.js';
import { EVENT_TABLES, type EventTable } from './tables.js';

/** JSON that is prepared at a time: enough to keep the threads busy, little enough for the memory limit. */
const PORTION_BYTES = 64 * 1024 * 1024;

/**
 * Replaces the export's day. Inside the load's transaction; `days` and the variables of the pull are set.
 *
 * @throws DamageError when the pages do not hold the records that were landed
 */
export async function loadEvents(session: Session, staging: Staging, pull: EventsPull): Promise<number> {
  await session.run('load/events/orphans');
  await session.run('load/events/touch');
  await session.run('load/events/note_contents');
  for (const { name } of EVENT_TABLES) await session.run('load/events/clear', { table: name });
  await session.run('load/events/clear', { table: 'ops.set_aside' });

  const staged = await fill(session, staging, pull);
  if (staged !== pull.records) {
    throw damaged(
      pull.files[0] ?? pull.id,
      `and its neighbours hold ${staged} records together, not the ${pull.records} that were landed`,
    );
  }
  await keepOneOfEach(session, staged);
  await session.run('load/forget_notes');
  await session.run('load/events/notes');
  await session.run('load/events/drift');
  await session.run('load/drift');
  await session.run('load/cover', { table: 'events', day: 'export_date' });
  await settleRivals(session);
  await dropLooseContents(session);
  await session.run('load/events/touch');
  return staged;
}

/** Pages to tables, portion by portion, so that a day of any size fits into memory. */
async function fill(session: Session, staging: Staging, pull: EventsPull): Promise<number> {
  // An empty export may have landed as an answer without records, which is no page to read.
  await session.set({ mended: 0 });
  if (pull.records === 0) return 0;
  const reading: Reading = { closely: false, begun: false, acquainted: false, mended: 0 };
  let records = 0;
  for (const portion of await portionsOf(pull.files, PORTION_BYTES)) {
    records += await staging.withPortion(portion, reading, async (scratch) => {
      await session.run('load/events/show_portion', { scratch });
      for (const { name } of EVENT_TABLES) await session.run(`load/events/${name}`);
      await session.run('load/events/message_contents');
    });
  }
  await session.set({ mended: reading.mended });
  return records;
}

/** The service may repeat a record, on one page or on two. */
async function keepOneOfEach(session: Session, staged: number): Promise<void> {
  await session.set({ repeated: 0 });
  await session.run('load/events/shared_ids');
  if (staged === 0) return;
  const { shared, repeated } = await session.row(
    'load/events/count_shared',
    z.object({ shared: count, repeated: count }),
  );
  if (shared === 0) return;
  await session.set({ repeated });
  await session.run('load/events/note_shared_contents');
  for (const { name, key } of EVENT_TABLES) {
    if (name === 'events' && repeated === 0) continue;
    await session.run('load/events/keep_one', { table: name, key });
  }
}

/** Exports of neighbouring days may hold the same record; it counts once, whichever was loaded first. */
async function settleRivals(session: Session): Promise<void> {
  await session.run('load/events/contested');
  const { ids } = await session.row('load/events/count_contested', z.object({ ids: count }));
  if (ids === 0) return;
  for (const table of EVENT_TABLES) {
    await session.run('load/events/structure', { table: table.name });
    await session.run('load/events/rivals', { table: table.name, ...identityOf(table) });
  }
}

/** Contents without a message must go, so that a warehouse is the same whatever it held before. */
async function dropLooseContents(session: Session): Promise<void> {
  const { contents } = await session.row('load/events/count_loose_contents', z.object({ contents: count }));
  if (contents > 0) await session.run('load/events/drop_loose_contents');
}

/** A record is told by id, event name and time; a message by the id of its record. */
function identityOf({ name }: EventTable): Record<string, string> {
  return name === 'events'
    ? { event_name: 'one.event_name', occurred_at: 'one.occurred_at' }
    : { event_name: 'null::varchar', occurred_at: 'null::timestamptz' };
}
