/** Telephone numbers of the made-up shop and its users. */

/** The last seven digits of a user's phone number: 7,654,321 and ten million have no common divisor, so one per user. */
export function phoneOf(user: number): number {
  return (user * 7_654_321) % 10_000_000;
}

/** The inverse of `phoneOf`: 81 × 7,654,321 is 1 modulo ten million. */
export function userOfPhone(phone: number): number {
  return (phone * 81) % 10_000_000;
}

/** The shop's registered 080 numbers; its text messages show the first in their footers. */
export const MAIN_080 = '0800000000';
export const OPT_OUT_NUMBERS: readonly string[] = [MAIN_080, '0801234567'];

/** The number that the shop sends its text messages from. */
export const SENDER_NO = '15440000';
