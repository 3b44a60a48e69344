/** Days whose counts the service changed after it had given them. */
import { z } from 'zod';
import { bar } from '../chart.js';
import { count, part, rows, text } from '../part.js';
import { table } from '../table.js';

const SHOWN = 20;

const answers = rows({
  date: text,
  counter: text,
  difference: count,
  statistics_changed: count,
  days_after: count,
});
type Change = z.infer<typeof answers>[number];

export const restated = part({
  id: 'restated',
  title: { en: 'Restated days', ko: '정정된 날짜' },
  asks: () => [{ query: 'restatements-by-day' }],
  answers: z.tuple([answers]),
  show([changes], page) {
    if (changes.length === 0) return undefined;
    const days = new Set(changes.map(({ date }) => date)).size;
    const latest = Math.max(...changes.map(({ days_after }) => days_after));
    const shown = [...changes].reverse().slice(0, SHOWN);
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
