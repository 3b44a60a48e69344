/** The situations that are simulated. */
import type { Cell } from './people.js';

const EQUAL = { two: [0.5, 0.5], four: [0.25, 0.25, 0.25, 0.25] };
const COMMON = { tests: 2000, days: 90, people: 2000, rate: 0.05, likeness: 0.05 };

function alike(name: string, messages: number, split: readonly number[], more: Partial<Cell> = {}): Cell {
  return { ...COMMON, name, messages, split, lift: 0, ...more };
}

/** Tests without a difference. */
export const ALIKE: readonly Cell[] = [
  ...[1, 5, 10, 40].flatMap((messages) => [
    alike(`2 variants, ${messages} messages a person`, messages, EQUAL.two),
    alike(`4 variants, ${messages} messages a person`, messages, EQUAL.four),
  ]),
  ...[1, 10, 40].flatMap((messages) => [
    alike(`80 : 20, ${messages} messages a person`, messages, [0.8, 0.2]),
    alike(`10 : 90, ${messages} messages a person`, messages, [0.1, 0.9]),
    alike(`50 : 30 : 15 : 5, ${messages} messages a person`, messages, [0.5, 0.3, 0.15, 0.05]),
  ]),
  alike('2 variants, a rate of 1 %, 10 messages', 10, EQUAL.two, { rate: 0.01 }),
  alike('2 variants, a rate of 30 %, 10 messages', 10, EQUAL.two, { rate: 0.3 }),
];

/** Tests whose other variant is better by a fifth. */
export const BETTER: readonly Cell[] = [5000, 10_000, 20_000, 40_000].map((people) => ({
  ...alike(`${people} people, 1 message each`, 1, EQUAL.two, { people }),
  lift: 0.2,
}));
