/** What the lake does not hold as the file does: by stream and day, and by model and day. */
import { z } from 'zod';
import type { Day } from '../calendar.js';
import type { Stream } from '../storage/pull.js';
import { STREAMS } from '../storage/pull.js';
import type { Lake } from './lake.js';

export interface Changes {
  /** Days whose pull differs; those of events make a commit each. */
  readonly streams: ReadonlyMap<Stream, readonly Day[]>;
  /** Days of incremental models whose rows differ, by the model's name. */
  readonly models: ReadonlyMap<string, readonly Day[]>;
  /** Days that the lake covers and the file does not. They are left as they are. */
  readonly onlyInLake: ReadonlyMap<Stream, readonly Day[]>;
}

const streamDay = z.object({ stream: z.enum(STREAMS), date: z.string() });
const modelDay = z.object({ relation: z.string(), date: z.string() });

export async function changesOf(lake: Lake): Promise<Changes> {
  const { session, ops } = lake;
  return {
    streams: byKey(await session.rows('lake/stream_days', streamDay, ops), ({ stream }) => stream),
    models: byKey(await session.rows('lake/model_days', modelDay, ops), ({ relation }) => relation),
    onlyInLake: byKey(await session.rows('lake/only_in_lake', streamDay, ops), ({ stream }) => stream),
  };
}

function byKey<K, T extends { readonly date: Day }>(rows: readonly T[], key: (row: T) => K): Map<K, Day[]> {
  const days = new Map<K, Day[]>();
  for (const row of rows) days.set(key(row), [...(days.get(key(row)) ?? []), row.date]);
  return days;
}
