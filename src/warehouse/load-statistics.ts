/** E17, E18 and E19: loads daily statistics and the statistics of campaigns. The order of all steps is in this file. */
import { areNightsApart } from '../ground/calendar.js';
import { answersOf, type Pull } from '../landing/landing-zone.js';
import type { ReadablePull } from './slices.js';
import { asPattern, count, largestOf, split, type Session } from './session.js';
import { z } from 'zod';
import { DamageError } from '../ground/errors.js';
import { damaged } from '../landing/storage-error.js';

/**
 * The levels of an answer, from the outside in. `list` holds the documents of the next level; `own` names the columns
 * that the next level does not take over.
 */
const LEVELS = [
  {
    place: 'answer',
    step: 'answers',
    inside: { list: 'stats', own: 'window_start, window_end, last_collected_at, last_collected_text' },
  },
  { place: 'metric', step: 'metrics', inside: { list: 'dailies', own: 'total' } },
  { place: 'daily', step: 'dailies', inside: { list: 'dimensions', own: 'value' } },
  { place: 'dimension', step: 'dimensions' },
];

/**
 * Replaces the rows of the pulls' campaigns on their days; complete pulls also cover the days. Requires the load's
 * transaction and its table `days`. The pulls are all complete, or there is only one.
 */
export async function loadCampaigns(session: Session, pulls: readonly Pull[]): Promise<void> {
  const answers = pulls.flatMap((pull) => answersOf(pull).map((answer) => ({ ...answer, pull: pull.id })));
  const gone = pulls.flatMap(({ id, facts }) => facts.gone.map((campaignId) => ({ campaignId, pull: id })));
  const files = answers.map(({ file }) => file);
  await session.set({
    landed: {
      files: files.map(asPattern),
      paths: files,
      path_pulls: answers.map(({ pull }) => pull),
      campaigns: answers.map(({ campaignId }) => campaignId),
      gone_pulls: gone.map(({ pull }) => pull),
      gone_campaigns: gone.map(({ campaignId }) => campaignId),
      window_starts: answers.map(({ windowStart }) => windowStart.toISOString()),
      window_ends: answers.map(({ windowEnd }) => windowEnd.toISOString()),
      largest_object: await largestOf(answers),
    },
  });
  await session.run(files.length > 0 ? 'load/campaigns/read' : 'load/campaigns/none');
  await session.run('load/documents/redact');
  for (const { place, step, inside } of LEVELS) {
    await split(session, place);
    await session.run(`load/campaigns/${step}`);
    if (inside !== undefined)
      await session.run('load/campaigns/unfold', { staged: `staged_${step}`, ...inside });
  }
  await session.run('load/campaigns/days');
  await holdBack(session, pulls);
  const tables = { table: 'campaign_metrics', parts: 'campaign_metric_dimensions' };
  await replaceDays(session, tables, () => session.run('load/campaigns/replaced'));
}

/** Replaces the days, and notes what each of them held before and holds now: a day that stays as it was is not changed. */
async function replaceDays(
  session: Session,
  tables: { readonly table: string; readonly parts: string },
  replace: () => Promise<void>,
): Promise<void> {
  await session.run('load/begin_end/contents', tables);
  await session.run('load/begin_end/forget');
  await replace();
  await session.run('load/begin_end/drift');
  await session.run('load/begin_end/cover', { table: tables.table, day: 'date' });
  await session.run('load/begin_end/contents', tables);
}

/** The differences of E17 and E18: the statement that reads the records, the grain columns after the day, and the table names. */
const STATISTICS = {
  statistics: {
    records: 'load/statistics/statistics',
    grain: 'resource_type, campaign_id, variant_id, user_journey_id, user_journey_node_id, channel',
    // Two messages of a campaign on one channel may be two rows; the order of a message's members tells nothing.
    message: 'sorted_members(message)',
    identified: '(campaign_id is not null or user_journey_id is not null)',
    sender: 'coalesce(campaign_id, user_journey_id)',
    ...namesIn(
      ['campaign_name', 'user_journey_name'],
      ['campaign_name', 'variant_name', 'user_journey_name', 'user_journey_node_name'],
    ),
    place: 'statistic',
    table: 'daily_statistics',
    conversions: 'daily_conversions',
    type: 'type',
  },
  statistics_by_subchannel: {
    records: 'load/statistics/subchannels',
    grain: 'resource_id, node_id, variant_id, channel, channel_sub, brand_message_target',
    message: 'null',
    identified: 'resource_id is not null',
    sender: 'resource_id',
    ...namesIn(['resource_name'], ['resource_name', 'node_name', 'variant_name']),
    place: 'statistic_by_subchannel',
    table: 'daily_statistics_by_subchannel',
    conversions: 'daily_conversions_by_subchannel',
    type: 'type_label',
  },
};

