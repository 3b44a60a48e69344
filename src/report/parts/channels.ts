/** Daily sends, deliveries, clicks and conversions of each channel. */
import { areaY, dot, lineY, ruleY } from '@observablehq/plot';
import { z } from 'zod';
import { shiftDay } from '../../calendar.js';
import { ACCENT, chart, SOFT } from '../chart.js';
import { html, type Html, type Page } from '../page.js';
import { NOTES, number, part, rows, sum, text } from '../part.js';
import { folded, table } from '../table.js';

const SHOWN_DAYS = 90;
const SHOWN_CHANNELS = 12;
const COUNTERS = ['sent', 'delivered', 'clicked', 'conversions'] as const;

const answers = rows({
  date: text,
  channel: text.nullable(),
  sent: number,
  delivered: number,
  clicked: number,
  conversions: number,
  goals: text.nullable(),
});
type ChannelDay = z.infer<typeof answers>[number];

export const channels = part({
  id: 'channels',
  title: { en: 'Channels by day', ko: '채널별 일간 추이' },
  asks: ({ day }) => [
    {
      query: 'channel-summary',
      parameters: day === undefined ? {} : { start: shiftDay(day, 1 - SHOWN_DAYS) },
    },
  ],
  answers: z.tuple([answers]),
  show([days], page) {
    if (days.length === 0) return undefined;
    const dates = [...new Set(days.map(({ date }) => date))].sort();
    const names = [...new Set(days.map(({ channel }) => channel ?? '–'))];
    const byChannel = names
      .map((channel) => days.filter((day) => (day.channel ?? '–') === channel))
      .map((itsDays) => ({
        channel: itsDays[0]?.channel ?? '–',
        days: itsDays,
        sent: total(itsDays, 'sent') ?? 0,
      }))
      .sort((a, b) => b.sent - a.sent);
    const shown = byChannel.slice(0, SHOWN_CHANNELS);
    const [largest] = shown;
    const all = sum(byChannel.map(({ sent }) => sent));
    const left = byChannel.length - shown.length;
    const first = dates[0] ?? '';
    const last = dates[dates.length - 1] ?? '';
    return {
      sentence: `${page.say({
        en: `From ${first} to ${last}, ${largest?.channel ?? ''} sent the most: ${page.count(largest?.sent ?? 0)} of ${page.count(all)} messages.`,
        ko: `${first}부터 ${last}까지 ${largest?.channel ?? ''} 채널의 발송이 가장 많았습니다: 전체 ${page.count(all)}건 중 ${page.count(largest?.sent ?? 0)}건.`,
      })} ${
        left === 0
          ? ''
          : page.say({
              en: `${page.count(left)} smaller channels are left out.`,
              ko: `규모가 작은 ${page.count(left)}개 채널은 생략했습니다.`,
            })
      }`,
      note: page.say(NOTES.sentIsNotReached),
      body: html`<div class="cards">
        ${shown.map(({ channel, days: itsDays }) => card(channel, itsDays, dates, page))}
      </div>`,
    };
  },
  empty: {
    en: 'No daily statistics are held yet. `dawnload run` brings them, free of charge.',
    ko: '일별 통계가 아직 없습니다. `dawnload run`을 실행하면 무료로 가져옵니다.',
  },
});

