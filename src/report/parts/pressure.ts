/** The number of messages per person, and whether people with more messages click less. */
import { z } from 'zod';
import { bar } from '../chart.js';
import { NOTES, count, number, paragraph, part, rows, text } from '../part.js';
import type { Page } from '../page.js';
import { table } from '../table.js';

/** Minimum share of all people for the group that the other groups are compared with. */
const LEAST_SHARE = 0.05;

const answers = rows({
  messages_per_person: text,
  users: count,
  share_of_users: number,
  click_rate: number,
  clicker_share: number,
  window_days: count,
  days_held: count,
});
type Step = z.infer<typeof answers>[number];

export const pressure = part({
  id: 'pressure',
  title: { en: 'Message pressure', ko: '메시지 피로도' },
  asks: () => [{ query: 'message-pressure' }],
  answers: z.tuple([answers]),
  show([steps], page) {
    // The click rate of a group with only a few people is mostly random.
    const first = steps.find(({ share_of_users }) => (share_of_users ?? 0) >= LEAST_SHARE) ?? steps[0];
    const last = steps[steps.length - 1];
    if (first === undefined || last === undefined) return undefined;
    const mostUsers = Math.max(...steps.map(({ users }) => users));
    const highest = Math.max(...steps.map(({ click_rate }) => click_rate ?? 0));
    return {
      sentence: paragraph(
        page.say({
          en: `In ${page.count(first.window_days)} days ${page.rate(last.share_of_users)} of the people who got messages got ${stepOf(last, page)}.`,
          ko: `${page.count(first.window_days)}일 동안 메시지를 받은 사람의 ${page.rate(last.share_of_users)}가 메시지를 ${stepOf(last, page)} 받았습니다.`,
        }),
        first !== last &&
          first.click_rate !== null &&
          last.click_rate !== null &&
          page.say({
            en: `They clicked ${page.rate(last.click_rate)} of them; people who got ${stepOf(first, page)} clicked ${page.rate(first.click_rate)}.`,
            ko: `이들의 클릭률은 ${page.rate(last.click_rate)}이고, ${stepOf(first, page)} 받은 사람의 클릭률은 ${page.rate(first.click_rate)}입니다.`,
          }),
        first.days_held < first.window_days &&
          page.say({
            en: `Events of ${page.count(first.days_held)} of the ${page.count(first.window_days)} days are held, so people got more messages than this shows.`,
            ko: `${page.count(first.window_days)}일 중 ${page.count(first.days_held)}일의 이벤트만 있어 실제로 받은 메시지는 더 많습니다.`,
          }),
      ),
      note: paragraph(page.say(NOTES.heavyReceivers), page.say(NOTES.receivedIsSent)),
      body: table(
        page.say({ en: 'People by the messages that they got', ko: '받은 메시지 수별 사용자' }),
        [
          {
            head: page.head('messages_per_person'),
            cell: ({ messages_per_person }: Step) => messages_per_person,
          },
          {
            head: page.say({ en: 'people', ko: '사람' }),
            cell: ({ messages_per_person, users }) =>
              bar(users, mostUsers, `${messages_per_person}: ${page.count(users)}`),
            kind: 'chart',
          },
          { head: page.head('users'), cell: ({ users }) => page.count(users), kind: 'number' },
          {
            head: page.head('share_of_users'),
            cell: ({ share_of_users }) => page.rate(share_of_users),
            kind: 'number',
          },
          {
            head: page.say({ en: 'clicks', ko: '클릭' }),
            cell: ({ messages_per_person, click_rate }) =>
              bar(click_rate ?? 0, highest, `${messages_per_person}: ${page.rate(click_rate)}`),
            kind: 'chart',
          },
          { head: page.head('click_rate'), cell: ({ click_rate }) => page.rate(click_rate), kind: 'number' },
          {
            head: page.head('clicker_share'),
            cell: ({ clicker_share }) => page.rate(clicker_share),
            kind: 'number',
          },
        ],
        steps,
      ),
    };
  },
  empty: {
    en: 'Who got how many messages comes with paid event exports: set exports.budget, and `dawnload plan` shows what they cost.',
    ko: '사람별 메시지 수는 유료 이벤트 내보내기에 들어 있습니다. exports.budget을 설정하고 `dawnload plan`으로 비용을 확인하세요.',
  },
});

/** Formats the group `21+` as `21 or more` and `6-10` as `6 to 10`. */
function stepOf({ messages_per_person: step }: Step, page: Page): string {
  const [least = step, most] = step.split('-');
  if (step.endsWith('+'))
    return page.say({ en: `${step.slice(0, -1)} or more`, ko: `${step.slice(0, -1)}건 이상` });
  return most === undefined
    ? page.say({ en: step, ko: `${step}건` })
    : page.say({ en: `${least} to ${most}`, ko: `${least}~${most}건` });
}
