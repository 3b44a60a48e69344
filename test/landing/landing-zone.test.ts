import { appendFile, mkdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { DamageError } from '../../src/ground/errors.js';
import { LandingZone, type Pull } from '../../src/landing/landing-zone.js';
import { readWhole } from '../../src/landing/page-file.js';
import type { StreamName } from '../../src/ground/streams.js';
import { child, dataFolder, filesBelow, MORNING, rejection, testEffects } from './support.js';

const DAYS = { start: '2026-11-20', end: '2026-11-20' };
const range = { start: '2026-11-14', end: '2026-11-20' };
const body = Buffer.from('[{"date":"2026-11-20"}]');
const PLACE = { day: '2026-11-20', key: '2026-11-20.1', exportId: 'Exp-1' };

const HEAD = { seq: 7, sum: 'abc', erase: '' };

async function opened() {
  const data = await dataFolder();
  const effects = testEffects();
  const open = (): Promise<LandingZone> => LandingZone.open(data, effects, () => HEAD);
  return { data, effects, open, landing: await open() };
}

describe('landing an answer', () => {
  it('keeps it as it came, compressed, in a folder that says what it is, with a manifest', async () => {
    const { data, open, landing } = await opened();
    const pull = landing.begin('statistics', range, MORNING);
    const page = await pull.land(body, 1);
    expect(await (await open()).pulls()).toEqual([]);
    const landed = await pull.finish([page], { accepted: true });
    const id = 'statistics/2026-11-14_2026-11-20/20261120T220512.123Z';
    const file = join(data, 'landing', id, 'page-00000.json.gz');
    expect(landed).toMatchObject({
      stream: 'statistics',
      id,
      days: range,
      pulledAt: MORNING,
      head: HEAD,
      files: [{ file, rows: 1, bytes: body.length }],
      facts: { accepted: true, complete: true },
    });
    expect(gunzipSync(await readFile(file))).toEqual(body);
    expect(await readWhole(file)).toEqual(body);
    expect(JSON.parse(await readFile(join(data, 'landing', id, 'pull.json'), 'utf8'))).toEqual({
      stream: 'statistics',
      days: range,
      pulledAt: MORNING.toISOString(),
      head: HEAD,
      files: [{ name: 'page-00000.json.gz', rows: 1, bytes: body.length }],
      facts: { accepted: true },
    });
    expect(await (await open()).pulls()).toEqual([same(landed)]);
  });

  it('leaves nothing of a large one that the disk has no room for, and names the cause', async () => {
    const { data } = await opened();
    const script = `
      import { randomBytes } from 'node:crypto';
      const landing = await LandingZone.open(data, effects, () => ({ seq: 7, sum: '', erase: '' }));
      async function* text() { for (let n = 0; n < 64; n++) yield randomBytes(64 * 1024); }
      await landing.store(text()).catch(tell);
      const { readdir } = await import('node:fs/promises');
      console.log((await readdir(landing.folder)).length);
    `;
    const shell = 'ulimit -f 1024; exec $NODE --eval "$SCRIPT"';
    const { out } = await child(data, script, { shell }).ended;
    const [error, files] = out.trim().split('\n');
    expect(JSON.parse(error ?? '')).toMatchObject({
      name: 'StorageError',
      message: expect.stringContaining('larger than this account may write') as string,
      hint: expect.stringContaining('Landed data is kept') as string,
    });
    expect(files).toBe('0');
  });

  it('keeps unusable answers of the same instant apart, and the same answer once', async () => {
    const { landing } = await opened();
    const [one = '', two = '', again] = await Promise.all(
      ['1', '2', '1'].map((text) => landing.reject('E21', 'page 3: Not JSON!', Buffer.from(text))),
    );
    expect(one).toMatch(/^rejected\/2026-11-21\/e21-page-3-not-json-[0-9a-f]{16}\.gz$/);
    expect(again).toBe(one);
    const texts = await Promise.all([one, two].map((path) => readWhole(join(landing.folder, path))));
    expect(texts.map(String)).toEqual(['1', '2']);
  });

  it('knows the pages of an export that are there, in order, and no other files', async () => {
    const { landing } = await opened();
    const pull = await landing.reading(PLACE);
    expect(await landing.pages(pull.id)).toEqual(new Map());
    for (const page of [10, 2, 0, 100_000]) await pull.land(body, 1, page);
    await (await landing.reading({ ...PLACE, exportId: 'exp-1' })).land(body, 1, 5);
    await pull.land(Buffer.from('again'), 1, 2);
    const pages = await landing.pages(pull.id);
    expect((await readWhole(pages.get(2) ?? '')).toString()).toBe('again');
    await writeFile(join(dirname(pages.get(0) ?? ''), '.tmp-1-1'), 'half a page');
    expect([...(await landing.pages(pull.id)).keys()]).toEqual([0, 2, 10, 100_000]);
  });

  it('sweeps half-written files when it is opened to write, not when it is opened to read', async () => {
    const { data, open } = await opened();
    const half = join(data, 'landing/.tmp-12345-0');
    await writeFile(half, 'half');
    await LandingZone.open(data, testEffects());
    expect(await filesBelow(data)).toContain(half.slice(data.length + 1));
    await open();
    expect(await filesBelow(data)).not.toContain(half.slice(data.length + 1));
  });
});

/** A pull as another reading of its manifest gives it. */
const same = (pull: Pull): unknown => ({ ...pull, isCut: expect.any(Function) as unknown });

describe('a pull', () => {
  it('may hold a page of an earlier pull of its stream', async () => {
    const { open, landing } = await opened();
    const first = landing.begin('brand_templates', DAYS, MORNING);
    const template = await first.land(body, 1);
    await first.finish([template]);
    const second = landing.begin('brand_templates', DAYS, new Date(MORNING.getTime() + 1));
    const finished = await second.finish([await second.land(body, 1), template]);
    expect(finished.files.map(({ file }) => file)).toContain(template.file);
    expect(await (await open()).pulls()).toContainEqual(same(finished));
  });

  it.each([
    ['cut short', (text: string) => text.slice(0, 40)],
    ['that points elsewhere', (text: string) => text.replace('page-00000', '../../../page-00000')],
    ['of another shape', () => '{"version":1}'],
  ])('with a manifest %s is damage, and told of by its place', async (_what, harm) => {
    const { data, open, landing } = await opened();
    const pull = landing.begin('campaigns', range, MORNING);
    const { id } = await pull.finish([await pull.land(body, 0)]);
    const reading = await landing.reading(PLACE);
    await reading.finish([await reading.land(body, 0)], {}, MORNING);
    for (const one of [id, reading.id]) {
      const path = join(data, 'landing', one, 'pull.json');
      await writeFile(path, harm(await readFile(path, 'utf8')));
    }
    const zone = await open();
    await expect(zone.pulls()).rejects.toThrow(DamageError);
    const told: string[] = [];
    expect(await zone.pulls(undefined, (_, found) => told.push(found.id))).toEqual([]);
    expect(told.sort()).toEqual([id, reading.id]);
    // A damaged manifest is not a missing one.
    await zone.removeUnended(zone.pullFolders);
    expect((await open()).pullFolders).toEqual(zone.pullFolders);
  });

  it('that never ended is removed, but not one of an export', async () => {
    const { open, landing } = await opened();
    for (const stream of ['statistics', 'opt_outs'] as const)
      await landing.begin(stream, DAYS, MORNING).land(body, 1);
    const { id } = await landing.reading(PLACE);
    const zone = await open();
    await zone.removeUnended(zone.pullFolders);
    expect((await open()).pullFolders.map((folder) => folder.id)).toEqual([id]);
  });
});

describe('the readings of an export', () => {
  it('never mix, and the old one stays until the new one is whole', async () => {
    const { landing } = await opened();
    const first = await landing.reading(PLACE);
    const one = await first.finish([await first.land(body, 1)], {}, MORNING);
    const second = await landing.reading(PLACE, 'next');
    expect(second.before).toBe(first.id);
    await second.land(body, 1);
    expect(await landing.exportPull(PLACE)).toEqual(same(one));
    expect((await landing.reading(PLACE)).id).toBe(second.id);
    const two = await second.finish([await second.land(body, 2, 0)], {}, MORNING);
    expect(await landing.exportPull(PLACE)).toEqual(same(two));
    await landing.discardBefore(PLACE, two);
    expect((await landing.pages(first.id)).size).toBe(0);
    expect((await landing.reading(PLACE)).id).toBe(second.id);
  });
});

describe('the newest of many readings', () => {
  it('counts, by its number, and those of another export of the key are others', async () => {
    const { landing } = await opened();
    const other = { ...PLACE, exportId: `${PLACE.exportId}-other` };
    let newest = '';
    for (let nth = 1; nth <= 11; nth++) {
      const reading = await landing.reading(PLACE, 'next');
      newest = (await reading.finish([await reading.land(body, nth)], {}, MORNING)).id;
      if (nth > 1) continue;
      const ofOther = await landing.reading(other);
      await ofOther.finish([await ofOther.land(body, 1)], {}, MORNING);
    }
    expect((await landing.exportPull(PLACE))?.id).toBe(newest);
    expect((await landing.reading(PLACE)).id).toBe(newest);
    expect((await landing.reading(other, 'next')).id).toMatch(/\.2$/);
    await landing.discardBefore(PLACE, { id: newest });
    expect(await landing.exportPull(other)).toBeDefined();
  });
});

describe('the pulls', () => {
  it('are listed oldest first, whatever their stream, and nothing else is', async () => {
    const { data, open, landing } = await opened();
    const at = (minutes: number): Date => new Date(MORNING.getTime() + minutes * 60_000);
    const land = async (stream: StreamName, minutes: number): Promise<void> => {
      await landing.begin(stream, range, at(minutes)).finish([]);
    };
    await land('statistics', 3);
    await land('campaigns', 2);
    await land('statistics_by_subchannel', 1);
    await land('statistics', 1);
    await landing.reject('E17', 'x', body);
    for (const stray of [
      'statistics/notes.txt',
      'statistics/2026-11-14_2026-11-20/x.gz',
      'campaigns/x/y/z',
    ]) {
      await mkdir(dirname(join(data, 'landing', stray)), { recursive: true });
      await writeFile(join(data, 'landing', stray), '');
    }
    const zone = await open();
    expect((await zone.pulls()).map(({ stream, pulledAt }) => [stream, pulledAt])).toEqual([
      ['statistics', at(1)],
      ['statistics_by_subchannel', at(1)],
      ['campaigns', at(2)],
      ['statistics', at(3)],
    ]);
    expect((await zone.newest()).map(({ stream, pulledAt }) => [stream, pulledAt])).toEqual([
      ['campaigns', at(2)],
      ['statistics', at(3)],
      ['statistics_by_subchannel', at(1)],
    ]);
  });
});

describe('a landed file', () => {
  async function landed() {
    const { landing } = await opened();
    const { file } = await (await landing.reading(PLACE)).land(Buffer.alloc(50_000, body), 1);
    return { file, size: (await stat(file)).size };
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
  ])('that is %s is damage, by its name', async (_, harm) => {
    const { file, size } = await landed();
    await readWhole(file);
    await harm(file, size);
    const error = await rejection(readWhole(file));
    expect(error).toBeInstanceOf(DamageError);
    expect(error.message).toContain(file);
    expect(error.hint).toBeTruthy();
  });
});
