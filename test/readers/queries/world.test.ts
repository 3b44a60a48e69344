/**
 * Every bundled query, asked of the fixed world: the sandbox with its own seed and a clock that stands at one morning.
 * Eight weeks of statistics and nearly three of events, of which one day was restated and one record had a field too many.
 */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { groupsCsv, ordersCsv, ordersOf } from '../../../sandbox/world/orders.js';
import { daysOf } from '../../../src/ground/calendar.js';
import { Dictionary } from '../../../src/warehouse/dictionary.js';
import { Reader } from '../../../src/warehouse/reader.js';
import { answerAndSentences } from '../../../src/readers/queries/ask.js';
import { Wording } from '../../../src/readers/queries/wording.js';
import { answerOf, AS_IS, tableText } from '../../../src/readers/queries/formats.js';
import { loadCatalogue, questionNamed } from '../../../src/readers/queries/catalogue.js';
import { drawTable } from '../../../src/terminal/table.js';
import { NOW, Place } from '../../support/dawnload.js';
import { kept } from '../../support/template.js';
import { ask, askBundled, cellsOf, GOLDEN, goldenAnswers, type GoldenAnswer } from './support.js';

const UPDATE = process.env['UPDATE_GOLDEN'] === '1';
const catalogue = loadCatalogue();
const answers = goldenAnswers();

const SETTINGS = `start_date: 2026-09-26
exports:
  start_date: 2026-11-02
  budget: { records_per_run: 1000000, records_per_month: 1000000 }
  price_per_record: 0.1
prices: { push-notification: 0.5, chatapp-alimtalk: 7, text-message: { SMS: 9.2, lms: 28, failover: 9.2 } }
reference:
  catalogs: [products, stores]
  brand_templates: { sender_keys: [9f2c4e6a8b0d1f3e5a7c, 4b7d9e1a2c5f80361d9e] }
  alimtalk_templates: true
  opt_outs: true
tables:
  orders: { from: ./orders.csv, keys: { user_id: member_id }, unique: order_id }
  groups: { from: ./groups.csv, keys: { user_id: member_id } }
conversions: { table: orders, person: user_id, at: ordered_at, value: amount, currency: KRW, goal: 구매 }
audiences: { members: { table: groups, person: user_id, segments: [group] } }
holdouts:
  members: { table: groups, person: user_id, arm: group, holdout: C, assigned: assigned_on, share: 10% }
`;

async function makeWorld(path: string): Promise<void> {
  const place = await Place.make(SETTINGS, {
    eventsPerDay: 3_000,
    seed: 1,
    faults: [
      { kind: 'restate', endpoint: '*', date: '2026-11-18' },
      { kind: 'extra-field', endpoint: 'E21', field: 'locale', times: 1, records: 'one' },
    ],
  });
  const days = daysOf({ start: '2026-09-26', end: '2026-11-20' });
  const orders = ordersOf({ seed: 1, eventsPerDay: 3_000 }, days);
  // So few people and orders that it is too early for a verdict.
  await writeFile(join(place.folder, 'groups.csv'), groupsCsv(2222, '2026-10-17'));
  await writeFile(
    join(place.folder, 'orders.csv'),
    ordersCsv(orders.filter(({ orderedAt }) => orderedAt < new Date(NOW))),
  );
  // The second run pulls the last days again, and so finds what was restated.
  for (let i = 0; i < 2; i++) {
    const { code, stderr } = await place.run(['run']);
    if (code !== 0) throw new Error(`the world was not loaded (${code ?? 'killed'}): ${stderr}`);
  }
  copyFileSync(place.published, path);
  await place.remove();
}

let world: DuckDBInstance;
let path: string;

/** A new connection, as a client makes it. */
async function connect(zone = 'America/New_York'): Promise<DuckDBConnection> {
  const connection = await world.connect();
  await connection.run(`set timezone = '${zone}'; set variable now = '${NOW}'`);
  return connection;
}

/**
 * What no two runs share, made the same: the moments of the morning, and the sum of the estimates, which are taken anew
 * whenever an export has landed.
 */
function steady(text: string): string {
  return text
    .replace(/2026-11-21 07:\d\d:\d\d(\.\d+)?/g, '2026-11-21 07:30:00')
    .replace(/^(2026-11,19,0,0,58802),58\d{3},/m, '$1,58000,');
}

const sqlOf = (name: string): string => catalogue.find((query) => query.name === name)?.sql ?? '';

async function asked({ name, parameters }: GoldenAnswer, zone?: string): Promise<string> {
  const connection = await connect(zone);
  for (const [parameter = '', value = ''] of parameters) {
    await connection.run(`set variable "${parameter}" = '${value}'`);
  }
  return steady(await ask(connection, sqlOf(name)));
}

/** Those whose first eight columns do not fit: findings of checks and templates are sentences. */
const TOO_WIDE: readonly string[] = [
  'checks',
  'refused-templates',
  'sunset',
  'template-performance',
  'timeline',
];

/** In the fixed world all days were asked for on one morning, none is missing, and nothing was pushed. */
const EMPTY = ['cohorts', 'missing-days', 'pushes', 'restatements-by-age'];

/** What the file must be, which it is made where that is asked for. */
function expectFile(file: string, wanted: string): void {
  if (UPDATE) writeFileSync(file, wanted);
  expect(readFileSync(file, 'utf8')).toBe(wanted);
}

