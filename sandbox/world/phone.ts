/** The last seven digits of a user's phone number: 7,654,321 and ten million have no common divisor, so one per user. */
export function phoneOf(user: number): number {
  return (user * 7_654_321) % 10_000_000;
}
