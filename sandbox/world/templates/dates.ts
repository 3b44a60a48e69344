/** Ids and dates that follow from a name. */
import { hashText, mix } from '../random.js';

/** An id of 24 hexadecimal digits. */
export function hexId(name: string, seed: number): string {
  const a = hashText(name, seed);
  return [a, mix(a ^ 1), mix(a ^ 2)].map((part) => part.toString(16).padStart(8, '0')).join('');
}

/** An instant of the year 2025: before everything that the world sends. */
export function created(name: string, seed: number): Date {
  const start = Date.UTC(2025, 0, 2, 1);
  return new Date(start + (hashText(name, seed ^ 0x63) % (150 * 86_400)) * 1000);
}

export function latest(...instants: readonly Date[]): Date {
  return new Date(Math.max(...instants.map((instant) => instant.getTime())));
}
