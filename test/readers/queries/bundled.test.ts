import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadCatalogue, type QueryFile } from '../../../src/readers/queries/catalogue.js';
import { ask, goldenAnswers, makeWarehouse } from './support.js';
import { mentions, models, type Model } from '../../../src/warehouse/models.js';

const catalogue = loadCatalogue();
const query = (name: string): QueryFile => {
  const found = catalogue.find((file) => file.name === name);
  if (found === undefined) throw new Error(`there is no query ${name}`);
  return found;
};

let small: DuckDBInstance;
let empty: DuckDBInstance;

let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'dawnload-bundled-'));
  const made = async (fill: 'small' | 'empty'): Promise<DuckDBInstance> => {
    const path = join(folder, `${fill}.duckdb`);
    await makeWarehouse(fill, path);
    return DuckDBInstance.create(path, { access_mode: 'READ_ONLY' });
  };
  small = await made('small');
  empty = await made('empty');
});

afterAll(() => {
  small.closeSync();
  empty.closeSync();
  rmSync(folder, { recursive: true, force: true });
});

/** True if a mart that the text reads, or one that it is made of, reads the variable `goal`. */
function heedsGoal(text: string): boolean {
  return models().some(
    ({ relation, select }) =>
      mentions(text, relation) && (select.includes("getvariable('goal')") || heedsGoal(select)),
  );
}

/** A new connection, as a client makes it: no variable set. */
async function connectTo(instance: DuckDBInstance, zone = 'America/New_York'): Promise<DuckDBConnection> {
  const connection = await instance.connect();
  await connection.run(`set timezone = '${zone}'`);
  return connection;
}

/** Asks the small warehouse a bundled question with the parameters given as a client gives them. */
async function answer(name: string, parameters: Record<string, string> = {}): Promise<string[]> {
  const connection = await connectTo(small);
  for (const [key, value] of Object.entries(parameters)) {
    await connection.run(`set variable "${key}" = '${value}'`);
  }
  const text = await ask(connection, query(name).sql);
  connection.closeSync();
  return text.trimEnd().split('\n').slice(1);
}

