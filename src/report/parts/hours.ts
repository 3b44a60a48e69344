/** Click rates by the weekday and hour of sending, for each channel. */
import { axisX, axisY, cell, text as words } from '@observablehq/plot';
import { z } from 'zod';
import { ACCENT, chart, INK, SOFT } from '../chart.js';
import { html, type Html, type Page } from '../page.js';
import { count, number, paragraph, part, rows, sum } from '../part.js';
import { folded, table } from '../table.js';

const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
const SHORT = {
  en: ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'],
  ko: ['월', '화', '수', '목', '금', '토', '일'],
};
/** Opacity of the darkest cell, chosen so that its number stays readable. */
const DARKEST = 0.5;
/** Minimum number of messages for showing a rate; the rate of fewer messages is mostly random. */
const LEAST_MESSAGES = 100;
const SHOWN_CHANNELS = 3;
/**
 * Number of standard errors by which an hour of a weekday must exceed the rate of its channel to be named. With the 168
 * hours of a week, an hour is named by chance in one of 20 reports (Bonferroni, one-sided).
 */
const CLEARLY = 3.43;

const week = rows({
  hour: count,
  monday: number,
  tuesday: number,
  wednesday: number,
  thursday: number,
  friday: number,
  saturday: number,
  sunday: number,
});
type Week = z.infer<typeof week>;

interface Cell {
  readonly weekday: string;
  /** The full name of the weekday. */
  readonly day: string;
  readonly hour: number;
  readonly rate: number | null;
  readonly messages: number;
}

const LONG = {
  en: ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'],
  ko: ['월요일', '화요일', '수요일', '목요일', '금요일', '토요일', '일요일'],
};

export const hours = part({
  id: 'hours',
  title: { en: 'When messages are clicked', ko: '발송 시간대별 클릭률' },
  asks: ({ channels }) =>
    channels.slice(0, SHOWN_CHANNELS).flatMap((channel) => [
      // All cells are requested because they determine the rate of the channel; cells with few messages are shown without
      // a rate.
      { query: 'send-heatmap', parameters: { channel, least_messages: '1' } },
      { query: 'send-heatmap', parameters: { channel, measure: 'sent' } },
    ]),
  answers: z.array(week),
  show(answers, page) {
    const channels = page.channels.slice(0, SHOWN_CHANNELS).flatMap((channel, i) => {
      const rates = answers[2 * i] ?? [];
      const cells = cellsOf(rates, answers[2 * i + 1] ?? [], page);
      return cells.some(({ rate }) => rate !== null) ? [{ channel, cells }] : [];
    });
    if (channels.length === 0) return undefined;
    const left = page.channels.length - SHOWN_CHANNELS;
    return {
      sentence: paragraph(
        ...channels.map(({ channel, cells }) => bestOf(channel, cells, page)),
        page.say({
          en: `Channels are not compared with each other; cells of fewer than ${LEAST_MESSAGES} messages are grey. Campaigns differ too: \`dawnload query best-hours\` looks at each.`,
          ko: `채널끼리는 비교하지 않으며, 메시지가 ${LEAST_MESSAGES}건 미만인 칸은 회색입니다. 캠페인마다 다를 수 있으니 \`dawnload query best-hours\`도 확인하세요.`,
        }),
        left > 0 &&
          page.say({
            en: `${page.count(left)} smaller channels are left out.`,
            ko: `규모가 작은 ${page.count(left)}개 채널은 생략했습니다.`,
          }),
      ),
      body: html`${channels.map(({ channel, cells }) => heatmap(channel, cells, page))}`,
    };
  },
  empty: {
    en: 'Clicks by hour come with paid event exports: set exports.budget, and `dawnload plan` shows what they cost.',
    ko: '시간대별 클릭은 유료 이벤트 내보내기에 들어 있습니다. exports.budget을 설정하고 `dawnload plan`으로 비용을 확인하세요.',
  },
});

/** The best hour of a channel, if one is clearly better than the channel as a whole. */
function bestOf(channel: string, cells: readonly Cell[], page: Page): string {
  const known = cells.filter(({ rate }) => rate !== null);
  const all = sum(known.map(({ messages }) => messages));
  const usual = sum(known.map(({ rate, messages }) => (rate ?? 0) * messages)) / Math.max(1, all);
  const isClear = ({ rate, messages }: Cell): boolean =>
    messages >= LEAST_MESSAGES && (rate ?? 0) - usual > CLEARLY * Math.sqrt((usual * (1 - usual)) / messages);
  const [best] = known.filter(isClear).sort((a, b) => (b.rate ?? 0) - (a.rate ?? 0));
  return best === undefined
    ? page.say({
        en: `On ${channel} no hour of a weekday is clearly clicked more than its ${page.rate(usual)}.`,
        ko: `${channel} 채널에서는 전체 클릭률 ${page.rate(usual)}보다 뚜렷하게 높은 요일·시간대가 없습니다.`,
      })
    : page.say({
        en: `On ${channel}, messages sent on ${best.day} from ${best.hour}:00 are clearly clicked more than others: ${page.rate(best.rate)} of ${page.count(best.messages)}, where all have ${page.rate(usual)}.`,
        ko: `${channel} 채널에서는 ${best.day} ${best.hour}시에 보낸 메시지의 클릭률이 뚜렷하게 높습니다: ${page.count(best.messages)}건 중 ${page.rate(best.rate)}, 전체는 ${page.rate(usual)}.`,
      });
}

