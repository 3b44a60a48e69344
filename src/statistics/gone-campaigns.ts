/** Campaigns that were deleted at the service: E19 answers 404 for them for ever. Pure; from the pulls on disk. */
import { dayOf, type Day } from '../calendar.js';
import type { CampaignsPull } from '../storage/pull.js';

/** On how many nights (KST days of pulling) E19 must answer 404 before a campaign counts as deleted. */
const NIGHTS = 3;

/** A campaign whose last answer was 404. */
export interface Absence {
  /** The KST days on which it answered 404, since it last answered otherwise. */
  readonly nights: ReadonlySet<Day>;
  /** Whether an earlier pull counted it as deleted. */
  readonly known: boolean;
}

/** The campaigns whose last answer was 404, by id. `pulls` come oldest first. */
export function absences(
  pulls: Iterable<Pick<CampaignsPull, 'pulledAt' | 'answers' | 'notFound' | 'gone'>>,
): Map<string, Absence> {
  const absent = new Map<string, Absence>();
  for (const { pulledAt, answers, notFound = [], gone = [] } of pulls) {
    for (const { campaignId } of answers) absent.delete(campaignId);
    for (const id of [...notFound, ...gone]) {
      const before = absent.get(id);
      const nights = new Set(before?.nights).add(dayOf(pulledAt));
      absent.set(id, { nights, known: before?.known === true || gone.includes(id) });
    }
  }
  return absent;
}

/** Whether a campaign counts as deleted with one more 404 at `now`. */
export function isGone(absence: Absence | undefined, now: Date): boolean {
  return new Set(absence?.nights).add(dayOf(now)).size >= NIGHTS;
}
