/** Whether the counters notice what never happens, and whether each crash point has someone who kills there. */
import { expect, test } from 'vitest';
import { FILES, POINTS, WRITE_STEPS } from '../../src/ground/crash-points.js';
import { SNAPSHOTS, STREAM_NAMES } from '../../src/streams/index.js';
import { client } from '../sandbox/support.js';
import { startFaultySandbox } from '../support/faults/index.js';
import { LAKE_POINTS, pointsOfTests } from '../support/points.js';
import { Counters } from './counters.js';
import { ERASURE_POINTS } from './erasures.js';
import { WAYS } from './kill.js';
import { COMMAND_POINTS, LIFE_POINTS } from '../lives/steps.js';

const DAY = { start: '2026-11-19', end: '2026-11-19' };

test('a fault that is on and never strikes fails a run, and is named', async () => {
  const sandbox = await startFaultySandbox({ now: () => new Date('2026-11-24T01:00:00Z') });
  try {
    const service = await client(sandbox);
    const counters = new Counters(
      { fault: ['status on E17', 'planted', 'impossible'], mishap: ['a storm'] },
      { impossible: 'nobody asks it' },
    );
    counters.play(sandbox, [
      { endpoint: 'E17', kind: 'status', status: 500, times: 2 },
      { name: 'planted', endpoint: 'E13', kind: 'reset-before' },
    ]);
    for (let i = 0; i < 3; i++) await service.e17(DAY);
    counters.play(sandbox, []);
    counters.count('mishap', 'a storm');

    const said: string[] = [];
    expect(counters.conclude((line) => said.push(line), true)).toBe(1);
    expect(said).toEqual([
      '     2  fault: status on E17',
      '     0  fault: planted',
      '     0  fault: impossible (nobody asks it)',
      '     1  mishap: a storm',
      'never happened: fault: planted',
    ]);
    expect(counters.conclude(() => undefined, false)).toBe(0);
  } finally {
    await sandbox.close();
  }
});

test('a passing of a crash point counts for the point, and nothing counts that is not listed', () => {
  const counters = new Counters({
    'crash point': ['publish/before-rename', 'lock/durable:2', 'lock/durable'],
  });
  counters.count('crash point', 'publish/before-rename:3');
  counters.count('crash point', 'lock/durable:2');
  expect(counters.times('crash point', 'publish/before-rename')).toBe(1);
  expect(counters.times('crash point', 'lock/durable:2')).toBe(1);
  expect(() => {
    counters.count('crash point', 'lock/before-write');
  }).toThrow('No counter for the crash point lock/before-write');
});

test('what cannot happen keeps no other name from its turn', () => {
  const counters = new Counters({ damage: ['never', 'a', 'b'] });
  for (let i = 0; i < 8; i++) {
    const name = counters.rarest('damage', ['never', 'a', 'b']);
    if (name !== 'never') counters.count('damage', name);
  }
  expect([counters.times('damage', 'a'), counters.times('damage', 'b')]).toEqual([2, 2]);
});

/** Files and points at which neither a harness nor a test kills, each with the reason. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  alerts: 'a lost memory of alerts alerts once more',
  'journal/set-aside': 'it is written beside the journal before anything is healed, and nothing reads it',
  ...Object.fromEntries(LAKE_POINTS.map((point) => [point, 'test/lake/steps.ts kills there'])),
  ...Object.fromEntries(
    SNAPSHOTS.flatMap((stream) => [`land/${stream}`, `land/${stream}-manifest`]).map((file) => [
      file,
      'lists land as days do',
    ]),
  ),
};

test('a harness or a test kills at every crash point, or the reason is known', () => {
  const steps = Object.keys(WRITE_STEPS).join('|');
  const named = [
    ...WAYS.map(({ point }) => point),
    ...LIFE_POINTS,
    ...ERASURE_POINTS,
    ...COMMAND_POINTS.flat(),
    ...pointsOfTests(),
  ].map((point) => point.replace(/:\d+$/, ''));
  const reached = new Set(named.map((point) => point.replace(new RegExp(`/(?:${steps})$`), '')));
  const landed = STREAM_NAMES.flatMap((name) => [`land/${name}`, `land/${name}-manifest`]);
  const all = [...Object.keys(POINTS), ...FILES, ...landed];
  const isReached = (point: string): boolean => named.includes(point) || reached.has(point);
  expect(all.filter((point) => !isReached(point) && !(point in ELSEWHERE))).toEqual([]);
});