function heatmap(channel: string, cells: readonly Cell[], page: Page): Html {
  return html`<h3>${channel}</h3>
    <div class="wide">${drawing(channel, cells, 'wide', page)}</div>
    <div class="narrow">${drawing(channel, cells, 'narrow', page)}</div>
    ${folded(
      page.say({ en: 'Click rates as a table', ko: '클릭률 표' }),
      table(
        page.say({ en: 'Click rate in per cent by hour and weekday', ko: '시간·요일별 클릭률(%)' }),
        [
          { head: page.head('hour'), cell: (hour: number) => `${hour}:00`, kind: 'number' },
          ...SHORT[page.language].map((weekday) => ({
            head: weekday,
            cell: (hour: number) =>
              inPerCent(cells.find((one) => one.hour === hour && one.weekday === weekday)),
            kind: 'number' as const,
          })),
        ],
        [...new Set(cells.map(({ hour }) => hour))],
        page.say({ en: `Click rates of ${channel}`, ko: `${channel}의 클릭률` }),
      ),
    )}`;
}

function inPerCent(one: Cell | undefined): string {
  const rate = one !== undefined && one.messages >= LEAST_MESSAGES ? one.rate : null;
  return rate === null ? '–' : (rate * 100).toFixed(1);
}

function cellsOf(rates: Week, messages: Week, page: Page): Cell[] {
  return rates.flatMap((row) =>
    WEEKDAYS.map((weekday, i) => ({
      weekday: SHORT[page.language][i] ?? weekday,
      day: LONG[page.language][i] ?? weekday,
      hour: row.hour,
      rate: row[weekday],
      messages: messages.find(({ hour }) => hour === row.hour)?.[weekday] ?? 0,
    })),
  );
}

/** Draws the hours side by side (`wide`), or one below the other if there is no room for 24 columns (`narrow`). */
function drawing(channel: string, cells: readonly Cell[], shape: 'wide' | 'narrow', page: Page): Html {
  const known = cells.filter(({ rate }) => rate !== null);
  const sure = known.filter(({ messages }) => messages >= LEAST_MESSAGES);
  const unsure = known.filter(({ messages }) => messages < LEAST_MESSAGES);
  const highest = Math.max(...sure.map(({ rate }) => rate ?? 0), Number.MIN_VALUE);
  const isWide = shape === 'wide';
  // The drawing starts at the first and ends at the last hour with messages.
  const sentAt = known.map(({ hour }) => hour);
  const [from, to] = [Math.min(...sentAt), Math.max(...sentAt)];
  const used = [...Array(to - from + 1).keys()].map((n) => from + n);
  const at = isWide ? { x: 'hour', y: 'weekday' } : { x: 'weekday', y: 'hour' };
  const hourAxis = {
    tickSize: 0,
    label: null,
    fontSize: 11,
    fill: INK,
    tickFormat: (hour: number) => `${hour}`,
  };
  const dayAxis = { tickSize: 0, label: null, fontSize: 12, fill: INK };
  const hourScale = { domain: used, padding: 0.05 };
  const dayScale = { domain: SHORT[page.language], padding: 0.05 };
  return chart({
    label: page.say({
      en: `${channel}: click rate in per cent by weekday and hour of sending; the table below has the numbers`,
      ko: `${channel}: 요일과 발송 시각별 클릭률(%). 수치는 아래 표에 있습니다`,
    }),
    description: page.say({
      en: `The darker a cell, the higher its rate; grey cells are of fewer than ${LEAST_MESSAGES} messages.`,
      ko: `색이 짙을수록 클릭률이 높으며, 회색은 메시지가 ${LEAST_MESSAGES}건 미만인 칸입니다.`,
    }),
    width: isWide ? 900 : 350,
    height: isWide ? 200 : 28 + 20 * used.length,
    marginLeft: isWide ? 40 : 28,
    marginTop: 24,
    marginRight: 2,
    marginBottom: 2,
    x: isWide ? hourScale : dayScale,
    y: isWide ? dayScale : hourScale,
    marks: [
      axisX({ anchor: 'top', ...(isWide ? hourAxis : dayAxis) }),
      axisY(isWide ? dayAxis : hourAxis),
      cell(sure, {
        ...at,
        fill: ACCENT,
        fillOpacity: ({ rate }: Cell) => Math.min(1, (rate ?? 0) / highest) * DARKEST,
        stroke: SOFT,
      }),
      cell(unsure, { ...at, fill: SOFT, fillOpacity: 0.35 }),
      words(sure, { ...at, text: inPerCent, fill: INK, fontSize: 11 }),
    ],
  });
}
