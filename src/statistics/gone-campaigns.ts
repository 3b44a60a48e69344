/** Campaigns that were deleted at the service: E19 answers 404 for them for ever. Pure, from what pulls left on disk. */
import { dayOf, type Day } from '../calendar.js';
import type { CampaignsPull } from '../storage/pull.js';

/** On so many nights (KST days of pulling) E19 has to answer 404 before a campaign is taken for deleted. */
const NIGHTS = 3;

/** A campaign that answered 404 when it was asked for last. */
export interface Absence {
  /** The KST days on which it answered 404, since it last answered otherwise. */
  readonly nights: ReadonlySet<Day>;
  /** Whether a pull has taken it for deleted before. */
  readonly known: boolean;
}

/** The campaigns that answered 404 last, by id. `pulls` come oldest first. */
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

/** Whether one more 404, at `now`, is the night on which a campaign is taken for deleted, or a later one. */
export function isGone(absence: Absence | undefined, now: Date): boolean {
  return new Set(absence?.nights).add(dayOf(now)).size >= NIGHTS;
}
