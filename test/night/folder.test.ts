/** The data folder as a value: what is open is released in every case, and the error of the work stays the error. */
import { STREAMS } from '../../src/streams/index.js';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/config.js';
import type { Config } from '../../src/config/config.js';
import {
  exitCodeOf,
  RefusedError,
  ServiceError,
  StorageError,
  TryLaterError,
} from '../../src/ground/errors.js';
import { RunLock } from '../../src/disk/run-lock.js';
import { DataFolder } from '../../src/night/data-folder.js';
import { RunReport } from '../../src/night/report.js';
import { runSteps, type Step } from '../../src/night/step.js';
import { dataFolder, rejection, testEffects, type TestEffects } from '../landing/support.js';
import { ended } from '../support/dawnload.js';
import { invocationOf } from '../support/in-process.js';
import { makePlace } from '../support/place.js';
import { extended } from '../support/tags.js';

async function opened(): Promise<{ config: Config; effects: TestEffects; notes: string[]; dataDir: string }> {
  const dataDir = await dataFolder();
  const config = { ...loadConfig(STREAMS, { dataDir }, {}, '/nowhere'), startDate: '2026-11-20' };
  return { config, effects: testEffects(), notes: [], dataDir };
}

test('where the work and the releases fail, the exit code is that of the work, and the lock is free', async () => {
  const { config, effects, notes, dataDir } = await opened();
  const invocation = invocationOf({ effects }, notes);
  const work = async (): Promise<void> => {
    await using folder = await DataFolder.open(config, invocation, { command: 'run', needs: 'erasures' });
    await using _ = await folder.warehouse('working', new RunReport(() => effects.now()));
    effects.onReach = (point) => {
      if (/^(?:close|witness)\//.test(point)) throw new StorageError(`The disk is full at ${point}.`);
    };
    await folder.journal.append((await import('../../src/journal/journal.js')).RUN, {
      ...{ event: 'begun', runId: 'r', command: 'run', version: '0.0.0', processId: 1 },
    });
    throw new RefusedError('Nobody agreed.');
  };
  const error = await rejection(work());
  expect(error).toBeInstanceOf(RefusedError);
  expect(exitCodeOf(error)).toBe(3);
  expect(notes.filter((note) => note.includes('could not be closed'))).toEqual([
    'warning: The warehouse could not be closed: The disk is full at close/before-checkpoint.',
    'warning: The journal could not be closed: The disk is full at witness/before-write.',
  ]);
  effects.onReach = () => undefined;
  await (await RunLock.take(dataDir, 'dawnload run', effects)).release();
});

test('a folder that cannot be opened leaves no lock', async () => {
  const { config, effects, dataDir } = await opened();
  effects.onReach = (point) => {
    if (point.startsWith('journal/project/')) throw new StorageError('The disk is full.');
  };
  const open = DataFolder.open(config, invocationOf({ effects }), { command: 'run', needs: 'erasures' });
  expect(await rejection(open)).toBeInstanceOf(StorageError);
  effects.onReach = () => undefined;
  const lock = await RunLock.take(dataDir, 'dawnload run', effects);
  const second = DataFolder.open(config, invocationOf({ effects }), { command: 'run', needs: 'erasures' });
  expect(await rejection(second)).toBeInstanceOf(TryLaterError);
  await lock.release();
});

test.each<[string, Step['after'], Error, string[]]>([
  [
    'a failed request leaves the rest to be published',
    'no-money-no-deletion',
    new ServiceError('Away.'),
    ['publish', 'page'],
  ],
  [
    'a full disk ends what computes, and the page is written',
    'no-money-no-deletion',
    new StorageError('Full.'),
    ['page'],
  ],
  ['a failed model ends what computes', 'stop', new Error('No such column.'), ['page']],
  ['a step that goes on fails alone', 'go-on', new Error('Away.'), ['pay', 'publish', 'page']],
])('%s', async (_, after, error, taken) => {
  const { config, effects, notes } = await opened();
  const invocation = invocationOf({ effects }, notes);
  await using folder = await DataFolder.open(config, invocation, { command: 'run', needs: 'erasures' });
  const report = new RunReport(() => effects.now());
  await using warehouse = await folder.warehouse('working', report);
  const did: string[] = [];
  const step = (name: string, how: Step['after'], wanted: Step['wanted'] = () => true): Step => ({
    ...{ stage: name, wanted, after: how },
    run: () => Promise.resolve(void did.push(name)),
  });
  const failing: Step = {
    stage: 'pull',
    wanted: () => true,
    after,
    failed: 'It failed',
    run: () => Promise.reject(error),
  };
  const steps = [
    failing,
    step('pay', 'no-money-no-deletion', ({ report: { failure } }) => failure === undefined),
    step('publish', 'stop'),
    step('page', 'go-on'),
  ];
  const outcome = runSteps({ config, invocation, folder, warehouse, job: undefined, report }, steps);
  if (after === 'go-on') await outcome;
  else expect((await rejection(outcome)).message).toBe(error.message);
  expect(did).toEqual(taken);
  expect(report.steps).toEqual(
    after === 'go-on' ? [{ step: 'pull', failed: true, sentence: 'It failed: Away.' }] : [],
  );
});

extended(
  'Ctrl-C during a parallel load releases the lock within two seconds',
  async () => {
    const place = await makePlace(
      'start_date: 2026-11-20\nlookback_days: 1\nexports:\n  budget: { records_per_run: 1000000, records_per_month: 1000000 }\n',
      { eventsPerDay: 100_000 },
    );
    const child = place.start(['run']);
    const over = ended(child);
    const spills = join(place.folder, 'data/private/tmp');
    const isLoading = (): boolean =>
      existsSync(spills) && readdirSync(spills).some((name) => name.startsWith('batch_'));
    while (!isLoading() && child.exitCode === null) await setTimeout(10);
    const began = Date.now();
    child.kill('SIGINT');
    const { code, stderr } = await over;
    expect(Date.now() - began).toBeLessThan(2_000);
    expect(code, stderr).toBe(130);
    expect(stderr).not.toContain('could not be closed');
    const again = await place.run(['run']);
    expect(again.code, again.stderr).toBe(0);
    expect(place.sandbox.bills()).toHaveLength(1);
  },
  180_000,
);
