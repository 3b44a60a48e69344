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
  /** True if it follows a click and exists only because of the message. */
  readonly isEarned: boolean;
}

export interface Shop {
  readonly seed?: number;
  readonly eventsPerDay: number;
  /**
   * How many members get no messages. They were assigned before the first message, so they are in no audience. They buy like others without
   * messages.
   */
  readonly heldOut?: number;
  /** Orders of a day that follow no click, by events of a day. */
  readonly othersPerEvent?: number;
}

/** One click in this many is followed by an order. */
const CLICKS_PER_ORDER = 6;
/** The latest order after a click, in microseconds. */
const LATEST_MICROS = 9 * 86_400_000_000;
const OTHERS_PER_EVENT = 1 / 400;
/** Members with the numbers from 0 on may get messages; those held out have the next ones. */
const MEMBERS = 20_000;

/** The orders of the days, by time. A world has the same orders, whatever the range. */
export function ordersOf(
  { seed = 1, eventsPerDay, heldOut = 0, othersPerEvent = OTHERS_PER_EVENT }: Shop,
  days: readonly Day[],
): Order[] {
  const world = createWorld(seed, eventsPerDay);
  const orders: Order[] = [];
  const order = (user: number, micros: number, chance: number, isEarned: boolean): void => {
    orders.push({
      orderId: `A-${mix(chance ^ 0x4f1bbcdc).toString(36)}`,
      userId: idOf(user),
      orderedAt: new Date(Math.floor(micros / 1000)),
      amount: 9_900 + (mix(chance ^ 0x2545f491) % 900) * 100,
      isEarned,
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
          order(userOf(sending, send), clicked + unit(mix(chance)) ** 4 * LATEST_MICROS, chance, true);
        }
      }
    for (let nth = 0; nth < eventsPerDay * othersPerEvent; nth += 1) {
      const chance = pair(world.seed ^ Math.imul(nth + 1, SPREAD), plan.number);
      const user = mix(chance) % (MEMBERS + heldOut);
      order(user, plan.startMicros + unit(mix(chance ^ 7)) * 86_400_000_000, chance, false);
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

const idOf = (user: number): string => `user_${String(user).padStart(7, '0')}`;

/** The members with the group of each, as the shop exports them. Those without messages are the group C. */
export function groupsCsv(heldOut: number, assigned: Day): string {
  const lines = Array.from(
    { length: MEMBERS + heldOut },
    (_, user) => `${idOf(user)},${user < MEMBERS ? 'T' : 'C'},${assigned}`,
  );
  return ['member_id,group,assigned_on', ...lines, ''].join('\n');
}
