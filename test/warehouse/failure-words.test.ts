/** Reasons of failed sends: which have one key, and which cause their words name. */
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';

let connection: DuckDBConnection;
let instance: DuckDBInstance;

beforeAll(async () => {
  instance = await DuckDBInstance.create(':memory:');
  connection = await instance.connect();
  await connection.run('create schema marts; create schema ops; create table ops.not_clicks (name varchar)');
  const macros = readFileSync('sql/schema/0008_macros.sql', 'utf8');
  for (const name of ['failure_code', 'failure_key', 'failure_cause']) {
    const [statement] = new RegExp(`create macro marts\\.${name}\\([^]*?;\n`).exec(macros) ?? [];
    await connection.run(statement ?? `the macro ${name} is missing`);
  }
});

afterAll(() => {
  instance.closeSync();
});

const of = async (macro: string, reason: string): Promise<unknown> => {
  const reader = await connection.runAndReadAll(`select marts.${macro}($1)`, [reason]);
  return reader.getRows()[0]?.[0];
};

test.each([
  [
    '5.1.1',
    '550 5.1.1 <kim@example.com>: Recipient address rejected: User unknown (in reply to RCPT TO command)',
    '550-5.1.1 The email account that you tried to reach does not exist. 7si12345abc.1 - gsmtp',
    '5.1.1',
  ],
  ['3018', '3018', 'blocked (3018)', '[3018] blocked', '3018: blocked', 'code=3018', '오류코드 3018 차단'],
  ['E104', 'E104', 'e104: refused', '[E-104] refused', 'refused (e_104)'],
  [
    'host said no',
    'host mx1.example.com said no',
    'host mx22.other.example said no',
    'Host 10.0.0.1 said: no',
  ],
  ['user not here', 'User "kim" not here', 'user <lee@example.com> not here'],
])('%s is the key of all its spellings', async (key, ...reasons) => {
  for (const reason of reasons) expect([reason, await of('failure_key', reason)]).toEqual([reason, key]);
});

test('other words are other reasons', async () => {
  const keys = [
    'NotRegistered',
    '수신 거부',
    '수신거부 번호',
    'blocked',
    'blocked by user',
    '4420',
    '5.2.2',
    'E105',
  ];
  const found = await Promise.all(keys.map(async (reason) => of('failure_key', reason)));
  expect(new Set(found).size).toBe(keys.length);
});

test.each([
  [
    'unknown recipient',
    'NotRegistered',
    'InvalidRegistration',
    '550 5.1.1 User unknown',
    '결번입니다',
    '푸시 토큰이 만료되었습니다',
  ],
  ['full', '552 5.2.2 mailbox full', '단말기 메모리 가득 참'],
  ['refused', 'blocked by user', '554 5.7.1 spam', '수신거부 번호', '스팸 차단'],
  ['template or text', 'template mismatch', '템플릿 불일치'],
  ['limit', 'rate limit exceeded', '일일 한도 초과'],
  ['temporary', '421 4.4.2 connection dropped', 'timed out', '단말기 전원 꺼짐'],
  ['no known word', '3018', 'MysteryError', '기타'],
])('%s is the cause', async (cause, ...reasons) => {
  for (const reason of reasons)
    expect([reason, (await of('failure_cause', reason)) ?? 'no known word']).toEqual([reason, cause]);
});
