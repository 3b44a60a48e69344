/** Daily statistics: E17 over ranges of days, E18 day by day beside it. */
import { dayCount, daysOf, halvesOf, type DayRange } from '../calendar.js';
import type { ServiceAnswer, ServiceClient } from '../api/client.js';
import { dailyStatistics, subchannelStatistics } from '../api/endpoints.js';
import type { Gap } from '../run/gap.js';
import { settleAll } from '../api/settle.js';

/** Where an answer goes: to disk, before anything reads it. */
export interface StatisticsSink {
  accept(range: DayRange, body: Buffer): Promise<void>;
  /** An answer of a shape that the specification does not know, kept for a person to look at. */
  reject(endpoint: string, range: DayRange, body: Buffer): Promise<void>;
}

/** How often one day, which cannot be halved, is asked for again after a `Timeout`. */
const PATIENCE = 2;

/** E17 for a range; halved as long as the service says `Timeout`. Returns the days that failed. */
export async function extractStatistics(
  service: ServiceClient,
  range: DayRange,
  sink: StatisticsSink,
): Promise<Gap[]> {
  return extract(service, range, sink, 'statistics');
}

/** E18 for each day of a range. Returns the days that failed. */
export async function extractSubchannelStatistics(
  service: ServiceClient,
  range: DayRange,
  sink: StatisticsSink,
): Promise<Gap[]> {
  const days = daysOf(range).map((day) =>
    extract(service, { start: day, end: day }, sink, 'statistics_by_subchannel'),
  );
  return (await settleAll(days)).flat();
}

async function extract(
  service: ServiceClient,
  range: DayRange,
  sink: StatisticsSink,
  stream: 'statistics' | 'statistics_by_subchannel',
): Promise<Gap[]> {
  const ask = stream === 'statistics' ? dailyStatistics : subchannelStatistics;
  const question = ask(service.projectId, range);
  let answer: ServiceAnswer;
  let asked = 0;
  do {
    answer = await service.ask(question);
    asked++;
  } while (answer.verdict.kind === 'timeout' && dayCount(range) === 1 && asked <= PATIENCE);

  const { verdict, body } = answer;
  if (verdict.kind === 'ok') {
    if (verdict.envelope.kind === 'array') {
      await sink.accept(range, body);
      return [];
    }
    await sink.reject(question.endpoint, range, body);
    return [
      { stream, days: range, reason: `${question.endpoint} answered with an object instead of a list.` },
    ];
  }
  // An answer too large to take has the same remedy as one too slow to make.
  if ((verdict.kind === 'timeout' || verdict.kind === 'oversized') && dayCount(range) > 1) {
    const [first, second] = halvesOf(range);
    return [
      ...(await extract(service, first, sink, stream)),
      ...(await extract(service, second, sink, stream)),
    ];
  }
  return [{ stream, days: range, reason: `${question.endpoint} failed (${verdict.reason}).` }];
}
