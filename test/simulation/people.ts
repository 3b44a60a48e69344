/** Chance: numbers from a seed, and the rates of people who differ. */

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
