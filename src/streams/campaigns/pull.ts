/** Requests E19 for the campaigns in the daily statistics. */
import { rangesOf, windowOf, type Day, type DayRange, dayOf } from '../../ground/calendar.js';
import type { Job } from '../../ground/streams.js';
import type { LandingZone, Facts, Page } from '../../landing/landing-zone.js';
import { settleAll } from '../../ground/promises.js';
import type { ServiceAnswer, ServiceClient } from '../../service/client.js';
import { campaignStatistics } from '../../service/endpoints.js';
import { readEnvelope, type Envelope } from '../../ground/envelope.js';
import { CredentialsError } from '../../ground/errors.js';
import { answersIn, LONGEST_RANGE_DAYS, gapsOf, heldBackAmong } from '../free.js';
import type { Order, PullParts } from '../stream.js';

export async function pullCampaigns({ job, service, wanted }: Order, parts: PullParts): Promise<void> {
  const { warehouse, report, invocation } = parts;
  // Only the daily statistics list a day's campaigns. A day without them stays missing.
  const listed = await warehouse.coverage('statistics');
  const toPull = wanted('campaigns');
  const days = toPull.filter((day) => listed.has(day));
  const reason = 'Not requested, because the daily statistics, which name the campaigns, are missing.';
  for (const unlisted of rangesOf(toPull.filter((day) => !listed.has(day))))
    report.gaps.push({ stream: 'campaigns', days: unlisted, reason });
  const pullDays = async (some: readonly Day[]): Promise<void> => {
    for (const range of rangesOf(some, LONGEST_RANGE_DAYS)) {
      invocation.signal.throwIfAborted();
      await pullRange(range, job, service, parts);
    }
  };
  await pullDays(days);
  const heldBack = await heldBackAmong(days, parts, 'campaigns');
  if (heldBack.length === 0) return;
  await pullDays(heldBack);
  report.gaps.push(...gapsOf(await heldBackAmong(days, parts, 'campaigns'), 'campaigns'));
}

async function pullRange(
  range: DayRange,
  job: Job,
  service: ServiceClient,
  { landing, warehouse, report, load, invocation: { terminal } }: PullParts,
): Promise<void> {
  const campaigns = await warehouse.campaignsSeen(range);
  const writer = landing.begin('campaigns', range, landing.instant(service.clocks.landingTime()));
  const answers: Answer[] = [];
  const progress = (): void => {
    const done = new Set(answers.map(({ campaignId }) => campaignId)).size;
    terminal.progress(
      `campaign statistics ${range.start} to ${range.end}: ${done} of ${campaigns.length} campaigns`,
    );
  };
  progress();
  const failures = (
    await settleAll(
      campaigns.map((campaignId) =>
        extractCampaign(service, campaignId, range, landing, async (part, body, rows) => {
          const { start: windowStart, end: windowEnd } = windowOf(part);
          answers.push({ campaignId, windowStart, windowEnd, ...(await writer.land(body, rows)) });
          progress();
        }),
      ),
    )
  ).filter((failure) => failure !== undefined);
  const absent = failures.some(({ notFound }) => notFound)
    ? await absentSoFar(landing)
    : new Map<string, Absence>();
  const isDeleted = ({ campaignId, notFound }: CampaignFailure): boolean =>
    notFound && isGone(absent.get(campaignId), writer.pulledAt);
  const gone = failures.filter(isDeleted).map(({ campaignId }) => campaignId);
  const failed = failures.filter((failure) => !isDeleted(failure));
  answers.sort(byCampaignAndWindow);
  const landed = await writer.finish(answers, {
    complete: failed.length === 0,
    answers: answers.map(({ campaignId, windowStart, windowEnd }) => ({
      campaignId,
      windowStart,
      windowEnd,
    })),
    notFound: failed.filter(({ notFound }) => notFound).map(({ campaignId }) => campaignId),
    gone,
    accepted: job.acceptEmpty,
  });
  for (const id of gone.filter((id) => absent.get(id)?.isReported !== true)) {
    terminal.note(
      `Campaign ${id} counts as deleted: E19 answered 404 on three nights. Its rows stay in the warehouse, and days count as complete without it.`,
    );
  }
  await load([landed]);
  const [first] = failed;
  if (first !== undefined) {
    const others = failed.length === 1 ? '' : ` and ${failed.length - 1} more`;
    report.gaps.push({
      stream: 'campaigns',
      days: range,
      reason: `Campaign ${first.campaignId}${others}: ${first.reason}.`,
    });
  }
}

