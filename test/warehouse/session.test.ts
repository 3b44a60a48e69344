/** A session of DuckDB that is stopped: nothing stays open, and no promise stays unsettled. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { InterruptedError } from '../../src/ground/errors.js';
import { openInstance } from '../../src/disk/duckdb.js';
import { limitsOf, withMemoryLimit } from '../../src/warehouse/memory-limit.js';
import { Session } from '../../src/warehouse/session.js';
import { rejection } from '../landing/support.js';
import { temporaryFolder } from './support.js';
import { long } from '../support/tags.js';

test('Ctrl-C after the last statement of a transaction rolls it back', async () => {
  const stop = new AbortController();
  const session = await Session.open(
    await openInstance(join(temporaryFolder(), 'some.duckdb'), {}),
    stop.signal,
  );
  const work = session.transaction(async () => {
    await session.runText('create table kept (number integer); insert into kept values (1)');
    stop.abort(new InterruptedError('Interrupted.'));
  });
  expect(await rejection(work)).toBeInstanceOf(InterruptedError);
  // A checkpoint is refused while a transaction is open.
  await session.checkpoint();
  session.close();
});

test('statements that still run are ended before their connections are closed', async () => {
  const session = await Session.open(await openInstance(':memory:', {}));
  const sibling = await session.sibling();
  const long = rejection(
    sibling.runText('select sum(a.range * b.range) from range(1000000) a, range(1000000) b'),
  );
  const began = Date.now();
  await session.quiet();
  expect((await long).message).toMatch(/interrupt/i);
  expect(Date.now() - began).toBeLessThan(2_000);
  session.close();
});

long(
  'work that needed a higher memory limit is done, also if what it leaves does not fit into the lower one',
  async () => {
    const session = await Session.open(await openInstance(':memory:', { temp_directory: '' }));
    const limits = limitsOf({ memoryLimitMb: 10, threads: 1 });
    const given: number[] = [];
    await session.runText("set memory_limit = '10MB'");
    const done = await withMemoryLimit(session, limits, async ({ megabytes }) => {
      given.push(megabytes);
      await session.runText('create table kept as select md5(range::varchar) as word from range(1000000)');
      return 'done';
    });
    expect([done, ...given]).toEqual(['done', 10, 30, 100]);
    session.close();
  },
);
