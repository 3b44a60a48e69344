import { STREAMS } from '../../../src/streams/index.js';
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { strFromU8, unzipSync } from 'fflate';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Invocation } from '../../../src/config/invocation.js';
import { queryCommand, type QueryOptions } from '../../../src/commands/query.js';
import { loadConfig } from '../../../src/config/config.js';
import { firstOf, queryNamed } from '../../../src/readers/queries/catalogue.js';
import { inChild } from '../../../src/readers/queries/child.js';
import { Wording } from '../../../src/readers/queries/wording.js';
import { realEffects } from '../../../src/ground/effects.js';
import { DawnloadError, EXIT, InterruptedError } from '../../../src/ground/errors.js';
import { answeringHere, answeringInItsProcess } from '../../support/here.js';
import { invocationOf, keepingOutput } from '../../support/in-process.js';
import { goldenAnswers, makeWarehouse } from './support.js';
import { long } from '../../support/tags.js';

let folder: string;
let dataDir: string;

answeringHere();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'dawnload-query-'));
  dataDir = join(folder, 'data');
  mkdirSync(dataDir);
  await makeWarehouse('small', join(dataDir, 'warehouse.duckdb'));
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

interface Told {
  stdout: string;
  stderr: string;
  exitCode: number;
}

interface Circumstances {
  readonly data?: string;
  readonly config?: string;
  readonly signal?: AbortSignal;
  readonly now?: string;
  readonly terminal?: number;
}

/** Runs the command and keeps what it says; with `terminal`, standard output is one of so many columns. */
async function run(options: QueryOptions, circumstances: Circumstances = {}): Promise<Told> {
  const { stdout, bytes } = keepingOutput(circumstances.terminal);
  const notes: string[] = [];
  const context = contextFor(notes, circumstances);
  const width = circumstances.terminal;
  const draw = (text: string): void => void stdout.write(`${text}\n`);
  const terminal = { ...context.terminal, width, color: width !== undefined, draw };
  const exitCode = await queryCommand(options, { ...context, terminal }, stdout);
  return { stdout: bytes().toString('utf8'), stderr: notes.join('\n'), exitCode };
}

function contextFor(
  notes: string[],
  { data = dataDir, config, signal, now }: Circumstances = {},
): Invocation {
  const given = {
    effects: realEffects(now === undefined ? {} : { DAWNLOAD_NOW: now }),
    loadConfig: () => loadConfig(STREAMS, { dataDir: data, settingsFile: config }, {}, folder),
    ...(signal === undefined ? {} : { signal }),
  };
  return invocationOf(given, notes);
}

async function failure(options: QueryOptions, circumstances: Circumstances = {}): Promise<DawnloadError> {
  const error: unknown = await run(options, circumstances).catch((reason: unknown) => reason);
  if (!(error instanceof DawnloadError)) throw new Error(`it did not fail as it should: ${String(error)}`);
  return error;
}