/** SQL about the columns of names, of which `own` name the campaign or user journey itself. */
function namesIn(own: readonly string[], all: readonly string[]): Record<string, string> {
  const ownIn = (relation: string): string =>
    `coalesce(${own.map((name) => `${relation}${name}`).join(', ')})`;
  return {
    names: all.join(', '),
    latest_names: all.map((name) => `max_by(${name}, version) as ${name}`).join(', '),
    name: ownIn('staged_statistics.'),
    known_name: ownIn(''),
  };
}

/** Replaces the days of the pulls, all of one stream. Requires the load's transaction and its table `days`. */
export async function loadStatistics(
  session: Session,
  pulls: readonly ReadablePull[],
  stream: keyof typeof STATISTICS,
): Promise<void> {
  const names = STATISTICS[stream];
  const pages = pulls.flatMap(({ id, read }) => read.map(({ file }) => ({ file, pull: id })));
  await session.set({
    landed: {
      files: pages.map(({ file }) => asPattern(file)),
      paths: pages.map(({ file }) => file),
      path_pulls: pages.map(({ pull }) => pull),
      largest_object: await largestOf(pages),
    },
  });
  await session.run('load/statistics/read');
  await session.run('load/documents/redact');
  await split(session, names.place);
  await session.run(names.records);
  if (stream === 'statistics') await assertDays(session, pulls);
  await session.run('load/statistics/typed');
  await session.run('load/statistics/staged', names);
  await split(session, 'conversion');
  await session.run('load/statistics/conversions');
  await session.run('load/statistics/sizes', names);
  await holdBack(session, pulls);
  await replaceDays(session, { table: names.table, parts: names.conversions }, async () => {
    if (stream === 'statistics') await session.run('load/statistics/restatements');
    await session.run('load/statistics/replaced', names);
  });
}

const withoutDays = z.object({ pull: z.string(), records: count });

/** @throws DamageError when no record of a pull has a day that can be read, so that its days would seem to be empty */
async function assertDays(session: Session, pulls: readonly Pull[]): Promise<void> {
  const [first] = await session.rows('load/statistics/without_days', withoutDays);
  if (first === undefined) return;
  const pull = pulls.find(({ id }) => id === first.pull);
  throw damaged(
    pull?.files[0]?.file ?? first.pull,
    `holds ${first.records} records, and the day of none of them can be read`,
  );
}

const size = z.object({ rows: count, messages: count });

const change = z.object({
  key: z.string(),
  before: size,
  after: size,
  heldBack: z.array(size.extend({ pulledAt: z.date() })),
});

/**
 * Removes from the days to be replaced those that the pull must not replace, and records them in `ops.held_back`.
 * Requires the load's transaction and its table `sizes`.
 *
 * @throws DamageError when there are several pulls and one of their days may have to be held back: each must be loaded alone,
 *   since it may be held back, or be accepted because of an earlier one
 */
async function holdBack(session: Session, pulls: readonly Pull[]): Promise<void> {
  const losses = (await session.rows('load/losses/found', change)).filter(({ before, after }) =>
    isLoss(before, after),
  );
  const [pull, ...others] = pulls;
  if (pull === undefined || losses.length === 0) return;
  if (others.length > 0)
    throw new DamageError(`The pull ${pull.id} and the later ones must be loaded one by one.`);
  if (pull.facts.accepted) return;
  const heldBack = losses.filter(
    ({ before, after, heldBack: earlier }) =>
      !replaces(before, { ...after, pulledAt: pull.pulledAt }, earlier),
  );
  await session.set({ held_back_keys: heldBack.map(({ key }) => key) });
  await session.run('load/losses/hold_back');
}

// Decides whether an answer may replace a day that the warehouse holds. An answer that lacks most of the day is held
// back, since the service may be incomplete for a while. It is accepted when the answers of two nights agree, or when a
// person accepts it. Pure: the same answers in the same order always give the same rows, in a rebuild too.

/** The size of a day in the warehouse, or in an answer. */
export interface Size {
  readonly rows: number;
  /** The sum of `message_sent`; 0 if the stream counts no messages. */
  readonly messages: number;
}

/** An answer, and the instant at which it arrived. */
export interface Candidate extends Size {
  readonly pulledAt: Date;
}

/**
 * True if the candidate replaces the rows of the day.
 *
 * @param before the day as the warehouse holds it; undefined if the warehouse does not hold the day
 * @param heldBack the answers that were held back since the day was last replaced
 */
export function replaces(
  before: Size | undefined,
  candidate: Candidate,
  heldBack: readonly Candidate[],
): boolean {
  if (before === undefined || !isLoss(before, candidate)) return true;
  return heldBack.some(
    (other) =>
      areNightsApart(other.pulledAt, candidate.pulledAt) &&
      !isLoss(other, candidate) &&
      !isLoss(candidate, other),
  );
}

/** True if the new answer is empty where there were rows, or has less than half of the messages. */
export function isLoss(before: Size, after: Size): boolean {
  return before.rows > 0 && (after.rows === 0 || after.messages * 2 < before.messages);
}
