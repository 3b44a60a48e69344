/**
 * Templates in their version at the time of sending, opt-outs after messages, and the age of the snapshots behind both.
 */
import { dot, ruleX, ruleY } from '@observablehq/plot';
import { z } from 'zod';
import { ACCENT, chart, IN_ROW, INK, SOFT } from '../chart.js';
import { html, NOTHING, type Html, type Page } from '../page.js';
import { count, name, number, paragraph, part, rows, text, type ToDo } from '../part.js';
import { table } from '../table.js';
import { REFERENCE_STREAMS } from '../../streams.js';

const SHOWN = 10;
/** Maximum number of characters of a template's text. */
const TEXT_LENGTH = 60;

const streams = rows({
  stream: text,
  last_date: text,
  days_behind_newest: count,
  last_pulled_at_kst: name,
  rows: number,
});
const templates = rows({
  template_kind: text,
  template: text,
  template_name: z.string().nullable(),
  status: name,
  template_known: text,
  text: z.string().nullable(),
  sent: count,
  failure_rate: number,
  click_rate: number,
  click_rate_low: number,
  click_rate_high: number,
});
const optOuts = rows({
  item: name,
  channel: name,
  messages: number,
  opted_out: number,
  per_thousand: number,
  per_thousand_low: number,
  per_thousand_high: number,
  per_thousand_of_others: number,
  verdict_code: text,
  verdict: text,
  first_date: z.string().nullable(),
  last_date: z.string().nullable(),
});
const refused = rows({ template: text, state: text, template_known: text });

type Snapshot = z.infer<typeof streams>[number];
type Template = z.infer<typeof templates>[number];
type Sender = z.infer<typeof optOuts>[number];
type Refused = z.infer<typeof refused>[number];

export const reference = part({
  id: 'reference',
  title: { en: 'Templates and opt-outs', ko: '템플릿과 수신거부' },
  asks: ({ language }) => [
    { query: 'freshness' },
    { query: 'template-performance', parameters: { per: 'template' } },
    { query: 'opt-outs-after-messages', parameters: { lang: language } },
    { query: 'refused-templates' },
  ],
  answers: z.tuple([streams, templates, optOuts, refused]),
  show([held, sent, followed, troubled], page) {
    const snapshots = held.filter(({ stream }) => REFERENCE_STREAMS.some((one) => one === stream));
    if (snapshots.length === 0) return undefined;
    const known = sent.filter(({ template_known }) => template_known !== 'unknown');
    return {
      toDo: toDoOf(troubled, followed, page),
      sentence: paragraph(ageOf(snapshots, page), refusedOf(troubled, page), followedOf(followed, page)),
      body: html`${templateTable(known.slice(0, SHOWN), page)} ${optOutTable(followed, page)}
      ${snapshotTable(snapshots, page)}`,
    };
  },
  // Nothing is said if no reference data is configured.
  empty: undefined,
});

function ageOf(snapshots: readonly Snapshot[], page: Page): string {
  const old = snapshots.filter(({ days_behind_newest }) => days_behind_newest > 0);
  if (old.length === 0) {
    const last = snapshots.map(({ last_date }) => last_date).sort()[0] ?? '';
    return page.say({
      en: `Every list was read on the last night, ${last}.`,
      ko: `모든 목록을 마지막 밤(${last})에 읽었습니다.`,
    });
  }
  const list = old.map(({ stream, last_date }) => `${page.value('stream', stream)} ${last_date}`).join(', ');
  return page.say({
    en: `Not read on the last night; their last snapshots: ${list}.`,
    ko: `마지막 밤에 읽지 못한 목록과 그 마지막 스냅샷: ${list}.`,
  });
}

