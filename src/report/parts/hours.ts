/** Click rates by the weekday and hour in which messages were sent. */
import { axisX, axisY, cell, text as words } from '@observablehq/plot';
import { z } from 'zod';
import { ACCENT, chart, INK } from '../chart.js';
import { html } from '../html.js';
import type { Page } from '../page.js';
import { count, number, part, rows } from '../part.js';
import { folded, table } from '../table.js';

const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
const SHORT = {
  en: ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'],
  ko: ['월', '화', '수', '목', '금', '토', '일'],
};
/** The darkest cell: its number is still readable on it. */
const DARKEST = 0.5;
/** A rate of fewer messages says more of chance than of the hour. */
const LEAST_MESSAGES = 100;

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
  /** Its name in full. */
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
  asks: () => [{ query: 'send-heatmap' }, { query: 'send-heatmap', parameters: { measure: 'sent' } }],
  answers: z.tuple([week, week]),
  show([rates, messages], page) {
    const cells = cellsOf(rates, messages, page);
    const known = cells.filter(({ rate }) => rate !== null);
    if (known.length === 0) return undefined;
    const sure = known.filter((one) => one.messages >= LEAST_MESSAGES);
    const best = [...sure].sort((a, b) => (b.rate ?? 0) - (a.rate ?? 0))[0];
    // The colour of hours with few messages would outshine all others.
    const highest = Math.max(
      ...(sure.length > 0 ? sure : known).map(({ rate }) => rate ?? 0),
      Number.MIN_VALUE,
    );
    return {
      sentence:
        best === undefined
          ? page.say({
              en: `No hour of a weekday has ${LEAST_MESSAGES} messages yet, so no hour can be called the best.`,
              ko: `요일·시간대별 메시지가 아직 ${LEAST_MESSAGES}건에 미치지 못해 가장 좋은 시간대를 말할 수 없습니다.`,
            })
          : page.say({
              en: `Messages sent on ${best.day} from ${best.hour}:00 are clicked most: ${page.rate(best.rate)} of ${page.count(best.messages)}, among hours with at least ${LEAST_MESSAGES} messages. Campaigns differ too: \`dawnload query best-hours\` looks at each.`,
              ko: `메시지가 ${LEAST_MESSAGES}건 이상인 시간대 중 ${best.day} ${best.hour}시에 보낸 메시지의 클릭률이 가장 높습니다: ${page.count(best.messages)}건 중 ${page.rate(best.rate)}. 캠페인마다 다를 수 있으니 \`dawnload query best-hours\`도 확인하세요.`,
            }),
      body: html`<div class="figure">${drawing(cells, highest, page)}</div>
        ${folded(
          page.say({ en: 'Click rates as a table', ko: '클릭률 표' }),
          table(
            page.say({ en: 'Click rate in per cent by hour and weekday', ko: '시간·요일별 클릭률(%)' }),
            [
              { head: page.head('hour'), cell: ({ hour }: Week[number]) => `${hour}:00` },
              ...WEEKDAYS.map((weekday, i) => ({
                head: SHORT[page.language][i] ?? weekday,
                cell: (row: Week[number]) => page.rate(row[weekday]),
                kind: 'number' as const,
              })),
            ],
            rates,
          ),
        )}`,
    };
  },
  empty: {
    en: 'Clicks by hour come with paid event exports: set exports.budget, and `dawnload plan` shows what they cost.',
    ko: '시간대별 클릭은 유료 이벤트 내보내기에 들어 있습니다. exports.budget을 설정하고 `dawnload plan`으로 비용을 확인하세요.',
  },
});

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

function drawing(cells: readonly Cell[], highest: number, page: Page) {
  const known = cells.filter(({ rate }) => rate !== null);
  return chart({
    label: page.say({
      en: 'Click rate in per cent by weekday and hour of sending; the table below has the numbers',
      ko: '요일과 발송 시각별 클릭률(%). 수치는 아래 표에 있습니다',
    }),
    description: page.say({
      en: `Columns are weekdays, rows are hours. The darker a cell, the higher its rate; numbers in italics are of fewer than ${LEAST_MESSAGES} messages.`,
      ko: `열은 요일, 행은 시각입니다. 색이 짙을수록 클릭률이 높으며, 기울임꼴은 메시지가 ${LEAST_MESSAGES}건 미만인 칸입니다.`,
    }),
    width: 340,
    height: 480,
    marginLeft: 40,
    marginTop: 24,
    marginRight: 2,
    marginBottom: 2,
    x: { domain: SHORT[page.language], padding: 0.04 },
    y: { domain: [...Array(24).keys()], padding: 0.06 },
    marks: [
      axisX({ anchor: 'top', tickSize: 0, label: null, fontSize: 12, fill: INK }),
      axisY({
        tickSize: 0,
        label: null,
        fontSize: 11,
        fill: INK,
        tickFormat: (hour: number) => `${hour}:00`,
      }),
      cell(known, {
        x: 'weekday',
        y: 'hour',
        fill: ACCENT,
        fillOpacity: ({ rate }: Cell) => Math.min(1, (rate ?? 0) / highest) * DARKEST,
        stroke: 'var(--line)',
      }),
      // A rate of few messages stands there in italics.
      ...(['normal', 'italic'] as const).map((fontStyle) =>
        words(
          known.filter(({ messages }) => messages < LEAST_MESSAGES === (fontStyle === 'italic')),
          {
            x: 'weekday',
            y: 'hour',
            text: ({ rate }: Cell) => ((rate ?? 0) * 100).toFixed(1),
            fill: INK,
            fontSize: 11,
            fontStyle,
          },
        ),
      ),
    ],
  });
}
