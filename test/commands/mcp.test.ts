/** `dawnload mcp` as a client starts it: the built command, its standard input and output, and two ages of the protocol. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { PACKAGE_ROOT } from '../../src/ground/effects.js';
import { CLI, NOW } from '../support/dawnload.js';
import { makeWarehouse } from '../readers/queries/support.js';
import { extended, long } from '../support/tags.js';

const folder = mkdtempSync(join(tmpdir(), 'dawnload-mcp-'));
const TOOLS = ['list_questions', 'ask', 'describe', 'query'];

beforeAll(async () => {
  mkdirSync(join(folder, 'data'));
  const file = join(folder, 'data', 'warehouse.duckdb');
  await makeWarehouse('small', file);
  const instance = await DuckDBInstance.create(file);
  const connection = await instance.connect();
  await connection.run(
    `update ops.coverage set loaded_at = timestamptz '2026-11-03 22:10:00+00'; delete from ops.exports;
    create view catalog.products as select item_id as id, item ->> '$.name' as name, item ->> '$.tags' as tags
    from catalog_items`,
  );
  connection.closeSync();
  instance.closeSync();
  writeFileSync(
    join(folder, 'dawnload.yaml'),
    'base_url: https://api.example.com\nproject_id: 0123456789abcdef0123456789abcdef\nstart_date: 2026-11-01\nqueries: .\n',
  );
  writeFileSync(
    join(folder, 'devices.sql'),
    '-- title: Devices\n-- question: How many devices?\n-- params: none\n-- sentences:\n--   select n from answer\n--     en: {n} devices.\n\nselect count(distinct device_id) as n from events;\n',
  );
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

interface Message {
  id?: number;
  result?: Record<string, unknown> & { content?: { text: string }[]; isError?: boolean };
  error?: { code: number; message: string; data?: unknown };
}

interface Answer {
  readonly rows?: readonly unknown[];
  readonly columns?: readonly (string | { readonly name: string })[];
  readonly tables?: readonly { readonly name: string }[];
  readonly about?: { readonly sentences?: readonly string[] };
}

interface GoldenAnswer {
  readonly rows: readonly string[];
  readonly said: readonly string[];
}

/** A client that keeps every line of standard output. */
class Client {
  readonly lines: string[] = [];
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (message: Message) => void>();
  #id = 0;
  stderr = '';

  constructor(args: readonly string[] = [], cwd = folder) {
    this.#child = spawn(process.execPath, [CLI, 'mcp', ...args], {
      cwd,
      env: {
        PATH: process.env['PATH'],
        DAWNLOAD_NOW: NOW,
        DAWNLOAD_ACCESS_KEY: 'a',
        DAWNLOAD_SECRET_KEY: 'b',
      },
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    createInterface({ input: this.#child.stdout! }).on('line', (line) => {
      this.lines.push(line);
      const message = JSON.parse(line) as Message;
      if (message.id !== undefined) this.#waiting.get(message.id)?.(message);
    });
  }

