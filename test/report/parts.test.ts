/** What parts of the report say of answers that a quiet world does not give. */
import { parseHTML } from 'linkedom';
import { describe, expect, test } from 'vitest';
import { Page } from '../../src/report/page.js';
import { failures } from '../../src/report/parts/failures.js';
import { findings } from '../../src/report/parts/findings.js';
import { reference } from '../../src/report/parts/reference.js';
import { spend } from '../../src/report/parts/spend.js';
import { tests } from '../../src/report/parts/tests.js';
import type { ReadyPart, Shown } from '../../src/report/part.js';
import type { Language } from '../../src/dictionary/dictionary.js';

function shown(part: ReadyPart, answers: readonly unknown[], language: Language = 'en'): Shown {
  const found = part.show(answers, new Page(language, '2026-11-20', '2026-11-20'));
  if (found === undefined) throw new Error('nothing is shown');
  return found;
}

const textOf = ({ body }: Shown): string =>
  parseHTML(`<main>${body.markup}</main>`).document.querySelector('main')?.textContent ?? '';

describe('failed sends', () => {
  const reason = (given: object) => ({
    channel: 'text-message',
    failure_reason: 'blocked',
    event_name: 'send_fail',
    failures: 10,
    failure_rate: 0.1,
    change: 0.5,
    trend: 'steady',
    ...given,
  });
  const alarm = {
    channel: 'email',
    failure_rate: 0.2,
    usual_high: 0.05,
    is_alarm: true,
    date: '2026-11-20',
  };

  test('name the channels that fail more than usual, and the reasons that rise, three at most', () => {
    const rising = ['a', 'b', 'c', 'd'].map((name) => reason({ failure_reason: name, trend: 'rising' }));
    const answers = [rising, [alarm, { ...alarm, channel: 'push', is_alarm: false }]];
    expect(shown(failures, answers).sentence).toBe(
      'On 2026-11-20, email failed more than usual: 20.0\u00a0%, usually at most 5.0\u00a0%. ' +
        'Rising this week: a (text-message), b (text-message), c (text-message).',
    );
    expect(shown(failures, answers, 'ko').sentence).toBe(
      '2026-11-20 email 채널의 실패율이 평소보다 높습니다: 20.0\u00a0%, 평소 최대 5.0\u00a0%. ' +
        '이번 주에 늘어난 사유: a (text-message), b (text-message), c (text-message).',
    );
  });

  test('have a word for each trend, and keep a trend that this version does not know', () => {
    const trends = ['rising', 'falling', 'unclear', 'quiet', 'new', 'gone', 'upside_down', null];
    const found = trends.map((trend, n) => reason({ failure_reason: `r${n}`, trend }));
    const text = textOf(shown(failures, [found, []]));
    for (const word of ['▲ rising', '▼ falling', '? unclear', '– quiet', '✱ new', '∅ gone', 'upside_down'])
      expect(text).toContain(word);
    const said = 'Trends need the events of two whole weeks; where they are not held, no trend is shown.';
    expect(shown(failures, [found, []]).sentence).toContain(said);
    expect(shown(failures, [found.slice(0, 7), []]).sentence).not.toContain('Trends need');
    // Where no reason has a trend, there is no column of them, and nothing is said to be rising or not.
    const young = shown(failures, [[reason({ trend: null, change: null })], []]);
    expect(textOf(young)).not.toContain('Trend');
    expect(young.sentence).toBe(said);
    const many = Array.from({ length: 17 }, (_, n) => reason({ failure_reason: `r${n}` }));
    expect(shown(failures, [many, []]).sentence).toBe(
      'No reason is clearly rising this week. The 15 most frequent of 17 reasons are shown.',
    );
  });
});

test('a channel that fails more than usual is to be looked at, another is not', () => {
  const reason = {
    ...{ channel: 'email', failure_reason: 'x', event_name: 'send_failure', failures: 1 },
    ...{ failure_rate: 0.1, change: null, trend: 'steady' },
  };
  const alarm = {
    ...{ channel: 'email', failure_rate: 0.2, usual_high: 0.05, date: '2026-11-20' },
    is_alarm: true,
  };
  expect(shown(failures, [[reason], [alarm]]).toDo).toMatchObject([
    {
      urgency: 'failing_channel',
      reason:
        'More messages of email failed on 2026-11-20 than usual: 20.0\u00a0%, usually at most 5.0\u00a0%.',
    },
  ]);
  for (const is_alarm of [false, null]) {
    const quiet = shown(failures, [[reason], [{ ...alarm, is_alarm }]]);
    expect(quiet.toDo).toEqual([]);
    expect(quiet.sentence).not.toContain('more than usual');
  }
});

