/** The people who opt out after a message, from the same random numbers as the messages. */
import { type Day, dayOf, koreanTime, shiftDay } from '../../src/ground/calendar.js';
import { alimtalkCode, recipientOf } from './messages/chatapp.js';
import { MAIN_080 } from './numbers.js';
import type { World } from './plan.js';
import { mix, unit } from './random.js';
import { eventMicros, messageChance, sendingOf, userOf } from './sending.js';
import type { Stream } from './stream.js';

export interface OptOut {
  readonly unsubscribeNo: string;
  readonly recipientNo: string;
  /** `yyyy-MM-dd HH:mm:ss` in Korea. */
  readonly requestDate: string;
}

/** The 080 number exists from this day on. */
const SINCE: Day = '2026-01-01';

/** Opt-outs come between a minute and three days after a message. */
const SOONEST_S = 60;
const LATEST_S = 72 * 3600 - 1;

/** Opt-outs per thousand messages; two where a campaign has no rate of its own. */
const USUAL = 2;
const CAMPAIGNS: Readonly<Record<string, number>> = { F2gQe9: 36 };
const ALIMTALK: Readonly<Record<string, number>> = { 'tpl-n2p7': 14 };

/** Per thousand; 0 for messages without a way to opt out. */
function rateOf(stream: Stream): number {
  switch (stream.channel) {
    case 'text-message':
      return stream.copy.title.startsWith('(광고)') ? (CAMPAIGNS[stream.resourceId] ?? USUAL) : 0;
    case 'friendtalk':
      return USUAL;
    case 'alimtalk':
      return ALIMTALK[alimtalkCode(stream)] ?? 1;
    default:
      return 0;
  }
}

export interface OptOuts {
  /** The opt-outs from one day to another, before an instant, in the order of their time. */
  between(first: Day, last: Day, now: Date): OptOut[];
}

export function createOptOuts(world: World): OptOuts {
  const streams = world.streams.filter((stream) => rateOf(stream) > 0);
  const known = new Set(streams);
  const days = new Map<Day, readonly OptOut[]>();

  /** The opt-outs that follow the messages of one day, on that day and the three after. */
  function after(day: Day): readonly OptOut[] {
    const kept = days.get(day);
    if (kept !== undefined) return kept;
    const found: OptOut[] = [];
    const plan = world.planOf(day);
    for (const { stream, segments } of plan.streams) {
      if (!known.has(stream)) continue;
      const rate = rateOf(stream) / 1000;
      for (const segment of segments) {
        if (segment.role !== 'success') continue;
        const sending = sendingOf(stream, segment.sentOn, world.scale);
        for (let send = segment.first; send < segment.first + segment.count; send += 1) {
          const chance = messageChance(sending, send);
          if (unit(mix(chance ^ 0x0800_0000)) >= rate) continue;
          const sentMs = (plan.startMicros + eventMicros(segment, sending, chance)) / 1000;
          found.push({
            unsubscribeNo: MAIN_080,
            recipientNo: recipientOf(userOf(sending, send)),
            requestDate: koreanDate(new Date(sentMs + delayMs(chance))),
          });
        }
      }
    }
    days.set(day, found);
    return found;
  }

  return {
    between(first, last, now) {
      const today = dayOf(now);
      const until = last < today ? last : today;
      const upTo = koreanDate(now);
      const found: OptOut[] = [];
      const start = first < SINCE ? SINCE : first;
      for (let day = shiftDay(start, -3); day <= until; day = shiftDay(day, 1)) {
        for (const one of after(day)) {
          const on = one.requestDate.slice(0, 10);
          if (on >= start && on <= until && one.requestDate < upTo) found.push(one);
        }
      }
      // Two messages may make one person ask twice in a second.
      return found
        .sort(byTime)
        .filter((one, place) => place === 0 || byTime(found[place - 1] ?? one, one) !== 0);
    },
  };
}

/** Most come soon. Rounded up to a full second, like the date. */
function delayMs(chance: number): number {
  const own = unit(mix(chance ^ 0x2b3c4d5e));
  return Math.ceil(SOONEST_S + own * own * own * (LATEST_S - 1 - SOONEST_S)) * 1000 + 1000;
}

export function byTime(a: OptOut, b: OptOut): number {
  if (a.requestDate !== b.requestDate) return a.requestDate < b.requestDate ? -1 : 1;
  return a.recipientNo < b.recipientNo ? -1 : a.recipientNo > b.recipientNo ? 1 : 0;
}

export function koreanDate(instant: Date): string {
  return `${dayOf(instant)} ${koreanTime(instant).slice(11, 19)}`;
}
