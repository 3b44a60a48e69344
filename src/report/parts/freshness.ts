/** The newest day of each stream, its missing days, and the days that the service changed afterwards. */
import { rect, text as words } from '@observablehq/plot';
import { z } from 'zod';
import { dayCount, daysOf as daysBetween, shiftDay, type Day } from '../../calendar.js';
import { ACCENT, BAD, chart, bar } from '../chart.js';
import type { Html, Page } from '../page.js';
import { NOTES, count, name, part, rows, sum, text, type ToDo } from '../part.js';
import { table } from '../table.js';

const SHOWN_DAYS = 90;

const streams = rows({
  stream: text,
  first_date: text,
  last_date: text,
  days_held: count,
  days_missing: count,
  last_pulled_at_kst: name,
});
const gaps = rows({ stream: text, first_day: text, last_day: text, days: count });

type Stream = z.infer<typeof streams>[number];
type Gap = z.infer<typeof gaps>[number];

export const freshness = part({
  id: 'freshness',
  title: { en: 'Freshness', ko: '데이터 최신성' },
  asks: () => [{ query: 'freshness' }, { query: 'missing-days' }],
  answers: z.tuple([streams, gaps]),
  show([held, missing], page) {
    if (held.length === 0) return undefined;
    // Days before the first day of a stream were never requested and do not count as missing.
    const inside = missing.flatMap((gap) => {
      const stream = held.find((one) => one.stream === gap.stream);
      if (stream === undefined || gap.last_day < stream.first_date) return [];
      return [{ ...gap, first_day: laterDay(gap.first_day, stream.first_date) }];
    });
    const last = laterDay(page.complete, page.day ?? page.complete);
    const oldest = held.map(({ first_date }) => first_date).sort()[0] ?? last;
    const first = laterDay(shiftDay(last, 1 - SHOWN_DAYS), oldest);
    return {
      sentence: sentenceOf(inside, page),
      toDo: toDoOf(inside, page),
      note: page.say(NOTES.sessionDays),
      body: table(
        page.say({ en: `Days from ${first} to ${last}`, ko: `${first}부터 ${last}까지의 날짜` }),
        [
          { head: page.head('stream'), cell: ({ stream }: Stream) => page.value('stream', stream) },
          {
            head: page.say({ en: 'days held', ko: '보유한 날짜' }),
            cell: (stream) =>
              strip(
                stream,
                inside.filter((gap) => gap.stream === stream.stream),
                first,
                last,
                page,
              ),
            kind: 'chart',
          },
          { head: page.head('first_date'), cell: ({ first_date }) => first_date, isExtra: true },
          { head: page.head('last_date'), cell: ({ last_date }) => last_date },
          {
            head: page.head('days_held'),
            cell: ({ days_held }) => page.count(days_held),
            kind: 'number',
            isExtra: true,
          },
          {
            head: page.head('days_missing'),
            cell: ({ stream }) => page.count(sum(inside.filter((gap) => gap.stream === stream).map(daysOf))),
            kind: 'number',
          },
          {
            head: page.head('last_pulled_at_kst'),
            cell: ({ last_pulled_at_kst }) => last_pulled_at_kst.slice(0, 16),
            isExtra: true,
          },
        ],
        held,
      ),
    };
  },
  empty: {
    en: 'Nothing was pulled yet. `dawnload run` brings the first days.',
    ko: '아직 가져온 데이터가 없습니다. `dawnload run`을 실행하면 채워집니다.',
  },
});

function sentenceOf(missing: readonly Gap[], page: Page): string {
  if (missing.length === 0 && page.isIncomplete) {
    return page.say({
      en: 'No day is wholly missing, but the last run is incomplete: the newest days may lack a part. `dawnload status` says which.',
      ko: '통째로 빠진 날짜는 없지만 마지막 실행이 일부만 완료되어 최근 날짜에 빠진 부분이 있을 수 있습니다. `dawnload status`로 확인하세요.',
    });
  }
  if (missing.length === 0) {
    return page.say({
      en: `No day is missing up to ${page.complete}, the last complete one.`,
      ko: `마지막 완료일인 ${page.complete}까지 빠진 날짜가 없습니다.`,
    });
  }
  const list = missing
    .slice(0, 4)
    .map(({ stream, first_day, last_day }) =>
      first_day === last_day
        ? `${page.value('stream', stream)} ${first_day}`
        : `${page.value('stream', stream)} ${first_day} – ${last_day}`,
    )
    .join(', ');
  const more = missing.length > 4 ? ', …' : '';
  return page.say({
    en: `Missing up to ${page.complete}, the last complete day: ${list}${more}. The next run asks again for days of free streams; \`dawnload plan\` shows the rest.`,
    ko: `마지막 완료일인 ${page.complete}까지 다음 날짜가 빠져 있습니다: ${list}${more}. 무료 데이터는 다음 실행 때 다시 요청하며, 나머지는 \`dawnload plan\`에서 확인할 수 있습니다.`,
  });
}

