import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { DuckDBInstance } from '@duckdb/node-api';
import { onTestFinished, expect, test, vi } from 'vitest';
import { ConfigError, CorruptDatabaseError, DamageError, StorageError } from '../../src/ground/errors.js';
import { discardDatabase, publish, replaceDatabase, rewriteDatabase } from '../../src/warehouse/publish.js';
import { dataFiles } from '../../src/disk/paths.js';
import { knownBy, Reader } from '../../src/warehouse/reader.js';
import { PUBLISH_POINTS } from '../support/points.js';
import { shared, statistic, Workshop } from './support.js';
import { long } from '../support/tags.js';

const DAY = '2026-11-20';

/** Leaves the file closed, as a run does before it publishes. */
async function load(workshop: Workshop, sent: number): Promise<void> {
  const later = { id: `statistics/${sent}`, pulledAt: new Date(workshop.now.getTime() + sent) };
  await workshop.load(workshop.statistics(DAY, [statistic({ message_sent: sent })], later));
  await workshop.close();
}

const ten = shared(async () => {
  const workshop = new Workshop();
  await load(workshop, 10);
  return workshop;
});

async function filled(sent: number): Promise<Workshop> {
  const workshop = new Workshop();
  if (sent === 10) copyFileSync(ten.path, workshop.path);
  else await load(workshop, sent);
  return workshop;
}

const quiet = { reach: () => undefined };

async function sentIn(file: string): Promise<unknown> {
  const reader = await Reader.open(file);
  try {
    return (await reader.objects('select sum(message_sent)::integer as sent from daily_statistics'))[0]?.[
      'sent'
    ];
  } finally {
    await reader.close();
  }
}

/** Another program that opens the file and answers a query for each line it is sent. */
class OtherProgram {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;

