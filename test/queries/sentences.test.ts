/**
 * Each sentence of a bundled query is a claim: a world in which it is true and said, and one in which it is not. A world is an
 * answer made by hand, and sometimes rows of the warehouse. `sentences.txt` holds what is said of each, in both languages;
 * UPDATE_GOLDEN=1 writes it anew, to be read by a person.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PACKAGE_ROOT } from '../../src/package.js';
import { loadCatalogue } from '../../src/queries/catalogue.js';
import { filled, parseSentences, saidOf } from '../../src/queries/sentences.js';
import { Wording } from '../../src/queries/wording.js';
import { emptyWarehouse } from './support.js';

type Cell = string | number | boolean | null | readonly Cell[];
type Line = Readonly<Record<string, Cell>>;

interface World {
  readonly query: string;
  /** What is the case, as a heading of the golden file. */
  readonly case: string;
  readonly answer: readonly Line[];
  /** SQL that fills the warehouse. */
  readonly given?: string;
}

const GOLDEN = join(PACKAGE_ROOT, 'test', 'queries', 'sentences.txt');
const catalogue = new Map(loadCatalogue().map((query) => [query.name, query]));
const warehouse = emptyWarehouse();

const held = (stream: string, first: string, last: string): string =>
  `insert into ops.coverage (stream, date, rows, pull, loaded_at)
   select '${stream}', unnest(generate_series(date '${first}', date '${last}', interval 1 day))::date, 1, 'x', now();`;
const STATISTICS = held('statistics', '2026-11-01', '2026-11-20');
const EVENTS = held('events', '2026-11-14', '2026-11-20');

const worlds = (
  query: string,
  cases: Readonly<Record<string, readonly Line[] | [readonly Line[], string]>>,
): World[] =>
  Object.entries(cases).map(([name, world]) => {
    const [answer, given] = isGiven(world) ? world : [world, undefined];
    return { query, case: name, answer, ...(given === undefined ? {} : { given }) };
  });
const isGiven = (world: readonly Line[] | [readonly Line[], string]): world is [readonly Line[], string] =>
  typeof world[1] === 'string';

/** People who go from the first node to the second, and others who go from the second to the third or back to the first. */
const walks = (onwards: number, elsewhere: number): string =>
  `${held('events', '2026-10-01', '2026-11-20')} insert into marts.first_node_messages
   (visit, person, user_journey_id, user_journey_node_id, date, first_at)
   select person * 10 + place, person, 'uj-1', case when place = 1 then 'n2' when person <= ${onwards} then 'n3' else 'n1' end,
     date '2026-11-10' + place::integer, timestamptz '2026-11-10 00:00:00+09' + place * interval 1 day
   from range(1, ${onwards + elsewhere + 1}) as people (person), range(1, 3) as places (place)`;

/** One campaign that is sent at 9 and 10 on weekdays: clicked like this on Tuesdays at 9 and at 10, otherwise 5 %. */
const sendHours = (atNine: number, atTen = 0.05): string =>
  `create or replace table made as
   select 'email' as channel, day::date as sent_date, hour, 'c' as campaign_id, null::varchar as user_journey_id,
     1000 as clickable, case when isodow(day) <> 2 then 50 when hour = 9 then ${1000 * atNine} else ${1000 * atTen} end as clicked
   from generate_series(date '2026-11-02', date '2026-11-20', interval 1 day) as days (day), range(9, 11) as hours (hour)
   where isodow(day) < 6;
   create or replace view marts.send_hours as from made;`;