describe('dawnload query', () => {
  it('alone lists the bundled queries by subject', async () => {
    const { stdout, stderr } = await run({});
    expect(stdout).toMatch(
      /^overview\n {2}channel-changes +Which channel [^]*\n {2}channel-summary +How many messages [^]*\n {2}key-figures +[^]*\ncampaigns\n {2}ab-tests /,
    );
    expect(stderr).toContain('dawnload query NAME');
    const listed = JSON.parse((await run({ format: 'json' })).stdout) as Record<string, unknown>[];
    expect(Object.keys(listed[0] ?? {})).toEqual([
      'name',
      'subject',
      'title',
      'title_ko',
      'question',
      'question_ko',
      'words',
      'isRecorded',
      'params',
      'sentences',
      'sql',
      'charts',
      'first',
    ]);
  });

  it('answers a bundled question on stdout, and says on stderr what it means and how many rows it has', async () => {
    const told = await run({ name: 'ab-tests', format: 'csv' });
    expect(told.stdout).toMatch(/^campaign_name,metric,variant_name,[\s\S]+가을 세일 연장,click,A,/);
    expect(told).toMatchObject({
      stderr: 'No winner yet in 2 comparisons with a baseline.\nA/B tests: 4 rows',
      exitCode: EXIT.done,
    });
    const korean = (await run({ name: 'ab-tests', lang: 'ko' })).stderr;
    expect(korean).toMatch(/^기준안과 비교한 2건/);
    expect(korean).toMatch(/\nA\/B 테스트: 4행$/);
  });

  it('says that the days asked for are not held, and nothing of other days', async () => {
    const asked = { name: 'campaign-days', param: ['start=2030-01-01', 'end=2030-01-02'] };
    const { stderr } = await run(asked);
    expect(stderr).toContain('Daily statistics are not available for these days.');
    expect(stderr).not.toContain('No campaign');
    const figures = await run({ name: 'key-figures', param: ['end=2030-01-01'] });
    expect(figures.stderr).toMatch(/^Daily statistics are not available for these days\.\n/);
    // No sentence of its own speaks of a list that was never pulled.
    expect((await run({ name: 'opt-outs' })).stderr).toMatch(
      /^Opt-outs are not available for these days\.\n/,
    );
    expect((await run({ ...asked, lang: 'ko' })).stderr).toContain('이 기간의 일별 통계 데이터가 없습니다.');
  });

  long(
    'says what was chosen where that leaves out all rows, and speaks of everything only where there is nothing',
    async () => {
      const asked = { name: 'conversions', param: ['campaign=뉴스레터', 'channel=email'] };
      expect((await run(asked)).stderr).toMatch(
        /^Nothing was found with campaign=뉴스레터, channel=email\.\n/,
      );
      expect((await run({ ...asked, lang: 'ko' })).stderr).toMatch(
        /^조건\(campaign=뉴스레터, channel=email\)에 맞는 데이터가 없습니다\.\n/,
      );
      const nothing = { name: 'duplicates', param: ['channel=push-notification'] };
      expect((await run(nothing)).stderr).toMatch(
        /^No campaign sent anyone more than one message on a day\.\n/,
      );
    },
  );

  it('lets the clock of the command decide which days are missing', async () => {
    const ask = async (now: string): Promise<string> =>
      (await run({ name: 'missing-days', param: ['stream=events'], format: 'csv' }, { now })).stdout;
    expect(await ask('2026-11-04T21:59:00Z')).not.toContain('2026-11-04');
    expect(await ask('2026-11-04T22:01:00Z')).toContain('events,2026-11-04,2026-11-04,1');
    const korean = await run({ name: 'missing-days', lang: 'ko' }, { now: '2026-11-04T22:01:00Z' });
    expect(korean.stdout).toMatch(/│ 누락 +│/);
  });

  it('records a question about one person, and does not offer it without the private folder', async () => {
    const asked: QueryOptions = { name: 'timeline', param: ['id=u1'], format: 'csv' };
    const offers = async (): Promise<boolean> => (await run({})).stdout.includes('  timeline ');
    expect(await offers()).toBe(false);
    expect((await failure(asked)).message).toContain(
      'cannot be recorded: this data folder has no private folder',
    );
    const private_ = join(dataDir, 'private');
    mkdirSync(private_);
    writeFileSync(join(private_, 'hmac.key'), Buffer.alloc(32, 7));
    try {
      expect(await offers()).toBe(true);
      expect((await run(asked)).stdout).toMatch(/,push-notification,succeeded,/);
      await run(asked);
      const lines = readFileSync(join(private_, 'access.jsonl'), 'utf8').trimEnd().split('\n');
      const [first, second] = lines.map((line) => JSON.parse(line) as Record<string, string>);
      expect(lines).toHaveLength(2);
      expect(first).toMatchObject({ query: 'timeline', person: second?.['person'] });
      expect(first?.['person']).toMatch(/^[0-9a-f]{64}$/);
      expect(lines.join()).not.toContain('u1"');
      expect(statSync(join(private_, 'access.jsonl')).mode & 0o077).toBe(0);
      // No other reader answers it.
      const input = {
        file: join(dataDir, 'warehouse.duckdb'),
        asking: { name: 'timeline', param: ['id=u1'] },
        now: new Date(),
      };
      const agent = inChild(
        { module: 'agent', input },
        { signal: new AbortController().signal, seconds: 60, megabytes: 1024 },
      );
      await expect(agent).rejects.toThrow('each use is recorded');
    } finally {
      rmSync(private_, { recursive: true });
    }
  });

  it('searches for a word that is no query, in the language of the word', async () => {
    const found = async (name: string): Promise<string> => (await run({ name })).stdout;
    expect(await found('holdout')).toMatch(
      /^conversions and costs\n {2}uplift +How much more.*\npeople\n {2}holdout-members +Which users/,
    );
    expect(await found('수신거부')).toMatch(
      /^수신거부\n {2}opt-outs +080 번호별로.*\n {2}opt-outs-after-messages/,
    );
    expect(await found('chanel-sumary')).toMatch(/^overview\n {2}channel-summary/);
    const partly = await run({ name: '어제 채널별 매출과 날씨' });
    expect(partly.stdout).toMatch(/^전환·비용\n {2}revenue-by-channel/);
    expect(partly.stderr).toContain('없는 단어: 날씨');
    const { stdout } = await run({ lang: 'ko' });
    expect(stdout).toMatch(/channel-changes +최근 7일에 전주보다 좋아지거나 나빠진 채널은/);
  });

  it('covers a number of days up to the last one', async () => {
    const daysOf = async (name: string, ...param: string[]): Promise<string[]> => {
      const { stdout } = await run({ name, param, format: 'csv' });
      return [...new Set(stdout.match(/2026-\d\d-\d\d/g))].sort();
    };
    const days = await daysOf('channel-summary', 'by=day', 'days=3');
    expect([days.length, days]).toEqual([3, await daysOf('channel-summary', 'by=day', `start=${days[0]}`)]);
    const far = await daysOf('channel-summary', 'days=999999999999');
    expect(far[0]).toBe((await daysOf('channel-summary', 'start=2000-01-01'))[0]);
  });

  it('names the heads in Korean where it is asked to, of a table or CSV alone', async () => {
    const csv = await run({ name: 'channel-summary', lang: 'ko', format: 'csv' });
    expect(csv.stdout).toMatch(/^첫 날짜,마지막 날짜,채널,발송,실패,/);
    const table = await run({ sql: 'select 1 as mine, 2 as sent', lang: 'ko' });
    expect(table.stdout).toMatch(/│ mine │ 발송 │/);
  });

  long('shows the marts that people start with beside the tables, and answers from either name', async () => {
    const shown = (await run({ sql: 'show tables', format: 'csv' })).stdout;
    const start = ['ab_tests', 'campaign_days', 'channel_days', 'failure_reasons', 'journey_funnels'];
    start.push('message_days', 'tag_days', 'template_days');
    for (const name of [...start, 'events', 'daily_statistics']) expect(shown.split('\r\n')).toContain(name);
    expect(shown).not.toContain('daily_people');
    const tables = readFileSync('docs/tables.md', 'utf8');
    for (const name of start) expect(tables).toContain(`\`${name}\``);
    const differing = start.flatMap((name) => [
      `(from ${name} except all from marts.${name})`,
      `(from marts.${name} except all from ${name})`,
    ]);
    const { stdout } = await run({
      sql: `select ${differing.map((one) => `exists ${one}`).join(' or ')} as n`,
    });
    expect(stdout).toContain('false');
  });

  it('runs SQL from the command line, with its parameters as variables', async () => {
    const sql =
      "select count(*) as n, getvariable('who') as who from events where user_id = getvariable('who')";
    expect((await run({ sql, param: ['who=u1'], format: 'csv' })).stdout).toBe('n,who\r\n4,u1\r\n');
  });
});

