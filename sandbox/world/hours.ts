/** When messages go out: the hours of a Korean day and the days of a week. */

/** Hourly weights, 0 to 23 h KST. Advertising may not be sent between 21 and 8 h, so only `service` has nights. */
const CURVES = {
  morning: [0, 0, 0, 0, 0, 0, 0, 0, 1, 4, 60, 22, 6, 3, 1, 1, 1, 0.5, 0.5, 0, 0, 0, 0, 0],
  lunch: [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 30, 55, 14, 3, 1, 1, 0.5, 0.5, 0, 0, 0, 0, 0],
  evening: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 2, 3, 6, 18, 50, 24, 6, 0, 0, 0],
  behaviour: [0, 0, 0, 0, 0, 0, 0, 0, 2, 4, 6, 8, 10, 8, 6, 6, 6, 7, 9, 12, 16, 0, 0, 0],
  service: [3, 2, 1, 0.5, 0.5, 0.5, 1, 3, 6, 8, 9, 9, 10, 9, 8, 8, 8, 8, 9, 10, 12, 13, 11, 7],
} as const;

export const CURVE_NAMES = ['morning', 'lunch', 'evening', 'behaviour', 'service'] as const;

export type Curve = (typeof CURVE_NAMES)[number];

/** Sunday to Saturday: shops are busiest on Fridays and quiet on Sundays. */
export const WEEKDAY_FACTORS = [0.78, 0.97, 1, 1, 1.04, 1.17, 0.86] as const;

/** 256 slots, each an hour, as many per hour as its weight: eight random bits choose one. */
function slotsOf(weights: readonly number[]): Uint8Array {
  const slots = new Uint8Array(256);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let hour = 0;
  let upTo = weights[0] ?? 0;
  for (let slot = 0; slot < 256; slot += 1) {
    while (((slot + 0.5) / 256) * total >= upTo && hour < 23) {
      hour += 1;
      upTo += weights[hour] ?? 0;
    }
    slots[slot] = hour;
  }
  return slots;
}

export const HOUR_SLOTS: Record<Curve, Uint8Array> = {
  morning: slotsOf(CURVES.morning),
  lunch: slotsOf(CURVES.lunch),
  evening: slotsOf(CURVES.evening),
  behaviour: slotsOf(CURVES.behaviour),
  service: slotsOf(CURVES.service),
};