describe('A/B tests', () => {
  const arm = (given: object) => ({
    campaign_name: '할인',
    channel: 'push-notification',
    metric: 'click_rate',
    variant_name: 'B',
    size: 100,
    rate: 0.1,
    difference: 0.02,
    difference_low: 0.01,
    difference_high: 0.03,
    verdict_code: 'better',
    verdict: 'better than A',
    unit: 'people',
    days: 7,
    ...given,
  });

  test('name three decisions at most, and the campaigns that nobody should trust', () => {
    const arms = [
      arm({}),
      arm({ variant_name: 'C', verdict_code: 'worse' }),
      arm({ variant_name: 'D' }),
      arm({ variant_name: 'E' }),
      arm({ campaign_name: '둘', verdict_code: 'unequal_groups' }),
    ];
    expect(shown(tests, [arms]).sentence).toBe(
      'Decided in 4 of 5 comparisons with a baseline: B of “할인” is better, C of “할인” is worse, ' +
        'D of “할인” is better, …. Do not trust 1 of the campaigns: their people are split unequally.',
    );
    expect(shown(tests, [arms], 'ko').sentence).toContain('‘할인’의 B 우세, ‘할인’의 C 열세');
    // What is better is to be decided on, what is worse is not.
    expect(shown(tests, [arms]).toDo?.map(({ reason }) => reason)).toEqual(
      ['B', 'D', 'E'].map(
        (name) => `The A/B test of “할인” is decided for ${name} (click_rate). better than A`,
      ),
    );
  });

  test('have no winner where none is decided, and count what is left out', () => {
    const open = arm({ verdict_code: 'inconclusive' });
    const { sentence, toDo } = shown(tests, [[open, arm({ verdict_code: 'baseline' })]]);
    expect(sentence).toBe('None of 1 comparisons with a baseline has a winner yet.');
    expect(toDo).toEqual([]);
    expect(shown(tests, [[open]], 'ko').sentence).toContain('아직 우열이 가려진 것은 없습니다');
    const many = shown(tests, [Array.from({ length: 25 }, () => open)]).sentence;
    expect(many).toContain('The first 24 are shown');
    expect(many).not.toContain('Do not trust');
  });
});

describe('the spend on exports', () => {
  const budget = (given: object) => ({
    month: '2026-11',
    records_used: 139_180,
    records_per_month: 1_000_000,
    forecast_records: 256_435,
    forecast_cost: 25_643.5,
    cost_used: 13_918,
    tonight_records: 21_000,
    is_enough: true,
    days_over_budget: 0,
    currency: 'KRW',
    ...given,
  });
  const month = { month: '2026-11', exports: 7, ambiguous_exports: 0, records: 139_180, cost: 13_918.5 };

  test('adds what is coming to what is used once', () => {
    const english = shown(spend, [[{ ...month, currency: 'KRW' }], [budget({})]]);
    expect(english.sentence).toBe(
      'In 2026-11, 139,180 of 1,000,000 records are used, for 13,918\u00a0KRW. The runs until the end of the month ' +
        'will request about 117,255 more, 256,435 in all (25,643.5\u00a0KRW). The budget lasts.',
    );
    expect(english.body.markup).toContain('139,180 records used, 256,435 by the end of the month');
    expect(textOf(english)).toContain('13,918.5\u00a0KRW');
    expect(shown(spend, [[month], [budget({})]], 'ko').sentence).toBe(
      '2026-11에 1,000,000건 중 139,180건을 사용했습니다(13,918\u00a0KRW). 이달 말까지 약 117,255건을 더 요청해 ' +
        '모두 256,435건(25,643.5\u00a0KRW)이 될 것으로 예상합니다. 예산은 충분합니다.',
    );
  });

  test('names the days that do not fit, and says what is not known', () => {
    const short = shown(spend, [[month], [budget({ is_enough: false, days_over_budget: 7 })]]);
    expect(short.sentence).toContain('The budget does not last: 7 days do not fit');
    expect(short.toDo).toMatchObject([{ urgency: 'budget', command: 'dawnload plan' }]);
    expect(shown(spend, [[month], [budget({})]]).toDo).toEqual([]);
    // Without a price nothing is said of one, and without a budget nothing of whether it lasts.
    const free = shown(spend, [[month], [budget({ cost_used: 0, forecast_cost: 0 })]]).sentence;
    expect(free).toContain('records are used. The runs');
    expect(free).toContain('256,435 in all. The budget lasts.');
    expect(shown(spend, [[month], []]).sentence).toBe(
      'No budget is set for a month, so the report cannot say whether it lasts.',
    );
    const early = budget({ forecast_records: null, forecast_cost: null, is_enough: null });
    const { sentence } = shown(spend, [[month], [early]]);
    expect(sentence).toContain('is not known yet');
    expect(sentence).not.toMatch(/budget (lasts|does not last)/);
  });
});

