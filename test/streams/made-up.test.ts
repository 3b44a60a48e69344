/**
 * A stream is a folder in `src/streams`, a folder in `sql/streams`, and an entry: one that is added to a copy of the built command is
 * pulled, landed, loaded, covered, shown and rebuilt, and no other file knows of it.
 */
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { ended, NOW, type Ended } from '../support/dawnload.js';
import { makePlace } from '../support/place.js';
import { long } from '../support/tags.js';

const FIXTURE = resolve('test/streams/made-up');
const DAY = '2026-11-20';

/** A copy of the built command with the stream `volumes`. */
async function copyWithVolumes(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'dawnload-volumes-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  for (const part of ['dist', 'sql', 'package.json'])
    await cp(resolve(part), join(root, part), { recursive: true });
  await symlink(resolve('node_modules'), join(root, 'node_modules'));
  await cp(join(FIXTURE, 'src'), join(root, 'dist/src/streams/volumes'), { recursive: true });
  await cp(join(FIXTURE, 'sql'), join(root, 'sql/streams/volumes'), { recursive: true });
  const index = join(root, 'dist/src/streams/index.js');
  const entered = (await readFile(index, 'utf8')).replace('[statistics,', '[volumes, statistics,');
  await writeFile(index, `import { volumes } from './volumes/index.js';\n${entered}`);
  return root;
}

long(
  'a stream that is a folder and an entry is pulled, landed, loaded, covered, shown and rebuilt',
  async () => {
    const root = await copyWithVolumes();
    const place = await makePlace('start_date: 2026-11-19\nvolumes: true\n');
    await mkdir(join(place.folder, 'data'));
    const wrong = join(place.folder, 'wrong.yaml');
    const run = (...args: readonly string[]): Promise<Ended> =>
      ended(
        spawn(process.execPath, [join(root, 'dist/src/cli.js'), ...args], {
          cwd: place.folder,
          env: { PATH: process.env['PATH'] ?? '', DAWNLOAD_NOW: NOW, ...place.environment },
          stdio: ['ignore', 'pipe', 'pipe'],
        }),
      );

    // Its settings.
    const refusals = [
      ['volumes: perhaps\n', 'wrong.yaml: volumes must be true or false.'],
      ['volume: true\n', 'Did you mean volumes?'],
    ] as const;
    for (const [yaml, sentence] of refusals) {
      await writeFile(wrong, yaml);
      const refused = await run('plan', '--config', wrong);
      expect(refused.code).toBe(2);
      expect(refused.stderr).toContain(sentence);
    }

    const night = await run('run');
    expect(night.code, night.stderr).toBe(0);
    expect(await readdir(join(place.folder, 'data/landing/volumes'))).toEqual([
      '2026-11-19_2026-11-19',
      '2026-11-20_2026-11-20',
    ]);
    const loaded = (): Promise<Record<string, unknown>[]> =>
      place.rows(`
    select volumes.date::varchar as date, rows > 0 and rows = (select count(*) from daily_statistics as d where d.date = volumes.date) as agrees,
        (select any_value(rows) from ops.coverage as c where c.stream = 'volumes' and c.date = volumes.date)::integer as covered,
        (select any_value(state) from ops.days as d where d.stream = 'volumes' and d.date = volumes.date) as state
    from volumes order by all`);
    const expected = ['2026-11-19', DAY].map((date) => ({
      date,
      agrees: true,
      covered: 1,
      state: 'restatable',
    }));
    expect(await loaded()).toEqual(expected);

    // What `status` shows.
    const status = await readFile(join(place.folder, 'data/status.json'), 'utf8');
    const { json, text } = JSON.parse(status) as { json: string; text: string };
    expect(JSON.parse(json)).toMatchObject({
      missing: { volumes: [] },
      coverage: expect.arrayContaining([
        { date: DAY, rows: expect.objectContaining({ volumes: 1 }) as unknown },
      ]) as unknown,
    });
    expect(text).toMatch(/date +.*volumes/);
    expect((await run('plan')).stdout).toMatch(/volumes +no day is missing/);

    // One stream alone, and all of it again without the service.
    const alone = await run('backfill', '--start', DAY, '--end', DAY, '--streams', 'volumes');
    expect(alone.code, alone.stderr).toBe(0);
    await place.sandbox.close();
    const rebuilt = await run('rebuild');
    expect(rebuilt.code, rebuilt.stderr).toBe(0);
    expect(await loaded()).toEqual(expected);
  },
);
