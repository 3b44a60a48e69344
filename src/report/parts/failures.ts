/** The causes of failed sends and their trend, and channels with more failures than usual. */
import { z } from 'zod';
import { bar } from '../chart.js';
import type { Page } from '../page.js';
import { count, name, number, paragraph, part, rows, type ToDo } from '../part.js';
import { table } from '../table.js';

const SHOWN = 15;

const reasons = rows({
  channel: name,
  failure_reason: name,
  event_name: name,
  failures: count,
  failure_rate: number,
  change: number,
  trend: z.string().nullable(),
});
const alarms = rows({
  channel: name,
  failure_rate: number,
  usual_high: number,
  is_alarm: z.boolean().nullable(),
  date: name,
});
type Reason = z.infer<typeof reasons>[number];
type Alarm = z.infer<typeof alarms>[number];

export const failures = part({
  id: 'failures',
  title: { en: 'Failed sends', ko: '발송 실패' },
  asks: () => [{ query: 'failure-reasons' }, { query: 'failure-alarm' }],
  answers: z.tuple([reasons, alarms]),
  show([found, channels], page) {
    if (found.length === 0) return undefined;
    const shown = [...found].sort((a, b) => b.failures - a.failures).slice(0, SHOWN);
    const highest = Math.max(...shown.map(({ failures: those }) => those));
    return {
      sentence: sentenceOf(found, channels, shown.length, page),
      toDo: toDoOf(channels, page),
      body: table(
        page.say({
          en: 'Reasons of failed sends over all days held, most frequent first',
          ko: '보유 기간 전체의 실패 사유, 많은 순',
        }),
        [
          {
            head: page.head('failure_reason'),
            cell: ({ failure_reason }: Reason) => failure_reason,
            sub: ({ channel, event_name }) => `${channel} · ${event_name}`,
          },
          {
            head: page.say({ en: 'compared', ko: '비교' }),
            cell: ({ failure_reason, failures: those }) =>
              bar(those, highest, `${failure_reason}: ${page.count(those)}`),
            kind: 'chart',
          },
          { head: page.head('failures'), cell: ({ failures: those }) => page.count(those), kind: 'number' },
          {
            head: page.head('failure_rate'),
            cell: ({ failure_rate }) => page.rate(failure_rate),
            kind: 'number',
          },
          ...(shown.every(({ trend }) => trend === null)
            ? []
            : [
                {
                  head: page.head('trend'),
                  cell: ({ trend, change }: Reason) =>
                    `${trend === null ? '–' : page.value('trend', trend)}${change === null ? '' : ` (${page.change(change)})`}`,
                },
              ]),
        ],
        shown,
      ),
    };
  },
  empty: {
    en: 'The reasons come with paid event exports: set exports.budget, and `dawnload plan` shows what they cost. If events are held, no send failed.',
    ko: '실패 사유는 유료 이벤트 내보내기에 들어 있습니다. exports.budget을 설정하고 `dawnload plan`으로 비용을 확인하세요. 이벤트가 이미 있다면 실패한 발송이 없는 것입니다.',
  },
});

function toDoOf(channels: readonly Alarm[], page: Page): ToDo[] {
  return channels
    .filter(({ is_alarm }) => is_alarm === true)
    .map(({ channel, failure_rate, usual_high, date }) => ({
      urgency: 'failing_channel',
      reason: page.say({
        en: `More messages of ${channel} failed on ${date} than usual: ${page.rate(failure_rate)}, usually at most ${page.rate(usual_high)}.`,
        ko: `${date} ${channel} 채널의 실패율이 평소보다 높습니다: ${page.rate(failure_rate)}, 평소 최대 ${page.rate(usual_high)}.`,
      }),
      command: 'dawnload query failure-alarm',
    }));
}

function sentenceOf(found: readonly Reason[], channels: readonly Alarm[], shown: number, page: Page): string {
  const alarmed = channels.filter(({ is_alarm }) => is_alarm === true);
  const rising = found.filter(({ trend }) => trend === 'rising');
  return paragraph(
    ...alarmed.map(({ channel, failure_rate, usual_high, date }) =>
      page.say({
        en: `On ${date}, ${channel} failed more than usual: ${page.rate(failure_rate)}, usually at most ${page.rate(usual_high)}.`,
        ko: `${date} ${channel} 채널의 실패율이 평소보다 높습니다: ${page.rate(failure_rate)}, 평소 최대 ${page.rate(usual_high)}.`,
      }),
    ),
    found.some(({ trend }) => trend === null) &&
      page.say({
        en: 'Trends need the events of two whole weeks; where they are not held, no trend is shown.',
        ko: '추세를 보려면 2주 전체의 이벤트가 필요하며, 없는 항목에는 추세를 표시하지 않습니다.',
      }),
    rising.length > 0
      ? page.say({
          en: `Rising this week: ${rising
            .slice(0, 3)
            .map(({ failure_reason, channel }) => `${failure_reason} (${channel})`)
            .join(', ')}.`,
          ko: `이번 주에 늘어난 사유: ${rising
            .slice(0, 3)
            .map(({ failure_reason, channel }) => `${failure_reason} (${channel})`)
            .join(', ')}.`,
        })
      : found.some(({ trend }) => trend !== null) &&
          page.say({
            en: 'No reason is clearly rising this week.',
            ko: '이번 주에 뚜렷하게 늘어난 실패 사유는 없습니다.',
          }),
    found.length > shown &&
      page.say({
        en: `The ${page.count(shown)} most frequent of ${page.count(found.length)} reasons are shown.`,
        ko: `실패 사유 ${page.count(found.length)}개 중 가장 많은 ${page.count(shown)}개를 표시했습니다.`,
      }),
  );
}
