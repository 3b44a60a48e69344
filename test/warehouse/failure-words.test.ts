/** Reasons for failed sends: which have one key, and which cause their words name. */
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
  for (const name of ['failure_code', 'failure_words', 'failure_key', 'failure_cause']) {
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

const reasonsIn = (lines: readonly string[]): string[] => lines.flatMap((line) => line.split(' | '));

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
  const keys = reasonsIn([
    'NotRegistered | 수신 거부 | 수신거부 번호 | blocked | blocked by user | 4420 | 5.2.2 | E105',
    '550: User unknown | 550: Message rejected | 400: BadDeviceToken | HTTP 500 | HTTP 429',
    '{"error":"NotRegistered"} | {"error":"InvalidRegistration"}',
    '{"code":3016,"message":"NoMatchedTemplate"} | "MismatchSenderId" | java.lang.NullPointerException',
    'java.net.UnknownHostException: host1 | ERR_TEMPLATE_1 | ERR_TEMPLATE_2 | 1 | code 7 | iOS 5.1.1',
  ]);
  const found = await Promise.all(keys.map(async (reason) => of('failure_key', reason)));
  expect(new Set(found).size).toBe(keys.length);
});

test.each([
  [
    'unknown recipient',
    'NotRegistered | InvalidRegistration | 550 5.1.1 User unknown | 결번입니다 | 푸시 토큰이 만료되었습니다',
    'BadDeviceToken | messaging/registration-token-not-registered | Requested entity was not found.',
    '550 5.5.0 Requested action not taken: mailbox unavailable (S2017062302). | [4410] 잘못된 번호',
    '착신가입자 없음(미등록) | 410 Gone | push subscription has expired | 수신자가 채팅앱 사용자가 아님',
  ],
  ['sender or rights', 'InvalidProviderToken', 'SENDER_ID_MISMATCH', '발신번호 오류', '인증서 만료'],
  ['no room left', '552 5.2.2 mailbox full', '단말기 메모리 가득 참', '[4402] 단말기 메시지 저장 초과'],
  [
    'refused, blocked',
    'blocked by user',
    '554 5.7.1 spam',
    '수신거부 번호',
    '스팸 차단',
    '마케팅 수신 동의 없음',
  ],
  ['not shown', '팝업이 차단됨', 'popup blocked', 'SDK_VERSION_NOT_SUPPORTED', '이미지를 불러오지 못함'],
  ['template or text', 'template mismatch', '템플릿 불일치', 'PayloadTooLarge', '메시지 길이 초과'],
  ['limit reached', 'rate limit exceeded', '일일 한도 초과', 'TooManyRequests', '야간 발송 제한'],
  [
    'temporary',
    '421 4.4.2 connection dropped | timed out | timeout of 5000ms exceeded | 이동통신사 응답 시간 초과 (3018)',
    '단말기 전원 꺼짐 | InternalServerError | 단말기 busy',
  ],
  ['no known word', '3018', 'MysteryError', '기타', 'iOS 5.1.1'],
])('%s is the cause', async (cause, ...reasons) => {
  for (const reason of reasonsIn(reasons))
    expect([reason, (await of('failure_cause', reason)) ?? 'no known word']).toEqual([reason, cause]);
});
