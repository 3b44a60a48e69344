/** Looking into what JSON.parse gave. */
import type { Json } from './world/messages/json.js';

export type JsonRecord = Readonly<Record<string, Json>>;

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isList(value: unknown): value is readonly Json[] {
  return Array.isArray(value);
}

/** True if objects and arrays are nested deeper than this many levels. Stops at that depth. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  const open: [unknown, number][] = [[value, 1]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [one, depth] = next;
    if (typeof one !== 'object' || one === null) continue;
    if (depth > levels) return true;
    for (const child of Object.values(one)) open.push([child, depth + 1]);
  }
  return false;
}