const figure = (name: string, given: Line = {}): Line => ({
  figure: name,
  value: 120,
  previous: 100,
  change: 0.2,
  verdict_code: null,
  last_day: '2026-11-20',
  days_held: 7,
  daily_values: [...Array<null>(14).fill(null), ...Array<number>(14).fill(1)],
  ...given,
});
const measure = (name: string, given: Line = {}): Line => ({
  channel_or_campaign: 'email',
  measure: name,
  value: 80,
  previous: 100,
  days_missing: 0,
  previous_days_missing: 0,
  goals: null,
  ...given,
});
const channelDay = (channel: string, given: Line = {}): Line => ({
  date: '2026-11-20',
  channel,
  sent: 10,
  conversions: 1,
  goals: '구매',
  ...given,
});
const campaign = (kind: string, given: Line = {}): Line => ({
  kind,
  campaign_name: `${kind} 쿠폰`,
  campaign_id: kind,
  channel: 'push-notification',
  messages: 1000,
  click_rate: 0.05,
  click_rate_of_others: 0.04,
  week_click_rate: 0.02,
  previous_click_rate: 0.06,
  ...given,
});
const arm = (code: string, given: Line = {}): Line => ({
  campaign_name: '가을 할인',
  campaign_id: 'c',
  variant_name: 'B',
  metric: 'click',
  verdict_code: code,
  verdict: 'B is better than A.',
  sent: 900,
  rate: 0.1,
  ...given,
});
const sales = (name: string, revenue: number, given: Line = {}): Line => ({
  campaign_name: name,
  variant_name: null,
  revenue,
  revenue_per_message: revenue / 100,
  is_winner: null,
  ...given,
});
const step = (n: number, drop: number | null, given: Line = {}): Line => ({
  user_journey_id: 'uj-1',
  user_journey_name: '온보딩',
  user_journey_node_name: `단계 ${n}`,
  user_journey_node_id: `n${n}`,
  step: n,
  drop_off: drop,
  ...given,
});
const reason = (trend: string | null, given: Line = {}): Line => ({
  failure_reason: '수신 거부',
  channel: 'text-message',
  failures: 12,
  recent_failures: 9,
  first_date: '2026-11-14',
  last_date: '2026-11-20',
  trend,
  ...given,
});
const alarm = (isAlarm: boolean | null): Line => ({
  channel: 'email',
  date: '2026-11-20',
  sent: 100,
  failed: 20,
  failure_rate: 0.2,
  usual_high: 0.05,
  is_alarm: isAlarm,
});
const times = (name: string, given: Line = {}): Line => ({
  resource_name: name,
  channel: 'push-notification',
  response: 'clicked',
  responses: 30,
  p50_seconds: 60,
  quick_click_share: 0.1,
  ...given,
});
const people = (group: string, given: Line = {}): Line => ({
  messages_per_person: group,
  users: 50,
  share_of_users: 0.5,
  messages: 100,
  click_rate: 0.04,
  window_days: 28,
  days_held: 7,
  ...given,
});
const refused = (name: string, given: Line = {}): Line => ({
  template: name,
  template_name: null,
  state: 'suspended',
  sent: 40,
  template_known: 'then',
  first_date: '2026-11-14',
  last_date: '2026-11-20',
  resource_name: '가을 할인',
  ...given,
});
const sender = (code: string): Line => ({
  item: '주말 특가',
  channel: 'text-message',
  messages: 1000,
  opted_out: 40,
  per_thousand: 40,
  per_thousand_of_others: 12,
  verdict_code: code,
  verdict: 'People are not counted.',
  first_date: '2026-11-14',
  last_date: '2026-11-17',
});
const gap = (stream: string, first: string, last: string): Line => ({
  stream,
  first_day: first,
  last_day: last,
  days: 2,
});
const finding = (name: string, severity: string): Line => ({ name, severity, findings_of_check: 3 });
const month = (given: Line = {}): Line => ({
  month: '2026-11',
  records: 500,
  exports: 2,
  cost: 0,
  currency: null,
  ...given,
});
const budget = (given: Line = {}): Line => ({
  month: '2026-11',
  records_used: 400,
  records_per_month: 1000,
  forecast_records: 700,
  is_enough: true,
  days_over_budget: 0,
  ...given,
});

