/** Campaigns that need attention: the best and the worst of each channel, and campaigns with a falling rate. */
import { dot, ruleX, tickX } from '@observablehq/plot';
import { z } from 'zod';
import { ACCENT, chart, IN_ROW, INK, SOFT } from '../chart.js';
import { html, type Html, type Page } from '../page.js';
import { NOTES, count, name, number, paragraph, part, rows, type ToDo } from '../part.js';
import { table } from '../table.js';

const KINDS = ['best', 'worst', 'falling'] as const;
const answers = rows({
  kind: z.enum(KINDS),
  campaign_name: name,
  channel: name,
  messages: count,
  click_rate: number,
  click_rate_of_others: number,
  week_click_rate: number,
  previous_click_rate: number,
  quick_click_share: number,
});
type Campaign = z.infer<typeof answers>[number];

const TITLES = {
  best: {
    en: 'Clicked more than others on their channel',
    ko: '같은 채널의 다른 캠페인보다 클릭률이 높은 캠페인',
  },
  worst: {
    en: 'Clicked less than others on their channel',
    ko: '같은 채널의 다른 캠페인보다 클릭률이 낮은 캠페인',
  },
  falling: {
    en: 'Falling: less clicked than the week before',
    ko: '하락 중: 전주보다 클릭률이 낮아진 캠페인',
  },
};

export const campaigns = part({
  id: 'campaigns',
  title: { en: 'Campaigns to look at', ko: '눈여겨볼 캠페인' },
  asks: () => [{ query: 'campaigns-to-watch' }],
  answers: z.tuple([answers]),
  show([found], page) {
    if (found.length === 0) return undefined;
    const widest = Math.max(...found.flatMap((campaign) => ratesOf(campaign)));
    const groups = KINDS.map((kind) => ({ kind, some: found.filter((campaign) => campaign.kind === kind) }));
    return {
      sentence: sentenceOf(groups, page),
      toDo: toDoOf(found, page),
      note: paragraph(
        new Set(found.map(({ channel }) => channel)).size > 1 && page.say(NOTES.notAcrossChannels),
        found.some(isMail) && page.say(NOTES.machines),
      ),
      body: html`${groups
        .filter(({ some }) => some.length > 0)
        .map(({ kind, some }) => group(kind, some, widest, page))}`,
    };
  },
  empty: {
    en: 'In the last 28 days no campaign is clearly better or worse than the others on its channel, and none fell this week. Channels that count no clicks are not compared.',
    ko: '최근 28일 동안 같은 채널의 다른 캠페인과 뚜렷하게 차이 나는 캠페인이 없고, 이번 주에 하락한 캠페인도 없습니다. 클릭을 집계하지 않는 채널은 비교하지 않습니다.',
  },
});

function sentenceOf(
  groups: readonly { kind: (typeof KINDS)[number]; some: readonly Campaign[] }[],
  page: Page,
): string {
  const some = (kind: (typeof KINDS)[number]) => groups.find((group) => group.kind === kind)?.some ?? [];
  const [best] = some('best');
  const [worst] = some('worst');
  const falling = some('falling').length;
  return paragraph(
    best &&
      page.say({
        en: `“${best.campaign_name}” is clicked most above its channel: ${page.rate(best.click_rate)} instead of ${page.rate(best.click_rate_of_others)}.`,
        ko: `채널 대비 클릭률이 가장 높은 캠페인은 ‘${best.campaign_name}’입니다: ${page.rate(best.click_rate)}, 다른 캠페인은 ${page.rate(best.click_rate_of_others)}.`,
      }),
    worst &&
      page.say({
        en: `“${worst.campaign_name}” is clicked least: ${page.rate(worst.click_rate)} instead of ${page.rate(worst.click_rate_of_others)}.`,
        ko: `가장 낮은 캠페인은 ‘${worst.campaign_name}’입니다: ${page.rate(worst.click_rate)}, 다른 캠페인은 ${page.rate(worst.click_rate_of_others)}.`,
      }),
    falling === 0
      ? page.say({ en: 'None fell clearly this week.', ko: '이번 주에 뚜렷하게 하락한 캠페인은 없습니다.' })
      : page.say({ en: `Falling this week: ${falling}.`, ko: `이번 주에 하락한 캠페인: ${falling}개.` }),
  );
}

