// @module-tag extended
/** A sample of `npm run torture -- --pushes N`: one push is killed at each durable step. */
import { expect, test } from 'vitest';
import { PUSH_POINTS, pushWithKills } from './pushes.js';

test('a killed push goes on where it stopped: no row twice, none lost, none done that is not there', async () => {
  const first = PUSH_POINTS.map((point) =>
    point.includes('begun') || point.includes('done') ? point : `${point}:2`,
  );
  const report = await pushWithKills({ seed: 7, pushes: first.length, rows: 2_500, first });
  expect(report).toMatchObject({ sentTwice: 0, doneAndNotReceived: 0, lost: 0 });
  expect(report.points.size).toBeGreaterThan(8);
}, 180_000);