describe('an answer as a table', () => {
  it('fits the terminal and cuts long text there, and only there', async () => {
    const sql = `select repeat('가', 200) as long, 1 as n, null as none`;
    const { stdout } = await run({ sql }, { terminal: 60 });
    expect(stdout).toContain('…');
    expect(stdout).toContain('\u001b[2mnull\u001b[22m');
    const piped = await run({ sql });
    expect(piped.stdout).toContain('가'.repeat(200));
    expect(piped.stdout).not.toContain('\u001b');
    expect((await run({ sql, format: 'csv' }, { terminal: 60 })).stdout).toContain('가'.repeat(200));
  });

  // In each, an id stands with a name, and rates are what the question is about.
  it.each([
    'campaign-performance',
    'campaign-days',
    'channel-summary',
    'template-performance',
    'journey-funnel',
  ])('of %s begins with its rates, and has ids last', (name) => {
    const { heads = [] } = goldenAnswers().find((answer) => answer.name === name) ?? {};
    const first = firstOf(heads, queryNamed(name));
    for (const rate of ['click_rate', 'drop_off']) if (heads.includes(rate)) expect(first).toContain(rate);
    expect(first.filter((head) => head.endsWith('_id'))).toEqual([]);
    expect(first.length).toBeLessThan(heads.length);
  });

  it('has rates in percent and a small p value as such, and says once what all rows have alike', async () => {
    const { stdout } = await run({ name: 'channel-summary' });
    expect(stdout).toMatch(/^Same in all rows: .*last_date 2026-\d\d-\d\d/);
    expect(stdout).toMatch(/│ +\d+\.\d+% │/);
    expect(stdout).not.toMatch(/│ +0\.\d+ │/);
    const csv = await run({ name: 'channel-summary', format: 'csv' });
    expect(csv.stdout).toMatch(/,0\.\d+/);
    expect(new Wording('en').cell('uplift', 'p_value', { p_value: 0 })).toBe('<0.001');
    expect(new Wording('ko').cell('uplift', 'p_value', { p_value: 0.0438 })).toBe('0.044');
  });

  it('says in Korean which columns are left out', async () => {
    const columns = Array.from({ length: 30 }, (_, i) => `1 as column_${i}`).join(', ');
    const { stdout } = await run({ sql: `select ${columns} from range(9)`, lang: 'ko' }, { terminal: 80 });
    expect(stdout).toMatch(/생략한 컬럼: .*column_29/s);
    expect(stdout).not.toContain('Too narrow');
  });

  it('ends after a thousand rows, or as many as asked for, and says so', async () => {
    const many = await run({ sql: 'select range as n from range(3000)' });
    expect(many.stdout.split('\n')).toHaveLength(1000 + 5);
    expect(many.stderr).toBe('the first 1,000 of 3,000 rows; --format csv gives all');
    expect((await run({ sql: 'select range as n from range(3000)', format: 'csv' })).stderr).toBe(
      '3,000 rows',
    );
  });
});

