/** Consent to paid work: by the budget, by the command line, or by a person's answer at the terminal. */
import type { RunContext } from '../run/context.js';
import type { Job } from '../run/job.js';
import type { Decision } from './budget.js';
import { formatCount, plural } from '../terminal/terminal.js';
import { formatPrice, priceOf } from '../price.js';

/** Whether the days that would be requested now may be. */
export async function consentTo(
  job: Job,
  { config, terminal, signal }: RunContext,
  decisions: readonly Decision[],
): Promise<boolean> {
  if (job.consent !== 'ask') return true;
  const wanted = decisions.filter(({ verdict }) => verdict === 'request');
  if (wanted.length === 0) return true;
  const records = wanted.reduce((sum, { estimate }) => sum + (estimate ?? 0), 0);
  const { pricePerRecord, currency } = config.exports;
  const price =
    pricePerRecord === 0
      ? ''
      : `, about ${formatPrice(priceOf([{ records, pricePerRecord }]), currency)} in price`;
  terminal.progress('waiting for consent to pay');
  return terminal.confirm(
    `Request paid exports of ${plural(wanted.length, 'day')}, about ${formatCount(records)} records${price}?`,
    signal,
  );
}