function toDoOf(found: readonly Campaign[], page: Page): ToDo[] {
  const poor = found.find(({ kind }) => kind === 'falling') ?? found.find(({ kind }) => kind === 'worst');
  if (poor === undefined) return [];
  const isFalling = poor.kind === 'falling';
  const rate = page.rate(isFalling ? poor.week_click_rate : poor.click_rate);
  const other = page.rate(isFalling ? poor.previous_click_rate : poor.click_rate_of_others);
  return [
    {
      urgency: 'campaign',
      reason: isFalling
        ? page.say({
            en: `“${poor.campaign_name}” is clicked less than the week before: ${rate} instead of ${other}.`,
            ko: `‘${poor.campaign_name}’의 클릭률이 전주보다 낮아졌습니다: ${other} → ${rate}.`,
          })
        : page.say({
            en: `“${poor.campaign_name}” is clicked less than others on its channel: ${rate} instead of ${other}.`,
            ko: `‘${poor.campaign_name}’의 클릭률이 같은 채널의 다른 캠페인보다 낮습니다: ${rate}, 다른 캠페인은 ${other}.`,
          }),
      command: 'dawnload query campaigns-to-watch',
    },
  ];
}

function group(kind: (typeof KINDS)[number], some: readonly Campaign[], widest: number, page: Page): Html {
  const isFalling = kind === 'falling';
  const own = isFalling ? 'week_click_rate' : 'click_rate';
  const other = isFalling ? 'previous_click_rate' : 'click_rate_of_others';
  return html`<h3>${page.say(TITLES[kind])}</h3>
    ${table(
      isFalling
        ? page.say({ en: 'Click rates of this week and the week before', ko: '이번 주와 전주의 클릭률' })
        : page.say({ en: 'Click rates of the last 28 days', ko: '최근 28일의 클릭률' }),
      [
        {
          head: page.head('campaign_name'),
          cell: ({ campaign_name }: Campaign) => campaign_name,
          sub: (campaign) => channelOf(campaign, page),
        },
        {
          head: page.say({ en: 'compared', ko: '비교' }),
          cell: (campaign) =>
            pair(campaign.campaign_name, campaign[own] ?? 0, campaign[other] ?? 0, widest, page),
          kind: 'chart',
          legend: page.say({ en: '● click rate, ❘ what it is held against', ko: '● 클릭률, ❘ 비교 대상' }),
        },
        { head: page.head(own), cell: (campaign) => page.rate(campaign[own]), kind: 'number' },
        { head: page.head(other), cell: (campaign) => page.rate(campaign[other]), kind: 'number' },
        { head: page.head('messages'), cell: ({ messages }) => page.count(messages), kind: 'number' },
      ],
      some,
      page.say(TITLES[kind]),
    )}`;
}

function isMail({ channel }: Campaign): boolean {
  return channel === 'email';
}

/** The name of the channel; for e-mail with the share of clicks that are too fast for a human reader. */
function channelOf(campaign: Campaign, page: Page): string {
  const { channel, quick_click_share: quick } = campaign;
  if (!isMail(campaign) || quick === null) return channel;
  return `${channel} · ${page.say({ en: `${page.rate(quick)} of clicks within 2 s`, ko: `2초 이내 클릭 ${page.rate(quick)}` })}`;
}

/** Draws a rate as a dot and the rate that it is compared with as a tick, on a scale shared by all campaigns. */
function pair(campaign: string, own: number, other: number, widest: number, page: Page): Html {
  return chart({
    label: `${campaign}: ${page.rate(own)} / ${page.rate(other)}`,
    width: 180,
    ...IN_ROW,
    x: { domain: [0, widest] },
    marks: [
      ruleX([0], { stroke: SOFT }),
      tickX([other], { x: (x: number) => x, stroke: INK, strokeWidth: 2 }),
      dot([own], { x: (x: number) => x, fill: ACCENT, r: 5, frameAnchor: 'middle' }),
    ],
  });
}

function ratesOf(campaign: Campaign): number[] {
  const { click_rate, click_rate_of_others, week_click_rate, previous_click_rate } = campaign;
  return [click_rate, click_rate_of_others, week_click_rate, previous_click_rate].map((rate) => rate ?? 0);
}