  request(method: string, params: Record<string, unknown> = {}): Promise<Message> {
    const id = ++this.#id;
    this.send({ id, method, params });
    return new Promise((done) => this.#waiting.set(id, done));
  }

  send(message: Record<string, unknown>): void {
    this.write(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }

  write(line: string): void {
    this.#child.stdin?.write(`${line}\n`);
  }

  async call(
    name: string,
    args: Record<string, unknown> = {},
    meta = {},
  ): Promise<{ text: string; isError: boolean }> {
    const { result, error } = await this.request('tools/call', { name, arguments: args, ...meta });
    return {
      text: result?.content?.[0]?.text ?? error?.message ?? '',
      isError: result?.isError === true || error !== undefined,
    };
  }

  /** Ends the input, after a last text without an end of line. */
  end(last = ''): Promise<number | null> {
    this.#child.stdin?.end(last);
    return new Promise((done) => this.#child.on('exit', done));
  }
}

async function initialized(): Promise<Client> {
  const protocolVersion = '2025-11-25';
  const client = new Client();
  const { result } = await client.request('initialize', {
    protocolVersion,
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  });
  expect(result).toMatchObject({ protocolVersion, serverInfo: { name: 'dawnload' } });
  expect(String(result?.['instructions'])).toContain('list_questions');
  client.send({ method: 'notifications/initialized' });
  return client;
}

describe('dawnload mcp', () => {
  long(
    'answers, prints nothing but protocol, and says what is wrong with a call, so that the agent can correct it',
    async () => {
      const client = await initialized();
      const { result } = await client.request('tools/list');
      const tools = result?.['tools'] as { name: string; annotations: { readOnlyHint: boolean } }[];
      expect(tools.map(({ name }) => name)).toEqual(TOOLS);
      expect(tools.every(({ annotations }) => annotations.readOnlyHint)).toBe(true);
      const answers = await Promise.all([
        client.call('list_questions'),
        client.call('ask', {
          question: 'channel-summary',
          parameters: { channel: 'PUSH_NOTIFICATION', goal: null },
        }),
        client.call('ask', { question: 'devices' }),
        client.call('describe', { lang: 'ko' }),
        client.call('describe', { table: 'channel_days' }),
        client.call('query', { sql: 'from marts.channel_days' }),
      ]);
      for (const { text, isError } of answers) {
        expect(isError, text).toBe(false);
        expect(JSON.parse(text)).toMatchObject({ cut: null });
      }
      expect(answers.map(({ text }) => text)).toEqual([
        expect.stringMatching(/"name":"devices"[^]*"name":"campaign-performance"/),
        expect.stringContaining('"channel":"push-notification"'),
        expect.stringMatching(/"sentences":\["\d+ devices\."\]/),
        expect.stringContaining('채널별 일별 성과'),
        expect.stringContaining('"name":"marts.channel_days"'),
        expect.stringContaining('"bundled_questions"'),
      ]);
      const calls: [string, Record<string, unknown>, RegExp][] = [
        ['ask', { question: 'nope' }, /^Unknown query: nope\. `list_questions` lists them\.$/],
        [
          'ask',
          { question: 'chanel-sumary' },
          /Unknown query: chanel-sumary\. Did you mean channel-summary\?/,
        ],
        [
          'ask',
          { question: 'channel-summary', parameters: { channel: 'smoke' } },
          /no channel "smoke"\. Give one of .*push-notification/,
        ],
        ['ask', { question: 'channel-summary', params: {} }, /params/],
        [
          'describe',
          { table: 'marts.chanel_days' },
          /Did you mean channel_days\? `describe` lists the tables\.$/,
        ],
        ['query', { sql: 'select x from events' }, /"x" not found/],
        ['query', { sql: "call enable_logging('QueryLog', storage = 'stdout')" }, /only reading is allowed/],
        ['query', { sql: "copy (select 1) to '/dev/stdout'" }, /a query must be a SELECT, not COPY/],
      ];
      for (const [tool, args, sentence] of calls) {
        const { text, isError } = await client.call(tool, args);
        expect(isError, text).toBe(true);
        expect(text).toMatch(sentence);
        expect(text).not.toContain('--');
      }
      expect(await client.end()).toBe(0);
      for (const line of client.lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
      expect(client.stderr).not.toContain('Error');
    },
  );

  long('says of SQL which named days are not held', async () => {
    const client = await initialized();
    const about = async (sql: string): Promise<Record<string, unknown>> => {
      const { text } = await client.call('query', { sql });
      return (JSON.parse(text) as { about: Record<string, unknown> }).about;
    };
    const gone = await about("select count(*) as n from events where date = '2025-10-01'");
    expect(gone['days_asked']).toBe('2025-10-01..2025-10-01');
    expect(gone['days_not_held']).toContain('has no events of that day');
    expect(gone['coverage']).toMatchObject([
      { stream: 'events', days: 0, of: 1, missing: 'none', not_held: '2025-10-01' },
    ]);
    const held = await about(
      "select sent, clicked, click_rate from marts.channel_days where date = '2026-11-01'",
    );
    expect(held).not.toHaveProperty('days_not_held');
    const { columns } = JSON.parse((await client.call('describe', { table: 'catalog.products' })).text) as {
      columns: { name: string; description: string }[];
    };
    expect(columns.map(({ name, description }) => [name, description])).toEqual([
      ['id', ''],
      ['name', ''],
      ['tags', ''],
    ]);
    const { text, isError } = await client.call('query', { sql: "select error(repeat('x', 1000000))" });
    expect([isError, text.length]).toEqual([true, 1000]);
    for (const sql of ["pragma storage_info('events')", "from pragma_storage_info('events')"])
      expect((await client.call('query', { sql })).text).toContain('only reading is allowed');
    await client.end();
  });

  long(
    'passes over lines that are no messages, and answers questions that were asked before the input ended',
    async () => {
      const client = await initialized();
      for (const line of ['no json', '{}', '[{"jsonrpc":"2.0","id":4,"method":"ping"}]', ''])
        client.write(line);
      client.write('{"jsonrpc":"2.0","id":true,"method":"ping"}');
      const odd = '{"name":"ask","arguments":{"question":"reach","parameters":{"__proto__":"x"}}}';
      client.write(`{"jsonrpc":"2.0","id":12,"method":"tools/call","params":${odd}}`);
      const asked = client.call('query', { sql: 'select 42' });
      expect(await client.end('{"jsonrpc":"2.0","id":11,"method":"ping"}')).toBe(0);
      expect((await asked).text).toContain('[42]');
      expect(client.lines.map((line) => JSON.parse(line) as unknown)).toContainEqual(
        expect.objectContaining({ id: 11, result: {} }),
      );
    },
  );

  long('answers a client of 2026-07-28, which sends no initialize', async () => {
    const client = new Client(['--rows', '2']);
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const { result } = await client.request('server/discover', { _meta });
    expect(result?.['supportedVersions']).toContain('2026-07-28');
    expect((await client.call('query', { sql: 'from range(3)' }, { _meta })).text).toContain(
      '"cut":"CUT: only the first 2 rows',
    );
    expect(await client.end()).toBe(0);
  });
});

/**
 * What people ask agents, in both languages, with the calls that answer it. The file has after `=` the first three rows, after `>`
 * the sentences in both languages. UPDATE_GOLDEN=1 writes the answers anew, to be read by a person.
 */
describe('forty questions of people', { tags: ['long'] }, () => {
  const GOLDEN = join(PACKAGE_ROOT, 'test', 'commands', 'agent-questions.txt');

  extended(
    'have their answers',
    async () => {
      const client = await initialized();
      const blocks = readFileSync(GOLDEN, 'utf8')
        .trimEnd()
        .split(/\n(?=# )/);
      expect(blocks).toHaveLength(40);
      const answered = await Promise.all(
        blocks.map(async (block) => {
          const [question = '', call = ''] = block.split('\n');
          expect(question).toMatch(/^# .*[a-z].* \| .*[가-힣]/);
          const [, tool = '', given = ''] = /^(\w+) (.*)$/.exec(call) ?? [];
          const { pick = [], ...args } = JSON.parse(given) as { pick?: string[] };
          const answer = async (lang: string): Promise<GoldenAnswer> => {
            const { text, isError } = await client.call(tool, { ...args, lang });
            expect(isError, text).toBe(false);
            const found = JSON.parse(text) as Answer;
            const described = (found.columns ?? found.tables ?? []).filter(
              (one) => typeof one === 'object' && pick.includes(one.name),
            );
            const rows = [...(found.rows ?? []).slice(0, 3), ...described];
            return { rows: rows.map((row) => JSON.stringify(row)), said: found.about?.sentences ?? [] };
          };
          const [english, korean] = [await answer('en'), await answer('ko')];
          // Sentences of the two languages are the same ones.
          expect(korean.said).toHaveLength(english.said.length);
          const rows = tool === 'describe' ? [...english.rows, ...korean.rows] : english.rows;
          return [
            question,
            call,
            ...rows.map((row) => `= ${row}`),
            ...english.said.map((said, i) => `> ${said} | ${korean.said[i] ?? ''}`),
          ].join('\n');
        }),
      );
      const text = `${answered.join('\n')}\n`;
      if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(GOLDEN, text);
      expect(text).toBe(readFileSync(GOLDEN, 'utf8'));
      expect(await client.end()).toBe(0);
    },
    300_000,
  );
});
