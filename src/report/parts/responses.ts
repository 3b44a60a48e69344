/** Times to delivery and to click: the middle half of the values of each day, on a scale from seconds to days. */
import { dot, ruleY, tickX } from '@observablehq/plot';
import { z } from 'zod';
import { shiftDay } from '../../calendar.js';
import { ACCENT, chart, IN_ROW, INK, SOFT } from '../chart.js';
import type { Html, Page } from '../page.js';
import { NOTES, count, name, number, paragraph, part, rows, sum, text } from '../part.js';
import { table } from '../table.js';

const SHOWN_OF_EACH = 10;
/** From one second to one week; the marks are at a minute, an hour and a day. */
const SCALE: [number, number] = [1, 7 * 86_400];
const MARKS = [60, 3600, 86_400];

const answers = rows({
  channel: name,
  resource_name: name,
  response: text,
  responses: count,
  p50_seconds: number,
  p90_seconds: number,
  p99_seconds: number,
  share_within_hour: number,
  quick_click_share: number,
});
type Times = z.infer<typeof answers>[number];

export const responses = part({
  id: 'responses',
  title: { en: 'Time to delivery and click', ko: '도달·클릭까지 걸린 시간' },
  asks: ({ day }) => [
    { query: 'response-times', parameters: day === undefined ? {} : { start: shiftDay(day, -27) } },
  ],
  answers: z.tuple([answers]),
  show([found], page) {
    if (found.length === 0) return undefined;
    const most = (response: string): Times[] =>
      found
        .filter((times) => times.response === response)
        .sort((a, b) => b.responses - a.responses)
        .slice(0, SHOWN_OF_EACH);
    const clicks = most('clicked');
    const chosen = [...clicks, ...most('delivered')];
    const shown = grouped(chosen);
    const slowest = [...clicks].sort((a, b) => (b.p50_seconds ?? 0) - (a.p50_seconds ?? 0))[0];
    return {
      sentence: paragraph(
        slowest &&
          page.say({
            en: `Half of the clicks on “${slowest.resource_name}” (${slowest.channel}) come within ${page.duration(slowest.p50_seconds)}${clicks.length > 1 ? ', the longest of those shown' : ''}.`,
            ko: `${clicks.length > 1 ? '표시된 것 중 클릭이 가장 늦은 것은 ' : ''}‘${slowest.resource_name}’(${slowest.channel})${clicks.length > 1 ? '로' : '에서는'}, 클릭의 절반이 ${page.duration(slowest.p50_seconds)} 안에 일어납니다.`,
          }),
        chosen.length < found.length
          ? page.say({
              en: `The ${page.count(chosen.length)} of ${page.count(found.length)} pairs of campaign and channel with the most responses in the last 28 days are shown.`,
              ko: `최근 28일의 캠페인·채널 ${page.count(found.length)}개 중 반응이 가장 많은 ${page.count(chosen.length)}개를 표시했습니다.`,
            })
          : page.say({
              en: 'All campaigns and channels with responses in the last 28 days are shown.',
              ko: '최근 28일에 반응이 있는 캠페인·채널을 모두 표시했습니다.',
            }),
      ),
      note: mailNote(found, page),
      body: table(
        page.say({
          en: 'Time from sending until half and nine in ten of the responses have come',
          ko: '발송부터 반응의 50 %, 90 %가 일어날 때까지 걸린 시간',
        }),
        [
          {
            head: page.head('resource_name'),
            cell: ({ names }: Group) =>
              names.length === 1
                ? (names[0] ?? '–')
                : page.say({
                    en: `${names.length} campaigns or journeys`,
                    ko: `캠페인·유저 여정 ${names.length}개`,
                  }),
            sub: ({ channel, response }) => `${channel} · ${page.value('response', response)}`,
          },
          {
            head: page.say({ en: 'seconds to days', ko: '초~일' }),
            cell: (times) => range(times, page),
            kind: 'chart',
            legend: page.say({
              en: '● half, ❘ nine in ten, line to 99 in 100, dashes at a minute, an hour and a day',
              ko: '● 50 %, ❘ 90 %, 선의 끝 99 %, 점선은 1분, 1시간, 1일',
            }),
          },
          {
            head: '50 %',
            cell: (group) =>
              span(
                group,
                ({ p50_seconds }) => p50_seconds,
                (value) => page.duration(value),
              ),
            kind: 'number',
          },
          {
            head: '90 %',
            cell: (group) =>
              span(
                group,
                ({ p90_seconds }) => p90_seconds,
                (value) => page.duration(value),
              ),
            kind: 'number',
          },
          {
            head: page.head('share_within_hour'),
            cell: (group) =>
              span(
                group,
                ({ share_within_hour }) => share_within_hour,
                (value) => page.rate(value),
              ),
            kind: 'number',
            isExtra: true,
          },
          {
            head: page.head('responses'),
            cell: ({ responses: those }) => page.count(those),
            kind: 'number',
            isExtra: true,
          },
        ],
        shown,
      ),
    };
  },
  empty: {
    en: 'Times of deliveries and clicks come with paid event exports: set exports.budget, and `dawnload plan` shows what they cost.',
    ko: '도달·클릭 시각은 유료 이벤트 내보내기에 들어 있습니다. exports.budget을 설정하고 `dawnload plan`으로 비용을 확인하세요.',
  },
});