describe('a file of the answer', () => {
  it.each<[string, QueryOptions['format'], RegExp]>([
    ['a.json', undefined, /^\[\n?\{"n":1\}\n?\]\n$/],
    ['a.CSV', undefined, /^n\r\n1\r\n$/],
    ['a', undefined, /│ n │/],
    ['a.txt', undefined, /│ n │/],
    ['a.xlsx', 'csv', /^n\r\n1\r\n$/],
  ])('is in the format that its name says, or that is asked for: %s, %s', async (name, format, text) => {
    const output = join(folder, name);
    const { stdout } = await run({
      sql: 'select 1 as n',
      output,
      ...(format === undefined ? {} : { format }),
    });
    expect(stdout).toBe('');
    expect(readFileSync(output, 'utf8')).toMatch(text);
  });

  it('may be Parquet, in a file or on a standard output that is no terminal', async () => {
    const file = join(folder, 'a.parquet');
    await run({ name: 'ab-tests', output: file });
    const piped = join(folder, 'piped.parquet');
    const { stdout, bytes } = keepingOutput();
    await queryCommand({ name: 'ab-tests', format: 'parquet' }, contextFor([]), stdout);
    writeFileSync(piped, bytes());
    const instance = await DuckDBInstance.create();
    const connection = await instance.connect();
    const read = await connection.runAndReadAll(`select count(*) from read_parquet(['${file}', '${piped}'])`);
    expect(read.getRowsJson()).toEqual([['8']]);
    expect((await failure({ sql: 'select 1', format: 'parquet' }, { terminal: 80 })).exitCode).toBe(
      EXIT.usage,
    );
  });

  it('may be a workbook; a CSV file in Korean begins with a byte order mark, unless it should not', async () => {
    const file = join(folder, 'a.xlsx');
    await run({ name: 'channel-summary', output: file, lang: 'ko' });
    expect(strFromU8(unzipSync(readFileSync(file))['xl/worksheets/sheet1.xml'] ?? Buffer.of())).toContain(
      '채널',
    );
    expect((await failure({ sql: 'select 1', format: 'xlsx' }, { terminal: 80 })).message).toBe(
      'A terminal cannot show a workbook.',
    );
    const csv = join(folder, 'marked.csv');
    const first = async (options: QueryOptions): Promise<string> => {
      await run({ name: 'channel-summary', output: csv, ...options });
      return readFileSync(csv, 'utf8').slice(0, 1);
    };
    expect(await first({ lang: 'ko' })).toBe('\ufeff');
    expect(await first({ lang: 'ko', bom: false })).not.toBe('\ufeff');
    expect(await first({})).not.toBe('\ufeff');
  });

  it('is there whole or not at all: what failed halfway leaves the old one', async () => {
    const file = join(folder, 'kept.csv');
    writeFileSync(file, 'the old one');
    const sql = `select (case when range < 100000 then '1' else 'x' end)::integer as n from range(200000)`;
    expect((await failure({ sql, output: file })).message).toContain('Could not convert string');
    expect(readFileSync(file, 'utf8')).toBe('the old one');
    expect(readdirSync(folder).filter((name) => name.includes('partial'))).toEqual([]);
  });

  it.each(['csv', 'parquet', 'xlsx'])('that cannot be written is a plain sentence: %s', async (ending) => {
    const missing = await failure({
      sql: 'select 1',
      output: join(folder, 'no', 'such', `folder.${ending}`),
    });
    expect(missing.message).toMatch(/folder\.\w+ cannot be written, because the folder/);
    const long = await failure({ sql: 'select 1', output: join(folder, `${'n'.repeat(250)}.${ending}`) });
    expect(long.message).toMatch(/^\/.*n\.\w+ cannot be written: [^\n]*too long/);
  });

  it('cannot be put into the data folder, by whatever name, nor over what its links lead to', async () => {
    const other = join(folder, 'other');
    const data = join(folder, 'linked');
    mkdirSync(join(data, 'landing'), { recursive: true });
    mkdirSync(join(other, 'ledger', 'deep'), { recursive: true });
    writeFileSync(join(other, 'paid.csv'), 'paid');
    symlinkSync(join(other, 'ledger'), join(data, 'ledger'));
    symlinkSync(join(other, 'paid.csv'), join(data, 'warehouse.duckdb'));
    mkdirSync(join(folder, 'way'));
    const link = (target: string, name: string): string => {
      symlinkSync(target, join(folder, 'way', name));
      return join(folder, 'way', name);
    };
    const folderLink = link(data, 'in');
    for (const path of [
      join(data, 'warehouse.csv'),
      join(data, 'ledger', 'exports.csv'),
      join(other, 'ledger', 'deep', 'runs.csv'),
      join(other, 'paid.csv'),
      link(join(other, 'paid.csv'), 'a.csv'),
      link(join(data, 'new.csv'), 'dangling.csv'),
      link('a.csv', 'twice.csv'),
      join(folderLink, 'deep', 'b.csv'),
    ]) {
      const error = await failure({ sql: 'select 1', output: path }, { data });
      expect(error.message, path).toContain('the data folder');
    }
    // Through another name of the data folder, too.
    const named = await failure({ sql: 'select 1', output: join(data, 'x.csv') }, { data: folderLink });
    expect(named.message).toContain('the data folder');
    expect(readFileSync(join(other, 'paid.csv'), 'utf8')).toBe('paid');
  });

  it('is replaced and never written into: what shares its bytes keeps them', async () => {
    const ledger = join(dataDir, 'ledger.jsonl');
    writeFileSync(ledger, 'paid');
    const shared = join(folder, 'shared.csv');
    linkSync(ledger, shared);
    symlinkSync(shared, join(folder, 'to-shared.csv'));
    symlinkSync(ledger, join(folder, 'c.csv.partial'));
    for (const name of ['to-shared.csv', 'c.csv']) {
      await run({ sql: 'select 1 as n', output: join(folder, name) });
      expect(readFileSync(join(folder, name), 'utf8')).toBe('n\r\n1\r\n');
    }
    expect(readFileSync(shared, 'utf8')).toBe('n\r\n1\r\n');
    expect(readFileSync(ledger, 'utf8')).toBe('paid');
    rmSync(ledger);
  });
});

