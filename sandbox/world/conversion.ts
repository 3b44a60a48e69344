/** Conversions: what people did after a message. They are counted in the statistics, but are not export records. */
import { CHANNELS } from './channels.js';
import { pair, successes } from './random.js';
import { sendsOn } from './segment.js';
import type { Stream } from './stream.js';

export interface Conversion {
  readonly name: string;
  /** All conversions after a message. */
  readonly total: number;
  /** The part of `total` that directly follows a click. */
  readonly direct: number;
  /** Their total value, in won. */
  readonly sales: number;
}

/** The total value of `count` conversions, in won: zero unless they are purchases. */
function salesOf(name: string, count: number, chance: number): number {
  const bought = name.includes('구매') || name.includes('구독');
  return bought ? count * (36_700 + (chance % 400) * 10) : 0;
}

/** The conversions of one stream on one day, each rarer than the previous one. */
export function conversionsOn(stream: Stream, day: number, scale: number): Conversion[] {
  const { total, direct } = CHANNELS[stream.channel].conversion;
  if (total === 0) return [];
  const { success } = sendsOn(stream, day, scale);
  if (success === 0) return [];
  return stream.conversions.map((name, place) => {
    const chance = pair(stream.seed ^ (0x1d00 + place), day);
    const rarity = 1 / (1 + place);
    const directly = successes(success, direct * stream.lift * rarity, chance);
    const later = successes(success, (total - direct) * stream.lift * rarity, chance ^ 0x99);
    const count = directly + later;
    return { name, total: count, direct: directly, sales: salesOf(name, count, chance) };
  });
}
