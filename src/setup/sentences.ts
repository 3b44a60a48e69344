/** What `init` says about a night and its price. */
import { daysOf, lastCompleteDay } from '../calendar.js';
import type { DawnloadError } from '../errors.js';
import { formatPrice, priceOf } from '../price.js';
import { formatDuration, plural, type Terminal } from '../terminal/terminal.js';
import type { Answers } from './answers.js';
import type { Night } from './trial.js';

/** Nights of a month, for what a month costs. */
const MONTH = 30;

/** A clock that is further off may take an incomplete day for a complete one, in milliseconds. */
const MOST_SKEW_MS = 2 * 60_000;

export function tellNight({ day, messages, records, skewMs = 0 }: Night, terminal: Terminal): void {
  terminal.note('The service takes the keys and knows the project.');
  terminal.note(
    records === undefined
      ? `It counted no messages on ${day}, so the size of a night is not known yet.`
      : `It counted ${plural(messages, 'message')} on ${day}; the export of such a night holds about ${plural(records, 'record')}.`,
  );
  if (Math.abs(skewMs) <= MOST_SKEW_MS) return;
  terminal.warn(
    `This machine’s clock is ${formatDuration(Math.abs(skewMs))} ${skewMs > 0 ? 'behind' : 'ahead of'} the service’s. Correct it before the first run.`,
  );
}

/** What the budget and the price mean for such nights. */
export function tellMoney(
  night: Night | undefined,
  answers: Pick<Answers, 'budget' | 'pricePerRecord' | 'startDate'>,
  now: Date,
  terminal: Terminal,
): void {
  const nights = daysOf({ start: answers.startDate, end: lastCompleteDay(now) }).length;
  for (const sentence of moneySentences(night?.records, answers, nights)) terminal.note(sentence);
}

/** @param nights that the first run finds missing */
export function moneySentences(
  records: number | undefined,
  { budget, pricePerRecord: price = 0 }: Pick<Answers, 'budget' | 'pricePerRecord'>,
  nights: number,
): string[] {
  if (budget === undefined) return ['Without a budget no paid request is sent. Statistics are free.'];
  if (records === undefined) return [];
  const { recordsPerRun, recordsPerMonth } = budget;
  const worth = (count: number): string =>
    `about ${plural(count, 'record')}${price === 0 ? '' : ` (${formatPrice(priceOf([{ records: count, pricePerRecord: price }]), undefined)})`}`;
  const sizes = `Such a night is ${worth(records)}, and ${MONTH} nights are ${worth(records * MONTH)}.`;
  if (records > recordsPerRun) {
    return [
      sizes,
      `A budget of ${plural(recordsPerRun, 'record')} per run is too small for it: the night would not be requested.`,
    ];
  }
  const first =
    nights < 2
      ? []
      : [
          `The first run finds ${nights} nights, ${worth(records * nights)} if all are like that one, and requests the newest first, within the budget.`,
        ];
  const month =
    records * MONTH <= recordsPerMonth
      ? []
      : [
          `A budget of ${plural(recordsPerMonth, 'record')} per month lasts for about ${plural(Math.floor(recordsPerMonth / records), 'night')}.`,
        ];
  return [sizes, ...first, ...month];
}

/** What to do, without what is meant for a run. */
export function hintOf({ hint = '' }: DawnloadError): string {
  return hint.replace(/ ?Nothing is lost;.*$/, '');
}