/** Returns the 404 answers of earlier pulls. Called only when E19 answers 404, because it reads many manifests. */
async function absentSoFar(landing: LandingZone): Promise<Map<string, Absence>> {
  // The load reports an unreadable manifest; the other manifests are used here.
  const folders = landing.pullFolders.filter(({ stream }) => stream === 'campaigns');
  return absences(await landing.pulls(folders, () => undefined));
}

type Answer = Facts['answers'][number] & Page;

interface CampaignFailure {
  readonly campaignId: string;
  readonly reason: string;
  /** True if the service itself (404, JSON) reports that the campaign does not exist. */
  readonly notFound: boolean;
}

/**
 * Requests E19 for a campaign over a range of KST days. Returns the first failure; undefined if the whole range was answered.
 *
 * @param land lands an answer, for the range or a part of it
 */
export async function extractCampaign(
  service: ServiceClient,
  campaignId: string,
  range: DayRange,
  landing: Pick<LandingZone, 'reject'>,
  land: (part: DayRange, body: Buffer, rows: number) => Promise<void>,
): Promise<CampaignFailure | undefined> {
  let failure: CampaignFailure | undefined;
  const ask = (part: DayRange): Promise<ServiceAnswer> =>
    service.ask(campaignStatistics(service.projectId, campaignId, part));
  try {
    for await (const { days, verdict, body, status } of answersIn(range, ask)) {
      const rows = verdict.kind === 'ok' ? statisticsIn(verdict.envelope, body) : undefined;
      if (rows !== undefined) await land(days, body, rows);
      else if (verdict.kind !== 'ok') {
        const notFound = verdict.kind === 'refused' && status === 404 && readEnvelope(body) !== undefined;
        failure ??= { campaignId, reason: `E19 failed (${verdict.reason})`, notFound };
      } else {
        await landing.reject('E19', `campaign ${campaignId}`, body);
        const reason = 'E19 answered without a data object with a list of stats';
        failure ??= { campaignId, reason, notFound: false };
      }
    }
  } catch (error) {
    // The keys may lack access to this campaign only, so the others continue.
    if (!(error instanceof CredentialsError)) throw error;
    failure ??= { campaignId, reason: error.message.replace(/\.$/, ''), notFound: false };
  }
  return failure;
}

/** Counts the metrics in the answer. Undefined if the load would reject the answer, and with it all campaigns of the range. */
function statisticsIn(envelope: Envelope, body: Buffer): number | undefined {
  if (envelope.kind !== 'object' || envelope.twice.has('data') || envelope.twice.has('error'))
    return undefined;
  const data = envelope.parts.get('data');
  const inside = data && readEnvelope(body.subarray(data.start, data.end));
  if (inside?.kind !== 'object' || inside.twice.has('stats')) return undefined;
  return inside.parts.get('stats')?.elements;
}

function byCampaignAndWindow(a: Facts['answers'][number], b: Facts['answers'][number]): number {
  if (a.campaignId !== b.campaignId) return a.campaignId < b.campaignId ? -1 : 1;
  return a.windowStart.getTime() - b.windowStart.getTime();
}

/** A campaign counts as deleted if E19 answered 404 on this number of nights (KST days of pulls). */
const NIGHTS = 3;

interface Absence {
  /** The KST days with a 404 since the last other answer. */
  readonly nights: ReadonlySet<Day>;
  /** True if an earlier pull reported the campaign as deleted. */
  readonly isReported: boolean;
}

/**
 * Returns the campaigns whose last answer was 404, by id.
 *
 * @param pulls oldest first
 */
export function absences(
  pulls: Iterable<{ pulledAt: Date; facts: Pick<Facts, 'answers' | 'notFound' | 'gone'> }>,
): Map<string, Absence> {
  const absent = new Map<string, Absence>();
  for (const { pulledAt, facts } of pulls) {
    const { answers, notFound, gone } = facts;
    for (const { campaignId } of answers) absent.delete(campaignId);
    for (const id of [...notFound, ...gone]) {
      const before = absent.get(id);
      const nights = new Set(before?.nights).add(dayOf(pulledAt));
      absent.set(id, { nights, isReported: before?.isReported === true || gone.includes(id) });
    }
  }
  return absent;
}

/** True if the campaign counts as deleted after one more 404 at `now`. */
export function isGone(absence: Absence | undefined, now: Date): boolean {
  return new Set(absence?.nights).add(dayOf(now)).size >= NIGHTS;
}