describe('every bundled query', () => {
  it.each(catalogue)('$name has a header that fits it', ({ name, title, question, params, sql: file }) => {
    const sql = file.replace(/^--.*$/gm, '');
    expect(name).toMatch(/^[a-z]+(-[a-z]+)*$/);
    expect(title.length).toBeLessThanOrEqual(50);
    expect(question).toMatch(/^[A-Z].*\?$/);
    expect(catalogue.filter((other) => other.title === title)).toHaveLength(1);
    const read = new Set(
      [...sql.matchAll(/(?:getvariable|marts\.matches|marts\.choice)\(\s*'(\w+)'/g)].map(([, name]) => name),
    );
    const [period, days] = /marts\.period\('\w+'(?:, days := (\d+))?\)/.exec(sql) ?? [];
    if (period !== undefined) read.add('end');
    if (period !== undefined && sql.includes('first_date')) read.add('start');
    if (read.has('start') && /marts\.(period|days_asked)\(/.test(sql)) read.add('days');
    // Not every query of such a mart shows conversions.
    if (params.some((parameter) => parameter.name === 'goal') && heedsGoal(sql)) read.add('goal');
    expect([...read].sort()).toEqual(params.map((parameter) => parameter.name).sort());
    const ofPeriod: Record<string, string> = {
      start: days === undefined ? 'min(date)' : `last_date - ${Number(days) - 1}`,
      days: days ?? 'all',
      end: 'max(date)',
    };
    for (const { name: parameter, type, default: fallback, choices } of params) {
      const chosen = `marts.choice('${parameter}', ['${choices.join("', '")}'])`;
      if (period !== undefined && parameter in ofPeriod) expect(fallback).toBe(ofPeriod[parameter]);
      else if (parameter === 'days') expect(sql).toContain(`last_date - (marts.days_asked(${fallback}) - 1)`);
      else if (parameter === 'start' && sql.includes('marts.days_asked('))
        expect(fallback).toBe(
          `last_date - ${Number(params.find((one) => one.name === 'days')?.default) - 1}`,
        );
      else if (fallback === `'${choices[0]}'`)
        expect(sql.replaceAll(/(?<=[([])\s+|\s+(?=[)\]])/g, '')).toContain(chosen);
      else if (fallback !== 'null')
        expect(sql).toContain(`coalesce(getvariable('${parameter}')::${type}, ${fallback})`);
    }
  });

  it.each(catalogue)(
    '$name can be pasted, in lower case, and answers an empty warehouse with typed columns and no row',
    async ({ name, sql }) => {
      const statement = sql.slice(sql.indexOf('\n\n') + 2);
      expect(statement).toMatch(/^(-- .*\n)*(with|select)\b[\s\S]*;\n$/);
      expect(statement).not.toMatch(/\n\s*\n/);
      const code = sql.replace(/--.*$/gm, '').replace(/'[^']*'/g, "''");
      expect(code).toBe(code.toLowerCase());
      const connection = await connectTo(empty);
      expect((await connection.extractStatements(sql)).count).toBe(1);
      const result = await connection.runAndReadAll(sql);
      expect(result.currentRowCount).toBe(0);
      expect(result.columnNames()).toEqual(goldenAnswers().find((answer) => answer.name === name)?.heads);
      // An instant would be shown in the zone of each client, and Python would ask for one more package.
      expect(result.columnTypes().map(String)).not.toContain('TIMESTAMP WITH TIME ZONE');
    },
  );
});

describe('each mart', () => {
  it('is asked by a bundled query, or by another mart', () => {
    const all = models();
    const marts = all.filter(({ relation }) => relation.startsWith('marts.'));
    const asked = [...catalogue.map(({ sql }) => sql), ...marts.map(({ select }) => select)].join('\n');
    // A query that takes a range of days may ask the table by day of which the mart is made.
    const isAsked = ({ relation }: Model): boolean =>
      // A view in main is for people's own questions, and so is the view of all messages.
      relation === 'marts.messages' ||
      all.some((model) => model.relation === relation.replace('marts.', '')) ||
      mentions(asked, relation) ||
      mentions(asked, relation.replace('marts.', 'marts.daily_'));
    expect(marts.filter((mart) => !isAsked(mart))).toEqual([]);
  });
});

describe('rates and counters', () => {
  it('keep six digits, so that tables and sentences round them only once', () => {
    const coarse = catalogue.filter(({ sql }) => /\bround\((?:[^;](?!\bround\())*?,\s+[345]\s*\)/.test(sql));
    // A unit price has four digits.
    expect(coarse.map(({ name }) => name)).toEqual(['message-costs']);
  });

  it('are null where the channel does not count, and where nothing was sent, never 0 or NaN', async () => {
    const rows = await answer('channel-summary', { channel: 'text-message', by: 'day' });
    expect(rows).toEqual(['2026-11-02,2026-11-02,text-message,0,0,0,,,,,,,,,,0,1,1']);
  });

  it('leave out the messages that nobody counted deliveries and clicks of', async () => {
    const [row] = await answer('channel-summary', { start: '2026-11-03', channel: 'push-notification' });
    // 20 were sent; of 10 of them 5 deliveries and 1 click are known.
    expect(row).toBe('2026-11-03,2026-11-03,push-notification,20,0,20,5,1,,,0,0.5,0.1,,,20,1,1');
  });

  it('do not count the messages of a statistic once per conversion', async () => {
    const rows = await answer('campaign-performance', { end: '2026-11-01', channel: 'push-notification' });
    // 100 and 100 sends, although one of the two has three conversions.
    expect(rows[0]).toContain('1,가을 세일 연장,push-notification,200,25,13,0.15,');
  });

  it('count the failures and texts instead of them that were worked out by hand', async () => {
    expect(await answer('failure-reasons', { channel: 'push-notification' })).toEqual([
      'push-notification,NotRegistered,unknown recipient,,2,0.4,,,2,,send_failure,0.666667,0.4,,5,7,2026-11-02,2026-11-02',
      'push-notification,푸시 토큰이 만료되었습니다,unknown recipient,,1,0.2,,,1,,send_failure,0.333333,0.2,,5,7,2026-11-02,2026-11-02',
    ]);
    const happened = await answer('timeline', { id: 'u5' });
    expect(happened.map((row) => row.split(',')[2])).toEqual(['failed', 'failover_failed']);
    expect(await answer('failovers')).toEqual(['chatapp-alimtalk,,1,0,0,1,0,2026-11-02,2026-11-02,c-talk']);
  });

  it('hold events against the messages of their channel, and people against those who got one', async () => {
    expect(await answer('event-rates', { channel: 'push-notification' })).toEqual([
      'push-notification,send_failure,,,3,1.5,2,,0,failed,,,,,',
      'push-notification,send_success,,,2,1,2,1,0,succeeded,,,,,',
      'push-notification,push_click,,,1,0.5,1,0.5,0,clicked,,,,,',
    ]);
    // The events of an hour are not those of its messages.
    const failures = { channel: 'push-notification', event: 'send_failure', by: 'hour' };
    expect(await answer('event-rates', failures)).toEqual([
      'push-notification,send_failure,9,,2,,1,,0,failed,,,,,',
      'push-notification,send_failure,10,,1,,1,,0,failed,,,,,',
    ]);
    expect(await answer('event-rates', { event: 'push_click', by: 'sent_hour' })).toEqual([
      'push-notification,push_click,0,,1,0.5,1,0.5,0,clicked,,,,,',
    ]);
    expect(await answer('event-rates', { event: 'push_click', by: 'week' })).toEqual([
      'push-notification,push_click,,2026-11-02,1,0.5,1,0.5,0,clicked,,,,,2',
    ]);
    expect(await answer('event-rates', { event: 'push_click', by: 'campaign' })).toEqual([
      'push-notification,push_click,,,1,0.5,1,0.5,0,clicked,가을 세일 연장,,,c-sale,',
    ]);
    // Nobody got an alimtalk.
    expect(await answer('event-rates', { channel: 'chatapp-alimtalk' })).toEqual([
      'chatapp-alimtalk,failover_text_message_send_failure,,,1,,1,,0,failover_failed,,,,,',
      'chatapp-alimtalk,send_failure,,,1,,1,,0,failed,,,,,',
    ]);
  });
});

describe('parameters', () => {
  it('tell conversions apart by their name and by the tag of the campaign', async () => {
    const of = async (given: Record<string, string>): Promise<string[]> =>
      (await answer('conversions', given)).map((row) => row.split(',').slice(0, 3).join(' '));
    expect(await of({ goal: '구매' })).toEqual(['구매 push-notification 16']);
    expect(await of({ tag: 'autumn' })).toEqual(['가입 push-notification 1', '구매 push-notification 13']);
    expect(await of({ tag: 'news' })).toEqual([]);
  });

  it('choose a measure and a number of campaigns', async () => {
    const ranked = (given: Record<string, string>): Promise<string[]> =>
      answer('campaign-performance', { top: '10', ...given });
    const names = (rows: string[]): (string | undefined)[] => rows.map((row) => row.split(',')[1]);
    const [first = '', ...others] = await ranked({ measure: 'sent', top: '1' });
    expect(first).toMatch(/^1,가을 세일 연장,push-notification,250,34,13,/);
    expect(others).toEqual([]);
    expect(names(await ranked({ measure: 'conversions' }))).toEqual(['가을 세일 연장', '온보딩']);
    const unranked = (await answer('campaign-performance', { measure: 'conversions' })).slice(2);
    expect(new Set(unranked.map((row) => row.split(',')[0]))).toEqual(new Set(['']));
    // A campaign of ten messages has no rank by a rate, unless one asks for it, and even then 1 of 10 is less than 30 of 200.
    const byRate = { measure: 'click_rate', end: '2026-11-03' };
    const few = ['가을 세일 연장', '뉴스레터', '온보딩'];
    expect(names(await ranked(byRate))).toEqual(few);
    const all = ['가을 세일 연장', '뉴스레터', '집계 됨', '온보딩'];
    expect(names(await ranked({ ...byRate, least_messages: '1' }))).toEqual(all);
    await expect(answer('campaign-performance', { measure: 'fame' })).rejects.toThrow(
      'measure must be one of',
    );
  });

  it('choose the goal that counts; where it is not counted there is no rate', async () => {
    const goal = { start: '2026-11-01', end: '2026-11-01', channel: 'push-notification' };
    expect(await answer('channel-summary', goal)).toEqual([
      '2026-11-01,2026-11-01,push-notification,200,30,170,150,25,13,6,0.15,0.882353,0.147059,0.076471,구매,200,1,1',
    ]);
    expect(await answer('channel-summary', { ...goal, goal: '가입' })).toEqual([
      '2026-11-01,2026-11-01,push-notification,200,30,170,150,25,1,0,0.15,0.882353,0.147059,0.005882,가입,200,1,1',
    ]);
    expect(await answer('channel-summary', { ...goal, goal: '구독' })).toEqual([
      '2026-11-01,2026-11-01,push-notification,200,30,170,150,25,,,0.15,0.882353,0.147059,,,200,1,1',
    ]);
  });

  it('choose days, or a range that ends with the total of its channels', async () => {
    const sent = async (values: Record<string, string>): Promise<string[]> =>
      (await answer('channel-summary', { end: '2026-11-01', ...values })).map((row) =>
        row.split(',').toSpliced(1, 1).slice(0, 3).join(),
      );
    const [email, push, all] = ['email,200', 'push-notification,200', 'all,400'];
    // The first day that is held.
    expect(await sent({ start: '2026-10-31' })).toEqual([email, push, all].map((row) => `2026-11-01,${row}`));
    expect(await sent({ by: 'day' })).toEqual([email, push].map((row) => `2026-11-01,${row}`));
    expect(await sent({ by: 'week', channel: 'email' })).toEqual(['2026-10-26,email,200']);
  });

  it('choose what costs are of; without a price, clicks or conversions there is no cost', async () => {
    const costs = { end: '2026-11-01' };
    // 425 = 170 × 2.5; 25 clicks, 13 conversions. 99 SMS at 9 and 45 LMS at 28, which only the statistics by sub-channel count.
    const email = 'email,,,,200,,,30,,,,,,200,0,,,';
    expect(await answer('message-costs', costs)).toEqual([
      'text-message,,,,144,14.9375,2151,,,,,,,0,0,,,',
      'push-notification,,,,170,2.5,425,25,17,13,32.69,구매,,0,0,,,',
      email,
    ]);
    expect(await answer('message-costs', { ...costs, by: 'sub_channel' })).toEqual([
      'text-message,lms,,,45,28,1260,,,,,,,0,0,,,',
      'text-message,sms,,,99,9,891,,,,,,,0,0,,,',
      'push-notification,,,,170,2.5,425,25,17,13,32.69,구매,,0,0,,,',
      email,
    ]);
    // October is in the range of a month, and so are all days of November.
    expect(
      await answer('message-costs', {
        start: '2026-10-31',
        end: '2026-11-01',
        by: 'month',
        channel: 'push-notification',
      }),
    ).toEqual([
      'push-notification,,2026-10-01,,999,2.5,2497.5,99,25.23,,,,,0,0,,,',
      'push-notification,,2026-11-01,,340,2.5,850,39,21.15,16,50,구매,,0,0,,,',
    ]);
    // Ten of the 340 messages count no clicks, twenty no conversions: 330 and 320 × 2.5 for 39 clicks and 16 conversions.
    const [texts, push] = await answer('message-costs', { start: '2026-11-01' });
    // 99 and 97 SMS at 9, 45 LMS at 28.
    expect(texts).toMatch(/^text-message,,,,\d+,12.5477,3024,/);
    expect(push).toBe('push-notification,,,,340,2.5,850,39,21.15,16,50,구매,,0,0,,,');
    // The service gives the amounts of purchases, and not their number. 220 messages cost 2.5 each.
    expect(await answer('revenue')).toEqual([
      '가을 세일 연장,,220,,129000.5,586.37,,550,234.5,구매,[],c-sale',
    ]);
    const [, campaign] = await answer('message-costs', { ...costs, by: 'campaign', goal: '가입' });
    expect(campaign).toMatch(
      /^push-notification,,,가을 세일 연장,170,2\.5,425,25,17,1,425,가입,,0,0,,campaign,c-sale$/,
    );
    await expect(answer('message-costs', { by: 'day' })).rejects.toThrow(
      'by must be one of channel, sub_channel, month, campaign',
    );
  });

  it('show the newest findings of each check, and how many there are', async () => {
    const told = (rows: string[]): string[] => rows.map((row) => row.replace(/,fewer.*,(\d+)$/, ',$1'));
    const warned = { severity: 'warn' };
    expect(told(await answer('checks', { ...warned, top: '1' }))).toEqual([
      'warn,events_match_statistics,2026-11-02,2',
    ]);
    expect(told(await answer('checks', warned))).toEqual([
      'warn,events_match_statistics,2026-11-02,2',
      'warn,events_match_statistics,2026-11-01,2',
    ]);
    expect(await answer('checks', { top: '1' })).toHaveLength(2);
  });
});

describe('docs/recipes.md', () => {
  it('names files that are there, and SQL that runs', async () => {
    const page = readFileSync('docs/recipes.md', 'utf8');
    const files = [...page.matchAll(/sql\/queries\/([\w-]+)\.sql|dawnload query ([\w-]+)/g)];
    expect(files.length).toBeGreaterThan(3);
    for (const [, file, name] of files) expect(query(file ?? name ?? '').sql).toContain('select');
    const statements = [...page.matchAll(/"((?:select|from|set) [^"]+)"|^(select [^`\n]+)$/gm)];
    expect(statements.length).toBeGreaterThan(3);
    const connection = await connectTo(small);
    for (const [, quoted, plain] of statements) await connection.run(quoted ?? plain ?? '');
  });
});
