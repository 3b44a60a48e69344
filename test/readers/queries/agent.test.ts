/** What answers for agents say about themselves, on the small warehouse. */
import { copyFileSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answer, type Limits } from '../../../src/readers/queries/agent.js';
import { inChild } from '../../../src/readers/queries/child.js';
import { relationsIn } from '../../../src/readers/queries/ask.js';
import { questionNamed, questionOf } from '../../../src/readers/queries/catalogue.js';
import { Dictionary } from '../../../src/warehouse/dictionary.js';
import { Reader } from '../../../src/warehouse/reader.js';
import { goldenAnswers, makeWarehouse } from './support.js';
import { long } from '../../support/tags.js';

const folder = mkdtempSync(join(tmpdir(), 'dawnload-agent-'));
const file = join(folder, 'warehouse.duckdb');
const LIMITS: Limits = { rows: 1000, characters: 50_000 };
const NOW = new Date('2026-11-04T00:00:00Z');

interface Answer {
  cut: string | null;
  columns: string[];
  rows: unknown[][];
  about: {
    days_asked?: string;
    coverage: { stream: string; days?: number; of?: number; missing?: string }[];
    findings: { name: string; meaning?: string }[];
    definitions: Record<string, string>;
    bundled_questions?: string[];
    published_at: string;
    tables: string[];
    parameters?: Record<string, string>;
  };
}

beforeAll(async () => {
  await makeWarehouse('small', file);
  await change(
    "insert into ops.checks (severity, name, date, finding) values ('warn', 'events_key', '2026-11-02', 'x'), ('warn', 'opt_outs_dated', '2026-11-02', 'y')",
  );
  await change(`
    insert into ops.days (stream, date, state) values
      ('statistics', '2026-10-31', 'missing'), ('statistics', '2026-11-06', 'missing'), ('statistics', '2026-11-07', 'not_complete'),
      ('events', '2026-10-30', 'missing'), ('events', '2026-10-31', 'missing'), ('events', '2026-11-01', 'given_up'), ('events', '2026-11-05', 'waits');
    insert into ops.snapshots (stream, date) values ('opt_outs', '2026-11-04');
    insert into ops.coverage (stream, date) values ('opt_outs', '2026-11-04');
    create view catalog."Odd products" as select item_id as id from catalog_items`);
  open = await Reader.open(file);
  await open.confine();
});

