/** What is to do, parts that a quiet world does not show, the notice, and a warehouse that holds nothing. */
import { join } from 'node:path';
import { parseHTML } from 'linkedom';
import { describe, expect, test } from 'vitest';
import type { Language } from '../../src/dictionary/dictionary.js';
import { documentOf, type DrawnPart } from '../../src/report/document.js';
import { html, Page } from '../../src/report/page.js';
import type { ToDo } from '../../src/report/part.js';
import { PARTS, makeReport, noticeOf } from '../../src/report/report.js';
import { failures } from '../../src/report/parts/failures.js';
import { findings } from '../../src/report/parts/findings.js';
import { reference } from '../../src/report/parts/reference.js';
import { spend } from '../../src/report/parts/spend.js';
import { tests } from '../../src/report/parts/tests.js';
import { table } from '../../src/report/table.js';
import type { PastRun } from '../../src/journal/runs.js';
import { NOW } from '../support/dawnload.js';
import { copyTemplate } from '../support/template.js';
import { temporaryFolder } from '../warehouse/support.js';
import { DAY, shown, textOf } from './shown.js';

describe('what to do', () => {
  const toDo = (urgency: ToDo['urgency'], reason: string): ToDo => ({
    urgency,
    reason,
    command: 'dawnload plan',
  });
  const page = (all: readonly ToDo[], language: Language = 'en'): Document => {
    const part: DrawnPart = {
      id: 'part',
      title: { en: 'Part', ko: '항목' },
      queries: [],
      shown: { sentence: 'A sentence.', body: html`<p></p>` },
    };
    const text = documentOf(new Page(language, DAY, DAY), [part], {
      madeAt: 'now',
      notice: undefined,
      toDo: all,
    });
    return parseHTML(text).document;
  };

  test('is at the top: three at most, the most urgent first, each with its command', () => {
    const document = page([
      toDo('campaign', 'fourth'),
      toDo('budget', 'third'),
      toDo('run', 'first'),
      toDo('opt_outs', 'second'),
    ]);
    const said = [...document.querySelectorAll('.to-do li')].map(({ textContent }) => textContent);
    expect(said).toEqual(['first dawnload plan', 'second dawnload plan', 'third dawnload plan']);
    expect(document.querySelector('.to-do')?.textContent).toContain('1 more');
    expect(document.querySelector('header .to-do')).not.toBeNull();
  });

  test('or nothing, and then nothing else is said', () => {
    const text = page([]).querySelector('.to-do')?.textContent;
    expect(text).toContain('Nothing to do.');
    expect(text).not.toContain('more:');
    expect(page([toDo('run', 'x')]).querySelector('.to-do')?.textContent).not.toContain('Nothing to do');
  });
});