describe('a mistake', () => {
  const top = (param: string): QueryOptions => ({ name: 'campaign-performance', param: [param] });
  const channels = (...param: string[]): QueryOptions => ({ name: 'channel-summary', param });
  const LATE = `select (case when range < 5000 then '1' else 'x' end)::integer as n from range(6000)`;

  it.each<[string, QueryOptions, RegExp]>([
    [
      'a wrong name, with a parameter',
      { name: 'chanel-sumary', param: ['by=day'] },
      /Did you mean channel-summary\?/,
    ],
    [
      'a word of its subject, with a parameter',
      { name: 'holdout', param: ['x=1'] },
      /^Unknown query: holdout/,
    ],
    ['a word that no query has', { name: 'quux' }, /^Unknown query: quux\. `dawnload query` lists them/],
    [
      'a wrong parameter',
      channels('strat=2026-11-01'),
      /^The query channel-summary has no parameter strat\. Did you mean start\? It takes start \(date\), days \(bigint\), end/,
    ],
    ['a day that does not exist', top('start=2026-02-29'), /must be a day that exists/],
    ['a word for a number', top('top=ten'), /must be a whole number/],
    [
      'a number that is too large',
      top('top=1000000000000001'),
      /must be a whole number up to 1000000000000000/,
    ],
    ['no choice', top('measure=fame'), /must be one of sent, delivered, clicked, click_rate, conversions/],
    [
      'both a first day and a number of days',
      channels('start=2026-11-03', 'days=2'),
      /^The parameters start and days exclude each other\. Give start and end, or days and end\.$/,
    ],
    ['days in the wrong order', channels('start=2026-11-03', 'end=2026-11-02'), /must not be after end/],
    ['no value', top('start'), /is not a parameter/],
    ['an empty value', channels('goal='), /goal must be a text that is not empty, not ""/],
    ['a parameter twice', { name: 'campaign-performance', param: ['top=1', 'top=2'] }, /given twice/],
    [
      'an unknown channel',
      channels('channel=push-notifcation'),
      /has no channel "push-notifcation"\. .*push-notification/,
    ],
    [
      'an unknown column',
      { sql: 'select\n  evnt_name\nfrom events' },
      /^The query cannot be run: Binder Error: Referenced column "evnt_name" not found in FROM clause \(line 2, column 3\)\. .*event_name/s,
    ],
    [
      'no SQL',
      { sql: 'selct 1' },
      /cannot be run: Parser Error: syntax error at or near "selct" \(line 1, column 1\)/,
    ],
    ['a value that only a later row shows', { sql: LATE }, /Conversion Error/],
    [
      'several statements that ask',
      { sql: 'select 1;;\n-- two\nselect 2;' },
      /has several SELECT statements/,
    ],
    ['an unknown format', { sql: 'select 1', format: 'xml' }, /table, csv, json, parquet, xlsx/],
    ['a missing file', { file: 'none.sql' }, /none\.sql cannot be read/],
    ['SQL on standard input', { file: '-' }, /not read from standard input.*--sql/],
    [
      'an ending that is no format',
      { sql: 'select 1', output: 'a.csv.gz' },
      /\.csv, \.json, \.parquet, \.xlsx or \.txt/,
    ],
    ['a mark that JSON does not have', { sql: 'select 1', bom: true, format: 'json' }, /Only CSV/],
    ['a statement that writes', { sql: "copy (select 1) to 'x.csv'" }, /not COPY\..*--output/],
  ])('gets what is right: %s', async (_, options, sentence) => {
    const error = await failure(options);
    expect(`${error.message} ${error.hint ?? ''}`).toMatch(sentence);
    expect(error.exitCode).toBe(EXIT.usage);
  });

  it.each([
    ['INSERT', 'insert into nosuch values (1)'],
    ['UPDATE', '-- A comment.\nUpdate events set nosuch = 1;'],
    ['DELETE', 'delete from events'],
    ['CREATE', 'create table own (a int); from own'],
    ['CREATE', 'create temp table own as select 1'],
    ['EXPLAIN', 'explain analyze select 1'],
  ])('only reads: no %s', async (found, sql) => {
    const error = await failure({ sql });
    expect(error.message).toBe(`The published file is read-only: a query must be a SELECT, not ${found}.`);
    expect(error.hint).toContain('--output');
    expect(error.exitCode).toBe(EXIT.usage);
  });

  long('in the spelling of a name is understood, and a campaign by its name', async () => {
    const of = async (name: string, param: string): Promise<string> =>
      (await run({ name, param: [param], format: 'csv' })).stdout;
    const right = await of('channel-summary', 'channel=push-notification');
    expect(right.split('\r\n').length).toBeGreaterThan(2);
    expect(await of('channel-summary', 'channel=Push_Notification')).toBe(right);
    expect(await of('campaign-days', 'campaign=뉴스레터')).toBe(await of('campaign-days', 'campaign=c-mail'));
    expect(await of('channel-summary', 'channel=푸시')).toBe(right);
    for (const name of ['이메일', 'mail', '메일', 'E-Mail'])
      expect(await of('channel-summary', `channel=${name}`)).toBe(
        await of('channel-summary', 'channel=email'),
      );
  });

  it.each([
    ['channel=notification', /^Did you mean push-notification\?$/],
    ['channel=emial', /^Did you mean email\?$/],
    ['channel=카카오톡', /^Did you mean chatapp-alimtalk\?$|^Give one of/],
    ['channel=smoke', /^Give one of (?=.*email)(?=.*push-notification).*\.$/],
  ])('in the value %s gets the near values, or all', async (param, hint) => {
    expect((await failure({ name: 'channel-summary', param: [param] })).hint).toMatch(hint);
  });

  long('is known though the service left another value of its kind out, or empty', async () => {
    const data = join(folder, 'left-out');
    mkdirSync(data);
    await makeWarehouse('small', join(data, 'warehouse.duckdb'));
    const instance = await DuckDBInstance.create(join(data, 'warehouse.duckdb'));
    const connection = await instance.connect();
    await connection.run(`
    insert into marts.conversions by name
    select conversions.* replace (left_out.name as conversion_name)
    from (from marts.conversions limit 1) as conversions, (values (null), ('')) as left_out (name)`);
    connection.closeSync();
    instance.closeSync();
    const goal = { name: 'channel-summary', param: ['goal=구매'], format: 'csv' };
    expect((await run(goal, { data })).stdout).toBe((await run(goal)).stdout);
    const wrong = await failure({ name: 'channel-summary', param: ['goal=구메'] }, { data });
    expect(wrong.hint).toBe('Did you mean 구매?');
  });

  it('asking before anything was published says what to do', async () => {
    const error = await failure({ name: 'drift' }, { data: join(folder, 'nothing') });
    expect(error.exitCode).toBe(EXIT.usage);
    expect(error.hint).toMatch(/`dawnload run` .*`dawnload init` .*`dawnload demo`/);
  });
});

