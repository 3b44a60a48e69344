import { appendFile, mkdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { windowOf } from '../../src/calendar.js';
import { DamageError } from '../../src/errors.js';
import { LandingZone } from '../../src/storage/landing-zone.js';
import { dataFolder, filesBelow, MORNING, rejection, testEffects } from './support.js';

const range = { start: '2026-11-14', end: '2026-11-20' };
const body = Buffer.from('[{"date":"2026-11-20"}]');
const PLACE = { day: '2026-11-20', key: '2026-11-20.1', exportId: 'Exp-1' };

async function opened() {
  const data = await dataFolder();
  const effects = testEffects();
  return { data, effects, landing: await LandingZone.open(data, effects) };
}

describe('landing an answer', () => {
  it('keeps it as it came, compressed, under a name that says what it is', async () => {
    const { data, landing } = await opened();
    const landed = await landing.land({ stream: 'statistics', range, pulledAt: MORNING }, body);
    expect(landed).toEqual({
      id: 'statistics/2026-11-14_2026-11-20/20261120T220512.123Z.json.gz',
      file: join(data, 'landing', landed.id),
      bytes: body.length,
      storedBytes: (await stat(landed.file)).size,
    });
    expect(gunzipSync(await readFile(landed.file))).toEqual(body);
    expect(await landing.read(landed.file)).toEqual(body);
    await landing.verify(landed.file);
  });

  it('keeps any bytes', async () => {
    const { landing } = await opened();
    const place = { stream: 'rejected', endpoint: 'E17', what: 'odd', at: MORNING } as const;
    const odd = Buffer.from([0, 255, 254, 10, 13, 0]);
    for (const bytes of [Buffer.alloc(0), odd, Buffer.alloc(1 << 20, 'ab')]) {
      const { file } = await landing.land(place, bytes);
      expect((await landing.read(file)).equals(bytes)).toBe(true);
      await landing.verify(file);
    }
  });

  it('never replaces an answer, however close in time two of them are', async () => {
    const { data, effects, landing } = await opened();
    const place = { stream: 'statistics_by_subchannel', day: '2026-11-20', pulledAt: MORNING } as const;
    await Promise.all([1, 2, 3].map((n) => landing.land(place, Buffer.from(String(n)))));
    await (await LandingZone.open(data, effects)).land(place, Buffer.from('4'));
    const pulls = await landing.pulls();
    expect(pulls.map(({ pulledAt }) => pulledAt.getMilliseconds())).toEqual([123, 124, 125, 126]);
    const files = pulls.flatMap((pull) => ('file' in pull ? [pull.file] : []));
    const bodies = await Promise.all(files.map(async (file) => (await landing.read(file)).toString()));
    expect(bodies.sort()).toEqual(['1', '2', '3', '4']);
  });

  it('knows the pages of an export that are there, in order, and no other files', async () => {
    const { landing } = await opened();
    expect(await landing.landedPages(PLACE)).toEqual(new Map());
    for (const page of [10, 2, 0, 100_000]) {
      await landing.land({ stream: 'events', export: PLACE, page }, body);
    }
    await landing.land({ stream: 'events', export: { ...PLACE, exportId: 'exp-1' }, page: 5 }, body);
    await landing.land({ stream: 'events', export: PLACE, page: 2 }, Buffer.from('again'));
    const pages = await landing.landedPages(PLACE);
    expect((await landing.read(pages.get(2) ?? '')).toString()).toBe('again');
    await writeFile(join(dirname(pages.get(0) ?? ''), '.tmp-1-1'), 'half a page');
    expect([...(await landing.landedPages(PLACE)).keys()]).toEqual([0, 2, 10, 100_000]);
  });

  it('sweeps half-written files when it is opened to write, not when it is opened to read', async () => {
    const { data, effects, landing } = await opened();
    await landing.land({ stream: 'statistics', range, pulledAt: MORNING }, body);
    const half = join(data, 'landing/.tmp-12345-0');
    await writeFile(half, 'half');
    expect(await LandingZone.read(data).pulls()).toHaveLength(1);
    expect(await filesBelow(data)).toContain(half.slice(data.length + 1));
    await LandingZone.open(data, effects);
    expect(await filesBelow(data)).not.toContain(half.slice(data.length + 1));
  });

  it('makes nothing when it is only read', async () => {
    const data = await dataFolder();
    expect(await LandingZone.read(data).pulls()).toEqual([]);
    await expect(stat(data)).rejects.toThrow('ENOENT');
  });
});

describe('a pull of campaign statistics', () => {
  const window = windowOf(range);

  it('counts only once it is finished', async () => {
    const { data, landing } = await opened();
    const pull = await landing.campaignPull(range, MORNING);
    await pull.land('cB', window, body);
    await pull.land('a', window, body);
    expect(await landing.pulls()).toEqual([]);
    const finished = await pull.finish({ failed: ['c'] });
    const folder = join(data, 'landing/campaigns/2026-11-14_2026-11-20/20261120T220512.123Z');
    expect(finished).toEqual({
      stream: 'campaigns',
      id: 'campaigns/2026-11-14_2026-11-20/20261120T220512.123Z',
      range,
      pulledAt: MORNING,
      complete: false,
      accepted: false,
      notFound: [],
      gone: [],
      answers: [
        {
          campaignId: 'a',
          file: join(folder, 'a.json.gz'),
          windowStart: window.start,
          windowEnd: window.end,
        },
        {
          campaignId: 'cB',
          file: join(folder, 'c~b.json.gz'),
          windowStart: window.start,
          windowEnd: window.end,
        },
      ],
    });
    expect(await landing.pulls()).toEqual([finished]);
  });

  it('may be without any campaign, and two at the same instant are two', async () => {
    const { landing } = await opened();
    const pulls = [await landing.campaignPull(range, MORNING), await landing.campaignPull(range, MORNING)];
    for (const pull of pulls) await pull.finish();
    const listed = await landing.pulls();
    expect(listed).toHaveLength(2);
    expect(listed).toMatchObject([{ complete: true, answers: [] }, { complete: true }]);
  });

  it('keeps the answers of a campaign that was asked for in parts', async () => {
    const { landing } = await opened();
    const pull = await landing.campaignPull(range, MORNING);
    await pull.land('c', windowOf('2026-11-14'), Buffer.from('1'));
    await pull.land('c', windowOf('2026-11-15'), Buffer.from('2'));
    const { answers } = await pull.finish();
    const bodies = await Promise.all(answers.map(async ({ file }) => (await landing.read(file)).toString()));
    expect(bodies).toEqual(['1', '2']);
    expect(answers.map(({ windowStart }) => windowStart)).toEqual([
      windowOf('2026-11-14').start,
      windowOf('2026-11-15').start,
    ]);
  });

  it.each([
    ['cut short', '{"version":1'],
    [
      'that points elsewhere',
      JSON.stringify({
        version: 1,
        range,
        pulledAt: MORNING,
        answers: [{ campaignId: 'a', file: '../x.json.gz', windowStart: MORNING, windowEnd: MORNING }],
        failed: [],
      }),
    ],
  ])('with a manifest %s is damage', async (_what, text) => {
    const { data, landing } = await opened();
    await (await landing.campaignPull(range, MORNING)).finish();
    const path = join(data, 'landing/campaigns/2026-11-14_2026-11-20/20261120T220512.123Z/pull.json');
    await writeFile(path, text);
    await expect(landing.pulls()).rejects.toThrow(DamageError);
  });
});

describe('the free pulls', () => {
  it('are listed oldest first, whatever their stream, and nothing else is', async () => {
    const { data, landing } = await opened();
    const at = (minutes: number): Date => new Date(MORNING.getTime() + minutes * 60_000);
    await landing.land({ stream: 'statistics', range, pulledAt: at(3) }, body);
    const campaigns = await landing.campaignPull(range, at(2));
    await campaigns.finish();
    await landing.land({ stream: 'statistics_by_subchannel', day: '2026-11-20', pulledAt: at(1) }, body);
    await landing.land({ stream: 'statistics', range, pulledAt: at(1) }, body);
    await landing.land({ stream: 'events', export: PLACE, page: 0 }, body);
    await landing.land({ stream: 'rejected', endpoint: 'E17', what: 'x', at: at(0) }, body);
    for (const stray of [
      'statistics/notes.txt',
      'statistics/2026-11-14_2026-11-20/x.json.gz',
      'campaigns/x/y/z',
    ]) {
      await mkdir(dirname(join(data, 'landing', stray)), { recursive: true });
      await writeFile(join(data, 'landing', stray), '');
    }
    expect((await landing.pulls()).map(({ stream, pulledAt }) => [stream, pulledAt])).toEqual([
      ['statistics', at(1)],
      ['statistics_by_subchannel', at(1)],
      ['campaigns', at(2)],
      ['statistics', at(3)],
    ]);
    expect(await LandingZone.read(data).pulls()).toEqual(await landing.pulls());
  });
});

describe('a landed file', () => {
  async function landed() {
    const { landing } = await opened();
    const { file } = await landing.land(
      { stream: 'events', export: PLACE, page: 0 },
      Buffer.alloc(50_000, body),
    );
    return { landing, file, size: (await stat(file)).size };
  }

  it.each<[string, (file: string, size: number) => Promise<void>]>([
    ['cut short', (file, size) => truncate(file, size - 1)],
    ['gone', (file) => rm(file)],
    ['longer', (file) => appendFile(file, 'more')],
    [
      'changed by one bit',
      async (file, size) => {
        const bytes = await readFile(file);
        bytes.writeUInt8(bytes.readUInt8(size - 6) ^ 1, size - 6);
        await writeFile(file, bytes);
      },
    ],
  ])('that is %s is damage, by its name', async (what, harm) => {
    const { landing, file, size } = await landed();
    await landing.verify(file);
    await harm(file, size);
    const error = await rejection(landing.verify(file));
    expect(error).toBeInstanceOf(DamageError);
    expect(error.message).toContain(file);
    expect(error.hint).toBeTruthy();
    if (what !== 'longer') await expect(landing.read(file)).rejects.toThrow(DamageError);
  });
});