describe('templates and opt-outs', () => {
  const snapshot = (given: object) => ({
    stream: 'opt_outs',
    last_date: '2026-11-21',
    days_behind_newest: 0,
    last_pulled_at_kst: '2026-11-21 07:30:00',
    rows: 12,
    ...given,
  });
  const template = (given: object) => ({
    template_kind: 'brand',
    template: 'welcome',
    template_name: null,
    status: 'approved',
    template_known: 'then',
    text: '환영합니다',
    sent: 1000,
    failure_rate: 0.01,
    click_rate: 0.05,
    click_rate_low: 0.04,
    click_rate_high: 0.06,
    ...given,
  });
  const sender = (given: object) => ({
    item: '가을 할인',
    channel: 'text-message',
    messages: 1000,
    opted_out: 9,
    per_thousand: 9,
    per_thousand_low: 5,
    per_thousand_high: 14,
    per_thousand_of_others: 2,
    verdict_code: 'more',
    verdict: 'more than chance explains',
    first_date: '2026-11-01',
    last_date: '2026-11-14',
    ...given,
  });
  const refused = (name: string) => ({ template: name, state: 'refused', template_known: 'then' });

  test('are left out where no list is held', () => {
    const page = new Page('en', '2026-11-20', '2026-11-20');
    const statistics = snapshot({ stream: 'statistics' });
    expect(reference.show([[statistics], [template({})], [], []], page)).toBeUndefined();
  });

  test('tell of lists that are behind, of refused templates that are sent, and of campaigns that lose people', () => {
    const answers = [
      [snapshot({}), snapshot({ stream: 'brand_templates', last_date: '2026-11-19', days_behind_newest: 2 })],
      [template({}), template({ template_kind: 'alimtalk', template: 'A1', template_name: '주문 안내' })],
      [sender({}), sender({ item: '두 번째', verdict_code: 'inconclusive', messages: null })],
      ['a', 'b', 'b', 'c', 'd'].map(refused),
    ];
    const english = shown(reference, answers);
    expect(english.sentence).toBe(
      'Not read on the last night; their last snapshots: Brand message templates 2026-11-19. ' +
        'Refused or suspended, and sent all the same: a, b, c, …. ' +
        'Of the messages of 2026-11-01 – 2026-11-14, more opt-outs follow within 72 hours than chance explains: “가을 할인”.',
    );
    expect(english.toDo).toMatchObject([
      { urgency: 'refused_template', reason: 'Refused or suspended, and sent all the same: a, b, c, ….' },
      {
        urgency: 'opt_outs',
        reason:
          '“가을 할인” is followed by more opt-outs than others of its channel: 9 of a thousand instead of 2.',
      },
    ]);
    const text = textOf(english);
    for (const cell of [
      'welcome',
      'brand · approved',
      '주문 안내',
      'alimtalk · approved',
      '환영합니다',
      '4.0\u00a0% … 6.0\u00a0%',
    ])
      expect(text).toContain(cell);
    expect(shown(reference, answers, 'ko').sentence).toBe(
      '마지막 밤에 읽지 못한 목록과 그 마지막 스냅샷: 브랜드 메시지 템플릿 2026-11-19. ' +
        '반려·중단되었는데도 발송된 템플릿: a, b, c, …. ' +
        '2026-11-01 – 2026-11-14 발송분에서 72시간 내 수신거부가 우연으로 보기 어려울 만큼 많은 캠페인: ‘가을 할인’.',
    );
  });

  test('say so where all is well, where opt-outs are not known, and shorten a long text', () => {
    const long = template({ text: '가'.repeat(80), template_known: 'then' });
    const well = [[snapshot({})], [long], [sender({ verdict_code: 'none' })], []];
    const { sentence, body, toDo } = shown(reference, well);
    expect(toDo).toEqual([]);
    expect(sentence).toBe(
      'Every list was read on the last night, 2026-11-21. ' +
        'Of the messages of 2026-11-01 – 2026-11-14, no campaign brings more opt-outs within 72 hours than chance explains.',
    );
    expect(body.markup).toContain(`${'가'.repeat(60)}…`);
    const unknown = sender({ verdict_code: 'unknown', verdict: 'Opt-outs are not known.', messages: null });
    expect(shown(reference, [[snapshot({})], [], [unknown], []]).sentence).toContain(
      'Opt-outs are not known.',
    );
  });
});

describe('data tests', () => {
  const finding = (name: string, severity: string, of: number, n: number): object => ({
    severity,
    name,
    date: '2026-11-20',
    subject: `subject-${n}`,
    finding: 'The numbers differ.',
    expected: '1',
    actual: '2',
    meaning: `What ${name} means.`,
    findings_of_check: of,
  });

  test('count all findings of each test, of which few are given, and show the first fifty', () => {
    const many = Array.from({ length: 50 }, (_, n) => finding('many', 'warn', 8148, n));
    const shownPart = shown(findings, [[finding('one', 'stop', 1, 99), ...many]]);
    expect(shownPart.sentence).toBe('Findings: 8,149, from 2 tests. 1 of them would mislead readers.');
    expect(shownPart.toDo).toMatchObject([
      { urgency: 'wrong_numbers', command: 'dawnload query checks --param severity=stop' },
    ]);
    const harmless = shown(findings, [[finding('one', 'warn', 3, 1)]]);
    expect(harmless.sentence).toBe('Findings: 3, from one test. None of them would mislead readers.');
    expect(harmless.toDo).toEqual([]);
    const text = textOf(shownPart);
    expect(text).toContain('8,148');
    expect(text).toContain('The first 50 findings');
    expect(text.match(/subject-/g)).toHaveLength(50);
  });

  test('say that there is none', () => {
    expect(findings.show([[]], new Page('en', '2026-11-20', '2026-11-20'))).toBeUndefined();
  });
});
