/** Simulated people of A/B tests: who got messages of which variant, who clicked, and how many messages converted. */

export interface Cell {
  readonly name: string;
  readonly tests: number;
  readonly days: number;
  readonly people: number;
  /** Messages that each person gets, on days by chance. */
  readonly messages: number;
  /** The share of each variant; the first is the baseline. */
  readonly split: readonly number[];
  /** What the rates of all others are above the baseline's, as a share of it. */
  readonly lift: number;
  /** How often a message is clicked, or converts. */
  readonly rate: number;
  /** The correlation of two messages to one person. */
  readonly likeness: number;
}

/** What one day added to a variant of a test. */
export interface Increment {
  readonly test: number;
  readonly variant: number;
  readonly day: number;
  people: number;
  clickers: number;
  messages: number;
  conversions: number;
  /** Of the messages of each person, squared and added up. */
  squares: number;
}

/** Numbers in [0, 1) from a seed (mulberry32). */
export function chance(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}

/** Draws all tests of a cell, test by test. */
export function* draw(cell: Cell, random: () => number): Generator<Increment> {
  for (let test = 0; test < cell.tests; test += 1) yield* drawTest(cell, test, random);
}

function drawTest(cell: Cell, test: number, random: () => number): Increment[] {
  const { days, people, split } = cell;
  const increments = split.map((_, variant) =>
    Array.from({ length: days }, (_, day) => ({
      test,
      variant,
      day,
      people: 0,
      clickers: 0,
      messages: 0,
      conversions: 0,
      squares: 0,
    })),
  );
  for (let person = 0; person < people; person += 1) {
    const variant = variantOf(split, random());
    drawPerson(cell, variant, increments[variant] ?? [], random);
  }
  return increments.flat();
}

/** The variant at a point of all shares laid end to end. */
export function variantOf(split: readonly number[], at: number): number {
  let reached = 0;
  const found = split.findIndex((share) => (reached += share) > at);
  return found === -1 ? split.length - 1 : found;
}

function drawPerson(cell: Cell, variant: number, days: readonly Increment[], random: () => number): void {
  const { messages, rate, lift, likeness } = cell;
  const own = rate * (variant === 0 ? 1 : 1 + lift);
  const clicks = beta(own, likeness, random);
  const converts = beta(own, likeness, random);
  const sent = Array.from({ length: messages }, () => Math.floor(random() * days.length)).sort(
    (a, b) => a - b,
  );
  let clicked = false;
  for (const [index, at] of sent.entries()) {
    const day = days[at];
    if (day === undefined) continue;
    if (index === 0) day.people += 1;
    day.messages += 1;
    day.squares += 2 * index + 1;
    if (random() < converts) day.conversions += 1;
    if (!clicked && random() < clicks) {
      clicked = true;
      day.clickers += 1;
    }
  }
}

/** A rate of a person's own: two tries with it correlate by `likeness`. */
export function beta(mean: number, likeness: number, random: () => number): number {
  if (likeness === 0) return mean;
  const weight = 1 / likeness - 1;
  const yes = gamma(mean * weight, random);
  return yes / (yes + gamma((1 - mean) * weight, random));
}

/** Marsaglia and Tsang's method. */
function gamma(shape: number, random: () => number): number {
  if (shape < 1) return gamma(shape + 1, random) * random() ** (1 / shape);
  const d = shape - 1 / 3;
  for (;;) {
    const x = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const v = (1 + x / Math.sqrt(9 * d)) ** 3;
    if (v > 0 && Math.log(1 - random()) < (x * x) / 2 + d - d * v + d * Math.log(v)) return d * v;
  }
}
