/** The steps that ask the service: the token and both clocks, then each stream. What lands is loaded by its step. */
import { downloadReady, resumeExports } from '../exports/download.js';
import { missingDays } from '../exports/export.js';
import { requestMissing } from '../exports/paid-request.js';
import { Patience } from '../exports/reading.js';
import {
  dayCount,
  formatKst,
  lastCompleteDay,
  shiftDay,
  type Day,
  type DayRange,
} from '../ground/calendar.js';
import type { Job, Stream } from '../ground/streams.js';
import { pullReference } from '../reference/pull-reference.js';
import { settleAll, type ServiceClient } from '../service/client.js';
import { CLOCK_REMEDY } from '../service/clocks.js';
import { pullCampaigns } from '../statistics/pull-campaigns.js';
import { pullStatistics } from '../statistics/pull-daily.js';
import { assertPublishable } from '../warehouse/publish.js';
import { loadWaiting } from './landed.js';
import type { RunReport } from './report.js';
import { partsOf, type Night, type Step } from './step.js';
import { daysIn, wantedNow } from './wanted-days.js';

/** A step that requests or loads; a failure leaves what has landed to be published. */
export const pulling = (run: Step['run'], wanted: Step['wanted']): Step => ({
  name: 'pull',
  doing: 'pulling',
  wanted,
  run,
  after: 'no-money-no-deletion',
});

const nothingFailed = ({ report }: Night): boolean => report.failure === undefined;

/** Loads what has landed and is not loaded, such as after a kill. */
export const loadLanded = pulling(loadWaiting, () => true);

/** Gets a token, and leaves of the wanted days those that are complete by both clocks. */
export const authorize = pulling(async (night) => {
  const { folder, report, invocation, wanted } = night;
  const { service } = folder;
  await service.authorize();
  service.clocks.assertMayLand();
  const earlier = service.clocks.earlier();
  report.serviceBehindMs = Math.max(0, invocation.effects.now().getTime() - earlier.getTime());
  if (wanted === undefined) return;
  const last = lastCompleteDay(earlier);
  if (wanted.days.end > last)
    invocation.terminal.note(
      `The service's clock says ${formatKst(earlier)}. The last complete day is ${last}; later days are not requested.`,
    );
  night.wanted = until(wanted, last);
  report.days = night.wanted.days;
  report.authorized = true;
}, nothingFailed);

/** Returns the job without the days after `last`; `again` moves back by the same number of days. */
function until(job: Job, last: Day): Job {
  const cut = Math.max(0, dayCount({ start: last, end: job.days.end }) - 1);
  const shortened = ({ start, end }: DayRange): DayRange => ({ start, end: end < last ? end : last });
  return {
    ...job,
    days: shortened(job.days),
    again: { start: shiftDay(job.again.start, -cut), end: shiftDay(job.again.end, -cut) },
    eventDays: shortened(job.eventDays),
  };
}

/** A step that pulls a stream of the job. */
function stream(
  isWanted: (job: Job) => boolean,
  pull: (job: Job, service: ServiceClient, night: Night) => Promise<void>,
): Step {
  return pulling(
    async (night) => {
      if (night.wanted !== undefined) await pull(night.wanted, night.folder.service, night);
    },
    (night) => nothingFailed(night) && night.wanted !== undefined && isWanted(night.wanted),
  );
}

/** The days that the next requests are for: missing ones, and those that may have been restated. */
async function missingNow(job: Job, night: Night): Promise<(stream: Stream) => readonly Day[]> {
  const wanted = await wantedNow(job, night);
  return (stream) => daysIn(wanted, stream, 'missing', 'restatable');
}

export const statistics = stream(
  ({ streams }) => streams.has('statistics'),
  async (job, service, night) => pullStatistics(job, await missingNow(job, night), service, partsOf(night)),
);

export const campaigns = stream(
  ({ streams }) => streams.has('campaigns'),
  async (job, service, night) => pullCampaigns(job, await missingNow(job, night), service, partsOf(night)),
);

/** Paid exports: those under way are downloaded, and missing days are requested within budget and consent. */
export const events = stream(
  ({ streams }) => streams.has('events'),
  async (job, service, night) => {
    const parts = partsOf(night);
    const mayPay = missingDays(job.eventDays, parts.ledger.entries()).length > 0;
    if (mayPay) await assertPublishable(parts.files.published);
    const patience = patienceOf(night);
    // An export that does not come delays no day; one that comes may show the size that other days wait for.
    await downloadReady(service, parts);
    const resumed = resumeExports(service, parts, patience);
    const requested = requestMissing(job, service, parts, patience, resumed).catch((error: unknown) => {
      patience.end();
      throw error;
    });
    await settleAll([requested, resumed]);
  },
);

export const reference = stream(
  () => true,
  (job, service, night) => pullReference(job, service, partsOf(night)),
);

/** The time that a run waits for its exports. */
export const patienceOf = ({ folder: { ledger }, invocation: { effects } }: Night): Patience =>
  new Patience(ledger.settings.maxWaitMinutes, effects);

/** Reports clocks that disagree, by the latest answer, also after a failure. */
export const clocks: Step = {
  name: 'pull',
  doing: 'pulling',
  wanted: ({ report }) => report.authorized,
  run: ({ folder: { service }, report }) => {
    const trouble = compareClocks(service, report);
    if (trouble === undefined) return Promise.resolve();
    report.clockSkewMs = service.clocks.skewMs;
    report.attention.push({
      advice: `${trouble} No paid request is sent until they agree. ${CLOCK_REMEDY}`,
      list: 'dawnload doctor',
    });
    return Promise.resolve();
  },
  after: 'go-on',
};

/** Notes whether both clocks agree, by the latest answer; returns a sentence if they don't. */
export function compareClocks(service: ServiceClient, report: RunReport): string | undefined {
  const trouble = service.clocks.trouble;
  report.clocksAgree = trouble === undefined && service.clocks.skewMs !== undefined;
  return trouble;
}