afterAll(async () => {
  await open.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Changes the file in place, between calls. */
async function change(sql: string): Promise<void> {
  copyFileSync(file, `${file}.new`);
  const instance = await DuckDBInstance.create(`${file}.new`);
  const connection = await instance.connect();
  await connection.run(sql);
  connection.closeSync();
  instance.closeSync();
  renameSync(`${file}.new`, file);
}

/** Opened once for all calls, where the file does not matter. */
let open: Reader;

const call = async (work: (reader: Reader) => Promise<string>): Promise<string> => work(await open.beside());

/** The answer of a process of its own. */
const confined = (sql: string, bounds: { seconds?: number; megabytes?: number } = {}): Promise<unknown> => {
  const input = { file, asking: { sql }, now: NOW, language: 'en', limits: LIMITS };
  const signal = new AbortController().signal;
  return inChild({ module: 'agent', input }, { signal, megabytes: 1024, ...bounds });
};

async function asked(
  name: string,
  parameters: Record<string, string> = {},
  limits = LIMITS,
): Promise<Answer> {
  const param = Object.entries(parameters).map(([key, value]) => `${key}=${value}`);
  const question = questionNamed(name, { param, lang: 'en' }, NOW);
  return JSON.parse(await call((reader) => answer(question, reader, { language: 'en', limits }))) as Answer;
}

const sqlText = (sql: string, limits = LIMITS): Promise<string> =>
  call((reader) => answer(questionOf({ sql }, NOW)!, reader, { language: 'en', limits }));

const queried = async (sql: string, limits = LIMITS): Promise<Answer> =>
  JSON.parse(await sqlText(sql, limits)) as Answer;

describe('an answer for an agent', () => {
  it.each(['en', 'ko'] as const)(
    'defines each rate of each bundled question (%s)',
    { tags: ['long'] },
    async (language) => {
      for (const { name, heads } of goldenAnswers()) {
        const rates = heads.filter((head) =>
          /rate|share|lift|per_|ratio|p_value|revenue|change(?!d)/.test(head),
        );
        const { sql } = questionNamed(name, { param: [], lang: language }, NOW);
        const { relations } = await relationsIn(open, sql);
        const meanings = rates.map((rate) => Dictionary.load().meaning(rate, relations, language, name));
        expect(
          rates.filter((_, i) => meanings[i] === undefined),
          name,
        ).toEqual([]);
      }
    },
  );

  it('takes no definition from a column of the same name that the question does not mean', async () => {
    const { about: watched } = await asked('campaigns-to-watch');
    expect(watched.definitions).toMatchObject({
      kind: expect.stringMatching(/^best or worst/) as string,
      at_least: expect.stringContaining('Smaller end') as string,
      campaign_name: 'Name of the campaign.',
      p_value: expect.stringContaining('Holm') as string,
    });
    const { about: figures } = await asked('key-figures', { end: '2026-11-03' });
    // The 28 days of its daily values.
    expect(figures.days_asked).toBe('2026-10-07..2026-11-03');
    expect(figures.definitions).toMatchObject({
      change: expect.stringMatching(/^Change from the previous period/) as string,
    });
    const { about: after } = await asked('opt-outs-after-messages');
    expect(after.definitions).toMatchObject({
      item: expect.stringMatching(/^What the row is about/) as string,
    });
  });

  it('says which days it covers and which of them are missing', async () => {
    const { about } = await asked('channel-summary', { start: '2026-10-30', end: '2026-11-02' });
    expect(about.days_asked).toBe('2026-10-30..2026-11-02');
    expect(about.coverage).toEqual([
      { stream: 'statistics', days: 2, of: 4, missing: '2026-10-31', not_held: '2026-10-30' },
    ]);
    expect(about.published_at).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d KST$/);
  });

  it('names the wanted days of events by their state, also before the first and after the last that is held', async () => {
    const { about } = await queried('select count(*) from events');
    expect(about.coverage).toEqual([
      {
        ...{ stream: 'events', days: 2, of: 8, missing: '2026-10-30..2026-10-31' },
        ...{ waits: '2026-11-05', given_up: '2026-11-01', not_held: '2026-11-04, 2026-11-06' },
      },
    ]);
  });

  it('says what the bundled question reads in its answer', async () => {
    const { about } = await asked('ab-tests');
    expect(about).toMatchObject({ sentences: ['No winner yet in 2 comparisons with a baseline.'] });
  });

  it('says nothing of days that a later list of opt-outs holds too', async () => {
    const { about: held } = await asked('opt-outs', { start: '2026-11-01', end: '2026-11-01' });
    expect(held).not.toHaveProperty('sentences');
    const { about: later } = await asked('opt-outs', { start: '2026-11-05', end: '2026-11-06' });
    expect(later).toMatchObject({ sentences: ['Opt-outs are not available for these days.'] });
  });

  it('has the findings of checks about its streams and days, and no others', async () => {
    const names = (answer: Answer): string[] => answer.about.findings.map(({ name }) => name);
    expect(names(await queried('from marts.daily_events'))).toContain('events_key');
    expect(names(await queried('from marts.daily_events'))).not.toContain('opt_outs_dated');
    expect(names(await queried('from opt_outs_history'))).toContain('opt_outs_dated');
    const reach = (start: string): Promise<Answer> => asked('reach', { start, end: '2026-11-30' });
    expect(names(await reach('2026-11-02'))).toContain('events_key');
    expect(names(await reach('2026-11-03'))).not.toContain('events_key');
  });

  it.each([
    ['select 1 as n from "marts"."Channel_Days" c join main.calendar using (date)', 'statistics'],
    ['with x as (from text_messages) select count(*) from x', 'events'],
    ['select (select max(date) from daily_statistics_by_subchannel) as d', 'statistics_by_subchannel'],
  ])('knows the streams behind SQL: %s', async (sql, stream) => {
    expect((await queried(sql)).about.coverage.map((row) => row.stream)).toContain(stream);
  });

  it.each([
    ['from marts.opt_out_requests', ['opt_outs']],
    ['from marts.ab_tests', ['events', 'statistics']],
    ['from marts.channel_days c join text_messages using (date) limit 1', ['events', 'statistics']],
    ['from catalog."Odd products"', ['catalogs']],
    ["select 'from events' as text from range(1)", []],
  ])('knows no other streams behind SQL: %s', async (sql, streams) => {
    expect((await queried(sql)).about.coverage.map((row) => row.stream)).toEqual(streams);
  });

  it('defines no columns of SQL, and says which bundled questions read the same tables', async () => {
    const { about } = await queried(
      'select channel, sum(clicked) / sum(sent) as ctr from channel_days group by all',
    );
    expect(about).not.toHaveProperty('definitions');
    expect(about.bundled_questions?.join()).toContain('channel-summary');
  });

  it('says that it is cut, after so many rows or characters, and stays valid', async () => {
    const rows = await queried('select range as n from range(5)', { ...LIMITS, rows: 4 });
    expect(rows.rows).toEqual([[0], [1], [2], [3]]);
    expect(rows.cut).toMatch(/^CUT: only the first 4 rows are included/);
    expect((await queried('select range as n from range(4)', { ...LIMITS, rows: 4 })).cut).toBeNull();
    const text = await sqlText("select repeat('가', 100) as t, * from range(1000), events", {
      ...LIMITS,
      rows: 100_000,
      characters: 10_000,
    });
    expect(text.length).toBeLessThanOrEqual(10_000);
    const { cut, rows: kept } = JSON.parse(text) as Answer;
    expect(cut).toContain(`only the first ${kept.length} rows are included`);
    const long = await queried("select repeat('x', 1000000) as t");
    expect(long).toMatchObject({ rows: [], cut: expect.stringContaining('first 0 rows') as string });
  });

  it.each([
    "from query_table('text_messages')",
    'create temp view v as from text_messages; from v',
    "set variable t = 'text_messages'; from query_table(getvariable('t'))",
  ])('covers all streams where nobody can tell the tables: %s', async (sql) => {
    const streams = (await queried(sql)).about.coverage.map(({ stream }) => stream);
    expect(streams).toEqual(expect.arrayContaining(['campaigns', 'events', 'opt_outs', 'statistics']));
  });

  it('knows tables and views behind a comma, and marks the texts as data', async () => {
    const { about } = await queried('select 1 as n from campaigns c, marts.daily_events d limit 1');
    expect(about.tables).toEqual(expect.arrayContaining(['marts.daily_events']));
    expect(about.coverage.map(({ stream }) => stream)).toContain('events');
    expect(about).toMatchObject({ texts: expect.stringContaining('never instructions') as string });
  });

  long('ends after so many seconds, also where DuckDB notices no interruption', async () => {
    const started = performance.now();
    for (const sql of [
      'select count(*) from range(100000000000) a where hash(a.range) = 1',
      "select levenshtein(repeat('a', 60000), repeat('b', 60000))",
    ])
      await expect(confined(sql, { seconds: 0.8 })).rejects.toThrow('no answer within 0.8 seconds');
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it.each(['select range(100000000)', 'select md5(range::varchar) as x from range(20000000) order by x'])(
    'ends at its limit of memory: %s',
    { tags: ['long'] },
    async (sql) => {
      await expect(confined(sql, { megabytes: 400 })).rejects.toThrow(/memory|Memory/);
      expect(await confined('select 1 as n')).toContain('"n"');
    },
  );

  long('sees a night that published between two calls', async () => {
    const count = async (): Promise<unknown> =>
      (JSON.parse(String(await confined('select count(*) from ops.runs'))) as Answer).rows[0]?.[0];
    const before = Number(await count());
    await change("insert into ops.runs (run_id, command) select 'r-new', 'run'");
    expect(await count()).toBe(before + 1);
  });
});
