/**
 * The steps that call the service: token and clocks first, then each stream. A stream's step also loads what it landed.
 */
import {
  dayCount,
  formatKst,
  lastCompleteDay,
  shiftDay,
  type Day,
  type DayRange,
} from '../ground/calendar.js';
import type { Job, StreamName } from '../ground/streams.js';
import type { Stream } from '../streams/stream.js';
import { type ServiceClient } from '../service/client.js';
import { CLOCK_REMEDY } from '../service/clocks.js';
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

/** Gets a token (E1), and keeps only the wanted days that are complete by both clocks. */
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

export const pull = (stream: Stream): Step =>
  pulling(
    async (night) => {
      const { wanted: job, folder } = night;
      if (job === undefined) return;
      const daysOf = async () => {
        const wanted = await wantedNow(job, night);
        return (name: StreamName): readonly Day[] => daysIn(wanted, name, 'missing', 'restatable');
      };
      await stream.pull(job, daysOf, folder.service, partsOf(night));
    },
    (night) => nothingFailed(night) && stream.choices.some((one) => night.wanted?.streams.has(one) === true),
  );

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
