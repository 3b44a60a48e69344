// @module-tag long
/** A person is erased from own tables of every kind, and stays erased although their sources still have the person. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { filesWith, landedPages } from '../support/contents.js';
import { NOW, Place } from '../support/dawnload.js';
import { beginWithNight, ends } from '../support/place.js';
import { answeringHere } from '../support/here.js';

answeringHere();

const YAML = `start_date: 2026-11-19
lookback_days: 1
exports:
  budget: { records_per_run: 1000000, records_per_month: 1000000 }
`;

interface Person {
  readonly id: string;
  readonly number: string;
}

interface Case {
  readonly name: string;
  readonly keys: string;
  readonly header: string;
  /** The rows of the source, about the person and about somebody else. */
  readonly rows: (person: Person) => readonly string[];
  /** Number of rows that stay. */
  readonly left: number;
}

const dashed = (number: string): string => number.replace(/^(\d{3})(\d+)(\d{4})$/, '$1-$2-$3');
const abroad = (number: string): string => number.replace(/^0/, '+82 ');
const byUser = { keys: '{ user_id: a }', header: 'a,b' };
const byNumber = { keys: '{ recipient: a }', header: 'a,b' };
const byBoth = { keys: '{ user_id: a, recipient: b }', header: 'a,b,c' };
const OTHER = 'other-0001';

const CASES: readonly Case[] = [
  { name: 'by_user', ...byUser, rows: ({ id }) => [`${id},1`, `${OTHER},2`], left: 1 },
  {
    name: 'many_rows',
    ...byUser,
    rows: ({ id }) => [...Array(50).keys()].map((n) => (n % 2 ? `${id},${n}` : `${OTHER},${n}`)),
    left: 25,
  },
  { name: 'blanks_around', ...byUser, rows: ({ id }) => [`" ${id} ",1`, `${OTHER},2`], left: 1 },
  { name: 'only_the_person', ...byUser, rows: ({ id }) => [`${id},1`, `${id},2`], left: 0 },
  { name: 'nobody_erased', ...byUser, rows: () => [`${OTHER},1`], left: 1 },
  { name: 'without_key', ...byUser, rows: ({ id }) => [`,1`, `${id},2`], left: 1 },
  { name: 'by_number', ...byNumber, rows: ({ number }) => [`${number},1`, '01000000001,2'], left: 1 },
  {
    name: 'dashed_number',
    ...byNumber,
    rows: ({ number }) => [`${dashed(number)},1`, '010-0000-0001,2'],
    left: 1,
  },
  {
    name: 'number_abroad',
    ...byNumber,
    rows: ({ number }) => [`${abroad(number)},1`, '+82 1000000001,2'],
    left: 1,
  },
  {
    name: 'number_alone',
    ...byBoth,
    rows: ({ number }) => [`,${number},1`, `${OTHER},01000000001,2`],
    left: 1,
  },
  { name: 'user_alone', ...byBoth, rows: ({ id }) => [`${id},,1`, `${OTHER},01000000001,2`], left: 1 },
  {
    name: 'text_with_number',
    ...byUser,
    rows: ({ number }) => [`${OTHER},call ${dashed(number)} please`],
    left: 1,
  },
  { name: 'text_with_id', ...byUser, rows: ({ id }) => [`${OTHER},invited by ${id}.`], left: 1 },
  { name: 'value_with_id', ...byUser, rows: ({ id }) => [`${OTHER},${id}`], left: 1 },
  {
    name: 'json_with_number',
    ...byUser,
    rows: ({ number }) => [`${OTHER},"{""to"": ""${number}""}"`],
    left: 1,
  },
];

// Hashed ids are the harder case.
describe('with hashed ids', () => {
  const settings = `${YAML}privacy: { recipients: hash, columns: { user_id: hash } }\n`;
  let place: Place;
  let person: Person;
  let now = new Date(NOW);
  const night = (...args: string[]) => place.run(args, { DAWNLOAD_NOW: now.toISOString() });

  beforeAll(async () => {
    place = await Place.make(settings, { now: () => now, date: () => now.toUTCString() });
    await beginWithNight(place, settings);
    person = await somebody(join(place.folder, 'data'));
    await mkdir(join(place.folder, 'own'));
    for (const { name, header, rows } of CASES)
      await writeFile(join(place.folder, 'own', `${name}.csv`), `${header}\n${rows(person).join('\n')}\n`);
    const tables = CASES.map(({ name, keys }) => `  ${name}: { from: ./own/${name}.csv, keys: ${keys} }`);
    await place.configure(`${settings}tables:\n${tables.join('\n')}\n`);
    await ends(night('run'), 0);
  }, 300_000);

  afterAll(() => place.remove());

  const left = async (name: string): Promise<number> => {
    const [found] = await place.rows(`select count(*)::integer as rows from own.${name}`);
    return Number(found?.['rows']);
  };

  const isClean = async (): Promise<void> => {
    const { id, number } = person;
    expect(await filesWith(join(place.folder, 'data'), [id, number, dashed(number)])).toEqual([]);
  };

  test('`forget --show` shows the rows of own tables', async () => {
    const { stdout } = await ends(night('forget', '--user-id', person.id, '--show'), 0);
    const shown = z.object({ warehouse: z.record(z.string(), z.unknown()) }).parse(JSON.parse(stdout));
    expect(Object.keys(shown.warehouse)).toEqual(
      expect.arrayContaining(['own.by_user', 'own.by_number', 'own.number_alone']),
    );
  });

  test('`forget` erases the person from each', async () => {
    await ends(night('forget', '--user-id', person.id, '--yes'), 0);
    for (const { name, left: rows } of CASES) expect([name, await left(name)]).toEqual([name, rows]);
    await isClean();
  });

  test.each(CASES)('$name stays without the person in the next night', async ({ name, left: rows }) => {
    if (name === CASES[0]?.name) {
      now = new Date(now.getTime() + 86_400_000);
      await ends(night('run'), 0);
      await isClean();
    }
    expect(await left(name)).toBe(rows);
  });

  test('a rebuild has nobody back', async () => {
    await ends(night('rebuild'), 0);
    for (const { name, left: rows } of CASES) expect([name, await left(name)]).toEqual([name, rows]);
    await isClean();
    expect(await readFile(join(place.folder, 'own', 'by_user.csv'), 'utf8')).toContain(person.id);
  });
});

/** A user with a text, whose number no other has. */
async function somebody(data: string): Promise<Person> {
  const pages = (await landedPages(data)) as {
    page: { data: { user_id?: string; message_data?: { recipientNo?: string } }[] };
  }[];
  const found = pages
    .flatMap(({ page }) => page.data)
    .find((one) => one.user_id !== undefined && /^010\d{8}$/.test(one.message_data?.recipientNo ?? ''));
  return { id: found?.user_id ?? '', number: found?.message_data?.recipientNo ?? '' };
}
