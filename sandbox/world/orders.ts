/** The shop's own orders, which the service does not know: some follow a click by minutes or days, others follow no message. */
import type { Day } from '../../src/ground/calendar.js';
import { createWorld } from './plan.js';
import { mix, pair, SPREAD, unit } from './random.js';
import { eventMicros, messageChance, sendingOf, userOf } from './sending.js';

export interface Order {
  readonly orderId: string;
  readonly userId: string;
  readonly orderedAt: Date;
  /** In won. */
  readonly amount: number;
}

/** One click in this many is followed by an order. */
const CLICKS_PER_ORDER = 6;
/** The latest order after a click, in microseconds. */
const LATEST_MICROS = 9 * 86_400_000_000;
/** Orders that follow no click, by events of a day. */
const OTHERS_PER_EVENT = 1 / 400;

/** The orders of the days, by time. A world has the same orders, whatever the range. */
export function ordersOf(
  { seed = 1, eventsPerDay }: { readonly seed?: number; readonly eventsPerDay: number },
  days: readonly Day[],
): Order[] {
  const world = createWorld(seed, eventsPerDay);
  const orders: Order[] = [];
  const order = (user: number, micros: number, chance: number): void => {
    orders.push({
      orderId: `A-${mix(chance ^ 0x4f1bbcdc).toString(36)}`,
      userId: `user_${String(user).padStart(7, '0')}`,
      orderedAt: new Date(Math.floor(micros / 1000)),
      amount: 9_900 + (mix(chance ^ 0x2545f491) % 900) * 100,
    });
  };
  for (const day of days) {
    const plan = world.planOf(day);
    for (const { segments } of plan.streams)
      for (const segment of segments.filter(({ role }) => role === 'click')) {
        const sending = sendingOf(segment.stream, segment.sentOn, world.scale);
        for (let send = segment.first; send < segment.first + segment.count; send += 1) {
          const chance = mix(messageChance(sending, send) ^ 0x6c078965);
          if (chance % CLICKS_PER_ORDER !== 0) continue;
          const clicked = plan.startMicros + eventMicros(segment, sending, messageChance(sending, send));
          // Most orders come soon.
          order(userOf(sending, send), clicked + unit(mix(chance)) ** 4 * LATEST_MICROS, chance);
        }
      }
    for (let nth = 0; nth < eventsPerDay * OTHERS_PER_EVENT; nth += 1) {
      const chance = pair(world.seed ^ Math.imul(nth + 1, SPREAD), plan.number);
      order(mix(chance) % 20_000, plan.startMicros + unit(mix(chance ^ 7)) * 86_400_000_000, chance);
    }
  }
  return orders.sort((a, b) => Number(a.orderedAt) - Number(b.orderedAt) || (a.orderId < b.orderId ? -1 : 1));
}

/** The orders as the shop exports them. */
export function ordersCsv(orders: readonly Order[]): string {
  const lines = orders.map(({ orderId, userId: member, orderedAt, amount }) => {
    const korean = new Date(orderedAt.getTime() + 9 * 3_600_000).toISOString().slice(0, 19).replace('T', ' ');
    return `${orderId},${member},${korean},${amount}`;
  });
  return ['order_id,member_id,ordered_at,amount', ...lines, ''].join('\n');
}
