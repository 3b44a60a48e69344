/** The life of a seed: played, and shrunk to its shortest form if it breaks a promise. */
import fc from 'fast-check';
import type { Counters } from '../torture/counters.js';
import { Life } from './life.js';
import { lives, type Depth, type Step } from './steps.js';

/** Plays a life to its end. Throws Broken. */
export async function play(steps: readonly Step[], counters: Counters, depth: Depth): Promise<void> {
  const life = await Life.begin(counters, depth);
  try {
    for (const step of steps) await life.play(step);
    await life.finish();
  } finally {
    await life.end();
  }
}

/**
 * Plays the life of a seed; the sentences about it, if it broke a promise.
 *
 * @param shrinkingMs for how long a broken life is shrunk
 */
export async function broken(
  seed: number,
  steps: number,
  counters: Counters,
  depth: Depth,
  shrinkingMs = 60_000,
): Promise<string | undefined> {
  const begun = Date.now();
  const property = fc.asyncProperty(lives(steps, depth, seed), async (life) => {
    // One life at a time: an interrupted one would go on beside the next.
    if (Date.now() - begun < shrinkingMs) await play(life, counters, depth);
  });
  const result = await fc.check(property, { seed, numRuns: 1 });
  if (!result.failed) return undefined;
  const why = result.errorInstance instanceof Error ? result.errorInstance : undefined;
  return [
    `BROKEN with seed ${seed}: ${why?.stack?.split('\n').slice(0, 6).join('\n') ?? ''}`,
    `  after ${result.numShrinks} shrinks: --life '${JSON.stringify(result.counterexample?.[0])}'`,
  ].join('\n');
}