// Creating the world takes half a minute.
describe('in the fixed world', { tags: ['long'], timeout: 120_000 }, () => {
  beforeAll(async () => {
    const madeOf = [
      'sql',
      'src',
      'sandbox',
      'test/support',
      'test/readers/queries/world.test.ts',
      'package-lock.json',
    ];
    path = await kept('world', madeOf, makeWorld);
    world = await DuckDBInstance.create(path, { access_mode: 'READ_ONLY' });
  }, 300_000);

  afterAll(() => {
    world.closeSync();
  });

  it.each(answers)('$name gives its golden answer', async (answer) => {
    const found = await asked(answer);
    if (UPDATE) {
      const title = ['#', answer.name, ...answer.parameters.map((pair) => pair.join('='))].join(' ');
      const golden = readFileSync(GOLDEN, 'utf8');
      const others = golden.split(/\n(?=# )/).map((block) => block.trimEnd());
      const blocks = others.map((block) =>
        block.split('\n')[0] === title ? `${title}\n${found}` : `${block}\n`,
      );
      writeFileSync(GOLDEN, blocks.join('\n'));
    }
    const { csv } = goldenAnswers().find(({ name }) => name === answer.name)!;
    expect(found).toBe(csv);
    expect(found.split('\n').length > 2).toBe(!EMPTY.includes(answer.name));
  });

  it('a range of channels is that of the days that are held', async () => {
    const connection = await world.connect();
    const given = { start: '2026-08-01', end: '2026-12-31', channel: 'email' };
    const [email] = await askBundled(connection, 'channel-summary', given);
    connection.closeSync();
    expect(email).toMatchObject({ first_date: '2026-09-26', last_date: '2026-11-20', days_held: '56' });
  });

  it('sessions in another zone get the same answers', { tags: ['extended'] }, async () => {
    for (const answer of answers) {
      expect(await asked(answer, 'Pacific/Kiritimati'), answer.name).toBe(answer.csv);
    }
  });

  it('says its sentences about each real answer, in one language or the other', async () => {
    const reader = await Reader.open(path);
    try {
      // The worlds of sentences.txt have each sentence in both.
      for (const [nth, { name }] of catalogue.entries()) {
        const language = nth % 2 === 0 ? 'en' : 'ko';
        const question = questionNamed(name, { lang: language }, new Date(NOW));
        const { said } = await answerAndSentences(reader, question, new Wording(language));
        for (const { text } of said) expect(text, name).not.toMatch(/[{}]|undefined|NaN/);
      }
    } finally {
      await reader.close();
    }
  });

  it('docs/questions.md asks twelve questions, and prints what the fixed world answers', async () => {
    const file = join('docs', 'questions.md');
    const page = readFileSync(file, 'utf8');
    expect(page.match(/^## \d+\. .+\?$/gm)).toHaveLength(12);
    const connection = await connect();
    let wanted = '';
    let rest = page;
    for (;;) {
      const block = /```sql\n([\s\S]*?)```\n(\n```text\n[\s\S]*?```\n)?/.exec(rest);
      if (block === null) break;
      const [all, sql = ''] = block;
      const answer = await tableOf(connection, sql);
      expect(answer, sql).not.toContain('0 rows');
      wanted += `${rest.slice(0, block.index)}\`\`\`sql\n${sql}\`\`\`\n\n\`\`\`text\n${answer}\`\`\`\n`;
      rest = rest.slice(block.index + all.length);
    }
    expectFile(file, wanted + rest);
  });
});

it('each query has one golden answer', () => {
  expect(answers.map(({ name }) => name)).toEqual(catalogue.map(({ name }) => name).sort());
});

it.each(answers)(
  '$name shows in its first eight columns, within a terminal of 120, what it was asked',
  ({ name, csv }) => {
    const [heads = [], ...rows] = csv.trimEnd().split('\n').map(cellsOf);
    const columns = heads.slice(0, 8).map((head, i) => ({
      name: head,
      numeric: rows.every((row) => /^-?[\d.]*$/.test(row[i] ?? '')),
    }));
    const cells = rows.map((row) => columns.map((_, i) => (row[i] === '' ? null : (row[i] ?? null))));
    const drawn = drawTable(columns, cells, { color: false, width: 120 });
    const fits = !drawn.includes('Too narrow') && !drawn.includes('…');
    expect(fits, drawn).toBe(!TOO_WIDE.includes(name));
  },
);

describe('every head', () => {
  const dictionary = Dictionary.load();

  it('has its Korean label, and no label is kept for a head that no query has', () => {
    const heads = answers.flatMap((answer) => answer.heads);
    expect(heads.filter((head) => dictionary.label(head) === undefined)).toEqual([]);
    expect(Object.keys(dictionary.of('heads')).filter((head) => !heads.includes(head))).toEqual([]);
  });

  it('of an answer has a label of its own', () => {
    for (const { name, heads } of answers) {
      const labels = heads.map((head) => dictionary.label(head));
      expect(
        labels.filter((label, i) => labels.indexOf(label) !== i),
        name,
      ).toEqual([]);
    }
  });
});

/** An answer as `dawnload query` draws it. */
async function tableOf(connection: DuckDBConnection, sql: string): Promise<string> {
  const answer = answerOf(await connection.stream(sql));
  let text = '';
  for await (const piece of tableText(answer, AS_IS, 1000, { color: false })) text += piece;
  return steady(text);
}
