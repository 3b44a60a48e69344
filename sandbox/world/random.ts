/**
 * Random numbers without state: each is a function of its subject, so that any day, page or record can be generated alone, in any order,
 * with the same result.
 */

/** Golden ratio times 2^32: spreads neighbouring numbers over the 32 bits before they are mixed. */
export const SPREAD = 0x9e3779b1;

/** A bijection on 32 bits (the finalizer of MurmurHash3): distinct inputs stay distinct, so it can make ids. */
export function mix(x: number): number {
  let h = x | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** A 32-bit number for a text (FNV-1a, mixed). */
export function hashText(text: string, seed = 0): number {
  let h = 0x811c9dc5 ^ seed;
  for (let i = 0; i < text.length; i += 1) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return mix(h);
}

/** Combines two numbers. */
export function pair(a: number, b: number): number {
  return mix(mix(a) + Math.imul(b | 0, SPREAD));
}

/** A number in [0, 1) from 32 bits. */
export function unit(h: number): number {
  return (h >>> 0) / 0x1_0000_0000;
}

/** A standard normal number from 32 bits (Box-Muller). */
function normal(h: number): number {
  const radius = Math.sqrt(-2 * Math.log(1 - unit(mix(h))));
  return radius * Math.cos(2 * Math.PI * unit(mix(h ^ 0x5bd1e995)));
}

/** How many happen when `mean` are expected (Poisson; from a mean of 30 on, its normal approximation). */
export function happenings(mean: number, h: number): number {
  if (mean <= 0) return 0;
  if (mean >= 30) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal(h)));
  const target = unit(mix(h));
  let probability = Math.exp(-mean);
  let reached = probability;
  let count = 0;
  while (reached < target && count < 200) {
    count += 1;
    probability *= mean / count;
    reached += probability;
  }
  return count;
}

/** How many of `n` tries succeed when each does with probability `p`: never more than `n`. */
export function successes(n: number, p: number, h: number): number {
  if (n <= 0 || p <= 0) return 0;
  if (p >= 1) return n;
  if (n * p < 30) return Math.min(n, happenings(n * p, h));
  return Math.max(0, Math.min(n, Math.round(n * p + Math.sqrt(n * p * (1 - p)) * normal(h))));
}

/** The greatest common divisor. */
function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b);
}

/**
 * A step that visits each of `n` places once when added over and over modulo `n`. Near the golden section of
 * `n`, so that neighbours in the new order are far apart in the old one.
 */
export function strideOf(n: number): number {
  let stride = Math.max(1, Math.round(n * 0.6180339887));
  while (gcd(stride, n) !== 1) stride += 1;
  return stride;
}