function refusedOf(troubled: readonly Refused[], page: Page): string | false {
  const names = [...new Set(troubled.map(({ template }) => template))];
  if (names.length === 0) return false;
  const list = [...names.slice(0, 3), ...(names.length > 3 ? ['…'] : [])].join(', ');
  return page.say({
    en: `Refused or suspended, and sent all the same: ${list}.`,
    ko: `반려·중단되었는데도 발송된 템플릿: ${list}.`,
  });
}

function toDoOf(troubled: readonly Refused[], followed: readonly Sender[], page: Page): ToDo[] {
  const refusedNow = refusedOf(troubled, page);
  const lost = followed.filter(({ verdict_code }) => verdict_code === 'more');
  return [
    ...(refusedNow === false
      ? []
      : [
          {
            urgency: 'refused_template' as const,
            reason: refusedNow,
            command: 'dawnload query refused-templates',
          },
        ]),
    ...lost.map(({ item, per_thousand, per_thousand_of_others }) => ({
      urgency: 'opt_outs' as const,
      reason: page.say({
        en: `“${item}” is followed by more opt-outs than others of its channel: ${page.count(per_thousand)} of a thousand instead of ${page.count(per_thousand_of_others)}.`,
        ko: `‘${item}’ 발송 뒤의 수신거부가 같은 채널의 다른 발송보다 많습니다: 1,000건당 ${page.count(per_thousand)}건, 나머지는 ${page.count(per_thousand_of_others)}건.`,
      }),
      command: 'dawnload query opt-outs-after-messages',
    })),
  ];
}

function followedOf(followed: readonly Sender[], page: Page): string | false {
  const [first] = followed;
  if (first === undefined) return false;
  if (first.verdict_code === 'unknown') return first.verdict;
  const more = followed.filter(({ verdict_code }) => verdict_code === 'more');
  const days = `${first.first_date ?? ''} – ${first.last_date ?? ''}`;
  const list = more
    .slice(0, 3)
    .map(({ item }) => page.say({ en: `“${item}”`, ko: `‘${item}’` }))
    .join(', ');
  return more.length === 0
    ? page.say({
        en: `Of the messages of ${days}, no campaign brings more opt-outs within 72 hours than chance explains.`,
        ko: `${days} 발송분에서 72시간 내 수신거부가 우연으로 보기 어려울 만큼 많은 캠페인은 없습니다.`,
      })
    : page.say({
        en: `Of the messages of ${days}, more opt-outs follow within 72 hours than chance explains: ${list}.`,
        ko: `${days} 발송분에서 72시간 내 수신거부가 우연으로 보기 어려울 만큼 많은 캠페인: ${list}.`,
      });
}

function templateTable(shown: readonly Template[], page: Page): Html {
  if (shown.length === 0) return NOTHING;
  return table(
    page.say({ en: 'Templates in 28 days, most sent first', ko: '최근 28일의 템플릿, 발송 많은 순' }),
    [
      {
        head: page.head('template'),
        cell: ({ template, template_name, template_kind }: Template) =>
          template_kind === 'alimtalk' ? (template_name ?? template) : template,
        sub: ({ template_kind, status }) => `${page.value('template_kind', template_kind)} · ${status}`,
      },
      {
        head: page.head('text'),
        cell: ({ text: words }) => shortened(words),
        kind: 'sentence',
        isExtra: true,
      },
      { head: page.head('sent'), cell: ({ sent }) => page.count(sent), kind: 'number' },
      {
        head: page.head('failure_rate'),
        cell: ({ failure_rate }) => page.rate(failure_rate),
        kind: 'number',
      },
      { head: page.head('click_rate'), cell: ({ click_rate }) => page.rate(click_rate), kind: 'number' },
      {
        head: page.say({ en: '95 % interval', ko: '95% 신뢰 구간' }),
        cell: ({ click_rate_low: low, click_rate_high: high }) =>
          low === null || high === null ? '–' : `${page.rate(low)} … ${page.rate(high)}`,
        kind: 'number',
        isExtra: true,
      },
    ],
    shown,
  );
}

