/** The stage of the daily statistics: E17 in ranges, E18 day by day, landed and then loaded. */
import { daysOf, rangesOf, type Day } from '../calendar.js';
import {
  extractStatistics,
  extractSubchannelStatistics,
  type StatisticsSink,
} from '../extract/statistics.js';
import type { House } from '../house.js';
import type { Job } from '../job.js';
import type { Stream } from '../warehouse/pull.js';
import { loadOrReport } from './catch-up.js';

/** No answer of E17 is asked to hold more days than this; a month of a busy project is a large answer already. */
export const LONGEST_RANGE_DAYS = 31;

export async function pullStatistics(job: Job, house: House): Promise<void> {
  const { service, landing, report, effects, terminal, signal } = house;

  const daily: StatisticsSink = {
    async accept(range, body) {
      const pulledAt = house.pullInstant();
      const { id, file } = await landing.land({ stream: 'statistics', range, pulledAt }, body);
      await loadOrReport(house, { stream: 'statistics', id, range, pulledAt, file });
    },
    reject: reject('statistics'),
  };
  for (const range of rangesOf(await daysToPull(job, house, 'statistics'), LONGEST_RANGE_DAYS)) {
    signal.throwIfAborted();
    terminal.progress(`daily statistics ${range.start} to ${range.end}`);
    report.gap(...(await extractStatistics(service, range, daily)));
  }

  const bySubchannel: StatisticsSink = {
    async accept({ start: day }, body) {
      const pulledAt = house.pullInstant();
      const { id, file } = await landing.land({ stream: 'statistics_by_subchannel', day, pulledAt }, body);
      await loadOrReport(house, { stream: 'statistics_by_subchannel', id, day, pulledAt, file });
    },
    reject: reject('statistics by sub-channel'),
  };
  for (const range of rangesOf(
    await daysToPull(job, house, 'statistics_by_subchannel'),
    LONGEST_RANGE_DAYS,
  )) {
    signal.throwIfAborted();
    terminal.progress(`statistics by sub-channel ${range.start} to ${range.end}`);
    report.gap(...(await extractSubchannelStatistics(service, range, bySubchannel)));
  }

  function reject(what: string): StatisticsSink['reject'] {
    return async (endpoint, range, body) => {
      await landing.land(
        { stream: 'rejected', endpoint, what: `${what} ${range.start}`, at: effects.now() },
        body,
      );
    };
  }
}

/** The days of a job that a free stream lacks, or that it is to pull again. */
export async function daysToPull(job: Job, { warehouse }: House, stream: Stream): Promise<Day[]> {
  const covered = await warehouse.coverage(stream);
  return daysOf(job.days).filter(
    (day) => !covered.has(day) || (day >= job.again.start && day <= job.again.end),
  );
}