function card(channel: string, days: readonly ChannelDay[], dates: readonly string[], page: Page): Html {
  const goals = [...new Set(days.flatMap((day) => day.goals ?? []))];
  const differ = goals.length > 1 || days.some((day) => day.goals !== null && day.conversions === null);
  const counted = COUNTERS.filter(
    (counter) => days.some((day) => day[counter] !== null) && !(counter === 'conversions' && differ),
  );
  const caption = `${channel}, ${dates[0] ?? ''} – ${dates[dates.length - 1] ?? ''}`;
  return html`<div class="card">
    <h3>${channel}</h3>
    ${table(
      caption,
      [
        {
          head: page.say({ en: 'counter', ko: '지표' }),
          cell: (counter: (typeof COUNTERS)[number]) => page.head(counter),
        },
        {
          head: page.say({ en: 'by day', ko: '일별' }),
          cell: (counter) => line(channel, counter, days, dates, page),
          kind: 'picture',
        },
        {
          head: page.say({ en: 'in all', ko: '합계' }),
          cell: (counter) => page.count(total(days, counter)),
          kind: 'number',
        },
        {
          head: page.say({ en: 'highest day', ko: '최고치' }),
          cell: (counter) => page.count(highest(days, counter)),
          kind: 'number',
          isExtra: true,
        },
      ],
      counted,
    )}
    ${
      differ
        ? html`<p>
            ${page.say({
              en: `Conversions of different goals are not added up: ${namesOf(goals)}.`,
              ko: `목표가 서로 다른 전환은 합산하지 않습니다: ${namesOf(goals)}.`,
            })}
          </p>`
        : undefined
    }
    ${folded(
      page.say({ en: 'Numbers by day', ko: '일별 수치' }),
      table(
        caption,
        [
          { head: page.head('date'), cell: ({ date }: ChannelDay) => date },
          ...counted.map((counter) => ({
            head: page.head(counter),
            cell: (day: ChannelDay) => page.count(day[counter]),
            kind: 'number' as const,
          })),
        ],
        [...days].reverse(),
        page.say({ en: `Numbers by day of ${caption}`, ko: `일별 수치, ${caption}` }),
      ),
    )}
  </div>`;
}

/** The distinct goals in the lists of all days. */
function namesOf(goals: readonly string[]): string {
  return [...new Set(goals.flatMap((list) => list.split(', ')))].sort().join(', ');
}

/** Draws one counter over the days, starting at zero; an unknown day is a gap. */
function line(
  channel: string,
  counter: (typeof COUNTERS)[number],
  days: readonly ChannelDay[],
  dates: readonly string[],
  page: Page,
): Html {
  const values = new Map(days.map((day) => [day.date, day[counter]]));
  const points = dates.map((date, x) => ({ x, y: values.get(date) ?? NaN }));
  return chart({
    label: page.say({
      en: `${channel}: ${page.head(counter)} by day, at most ${page.count(highest(days, counter))}`,
      ko: `${channel}: 일별 ${page.head(counter)}, 최대 ${page.count(highest(days, counter))}`,
    }),
    description: points
      .filter(({ y }) => !Number.isNaN(y))
      .filter((_, i, all) => i === 0 || i === all.length - 1)
      .map(({ x, y }) => `${dates[x] ?? ''}: ${page.count(y)}`)
      .join(' … '),
    width: 240,
    height: 34,
    stretches: true,
    margin: 2,
    axis: null,
    y: { domain: [0, Math.max(1, highest(days, counter) ?? 1)] },
    x: { domain: [0, Math.max(1, dates.length - 1)] },
    marks: [
      ruleY([0], { stroke: SOFT }),
      areaY(points, { x: 'x', y: 'y', fill: ACCENT, fillOpacity: 0.2 }),
      lineY(points, { x: 'x', y: 'y', stroke: ACCENT, strokeWidth: 1.5 }),
      ...(dates.length === 1 ? [dot(points, { x: 'x', y: 'y', fill: ACCENT })] : []),
    ],
  });
}

function known(days: readonly ChannelDay[], counter: (typeof COUNTERS)[number]): number[] {
  return days.map((day) => day[counter]).filter((value) => value !== null);
}

function total(days: readonly ChannelDay[], counter: (typeof COUNTERS)[number]): number | null {
  const values = known(days, counter);
  return values.length === 0 ? null : sum(values);
}

function highest(days: readonly ChannelDay[], counter: (typeof COUNTERS)[number]): number | null {
  const values = known(days, counter);
  return values.length === 0 ? null : Math.max(...values);
}