function shortened(words: string | null): string {
  const letters = Array.from((words ?? '–').replace(/\s+/g, ' '));
  return letters.length > TEXT_LENGTH ? `${letters.slice(0, TEXT_LENGTH).join('')}…` : letters.join('');
}

function optOutTable(followed: readonly Sender[], page: Page): Html {
  const shown = followed.filter(({ messages }) => messages !== null).slice(0, SHOWN);
  if (shown.length === 0) return NOTHING;
  const judged = shown.filter(({ verdict_code }) => verdict_code !== 'too_few');
  const widest = Math.max(
    ...(judged.length === 0 ? shown : judged).map(({ per_thousand_high }) => per_thousand_high ?? 0),
    Number.MIN_VALUE,
  );
  return table(
    page.say({
      en: 'Opt-outs within 72 hours of a message, by campaign',
      ko: '캠페인별 발송 후 72시간 내 수신거부',
    }),
    [
      {
        head: page.say({ en: 'campaign', ko: '캠페인' }),
        cell: ({ item }: Sender) => item,
        sub: ({ channel }) => channel,
      },
      {
        head: page.head('messages'),
        cell: ({ messages }) => page.count(messages),
        kind: 'number',
      },
      {
        head: page.head('opted_out'),
        cell: ({ opted_out }) => page.count(opted_out),
        kind: 'number',
      },
      {
        head: page.head('per_thousand'),
        cell: ({ per_thousand }) => page.count(per_thousand),
        kind: 'number',
      },
      {
        head: page.say({ en: '95 % interval', ko: '95% 신뢰 구간' }),
        cell: (sender) => interval(sender, widest, page),
        kind: 'chart',
        legend: page.say({
          en: 'the dashed line is all others of the channel',
          ko: '점선은 같은 채널의 나머지 전체',
        }),
      },
      { head: page.head('verdict'), cell: ({ verdict }) => verdict, kind: 'sentence' },
    ],
    shown,
  );
}

function interval(sender: Sender, widest: number, page: Page): Html {
  const { item, per_thousand: rate, per_thousand_low: low, per_thousand_high: high } = sender;
  const inside = (value: number | null): number => Math.min(value ?? 0, widest);
  return chart({
    label: `${item}: ${page.count(rate)} (${page.count(low)} … ${page.count(high)})`,
    width: 180,
    ...IN_ROW,
    x: { domain: [0, widest] },
    marks: [
      ...(sender.per_thousand_of_others === null
        ? []
        : [ruleX([inside(sender.per_thousand_of_others)], { stroke: INK, strokeDasharray: '3 2' })]),
      ruleY([sender], {
        y: null,
        x1: () => inside(low),
        x2: () => inside(high),
        stroke: ACCENT,
        strokeWidth: 2.5,
      }),
      dot([inside(rate)], { x: (x: number) => x, r: 4, fill: ACCENT, stroke: SOFT }),
    ],
  });
}

function snapshotTable(snapshots: readonly Snapshot[], page: Page): Html {
  return table(
    page.say({ en: 'Snapshots of reference data', ko: '기준 데이터 스냅샷' }),
    [
      { head: page.head('stream'), cell: ({ stream }: Snapshot) => page.value('stream', stream) },
      { head: page.say({ en: 'last snapshot', ko: '마지막 스냅샷' }), cell: ({ last_date }) => last_date },
      {
        head: page.say({ en: 'nights since', ko: '경과 일수' }),
        cell: ({ days_behind_newest }) => page.count(days_behind_newest),
        kind: 'number',
      },
      {
        head: page.say({ en: 'rows', ko: '행 수' }),
        cell: ({ rows: held }) => page.count(held),
        kind: 'number',
      },
      {
        head: page.head('last_pulled_at_kst'),
        cell: ({ last_pulled_at_kst }) => last_pulled_at_kst.slice(0, 16),
        isExtra: true,
      },
    ],
    snapshots,
  );
}
