/** Loading one pull: a single transaction, from the landed files to the tables, the coverage and the note that it is done. */
import { rm } from 'node:fs/promises';
import { z } from 'zod';
import { daysOf } from '../calendar.js';
import type { Effects } from '../effects.js';
import { isRefusal, loadError } from './load-error.js';
import { loadCampaigns } from './load-campaigns.js';
import { loadEvents } from './load-events.js';
import { loadStatistics } from './load-statistics.js';
import { daysAsked, type Pull } from './pull.js';
import type { LoadReport } from './rows.js';
import { withRoom, type Room } from './room.js';
import { count, type Session } from './session.js';
import { mendRefused, type Staging } from './staging.js';

const reportedDay = z.object({ date: z.string() });

export const LOAD_POINTS = ['load/before-commit', 'load/after-commit'] as const;

export interface LoadContext {
  readonly session: Session;
  readonly staging: Staging;
  readonly room: Room;
  readonly effects: Pick<Effects, 'now' | 'reach'>;
  /** For copies of files that need mending; they are removed afterwards. */
  readonly tempDirectory: string;
}

/**
 * Loads a pull that was not loaded before.
 *
 * @throws DamageError when a file is not what the service answers, or not all of it
 * @throws StorageError when disk or memory do not suffice; the warehouse is as it was
 */
export async function loadPull(pull: Pull, context: LoadContext): Promise<LoadReport> {
  await setVariables(pull, context.session, context.effects);
  await setVariables(pull, context.staging.session, context.effects);
  const files = filesOf(pull);
  try {
    return await attempt(pull, files, context);
  } catch (error) {
    if (!isRefusal(error)) throw loadError(error, pull.id);
  }
  const mended = await mendRefused(files, LARGEST, context.session, context.tempDirectory);
  await context.session.set({ mended: mended.copies.length });
  try {
    return await attempt(pull, mended.files, context);
  } catch (error) {
    throw loadError(error, pull.id);
  } finally {
    await Promise.all(mended.copies.map((copy) => rm(copy, { force: true })));
  }
}

function attempt(pull: Pull, files: readonly string[], context: LoadContext): Promise<LoadReport> {
  return withRoom(context.session, context.room, () => attemptOnce(pull, files, context));
}

async function attemptOnce(pull: Pull, files: readonly string[], context: LoadContext): Promise<LoadReport> {
  const { session, effects } = context;
  const report = await session.transaction(async () => {
    await session.run('load/days');
    const days = (await session.rows('load/report_days', reportedDay)).map(({ date }) => date);
    const restatedBefore = await countRestatements(session);
    const rows = days.length === 0 ? 0 : await loadStream(context, pull, files);
    const held =
      holdsBack(pull) && days.length > 0 ? await session.rows('load/report_held', reportedDay) : [];
    const heldDays = held.map(({ date }) => date);
    await session.run('load/note_mended');
    await session.run('load/touch');
    await session.set({ rows });
    await session.run('load/note_load');
    const noted = await session.rows('load/report_notes', z.object({ note: z.string(), records: count }));
    const drift =
      days.length === 0 ? [] : await session.rows('load/report_drift', z.object({ drift: z.string() }));
    const report: LoadReport = {
      pull: pull.id,
      stream: pull.stream,
      changed: true,
      rows,
      days: pull.stream === 'campaigns' ? days : days.filter((day) => !heldDays.includes(day)),
      held: heldDays,
      superseded: daysOf(daysAsked(pull)).filter((day) => !days.includes(day)),
      restatements: (await countRestatements(session)) - restatedBefore,
      notes: Object.fromEntries(noted.map(({ note, records }) => [note, records])),
      drift: drift.map((row) => row.drift),
    };
    effects.reach('load/before-commit');
    return report;
  });
  effects.reach('load/after-commit');
  return report;
}

function loadStream(
  { session, staging }: LoadContext,
  pull: Pull,
  files: readonly string[],
): Promise<number> {
  switch (pull.stream) {
    case 'statistics':
    case 'statistics_by_subchannel':
      return loadStatistics(session, pull, files);
    case 'campaigns':
      return loadCampaigns(session, pull, files);
    case 'events':
      return loadEvents(session, staging, pull);
  }
}

async function setVariables(pull: Pull, session: Session, effects: Pick<Effects, 'now'>): Promise<void> {
  const { start, end } = daysAsked(pull);
  await session.set({
    pull: pull.id,
    stream: pull.stream,
    pulled_at: pull.pulledAt,
    loaded_at: effects.now(),
    first_day: { day: start },
    last_day: { day: end },
    complete: pull.stream === 'campaigns' ? pull.complete : true,
    mended: 0,
  });
}

/** The files that the load itself reads; those of events are read by staging, portion by portion. */
function filesOf(pull: Pull): readonly string[] {
  switch (pull.stream) {
    case 'statistics':
    case 'statistics_by_subchannel':
      return [pull.file];
    case 'campaigns':
      return pull.answers.map(({ file }) => file);
    case 'events':
      return [];
  }
}

/** What is paid for is never held back: its records are what they are. */
function holdsBack({ stream }: Pull): boolean {
  return stream !== 'events';
}

async function countRestatements(session: Session): Promise<number> {
  return (await session.row('load/count_restatements', z.object({ total: count }))).total;
}

/** Larger than any page; only its touched part costs memory. */
const LARGEST = 64 * 1024 * 1024;