describe("a query in the user's folder", () => {
  const OWN = `-- title: People by channel
-- question: How many people got a message on each channel?
-- params:
--   channel (varchar, default null): only this channel
-- sentences:
--   select count(*) as n from answer
--     en: {n} {n#channel|channels}.

select channel, count(distinct user_id) as people from events
where marts.matches('channel', channel) group by channel order by channel;
`;
  let own: Circumstances;
  const file = (name: string): string => join(folder, 'own', `${name}.sql`);

  beforeAll(() => {
    mkdirSync(join(folder, 'own'));
    writeFileSync(join(folder, 'own.yaml'), 'queries: ./own\n');
    own = { config: join(folder, 'own.yaml') };
    writeFileSync(file('people'), OWN);
    writeFileSync(file('of-a-push'), 'select 1;');
  });

  it('is listed and asked like a bundled one, with its parameters and sentences', async () => {
    const { stdout } = await run({}, own);
    expect(stdout).toMatch(/^your own\n {2}people +How many people got a message/);
    expect(stdout).not.toContain('of-a-push');
    const asked = { name: 'people', param: ['channel=Push_Notification'], format: 'csv' };
    expect(await run(asked, own)).toMatchObject({
      stdout: 'channel,people\r\npush-notification,4\r\n',
      stderr: '1 channel.\nPeople by channel: 1 row',
    });
    expect((await failure(asked)).message).toBe('Unknown query: people.');
    expect((await failure({ name: 'of-a-push' }, own)).hint).toMatch(
      /of-a-push\.sql has no header.*-f .* runs it/,
    );
    expect((await failure({ ...asked, param: ['chanel=x'] }, own)).hint).toContain('Did you mean channel?');
  });

  it('takes a number as large as an amount of money', async () => {
    const least = '--   least (bigint, default 0, from 0): spent at least so much\n';
    writeFileSync(file('spent'), OWN.replace('--   channel (', `${least}--   channel (`));
    for (const amount of ['0', '5000000'])
      expect((await run({ name: 'spent', param: [`least=${amount}`] }, own)).exitCode).toBe(EXIT.done);
    rmSync(file('spent'));
  });

  it('has the defaults of its header that are literals, unless others are given', async () => {
    writeFileSync(
      file('defaults'),
      `-- title: Defaults
-- question: Which values do the parameters have?
-- params:
--   top (bigint, default 3): a number
--   start (date, default 2026-11-01): a day
--   word (varchar, default 'it''s'): a text
--   unit (varchar, default week, one of day week): one of two
--   end (date, default last_date - 27): an expression
--   none (varchar, default null): nothing
--   free (varchar, default all words): words

select ${['top', 'start', 'word', 'unit', 'end', 'none', 'free'].map((name) => `getvariable('${name}') as "${name}"`).join(', ')};
`,
    );
    const asked = { name: 'defaults', format: 'csv' };
    expect((await run(asked, own)).stdout.split('\r\n')[1]).toBe("3,2026-11-01,it's,week,,,");
    const given = await run({ ...asked, param: ['top=5', 'end=2026-11-02'] }, own);
    expect(given.stdout.split('\r\n')[1]).toBe("5,2026-11-01,it's,week,2026-11-02,,");
    rmSync(file('defaults'));
  });

  long('is written from SQL that was tried', async () => {
    const sql = "select user_id from events where date >= getvariable('start')::date order by all limit 1";
    const made = await run({ sql, new: 'late-people', param: ['start=2026-11-02'] }, own);
    expect(made.stderr).toContain('late-people.sql is written.');
    expect(readFileSync(file('late-people'), 'utf8')).toMatch(
      /^-- title: Late people\n-- question: .+\n-- params:\n-- {3}start \(date, default null\): .+\n\nselect user_id .*;\n$/,
    );
    const asked = await run({ name: 'late-people', param: ['start=2026-11-02'] }, own);
    expect(asked.stdout).toBe(made.stdout);
    // SQL that has a header keeps it, with its sentences.
    await run({ sql: OWN, new: 'people-again' }, own);
    expect(readFileSync(file('people-again'), 'utf8').trim()).toBe(OWN.trim());
    await failure({ sql: 'selct 1', new: 'wrong' }, own);
    expect(readdirSync(join(folder, 'own'))).not.toContain('wrong.sql');
  });

  it.each<[string, QueryOptions, RegExp]>([
    ['its name is taken', { sql: 'select 1', new: 'people' }, /cannot be the name of a new query/],
    ['a bundled one has the name', { sql: 'select 1', new: 'reach' }, /cannot be the name of a new query/],
    ['the name is a path', { sql: 'select 1', new: '../x' }, /cannot be the name of a new query/],
    ['there is no SQL', { new: 'x' }, /SQL to keep is missing/],
    [
      'its header is not whole',
      { sql: '-- title: X\n\nselect 1', new: 'x' },
      /new query x has no readable params/,
    ],
  ])('is not written where %s', async (_, options, sentence) => {
    expect((await failure(options, own)).message).toMatch(sentence);
    expect(readdirSync(join(folder, 'own'))).not.toContain('x.sql');
  });

  it('keeps the header of a file with a byte order mark', async () => {
    writeFileSync(join(folder, 'marked.sql'), `\ufeff${OWN}`);
    await run({ file: join(folder, 'marked.sql'), new: 'marked' }, own);
    expect(readFileSync(file('marked'), 'utf8').trim()).toBe(OWN.trim());
    rmSync(file('marked'));
  });

  it('needs a folder in the settings', async () => {
    expect((await failure({ sql: 'select 1', new: 'x' })).hint).toContain('queries: ./queries');
  });

  it.each([
    ['params', OWN.replace('varchar, ', ''), /people\.sql has no readable params/],
    ['a sentence', OWN.replace('--     en: {n} {n#channel|channels}.\n', ''), /an incomplete sentence/],
  ])(
    'whose header has no whole %s is named, and the bundled ones still answer',
    async (_, text, sentence) => {
      writeFileSync(file('people'), text);
      expect((await failure({ name: 'people' }, own)).message).toMatch(sentence);
      expect((await run({ name: 'ab-tests' }, own)).exitCode).toBe(EXIT.done);
      writeFileSync(file('people'), OWN);
    },
  );

  it('cannot have the name of a bundled one, and may come from any editor', async () => {
    writeFileSync(file('reach'), OWN);
    expect((await failure({}, own)).message).toContain('has the name of a bundled query');
    rmSync(file('reach'));
    writeFileSync(file('windows'), `\ufeff${OWN.replaceAll('\n', '\r\n')}`);
    mkdirSync(file('a-folder'));
    symlinkSync('nowhere', file('a-link'));
    for (const name of ['reach', 'windows']) expect((await run({ name }, own)).exitCode).toBe(EXIT.done);
    for (const name of ['windows', 'a-folder', 'a-link']) rmSync(file(name), { recursive: true });
  });
});

