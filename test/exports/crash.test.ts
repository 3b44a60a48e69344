/** What a process that dies at any durable step leaves, and what the next one finds. */
import { cpSync } from 'node:fs';
import { readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Effects } from '../../src/ground/effects.js';
import { LandingZone } from '../../src/landing/landing-zone.js';
import { readWhole } from '../../src/landing/page-file.js';
import { dataFolder, filesBelow, openLedger, testEffects } from '../landing/support.js';
import { makePlace } from '../support/place.js';
import { DURABLE_STEPS, JOURNAL_STEPS } from '../support/points.js';

/** Does the work up to the crash point. The folder is then as it was there: what the dying code cleans up is still in it. */
async function killedAt(
  point: string,
  data: string,
  work: (data: string, effects: Effects) => Promise<unknown>,
): Promise<void> {
  const left = `${data}.left`;
  const effects = testEffects();
  let isDead = false;
  effects.onReach = (passed) => {
    if (passed === point && !isDead) cpSync(data, left, { recursive: true });
    isDead ||= passed === point;
    if (isDead) throw new Error('dead');
  };
  await expect(work(data, effects)).rejects.toThrow();
  expect(isDead).toBe(true);
  await rm(data, { recursive: true });
  await rename(left, data);
}

const NO_HEAD = { seq: 0, sum: '', erase: '' };
const days = { start: '2026-11-14', end: '2026-11-20' };
const PLACE = { day: '2026-11-20', key: '2026-11-20.1', exportId: 'exp-1' };

async function land(data: string, effects: Effects): Promise<void> {
  const landing = await LandingZone.open(data, effects, () => NO_HEAD);
  const pull = landing.begin('statistics', days, effects.now());
  await pull.finish([await pull.land(Buffer.from('[]'), 0), await pull.land(Buffer.from('[]'), 0)]);
}

async function read(data: string, effects: Effects): Promise<void> {
  const landing = await LandingZone.open(data, effects, () => NO_HEAD);
  const pull = await landing.reading(PLACE);
  await pull.finish([await pull.land(Buffer.from('{}'), 1)], { exportId: 'exp-1' }, effects.now());
}

async function keep(data: string, effects: Effects): Promise<void> {
  const ledger = await openLedger(data, effects);
  const intent = { day: '2026-11-20', messageData: true, estimate: 5, pricePerRecord: 0 };
  const { key } = await ledger.intend(intent);
  await ledger.requested(key, 'exp-1');
  await ledger.record({ event: 'ready', key, pages: 1 });
  await ledger.record({ event: 'landed', key, pages: 1, records: 5, landedAt: effects.now() });
}

const opened = (data: string): Promise<LandingZone> => LandingZone.open(data, testEffects(), () => NO_HEAD);
const isWhole = (point: string): boolean => /manifest\/(before-folder-fsync|durable)$/.test(point);

describe('killed while landing a pull', () => {
  const points = ['land/statistics', 'land/statistics-manifest'];
  it.each(points.flatMap((point) => DURABLE_STEPS.map((step) => `${point}/${step}`)))(
    '%s: it counts with its manifest, and one that never ended is removed',
    async (point) => {
      const data = await dataFolder();
      await killedAt(point, data, land);
      const landing = await opened(data);
      const pulls = await landing.pulls();
      expect(pulls).toHaveLength(isWhole(point) ? 1 : 0);
      for (const { file } of pulls.flatMap(({ files }) => files)) await readWhole(file);
      await landing.removeUnended(landing.found);
      const left = (await filesBelow(join(data, 'landing'))).filter((file) => !file.startsWith('.tmp-'));
      expect(left).toHaveLength(isWhole(point) ? 3 : 0);
      expect((await filesBelow(data)).filter((file) => file.includes('.tmp-'))).toEqual([]);
    },
  );
});

describe('killed while landing an export', () => {
  it.each(
    ['land/events', 'land/events-manifest'].flatMap((point) =>
      DURABLE_STEPS.map((step) => `${point}/${step}`),
    ),
  )('%s: it counts with its manifest, and one that never ended is gone on with', async (point) => {
    const data = await dataFolder();
    await killedAt(point, data, read);
    const landing = await opened(data);
    await landing.removeUnended(landing.found);
    expect((await landing.exportPull(PLACE))?.files.length).toBe(isWhole(point) ? 1 : undefined);
    const { id } = await landing.reading(PLACE);
    const hasPage = point.includes('manifest') || /(before-folder-fsync|durable)$/.test(point);
    expect((await landing.pages(id)).size).toBe(hasPage ? 1 : 0);
  });
});

describe('killed while keeping the ledger', () => {
  /** Event, step, and the state that the next run finds before and after it has settled. */
  const deaths = (['intended', 'requested', 'ready', 'landed'] as const).flatMap((event, i, events) =>
    JOURNAL_STEPS.filter((step) => event !== 'intended' || step !== 'copy/before-fsync').map((step) => {
      const isWritten = step !== 'before-append';
      return { point: `journal/export/${event}/${step}`, state: isWritten ? event : events[i - 1] };
    }),
  );

  it.each([
    ...deaths,
    { point: 'journal/reserve/durable', state: undefined },
    { point: 'journal/copy/before-write', state: 'intended' },
    { point: 'witness/before-rename', state: 'intended' },
  ])('$point: the export is $state', async ({ point, state }) => {
    const data = await dataFolder();
    await killedAt(point, data, keep);
    const ledger = await openLedger(data, testEffects());
    expect(ledger.find('2026-11-20.1')?.state).toBe(state);
    await ledger.settle();
    const after = state === 'intended' ? 'ambiguous' : state;
    expect(ledger.find('2026-11-20.1')?.state).toBe(after);
    // Only where no request can have been sent may one be sent now.
    const again = ledger.intend({ day: '2026-11-20', messageData: true, estimate: 5, pricePerRecord: 0 });
    await (state === undefined ? again : expect(again).rejects.toThrow('is covered by export'));
    expect((await openLedger(data, testEffects())).entries()).toEqual(ledger.entries());
  });

  it('the request is never on its way before the intent is on disk', { tags: ['long'] }, async () => {
    const budget = 'exports: { budget: { records_per_run: 100000, records_per_month: 1000000 } }\n';
    const place = await makePlace(`start_date: 2026-11-20\nlookback_days: 1\n${budget}`);
    const killed = await place.execute(['run'], { DAWNLOAD_CRASH_AT: 'journal/export/intended/durable' });
    expect(killed.signal).toBe('SIGKILL');
    expect(await readFile(join(place.folder, 'data/ledger/journal.jsonl'), 'utf8')).toContain(
      '"event":"intended"',
    );
    expect(place.sandbox.requests().E20).toBe(0);
    // It may have been on its way, as far as the next run can know.
    expect((await place.run(['run'])).code).toBe(1);
    const { stdout } = await place.run(['exports', 'list', '--json']);
    expect(JSON.parse(stdout)).toMatchObject([{ state: 'ambiguous' }]);
    expect(place.sandbox.requests().E20).toBe(0);
  });
});