function toDoOf(missing: readonly Gap[], page: Page): ToDo[] {
  const days = new Set(
    missing.flatMap(({ first_day, last_day }) => daysBetween({ start: first_day, end: last_day })),
  );
  if (days.size === 0) return [];
  const isFree = missing.some(({ stream }) => stream !== 'events');
  return [
    {
      urgency: 'missing_days',
      reason: page.say({
        en: `Data of ${page.count(days.size)} ${days.size === 1 ? 'day is' : 'days is'} missing, so sums are too low.`,
        ko: `${page.count(days.size)}일의 데이터가 빠져 있어 합계가 실제보다 작습니다.`,
      }),
      command: isFree ? 'dawnload run' : 'dawnload plan',
    },
  ];
}

/** A bar of the days held, with crosses in the gaps; the two are distinguishable without colour. */
function strip(stream: Stream, missing: readonly Gap[], first: Day, last: Day, page: Page): Html {
  const at = (day: Day): number => dayCount({ start: first, end: day }) - 1;
  const isSeen = (from: number, to: number): boolean => to > 0 && from < to;
  const holes = missing
    .map((gap) => ({ from: Math.max(0, at(gap.first_day)), to: at(gap.last_day) + 1 }))
    .filter(({ from, to }) => isSeen(from, to));
  const bounds = [Math.max(0, at(stream.first_date)), ...holes.flatMap(({ from, to }) => [from, to])];
  const end = Math.min(at(last) + 1, at(stream.last_date) + 1);
  const held = [...bounds, Math.max(end, bounds[bounds.length - 1] ?? end)]
    .reduce<{ from: number; to: number }[]>(
      (parts, bound, i, all) => (i % 2 === 1 ? [...parts, { from: all[i - 1] ?? 0, to: bound }] : parts),
      [],
    )
    .filter(({ from, to }) => isSeen(from, to));
  return chart({
    label: page.say({
      en: `${page.value('stream', stream.stream)}: ${page.count(stream.days_held)} days held, ${page.count(sum(missing.map(daysOf)))} missing`,
      ko: `${page.value('stream', stream.stream)}: ${page.count(stream.days_held)}일 보유, ${page.count(sum(missing.map(daysOf)))}일 누락`,
    }),
    width: 270,
    height: 20,
    margin: 1,
    axis: null,
    x: { domain: [0, at(last) + 1] },
    y: { domain: [0, 1] },
    marks: [
      rect(held, { x1: 'from', x2: 'to', y1: 0, y2: 1, fill: ACCENT }),
      rect(holes, { x1: 'from', x2: 'to', y1: 0, y2: 1, fill: 'none', stroke: BAD }),
      words(holes, {
        x: ({ from, to }: { from: number; to: number }) => (from + to) / 2,
        y: 0.5,
        text: () => '×',
        fill: BAD,
      }),
    ],
  });
}

function laterDay(one: Day, other: Day): Day {
  return one > other ? one : other;
}

function daysOf({ first_day, last_day }: Gap): number {
  return dayCount({ start: first_day, end: last_day });
}

/** Maximum number of changes shown. */
const SHOWN_CHANGES = 20;

const restatements = rows({
  date: text,
  counter: text,
  difference: count,
  statistics_changed: count,
  days_after: count,
});
type Change = z.infer<typeof restatements>[number];

/** Days whose counts the service changed after they had been pulled. */
export const restated = part({
  id: 'restated',
  title: { en: 'Restated days', ko: '정정된 날짜' },
  asks: () => [{ query: 'restatements-by-day' }],
  answers: z.tuple([restatements]),
  show([changes], page) {
    if (changes.length === 0) return undefined;
    const days = new Set(changes.map(({ date }) => date)).size;
    const latest = Math.max(...changes.map(({ days_after }) => days_after));
    const shown = [...changes].reverse().slice(0, SHOWN_CHANGES);
    const largest = Math.max(...shown.map(({ difference }) => Math.abs(difference)));
    return {
      sentence: page.say({
        en: `Of the last 28 days the service changed ${page.count(days)} after it had given them, the latest ${page.count(latest)} days later. The warehouse holds the new counts.`,
        ko: `최근 28일 중 ${page.count(days)}일의 수치가 제공된 뒤에 정정되었고, 가장 늦은 정정은 ${page.count(latest)}일 뒤였습니다. 웨어하우스에는 정정된 수치가 들어 있습니다.`,
      }),
      body: table(
        page.say({ en: 'Changes by day and counter, newest first', ko: '날짜·지표별 변동, 최신순' }),
        [
          { head: page.head('date'), cell: ({ date }: Change) => date },
          { head: page.head('counter'), cell: ({ counter }) => page.head(counter) },
          {
            head: page.say({ en: 'size', ko: '크기' }),
            cell: ({ date, counter, difference }) =>
              bar(Math.abs(difference), largest, `${date} ${counter}: ${page.count(difference)}`),
            kind: 'chart',
          },
          {
            head: page.head('difference'),
            cell: ({ difference }) => `${difference > 0 ? '+' : ''}${page.count(difference)}`,
            kind: 'number',
          },
          {
            head: page.head('statistics_changed'),
            cell: ({ statistics_changed }) => page.count(statistics_changed),
            kind: 'number',
          },
          {
            head: page.head('days_after'),
            cell: ({ days_after }) => page.count(days_after),
            kind: 'number',
            isExtra: true,
          },
        ],
        shown,
      ),
    };
  },
  empty: {
    en: 'The service changed no count of the last 28 days after it had given it.',
    ko: '최근 28일 동안 제공된 뒤에 정정된 수치가 없습니다.',
  },
});