const WORLDS: readonly World[] = [
  ...worlds('key-figures', {
    'more, and two rates that differ': [
      figure('sent'),
      figure('click_rate', { value: 0.05, previous: 0.04, verdict_code: 'better' }),
      figure('failure_rate', { value: 0.03, previous: 0.02, verdict_code: 'worse' }),
    ],
    'as many, with one goal': [figure('sent', { change: 0 }), figure('conversion_rate')],
    'a young warehouse': [
      figure('sent', {
        previous: null,
        change: null,
        days_held: 3,
        daily_values: [...Array<null>(25).fill(null), 1, 1, 1],
      }),
    ],
    nothing: [],
  }),
  ...worlds('period-comparison', {
    fewer: [[measure('sent'), measure('conversion_rate', { value: 0.1, goals: '구매' })], STATISTICS],
    'as many, of different goals': [
      [
        measure('sent', { value: 100, channel_or_campaign: 'all' }),
        measure('conversion_rate', { value: null, goals: '가입, 구매' }),
      ],
      STATISTICS,
    ],
    'days are missing': [[measure('sent', { previous: null, previous_days_missing: 3 })], STATISTICS],
    nothing: [],
  }),
  ...worlds('channel-summary', {
    'one goal': [channelDay('email'), channelDay('push-notification', { sent: 30, date: '2026-11-19' })],
    'two goals': [channelDay('email', { conversions: null, goals: '가입, 구매' })],
    nothing: [],
  }),
  ...worlds('campaigns-to-watch', {
    'best, worst and falling': [
      campaign('best'),
      campaign('worst', { channel: 'email' }),
      campaign('falling'),
    ],
    'only a best one': [campaign('best')],
    nothing: [],
  }),
  ...worlds('ab-tests', {
    decided: [arm('baseline'), arm('better'), arm('worse', { variant_name: 'C' })],
    'not decided, and split unequally': [
      arm('baseline'),
      arm('inconclusive'),
      arm('unequal_groups', { campaign_id: 'd' }),
    ],
    'not split': [arm('alone')],
  }),
  ...worlds('revenue', {
    'two, one variant ahead': [
      sales('가', 1000),
      sales('나', 900, { revenue_per_message: 90 }),
      sales('가', 600, { variant_name: 'C', is_winner: true }),
    ],
    'one alone': [sales('가', 1000), sales('나', 0)],
    nothing: [],
  }),
  ...worlds('journey-funnel', {
    'a drop between steps that follow each other': [
      [step(1, null), step(2, 0.2), step(3, 0.5)],
      walks(40, 0),
    ],
    'a branch is no drop': [[step(1, null), step(2, 0.2), step(3, 0.5)], walks(20, 20)],
    'no drop': [step(1, null), step(1, null, { user_journey_id: 'uj-2' })],
    nothing: [],
  }),
  ...worlds('failure-reasons', {
    rising: [[reason('rising'), reason('steady', { failures: 3, recent_failures: 3 })], EVENTS],
    steady: [[reason('steady')], EVENTS],
    'one week only': [[reason(null)], EVENTS],
    'none failed': [[], EVENTS],
    'no events': [],
  }),
  ...worlds('failure-alarm', {
    alarm: [alarm(true), alarm(null)],
    'no alarm': [alarm(false)],
  }),
  ...worlds('send-heatmap', {
    'one hour stands out on three Tuesdays': [[{ channel: 'email' }], sendHours(0.12)],
    'the whole day stands out, not the hour': [[{ channel: 'email' }], sendHours(0.12, 0.12)],
    'two Tuesdays only': [
      [{ channel: 'email' }],
      `${sendHours(0.12)} delete from made where sent_date = '2026-11-03'`,
    ],
    'no events': [],
  }),
  ...worlds('best-hours', { 'no events': [], events: [[], EVENTS] }),
  ...worlds('response-times', {
    two: [
      [
        times('가'),
        times('나', { p50_seconds: 7200 }),
        times('다', { channel: 'email', responses: 5, p50_seconds: 90_000 }),
      ],
      EVENTS,
    ],
    'one alone': [[times('가')], EVENTS],
    'no clicks': [[], EVENTS],
    'no events': [],
  }),
  ...worlds('message-pressure', {
    'few and many': [
      people('1'),
      people('6-10', { share_of_users: 0.01 }),
      people('21+', { click_rate: 0.02 }),
    ],
    'one group': [people('2', { days_held: 28 })],
    nothing: [],
  }),
  ...worlds('reach', {
    one: [{ resource_name: '가을 할인', people_reached: 90, days_held: 7 }],
    nothing: [],
  }),
  ...worlds('opt-outs', { one: [{ date: '2026-11-20', opt_outs: 4, vanished: 1 }], nothing: [] }),
  ...worlds('refused-templates', {
    'then, and later': [
      refused('할인 안내'),
      refused('tpl-1', { template_name: '주문 안내', sent: 90, template_known: 'later' }),
    ],
    none: [
      [],
      `${EVENTS} insert into ops.snapshots (stream, date, pull) values ('brand_templates', '2026-11-20', 'x');`,
    ],
    'templates are not read': [[], EVENTS],
  }),
  ...worlds('opt-outs-after-messages', {
    more: [sender('more')],
    'none more': [sender('inconclusive')],
    unknown: [sender('unknown')],
    'too few': [sender('too_few')],
  }),
  ...worlds('template-performance', {
    one: [{ template: 'T1', template_name: '주문 안내', sent: 9 }],
    nothing: [],
  }),
  ...worlds('freshness', {
    'one is behind': [{ stream: 'events', days_behind_newest: 2, last_date: '2026-11-18' }],
    'none is behind': [{ stream: 'events', days_behind_newest: 0, last_date: '2026-11-20' }],
    nothing: [],
  }),
  ...worlds('missing-days', {
    'free days': [
      [gap('statistics', '2026-11-19', '2026-11-20')],
      held('statistics', '2026-11-01', '2026-11-18') + held('statistics', '2026-11-21', '2026-11-21'),
    ],
    'paid days': [[gap('events', '2026-11-21', '2026-11-22')], EVENTS],
    'before the first day': [[gap('events', '2026-11-01', '2026-11-13')], EVENTS],
  }),
  ...worlds('restatements-by-day', {
    two: [
      { date: '2026-11-18', days_after: 3 },
      { date: '2026-11-18', days_after: 1 },
      { date: '2026-11-19', days_after: 1 },
    ],
    none: [[], STATISTICS],
    nothing: [],
  }),
  ...worlds('restatements-by-age', {
    rises: [
      { counter: 'click', age_days: 1, days: 34, median_rise: 0.021 },
      { counter: 'click', age_days: 2, days: 34, median_rise: 0.5 },
    ],
    'does not rise': [{ counter: 'click', age_days: 1, days: 34, median_rise: 0 }],
    unknown: [],
  }),
  ...worlds('checks', {
    stops: [finding('a', 'stop'), finding('a', 'stop'), finding('b', 'warn')],
    warns: [finding('b', 'warn')],
    nothing: [],
  }),
  ...worlds('spend', { priced: [month({ cost: 50, currency: 'KRW' })], 'no price': [month()], nothing: [] }),
  ...worlds('budget', {
    lasts: [budget()],
    'does not last': [budget({ is_enough: false, days_over_budget: 7 })],
    'not known yet': [budget({ forecast_records: null, is_enough: null, days_over_budget: null })],
    none: [],
  }),
  ...worlds('pushes', {
    waits: [{ target: 'events bought', state: 'ambiguous', sent: 80, rejected: 2, unchanged: 8 }],
    done: [{ target: 'events bought', state: 'done', sent: 80, rejected: 2, unchanged: 8 }],
    nothing: [],
  }),
  ...worlds('cohorts', {
    'a whole week after': [
      [{ cohort_week: '2026-11-09', weeks_since: 1, users: 80, click_retention: 0.3, is_complete: true }],
      EVENTS,
    ],
    'a part of a week after': [
      { cohort_week: '2026-11-16', weeks_since: 1, users: 80, click_retention: 0.3, is_complete: false },
    ],
  }),
  ...worlds('conversions', { one: [{ conversion_name: '구매', conversions: 4 }], nothing: [] }),
  ...worlds('failovers', { one: [{ failed: 10, failover_sent: 8 }], nothing: [] }),
  ...worlds('drift', { one: [{ field: 'locale' }], nothing: [] }),
  ...worlds('top-campaigns', {
    one: [{ rank: 1, campaign_name: '가을 할인', clicked: 9, click_rate: 0.09 }],
    nothing: [],
  }),
];