describe('a query of a user', () => {
  answeringInItsProcess();

  it('is stopped by Ctrl-C', async () => {
    const stop = new AbortController();
    setTimeout(() => {
      stop.abort(new InterruptedError('Interrupted.'));
    }, 200);
    const sql = 'select count(*) from range(100000000000) a where hash(a.range) = 1';
    expect((await failure({ sql }, { signal: stop.signal })).exitCode).toBe(EXIT.interrupted);
  });
});

describe('standard output', () => {
  answeringInItsProcess();

  long('that a reader closes early ends the command silently', async () => {
    let lines = 0;
    const head = new Writable({
      write(_chunk, _, done) {
        lines++;
        done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
      },
    });
    const sql = 'select range as n from range(10000000)';
    expect(await queryCommand({ sql, format: 'csv' }, contextFor([]), head)).toBe(EXIT.done);
    expect(lines).toBe(1);
  });

  it('that is read slowly slows the query down, instead of filling the memory', async () => {
    let most = 0;
    let bytes = 0;
    const slow = new Writable({
      highWaterMark: 1024,
      write(chunk: Buffer, _, done) {
        bytes += chunk.length;
        most = Math.max(most, slow.writableLength);
        setImmediate(done);
      },
    });
    const sql = "select repeat('가', 100) as t from range(15000)";
    await queryCommand({ sql, format: 'json' }, contextFor([]), slow);
    expect(bytes).toBeGreaterThan(4_500_000);
    // One batch of rows is about 630 kB.
    expect(most).toBeLessThan(2_000_000);
  });
});
