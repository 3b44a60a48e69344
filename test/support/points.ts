/** The crash points at which tests kill a process, grouped by operation, in order. */
import { readdirSync, readFileSync } from 'node:fs';
import { APPEND_STEPS, POINTS, WRITE_STEPS, type CrashPoint } from '../../src/ground/crash-points.js';

const all = Object.keys(POINTS) as (keyof typeof POINTS)[];

/** The crash points whose names begin with one of these words. */
export const pointsOf = (...groups: readonly string[]): (keyof typeof POINTS)[] =>
  all.filter((point) => groups.includes(point.split('/', 1).join('')));

/** The crash points of the working file, in the order in which a run passes them. */
export const WAREHOUSE_POINTS = pointsOf('load', 'exports', 'model', 'check', 'close');

/** The crash points of publishing. */
export const PUBLISH_POINTS = pointsOf('publish');

/** The crash points of a push to the lake. */
export const LAKE_POINTS = pointsOf('lake');

/** The steps of one write of a file; each point is named `<what>/<step>`. */
export const DURABLE_STEPS = Object.keys(WRITE_STEPS) as (keyof typeof WRITE_STEPS)[];

/** The steps of a line of the journal, in its file and in its copy; each point is named `journal/<kind>/<event>/<step>`. */
export const JOURNAL_STEPS = [
  ...(Object.keys(APPEND_STEPS) as (keyof typeof APPEND_STEPS)[]),
  'copy/before-fsync',
  'copied',
] as const;

/** The crash points of a push that reaches people, in order. */
export const PUSH_POINTS = [
  'journal/push/begun/before-append',
  'journal/push/begun/durable',
  'pushed/before-append',
  'pushed/durable',
  'journal/push/intended/before-append',
  'journal/push/intended/durable',
  'push/answered',
  'journal/push/settled/before-append',
  'journal/push/settled/durable',
  'journal/push/ended/before-append',
  'journal/push/ended/durable',
] as const satisfies readonly CrashPoint[];

/** A crash point, or one of its occurrences: `:2` is the second. */
export type Crash = CrashPoint | `${CrashPoint}:${number}`;

/** The crash points that appear in the sources of single tests. */
export function pointsOfTests(): Set<string> {
  const tests = readdirSync('test', { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.test.ts'),
  );
  const sources = tests.map((name) => readFileSync(`test/${name}`, 'utf8'));
  return new Set(
    sources.flatMap((text) =>
      [...text.matchAll(/DAWNLOAD_CRASH_AT: '([^':]+)/g)].map(([, point = '']) => point),
    ),
  );
}