  constructor(file: string, options: Record<string, string>) {
    this.#child = spawn(process.execPath, [
      '--input-type=module',
      '-e',
      `import { DuckDBInstance } from '${import.meta.resolve('@duckdb/node-api')}';
       import { createInterface } from 'node:readline';
       const instance = await DuckDBInstance.create(${JSON.stringify(file)}, ${JSON.stringify(options)});
       const connection = await instance.connect();
       console.log('open');
       for await (const sql of createInterface(process.stdin)) {
         try {
           console.log(JSON.stringify((await connection.runAndReadAll(sql)).getRowsJson()));
         } catch (error) {
           console.log(String(error));
         }
       }`,
    ]);
    this.#lines = createInterface(this.#child.stdout)[Symbol.asyncIterator]();
    onTestFinished(() => {
      this.#child.kill('SIGKILL');
    });
  }

  async line(): Promise<string> {
    return String((await this.#lines.next()).value);
  }

  ask(sql: string): Promise<string> {
    this.#child.stdin.write(`${sql}\n`);
    return this.line();
  }

  async die(): Promise<void> {
    const gone = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGKILL');
    await gone;
  }
}

test('the private file becomes the published one, whole, and what a killed run left behind is swept', async () => {
  const workshop = await filled(10);
  const published = join(workshop.folder, 'warehouse.duckdb');
  writeFileSync(`${published}.next-12345`, 'half');
  const points: string[] = [];
  const handle = await open(workshop.folder);
  const synced = vi.spyOn(Object.getPrototypeOf(handle) as typeof handle, 'sync');
  await handle.close();
  const bytes = await publish({
    working: workshop.path,
    published,
    effects: {
      reach: (point) => {
        points.push(point);
        // A disk that forgets the name first would leave readers an empty file.
        if (point === 'publish/before-rename') expect(synced).toHaveBeenCalledTimes(1);
      },
    },
  });
  expect(synced).toHaveBeenCalledTimes(2);
  synced.mockRestore();
  expect(bytes).toBe(readFileSync(published).length);
  expect(readFileSync(published).equals(readFileSync(workshop.path))).toBe(true);
  expect(points).toEqual([...PUBLISH_POINTS]);
  expect(readdirSync(workshop.folder).filter((name) => name.startsWith('warehouse.duckdb.'))).toEqual([]);
});

long('a reader keeps the old file, and the next one opens the new file', async () => {
  const workshop = await filled(10);
  const published = join(workshop.folder, 'warehouse.duckdb');
  await publish({ working: workshop.path, published, effects: quiet });
  const analyst = new OtherProgram(published, { access_mode: 'READ_ONLY' });
  expect(await analyst.line()).toBe('open');
  expect(await analyst.ask('select sum(message_sent)::integer from daily_statistics')).toBe('[[10]]');

  await load(workshop, 20);
  await publish({ working: workshop.path, published, effects: quiet });
  expect(
    await analyst.ask('select sum(message_sent)::integer, count(*)::integer from daily_statistics'),
  ).toBe('[[10,1]]');
  expect(await sentIn(published)).toBe(20);
});

test.each([...PUBLISH_POINTS])('stopped at %s, readers see one of the two files, whole', async (stop) => {
  const old = await filled(10);
  const published = join(old.folder, 'warehouse.duckdb');
  await publish({ working: old.path, published, effects: quiet });
  await load(old, 20);
  const stopping = {
    reach: (point: string) => {
      if (point === stop) throw new Error('stopped');
    },
  };
  await expect(publish({ working: old.path, published, effects: stopping })).rejects.toThrow(StorageError);
  const after = stop === 'publish/after-rename' || stop === 'publish/after-folder-fsync';
  expect(await sentIn(published)).toBe(after ? 20 : 10);
  await publish({ working: old.path, published, effects: quiet });
  expect(await sentIn(published)).toBe(20);
});

test('nothing is published into a folder that is not there, nor of a private file whose log was not written into it', async () => {
  const workshop = await filled(10);
  const into = (...path: string[]): Promise<number> =>
    publish({ working: workshop.path, published: join(workshop.folder, ...path), effects: quiet });
  await expect(into('nowhere', 'warehouse.duckdb')).rejects.toThrow(StorageError);
  writeFileSync(`${workshop.path}.wal`, 'x');
  await expect(into('warehouse.duckdb')).rejects.toThrow(DamageError);
  expect(existsSync(join(workshop.folder, 'warehouse.duckdb'))).toBe(false);
});

test('the log of somebody who wrote into the published file is not replayed into the new one', async () => {
  const workshop = await filled(10);
  const published = join(workshop.folder, 'warehouse.duckdb');
  await publish({ working: workshop.path, published, effects: quiet });
  const meddler = new OtherProgram(published, {});
  expect(await meddler.line()).toBe('open');
  await meddler.ask('update daily_statistics set message_sent = 999');
  await expect(publish({ working: workshop.path, published, effects: quiet })).rejects.toThrow(
    /open for writing in another program/,
  );
  // Readers do not take it for a damaged one, and the next run asks it nothing.
  await expect(Reader.open(published)).rejects.toThrow(/open for writing in another program/);
  expect(await knownBy(published)).toEqual([]);
  await meddler.die();
  expect(existsSync(`${published}.wal`)).toBe(true);
  await publish({ working: workshop.path, published, effects: quiet });
  expect(existsSync(`${published}.wal`)).toBe(false);
  expect(await sentIn(published)).toBe(10);
});

test('a rebuilt file takes the place of the old one, its log gone with it', async () => {
  const old = await filled(10);
  const rebuilt = await filled(20);
  writeFileSync(`${old.path}.wal`, 'log of the old file');
  await replaceDatabase(rebuilt.path, old.path, quiet);
  expect(await sentIn(old.path)).toBe(20);
  await discardDatabase(old.path);
  expect(existsSync(old.path)).toBe(false);
  await discardDatabase(old.path);
});

test('a rewrite says that a block is damaged, or that the disk refuses, and leaves the file', async () => {
  const workshop = await filled(10);
  const files = { ...dataFiles(workshop.folder), working: workshop.path };
  const nowhere = join(workshop.folder, 'nowhere', 'rebuilt.duckdb');
  await expect(rewriteDatabase({ ...files, rebuilt: nowhere }, quiet)).rejects.toBeInstanceOf(StorageError);
  expect(await sentIn(workshop.path)).toBe(10);

  const rebuilt = join(workshop.folder, 'rebuilt.duckdb');
  const bytes = readFileSync(workshop.path);
  // The blocks of the tables follow the three headers of 4 kB.
  for (let at = 20_000; at < bytes.length; at += 200_000) bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(workshop.path, bytes);
  await expect(rewriteDatabase({ ...files, rebuilt }, quiet)).rejects.toBeInstanceOf(CorruptDatabaseError);
  expect(readFileSync(workshop.path).equals(bytes)).toBe(true);
});

test('a reader can neither write nor reach other files once it is confined', async () => {
  const workshop = await filled(10);
  const reader = await Reader.open(workshop.path);
  try {
    await expect(reader.objects('delete from daily_statistics')).rejects.toThrow(/read-only/i);
    await reader.confine();
    await expect(reader.objects(`from read_text('/etc/hostname')`)).rejects.toThrow(/disabled/);
    await expect(reader.objects(`copy (select 1) to '${join(workshop.folder, 'out.csv')}'`)).rejects.toThrow(
      /disabled/,
    );
    await expect(reader.objects('set enable_external_access = true')).rejects.toThrow();
    expect(await reader.objects(`select current_setting('TimeZone') as zone`)).toEqual([
      { zone: 'Asia/Seoul' },
    ]);
  } finally {
    await reader.close();
  }
});

test('a reader says what to do when there is no warehouse, or none that can be read', async () => {
  const workshop = new Workshop();
  await expect(Reader.open(workshop.path)).rejects.toBeInstanceOf(ConfigError);
  const landing = join(dirname(workshop.path), 'landing');
  mkdirSync(landing);
  await expect(Reader.open(workshop.path)).rejects.toHaveProperty(
    'hint',
    '`dawnload rebuild` makes it from the answers that have landed, without any request.',
  );
  rmSync(landing, { recursive: true });
  writeFileSync(workshop.path, 'no database'.repeat(1000));
  await expect(Reader.open(workshop.path)).rejects.toBeInstanceOf(CorruptDatabaseError);
});

test('one process may open the published file after another without losing sight of rows', async () => {
  const workshop = await filled(10);
  expect(await sentIn(workshop.path)).toBe(10);
  const instance = await DuckDBInstance.create(workshop.path, { access_mode: 'READ_ONLY' });
  instance.closeSync();
  expect(await sentIn(workshop.path)).toBe(10);
});

test(
  'a published file can be read whole by any DuckDB: nothing in it needs a function of this program',
  { tags: ['long'] },
  async () => {
    const instance = await DuckDBInstance.create(ten.path, { access_mode: 'READ_ONLY' });
    const connection = await instance.connect();
    const rows = async (sql: string) => (await connection.runAndReadAll(sql)).getRowObjectsJson();
    const relations = await rows(`
    select format('"{}"."{}"', schema_name, name) as name from (
      select schema_name, table_name as name from duckdb_tables()
      union all
      select schema_name, view_name from duckdb_views() where not internal
    ) as relations`);
    expect(relations.length).toBeGreaterThan(50);
    for (const { name } of relations)
      if (typeof name === 'string') await rows(`select * from ${name} limit 1`);
    const macros = await rows(
      `select function_name from duckdb_functions() where not internal and regexp_matches(macro_definition, '\\b_[a-z]+\\(')`,
    );
    expect(macros).toEqual([]);
    connection.closeSync();
    instance.closeSync();
  },
);
