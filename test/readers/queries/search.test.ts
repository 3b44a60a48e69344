/** The search for questions, in the words of those who ask. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { loadCatalogue, searchQuestions } from '../../../src/readers/queries/catalogue.js';
import { findWords } from '../../../src/readers/queries/search.js';
import { Dictionary } from '../../../src/warehouse/dictionary.js';

const found = (search: string): string[] =>
  searchQuestions(loadCatalogue(), search, 'en').questions.map(({ name }) => name);

const limitAbout = (search: string, language: 'en' | 'ko'): string | undefined =>
  searchQuestions(loadCatalogue(), search, language).limit;

test.each([
  ['어제 채널별 매출', 'revenue by channel yesterday', 'revenue-by-channel'],
  ['7일간 매출 1위 캠페인', 'top campaign by revenue last 7 days', 'revenue'],
  ['지난 7일 매출 가장 큰 캠페인', 'campaign with the highest revenue in the last week', 'revenue'],
  ['실패 원인', 'failure causes', 'failure-reasons'],
  ['A/B 테스트 승자', 'A/B test winner', 'ab-tests'],
  ['구독 취소', 'unsubscribe', 'opt-outs-after-messages'],
  ['구독취소', 'why did opt-outs rise', 'opt-outs-after-messages'],
  ['푸시 실패', 'failed push', 'failure-reasons'],
  ['ROAS', 'return on ad spend', 'revenue-by-channel'],
  ['푸시', 'push notifications', 'channel-summary'],
  ['메시지 문구', 'message text', 'contents'],
  ['클릭 안 한 사람', 'non-clickers', 'sunset'],
  ['오픈율', 'open rate', 'event-rates'],
  ['개봉률', 'opens', 'event-rates'],
  ['재구매율', 'repurchase rate', 'repeat-buyers'],
  ['CTR', 'click-through rate', 'campaign-performance'],
  ['리텐션', 'retention', 'cohorts'],
  ['이탈 고객', 'churn', 'win-back'],
  ['성과 1위 캠페인', 'best campaign', 'campaign-performance'],
  ['문구', 'copy', 'contents'],
  ['수신거부', 'opt-outs', 'opt-outs'],
  ['매출', 'revenue', 'revenue'],
  ['홀드아웃 효과', 'incremental lift', 'uplift'],
  ['전환율', 'conversion rate', 'conversions'],
  ['도달률', 'delivery rate', 'channel-summary'],
  ['이번 주 지난주 비교', 'this week vs last week', 'period-comparison'],
  ['한 번도 클릭 안 한 사람', 'people who never clicked', 'sunset'],
  ['월간 보고', 'monthly report', 'month'],
  ['신규 고객', 'new customers', 'new-and-returning'],
  ['누락된 날짜', 'is the data complete', 'missing-days'],
  ['객단가', 'average order value', 'revenue'],
  ['기여도', 'last click attribution', 'attribution'],
  ['대체 발송', 'fallback text messages', 'failovers'],
  ['홀드아웃 명단', 'holdout list', 'holdout-members'],
  ['많이 구매한 고객', 'top spenders', 'revenue-by-person'],
  ['핵심 지표', 'KPI', 'key-figures'],
  ['요일별 클릭률', 'best day of the week', 'send-heatmap'],
  ['지난주 이메일 매출', 'how much revenue did we make from email last week', 'revenue-by-channel'],
  ['가장 많이 판 캠페인 매출', 'which campaigns sold the most last month', 'revenue'],
  ['두 번 받은 사람', 'who got the same message twice', 'duplicates'],
  ['한 사람의 이력', 'everything we sent to one customer', 'timeline'],
  ['푸시 클릭률이 왜 떨어졌나', 'click rate fell', 'campaigns-to-watch'],
  ['캠페인별 전환율', 'conversion rate per goal', 'conversions'],
  ['이메일 오픈율', 'open rate of emails', 'event-rates'],
  ['데이터가 빠진 날', 'is anything missing or late', 'missing-days'],
])('%s, or in English %s, finds %s first', (korean, english, first) => {
  expect({ korean: found(korean)[0], english: found(english)[0] }).toEqual({ korean: first, english: first });
});

test('what has all words is found alone; else what has most of them, with the words that it lacks', () => {
  const names = ['재구매 유도', '구독 취소 방지', '신규 회원'];
  const about = (search: string) => findWords(names, search, (name) => [name]);
  expect(about('재구매율')).toEqual({ items: ['재구매 유도'], missing: [] });
  expect(about('구독취소')).toEqual({ items: ['구독 취소 방지'], missing: [] });
  expect(about('신규 쿠폰')).toEqual({ items: ['신규 회원'], missing: ['쿠폰'] });
  expect(about('쿠폰')).toEqual({ items: [], missing: [] });
});

test('each row of docs/limits.md is found by its usual words, in both languages', () => {
  const limits = Dictionary.load().of('limits');
  const rows = [...readFileSync('docs/limits.md', 'utf8').matchAll(/^\| ([A-Z]|iOS).*?(?= *\|)/gm)];
  expect(rows.map(([row]) => row.slice(2))).toEqual(limits.map(({ question }) => question));
  const missed: string[] = [];
  for (const { words, en, ko } of limits) {
    const phrases = words.split(', ');
    missed.push(...phrases.filter((phrase) => limitAbout(phrase, 'en') !== en));
    expect(phrases.some((phrase) => /[가-힣]/.test(phrase) && limitAbout(phrase, 'ko') === ko)).toBe(true);
  }
  expect(missed).toEqual([]);
});

test.each([
  ['reachable people', '수신가능 고객', 'How many people can we reach?'],
  ['which mail domain bounces', '메일 도메인별 반송률', 'Which mail domain fails?'],
  ['spam complaints', '스팸 신고', 'Who marked a message as spam?'],
  ['refunds', '환불', 'What was refunded?'],
  ['opens of machines or bot-opens', '자동 오픈', 'Which opens came from machines?'],
  ['entered a journey and received nothing', '진입 후 미수신', 'Who was in the audience and got nothing?'],
])('%s and %s find a limit', (english, korean, question) => {
  const limit = Dictionary.load()
    .of('limits')
    .find((one) => one.question === question)!;
  expect([limitAbout(english, 'en'), limitAbout(korean, 'ko')]).toEqual([limit.en, limit.ko]);
});

test.each([
  'open rate',
  '클릭률',
  'revenue',
  'age_days',
  'opt-outs',
  '수신거부',
  'image',
  'most clicks',
  'bounce rate',
  '반송률',
])('%s is no limit', (search) => {
  expect(limitAbout(search, 'en')).toBeUndefined();
});

test('signs and ignored words alone match everything, and no limit; spellings of one word are one word', () => {
  const catalogue = loadCatalogue();
  for (const search of ['(((', '-', 'how', 'the of and'])
    expect(searchQuestions(catalogue, search, 'en')).toEqual({
      questions: catalogue,
      limit: undefined,
      missing: [],
    });
  expect(found('ＲＥＶＥＮＵＥ')).toEqual(found('revenue'));
  expect(found('A/B test')).toEqual(found('AB test'));
  expect(searchQuestions(catalogue, 'opt out', 'en').missing).toEqual([]);
  expect(searchQuestions(catalogue, '__proto__ constructor', 'en').questions).toEqual([]);
});

test('the words that the first result lacks are named if they are many', () => {
  const missing = (search: string): readonly string[] =>
    searchQuestions(loadCatalogue(), search, 'en').missing;
  expect(missing('revenue of unicorns')).toEqual(['unicorns']);
  expect(missing('how do push, email, SMS and WhatsApp compare on click rate?')).toEqual([]);
});

test('a limit is shown with the questions that answer in part', () => {
  const { questions, limit } = searchQuestions(loadCatalogue(), 'bounce rate of gmail', 'en');
  expect(questions[0]?.name).toBe('failure-reasons');
  expect(limit).toMatch(/mail domains cannot be told apart/);
  expect(limitAbout('hard bounces', 'en')).toBeUndefined();
});