/** The rows as SQL. The rows of the query's other worlds give the columns their types. */
function tableOf(world: World): string {
  const all = WORLDS.filter(({ query }) => query === world.query);
  const names = Object.keys(all.find(({ answer }) => answer.length > 0)?.answer[0] ?? { nothing: 1 });
  const lines = all.flatMap((one) =>
    one.answer.map(
      (row) => `(${[one === world, ...names.map((name) => row[name] ?? null)].map(literal).join(', ')})`,
    ),
  );
  const values = lines.length === 0 ? [`(false${', null'.repeat(names.length)})`] : lines;
  return `select * exclude (is_here) from (values ${values.join(', ')}) as made (is_here, ${names.join(', ')}) where is_here`;
}

function literal(cell: Cell): string {
  if (typeof cell === 'object' && cell !== null) return `[${cell.map(literal).join(', ')}]`;
  if (typeof cell !== 'string') return String(cell);
  return `${/^\d{4}-\d{2}-\d{2}$/.test(cell) ? 'date ' : ''}'${cell.replaceAll("'", "''")}'`;
}

const said = new Map<string, { yes: boolean; no: boolean }>();

/** What is said in a world, in both languages, and which sentences that is. */
async function tell(world: World): Promise<string> {
  const { connection } = warehouse;
  const sentences = catalogue.get(world.query)?.sentences ?? [];
  await connection.run('begin');
  try {
    for (const sql of (world.given ?? '').split(';').filter((text) => text.trim() !== ''))
      await connection.run(sql);
    await connection.run(`create or replace temp table answer as ${tableOf(world)}`);
    const texts: string[] = [];
    for (const sentence of sentences) {
      const english = await saidOf(connection, [sentence], new Wording('en'));
      const korean = await saidOf(connection, [sentence], new Wording('ko'));
      const key = `${world.query}: ${sentence.en}`;
      const before = said.get(key) ?? { yes: false, no: false };
      said.set(key, { yes: before.yes || english.length > 0, no: before.no || english.length === 0 });
      const role = sentence.as === 'sentence' ? '' : `[${sentence.as}] `;
      texts.push(...english.map(({ text }, i) => `${role}${text} | ${korean[i]?.text ?? ''}`));
    }
    return `# ${world.query}: ${world.case}\n${texts.join('\n')}`.trimEnd();
  } finally {
    await connection.run('rollback');
  }
}

