/** The stage of the daily statistics: E17 in ranges, E18 day by day, landed and then loaded together. */
import { dayOf, daysOf, rangesOf, type Day } from '../calendar.js';
import { extractStatistics, extractSubchannelStatistics, type StatisticsSink } from './daily-answer.js';
import type { RunContext } from '../run/context.js';
import type { Job } from '../run/job.js';
import type { DayPull, Stream } from '../storage/pull.js';
import { loadOrReport } from '../run/load-landed.js';
import { gapsOf, heldAmong } from './held-back.js';

/** The most days that E17 is asked for at once; a month of a busy project is a large answer already. */
export const LONGEST_RANGE_DAYS = 31;

export async function pullStatistics(job: Job, context: RunContext): Promise<void> {
  const { signal, terminal, report } = context;
  const rounds = [
    { stream: 'statistics', what: 'daily statistics', extract: extractStatistics },
    {
      stream: 'statistics_by_subchannel',
      what: 'statistics by sub-channel',
      extract: extractSubchannelStatistics,
    },
  ] as const;
  const asked = new Map<Stream, Day[]>();

  for (const round of rounds) {
    const days = await daysToPull(job, context, round.stream);
    asked.set(round.stream, days);
    await pull(round, days);
  }
  // What was held back is asked for once more, later: by now the service may have come to itself.
  for (const round of rounds) {
    const days = asked.get(round.stream) ?? [];
    const doubtful = await doubtfulAmong(days, context, round.stream);
    if (doubtful.length === 0) continue;
    await pull(round, doubtful);
    report.gap(...gapsOf(await heldAmong(days, context, round.stream), round.stream));
  }

  async function pull(
    { stream, what, extract }: (typeof rounds)[number],
    days: readonly Day[],
  ): Promise<void> {
    for (const range of rangesOf(days, LONGEST_RANGE_DAYS)) {
      signal.throwIfAborted();
      terminal.progress(`${what} ${range.start} to ${range.end}`);
      const landed: DayPull[] = [];
      try {
        report.gap(...(await extract(context.service, range, sinkFor(stream, what, job, context, landed))));
      } finally {
        // Together, since a load costs the same for one day as for a month. What landed before a failure is loaded, too.
        await loadOrReport(context, landed);
      }
    }
  }
}

/** Lands each answer and notes its pull. */
function sinkFor(
  stream: 'statistics' | 'statistics_by_subchannel',
  what: string,
  { acceptEmpty: accepted }: Job,
  context: RunContext,
  landed: DayPull[],
): StatisticsSink {
  const { landing, effects } = context;
  return {
    async accept(range, body) {
      const pulledAt = context.pullInstant();
      if (stream === 'statistics') {
        const { id, file } = await landing.land({ stream, range, pulledAt, accepted }, body);
        landed.push({ stream, id, range, pulledAt, accepted, file });
      } else {
        const day = range.start;
        const { id, file } = await landing.land({ stream, day, pulledAt, accepted }, body);
        landed.push({ stream, id, day, pulledAt, accepted, file });
      }
    },
    async reject(endpoint, range, body) {
      await landing.land(
        { stream: 'rejected', endpoint, what: `${what} ${range.start}`, at: effects.now() },
        body,
      );
    },
  };
}

/** The days that were held back and, where there are any, those that came empty beside them for the first time. */
async function doubtfulAmong(
  days: readonly Day[],
  context: RunContext,
  stream: 'statistics' | 'statistics_by_subchannel',
): Promise<Day[]> {
  const held = new Set(await heldAmong(days, context, stream));
  if (held.size === 0) return [];
  const covered = await context.warehouse.coverage(stream);
  return days.filter((day) => held.has(day) || covered.get(day)?.rows === 0);
}

/**
 * The days of a job that a free stream lacks, that it is to pull again, whose last answer was held back, or that came empty
 * on one earlier night alone.
 */
export async function daysToPull(
  job: Job,
  { warehouse, effects }: RunContext,
  stream: Stream,
): Promise<Day[]> {
  const covered = await warehouse.coverage(stream);
  const doubtful = new Set([
    ...(await warehouse.heldBack(stream)),
    ...(await warehouse.emptyOnce(stream, dayOf(effects.now()))),
  ]);
  return daysOf(job.days).filter(
    (day) => !covered.has(day) || doubtful.has(day) || (day >= job.again.start && day <= job.again.end),
  );
}
