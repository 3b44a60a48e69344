// @module-tag long
/** Real processes, killed with SIGKILL at every durable step, and what the next process finds. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DURABLE_STEPS } from '../../src/storage/atomic-file.js';
import { LandingZone } from '../../src/storage/landing-zone.js';
import { JOURNAL_STEPS } from '../../src/journal/journal.js';
import { child, dataFolder, filesBelow, openLedger, testEffects } from '../storage/support.js';

/** Runs the script in a process that is killed at the crash point. */
async function killedAt(point: string, data: string, script: string): Promise<void> {
  const { ended } = child(data, script, { env: { DAWNLOAD_CRASH_AT: point } });
  expect(await ended).toMatchObject({ signal: 'SIGKILL' });
}

const LAND = `
const landing = await LandingZone.open(data, effects);
const range = { start: '2026-11-14', end: '2026-11-20' };
await landing.land({ stream: 'statistics', range, pulledAt: effects.now() }, Buffer.from('[]'));
const pull = await landing.campaignPull(range, effects.now());
await pull.land('c', { start: effects.now(), end: effects.now() }, Buffer.from('{}'));
await pull.finish();
`;

const SNAPSHOT = `
const landing = await LandingZone.open(data, effects);
const snapshot = await landing.snapshot('catalogs', new Date('2026-11-20T22:05:00Z'));
const reading = { list: 'products', reading: 1 };
for (const page of [0, 1]) await snapshot.land(reading, page, Buffer.from('{"data":{"items":[]}}'));
const files = snapshot.files(reading, 2);
const lists = [{ list: 'products', files, rows: 0, announced: 0 }];
await snapshot.finish({ complete: true, lists, short: [], templates: [], largestPage: 22 });
`;

const EXPORT = `
const ledger = await openLedger();
const { key } = await ledger.intend({ day: '2026-11-20', messageData: true, estimate: 5, pricePerRecord: 0 });
console.log('POST');
await ledger.requested(key, 'exp-1');
await ledger.ready(key, 1);
await ledger.landed(key, { pages: 1, records: 5 });
`;

describe('killed while landing', () => {
  it.each(DURABLE_STEPS)('statistics, %s: the answer is there whole or not at all', async (step) => {
    const data = await dataFolder();
    await killedAt(`land/statistics/${step}`, data, LAND);
    const landing = await LandingZone.open(data, testEffects());
    const pulls = await landing.pulls();
    const isRenamed = step === 'before-folder-fsync' || step === 'durable';
    expect(pulls).toHaveLength(isRenamed ? 1 : 0);
    for (const pull of pulls) if ('file' in pull) await landing.verify(pull.file);
    expect((await filesBelow(data)).filter((file) => file.includes('.tmp-'))).toEqual([]);
  });

  it.each(['land/campaigns/durable', ...DURABLE_STEPS.map((step) => `land/campaigns-manifest/${step}`)])(
    'campaigns, %s: the pull counts with its manifest and never before',
    async (point) => {
      const data = await dataFolder();
      await killedAt(point, data, LAND);
      const pulls = await (await LandingZone.open(data, testEffects())).pulls();
      const isFinished = /manifest\/(before-folder-fsync|durable)$/.test(point);
      expect(pulls.map(({ stream }) => stream)).toEqual(
        isFinished ? ['statistics', 'campaigns'] : ['statistics'],
      );
    },
  );
});

describe('killed while landing a snapshot', () => {
  it.each([
    ...DURABLE_STEPS.map((step) => `land/catalogs/${step}`),
    ...DURABLE_STEPS.map((step) => `land/catalogs-manifest/${step}`),
  ])('%s: it counts with its manifest, and the next pull removes one that never ended', async (point) => {
    const data = await dataFolder();
    await killedAt(point, data, SNAPSHOT);
    const landing = await LandingZone.open(data, testEffects());
    const isFinished = /manifest\/(before-folder-fsync|durable)$/.test(point);
    const pulls = await landing.pulls();
    expect(pulls.map(({ stream }) => stream)).toEqual(isFinished ? ['catalogs'] : []);
    for (const pull of pulls)
      if ('lists' in pull)
        for (const file of pull.lists.flatMap(({ files }) => files)) await landing.verify(file);
    const next = await landing.snapshot('catalogs', new Date('2026-11-20T22:30:00Z'));
    const day = await readdir(join(data, 'landing', 'catalogs', '2026-11-21'));
    expect(day).toHaveLength(isFinished ? 1 : 0);
    expect(next.stream).toBe('catalogs');
  });
});

describe('killed while keeping the ledger', () => {
  /** Event, step, and the state that the next run finds before and after it has settled. */
  const deaths = (['intended', 'requested', 'ready', 'landed'] as const).flatMap((event, i, events) =>
    JOURNAL_STEPS.filter((step) => event !== 'intended' || step !== 'before-copy-fsync').map((step) => {
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
    await killedAt(point, data, EXPORT);
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

  it('the request is never on its way before the intent is on disk', async () => {
    const data = await dataFolder();
    const { ended } = child(data, EXPORT, {
      env: { DAWNLOAD_CRASH_AT: 'journal/export/requested/before-append' },
    });
    const { out } = await ended;
    expect(out).toBe('POST\n');
    expect(await readFile(join(data, 'ledger/journal.jsonl'), 'utf8')).toContain('"event":"intended"');
  });
});