describe('the sentences of bundled queries', () => {
  test('are said in the worlds in which they are true, and in no other', async () => {
    const told: string[] = [];
    for (const world of WORLDS) told.push(await tell(world));
    const text = `${told.join('\n')}\n`;
    if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(GOLDEN, text);
    expect(text).toBe(readFileSync(GOLDEN, 'utf8'));
  });

  test('each have a world in which they are said, and one in which they are not', () => {
    const all = [...catalogue.values()].flatMap(({ name, sentences }) =>
      sentences.map(({ en }) => `${name}: ${en}`),
    );
    const always = /^(?:freshness: In SQL|message-pressure: People|journey-funnel: Funnels)/;
    expect(all.filter((key) => said.get(key)?.yes !== true)).toEqual([]);
    expect(all.filter((key) => said.get(key)?.no !== true && !always.test(key))).toEqual([]);
  });
});

test('a header names the select of a sentence, its two languages and its role', () => {
  expect(
    parseSentences('q', [
      'select 1 as n',
      'where true',
      '  en: One',
      '    more.',
      '  ko: 하나.',
      '  as: note',
    ]),
  ).toEqual([{ select: 'select 1 as n where true', en: 'One more.', ko: '하나.', as: 'note' }]);
  expect(() => parseSentences('q', ['select 1', '  en: One.'])).toThrow('not whole');
});

test('values are written in their unit, and Korean particles follow the word before them', () => {
  const row = {
    name: 'A안',
    list: ['가', '나'],
    n: 1,
    click_rate: 0.0441,
    day: '2026-11-05',
    p50_seconds: 5400,
  };
  expect(filled('{name} {list} {n#day|days} {click_rate} {day} {p50_seconds}', row, new Wording('en'))).toBe(
    'A안 “가”, “나” day 4.4\u00a0% 5\u00a0Nov 1.5\u00a0h',
  );
  expect(
    filled('‘{name}’{이/가} {click_rate}{을/를} {day} 쿠폰{으로/로} 메일{으로/로}', row, new Wording('ko')),
  ).toBe('‘A안’이 4.4%를 11월\u00a05일 쿠폰으로 메일로');
});