/** A note about automatic clicks on e-mails: the share of clicks that come immediately after the delivery. */
function mailNote(found: readonly Times[], page: Page): string | undefined {
  const clicks = found.filter(({ channel, response }) => channel === 'email' && response === 'clicked');
  if (clicks.length === 0) return undefined;
  const quick = sum(clicks.map((times) => times.responses * (times.quick_click_share ?? 0)));
  const share = page.rate(quick / sum(clicks.map((times) => times.responses)));
  return paragraph(
    page.say(NOTES.machines),
    page.say({
      en: `Of the clicks on e-mails, ${share} came within two seconds of delivery, or of sending where no delivery is known.`,
      ko: `이메일 클릭 중 ${share}가 도달(도달을 알 수 없으면 발송) 뒤 2초 안에 일어났습니다.`,
    }),
  );
}

/** Times of one campaign on one channel, or of all deliveries of a channel, which vary little. */
interface Group extends Times {
  readonly names: readonly string[];
  readonly all: readonly Times[];
}

function grouped(found: readonly Times[]): Group[] {
  const groups = new Map<string, Times[]>();
  for (const times of found) {
    const { channel, response, resource_name } = times;
    const key = JSON.stringify([channel, response, ...(response === 'delivered' ? [] : [resource_name])]);
    groups.set(key, [...(groups.get(key) ?? []), times]);
  }
  return [...groups.values()].flatMap((all) => {
    const [first] = all;
    if (first === undefined) return [];
    const longest = (of: (times: Times) => number | null): number =>
      Math.max(...all.map((one) => of(one) ?? 0));
    return [
      {
        ...first,
        p90_seconds: longest((times) => times.p90_seconds),
        p99_seconds: longest((times) => times.p99_seconds),
        names: all.map(({ resource_name }) => resource_name),
        all,
        responses: sum(all.map(({ responses: those }) => those)),
      },
    ];
  });
}

/** Formats a number of a group as a range if its members differ. */
function span(
  { all }: Group,
  of: (times: Times) => number | null,
  write: (value: number | null) => string,
): string {
  const values = all.map(of).sort((a, b) => (a ?? 0) - (b ?? 0));
  const least = write(values[0] ?? null);
  const most = write(values[values.length - 1] ?? null);
  return least === most ? least : `${least} … ${most}`;
}

function range(times: Group, page: Page): Html {
  const inside = (seconds: number | null): number =>
    Math.max(SCALE[0], Math.min(SCALE[1], seconds ?? SCALE[0]));
  return chart({
    label: `${times.names.join(', ')}: 50 % ${page.duration(times.p50_seconds)}, 90 % ${page.duration(times.p90_seconds)}, 99 % ${page.duration(times.p99_seconds)}`,
    width: 170,
    ...IN_ROW,
    x: { type: 'log', domain: SCALE },
    marks: [
      tickX(MARKS, { x: (x: number) => x, stroke: SOFT, strokeDasharray: '2 2' }),
      ruleY([times], {
        y: null,
        x1: () => inside(times.p50_seconds),
        x2: () => inside(times.p99_seconds),
        stroke: ACCENT,
        strokeWidth: 1.5,
      }),
      tickX([inside(times.p90_seconds)], { x: (x: number) => x, stroke: INK, strokeWidth: 2, inset: 4 }),
      dot([inside(times.p50_seconds)], { x: (x: number) => x, r: 4, fill: ACCENT }),
    ],
  });
}