test('a sentence that several rows share is said once, below the table; others stand below their row', () => {
  const rows = [
    { name: 'a', verdict: 'No verdict.' },
    { name: 'b', verdict: 'No verdict.' },
    { name: 'c', verdict: 'Better.' },
  ];
  const { document } = parseHTML(
    `<main>${
      table(
        'Tests',
        [
          { head: 'name', cell: ({ name }: (typeof rows)[number]) => name },
          { head: 'verdict', cell: ({ verdict }) => verdict, kind: 'sentence' },
        ],
        rows,
      ).markup
    }</main>`,
  );
  expect(document.querySelector('main')?.textContent.match(/No verdict\./g)).toHaveLength(1);
  expect(document.querySelector('.note')?.textContent).toContain('No verdict.');
  expect([...document.querySelectorAll('sup')].map(({ textContent }) => textContent)).toEqual([
    '1',
    '1',
    '1',
  ]);
  expect(document.querySelector('tr.below')?.textContent).toContain('Better.');
});

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
    expect(shown(failures, answers).toDo).toMatchObject([
      {
        urgency: 'failing_channel',
        reason:
          'More messages of email failed on 2026-11-20 than usual: 20.0\u00a0%, usually at most 5.0\u00a0%.',
      },
    ]);
    const quiet = shown(failures, [rising, [{ ...alarm, is_alarm: null }]]);
    expect(quiet.toDo).toEqual([]);
    expect(quiet.sentence).not.toContain('more than usual');
    expect(shown(failures, answers, {}, 'ko').sentence).toBe(
      '2026-11-20 email 채널의 실패율이 평소보다 높습니다: 20.0\u00a0%, 평소 최대 5.0\u00a0%. ' +
        '이번 주에 늘어난 사유: a (text-message), b (text-message), c (text-message).',
    );
  });
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
    // What is better is to be decided on, what is worse is not.
    expect(shown(tests, [arms]).toDo?.map(({ reason }) => reason)).toEqual(
      ['B', 'D', 'E'].map(
        (name) => `The A/B test of “할인” is decided for ${name} (click_rate). better than A`,
      ),
    );
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
    expect(textOf(english.body)).toContain('13,918.5\u00a0KRW');
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
    expect(textOf(english.body)).toContain('4.0\u00a0% … 6.0\u00a0%');
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
    const text = textOf(shownPart.body);
    expect(text).toContain('8,148');
    expect(text).toContain('The first 50 findings');
    expect(text.match(/subject-/g)).toHaveLength(50);
  });
});

function run(runId: string, outcome: string, summary: Record<string, unknown> = {}): PastRun {
  return {
    begun: {
      runId,
      command: 'run',
      startedAt: new Date('2026-11-20T22:10:00Z'),
      version: '0.1.0',
      processId: 1,
    },
    over: { runId, finishedAt: new Date('2026-11-20T22:12:00Z'), exitCode: 0, outcome, summary },
  };
}

describe('a notice', () => {
  test('is not there when the last run brought all that it should', () => {
    expect(noticeOf([], new Set())).toBeUndefined();
    expect(noticeOf([run('a', 'failed'), run('b', 'done')], new Set(['a', 'b']))).toBeUndefined();
  });

  test('says why the last run failed', () => {
    const notice = noticeOf([run('a', 'failed', { failure: 'The keys were refused.' })], new Set(['a']));
    expect(notice?.en).toBe(
      'The last run (dawnload run, 2026-11-21 07:12 KST) failed: The keys were refused. The report shows what was loaded before.',
    );
    expect(notice?.ko).toContain('실패했습니다: The keys were refused.');
  });

  test('says that the last run is incomplete', () => {
    expect(noticeOf([run('a', 'incomplete')], new Set(['a']))?.en).toContain('is incomplete.');
  });
});

test.each(['en', 'ko'] as const)('in %s every part says what would fill it', async (language) => {
  const empty = join(temporaryFolder(), 'empty.duckdb');
  copyTemplate(empty);
  const { document } = parseHTML(await makeReport(empty, { language, now: new Date(NOW), runs: [] }));
  for (const part of PARTS) {
    if (part.empty === undefined) {
      expect(document.querySelector(`#${part.id}`)).toBeNull();
      continue;
    }
    const sentence = document.querySelector(`#${part.id} .sentence`)?.textContent;
    expect(sentence, part.id).toBe(part.empty[language].replaceAll('`', ''));
  }
});

test('what is inserted into markup is text, unless it is markup itself', () => {
  const name = `<b class="x">&'`;
  const inner = html`<i>${name}</i>`;
  expect(html`<p title="${name}">${[inner, undefined, 7]}</p>`.markup).toBe(
    '<p title="&lt;b class=&quot;x&quot;&gt;&amp;&#39;"><i>&lt;b class=&quot;x&quot;&gt;&amp;&#39;</i>7</p>',
  );
});

test('control characters, and those that turn the direction of writing, do not reach the page', () => {
  expect(html`${'a\u0000b\u001bc\u202ed\u2066e'}`.markup).toBe('a\ufffdb\ufffdc\ufffdd\ufffde');
});
