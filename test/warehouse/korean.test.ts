/** Under --lang ko the words in answers are Korean, too: findings, meanings, kinds, trends, kinds of days. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Dictionary } from '../../src/warehouse/dictionary.js';
import { PACKAGE_ROOT } from '../../src/ground/effects.js';
import { fieldsOf } from '../../src/warehouse/session.js';

const dictionary = Dictionary.load();
const folder = join(PACKAGE_ROOT, 'sql', 'checks');
const checks = readdirSync(folder).map((file) => ({ file, sql: readFileSync(join(folder, file), 'utf8') }));
const HANGUL = /[가-힣]/;

test('the meaning of every check has a Korean sentence', () => {
  for (const { file, sql } of checks) {
    const { meaning = '' } = fieldsOf(sql);
    expect(dictionary.inKorean('meaning', meaning), file).toMatch(HANGUL);
  }
});

test('every whole sentence that a check finds has a Korean one', () => {
  const found = checks.flatMap(({ sql }) =>
    [...sql.matchAll(/'([A-Z][^']* [^']*\.)'/g)].map(([, said]) => said ?? ''),
  );
  expect(found.length).toBeGreaterThan(30);
  for (const said of found) expect(dictionary.inKorean('finding', said), said).toMatch(HANGUL);
});

test('what differs in a sentence stays as it is, in the place that Korean has for it', () => {
  expect(dictionary.inKorean('finding', 'Days are missing, the last of them is 2026-11-20.')).toBe(
    '빠진 날짜가 있으며 마지막은 2026-11-20입니다.',
  );
  expect(
    dictionary.inKorean(
      'finding',
      'Far fewer messages than usual: 812 is the median of the same weekday of 8 weeks, give or take 31.',
    ),
  ).toBe('평소보다 메시지가 훨씬 적습니다. 지난 8주 같은 요일의 중앙값은 812, 편차는 31입니다.');
  expect(dictionary.inKorean('finding', 'A sentence that nobody knows.')).toBe(
    'A sentence that nobody knows.',
  );
});

test('kinds and trends are words, and what is none of them stays', () => {
  const words = (column: string, values: readonly string[]) =>
    values.map((value) => dictionary.inKorean(column, value));
  expect(words('kind', ['best', 'worst', 'falling'])).toEqual([
    '다른 캠페인보다 높음',
    '다른 캠페인보다 낮음',
    '하락',
  ]);
  expect(words('trend', ['rising', 'quiet', 'of tomorrow'])).toEqual([
    '▲ 증가',
    '– 최근 없음',
    'of tomorrow',
  ]);
  expect(words('campaign_name', ['best'])).toEqual(['best']);
});

test.each([
  ['channel_or_campaign', 'push-notification', '푸시'],
  ['channels', 'chatapp-alimtalk, email', '알림톡, 이메일'],
  ['verdict_code', 'too_early', '판정 보류(데이터 부족)'],
  ['resource_type', 'user-journey', '유저 여정'],
  ['content_kind', 'title', '제목'],
  ['channel_sub', 'COMMERCE', '커머스형'],
  ['metric_name', 'push_click', '푸시 클릭'],
  ['holdout_arm', 'messages', '발송 그룹'],
  ['counter', 'conversion:total_count_conversion:구매 완료', '전환 ‘구매 완료’'],
  ['stream', 'own_orders', '우리 데이터: orders'],
  ['failure_reason', '3018', '코드 3018'],
  [
    'failure_reason',
    'NoMatchedTemplateException · 템플릿과 일치하지 않음',
    'NoMatchedTemplateException(템플릿 불일치) · 템플릿과 일치하지 않음',
  ],
  ['days_without_events', '2026-11-02..2026-11-22', '2026-11-02~2026-11-22'],
  ['resource_name', 'email', 'email'],
])('in %s, %s is called %s', (column, code, korean) => {
  expect(dictionary.inKorean(column, code)).toBe(korean);
});

test('each check has a Korean name', () => {
  for (const { file } of checks)
    expect(dictionary.inKorean('name', file.replace('.sql', '')), file).toMatch(HANGUL);
});

test('the heads say what they mean', () => {
  expect(dictionary.label('name', 'checks')).toBe('검사');
  expect(dictionary.label('content', 'contents')).toBe('콘텐츠');
  expect(dictionary.label('content')).toBe('본문');
  expect(dictionary.label('people_reached')).toBe('수신자 수');
  expect(dictionary.label('days_over_budget')).toBe('예산을 넘는 날짜 수');
  expect(dictionary.label('at_least')).toBe('차이 하한(95%)');
  expect(dictionary.label('lift')).toBe('기준 대비 증감률');
});
