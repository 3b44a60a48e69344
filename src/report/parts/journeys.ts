/** User journeys as funnels: the share of the recipients of the first message who get each later one. */
import { z } from 'zod';
import { html, type Html, type Page } from '../page.js';
import { NOTES, count, name, number, paragraph, part, rows, text } from '../part.js';
import { bar } from '../chart.js';
import { table } from '../table.js';

const SHOWN_JOURNEYS = 6;
const SHOWN_STEPS = 12;

const answers = rows({
  user_journey_id: text,
  user_journey_name: name,
  step: count,
  user_journey_node_name: name,
  sent: number,
  share_of_first: number,
  drop_off: number,
  click_rate: number,
  conversion_rate: number,
  channels: name,
});
type Step = z.infer<typeof answers>[number];

export const journeys = part({
  id: 'journeys',
  title: { en: 'User journeys', ko: '유저 여정' },
  asks: () => [{ query: 'journey-funnel' }],
  answers: z.tuple([answers]),
  show([steps], page) {
    if (steps.length === 0) return undefined;
    const funnels = [...new Set(steps.map(({ user_journey_id }) => user_journey_id))]
      .map((id) => steps.filter(({ user_journey_id }) => user_journey_id === id))
      .sort((a, b) => (b[0]?.sent ?? 0) - (a[0]?.sent ?? 0));
    return {
      sentence: sentenceOf(steps, funnels.length, page),
      note: paragraph(page.say(NOTES.sendsOfOneWindow), page.say(NOTES.notAcrossChannels)),
      body: html`<div class="cards">
        ${funnels.slice(0, SHOWN_JOURNEYS).map((funnel) => card(funnel, page))}
      </div>`,
    };
  },
  empty: {
    en: 'No user journey sent a message in the last 28 days. Journeys show here once the daily statistics hold them.',
    ko: '최근 28일 동안 메시지를 보낸 유저 여정이 없습니다. 일별 통계에 유저 여정이 나타나면 여기에 표시됩니다.',
  },
});

function sentenceOf(steps: readonly Step[], journeys: number, page: Page): string {
  const largest = [...steps].sort((a, b) => (b.drop_off ?? 0) - (a.drop_off ?? 0))[0];
  const left = Math.max(0, journeys - SHOWN_JOURNEYS);
  return paragraph(
    largest?.drop_off == null || largest.drop_off <= 0
      ? page.say({
          en: `${page.count(journeys)} user ${journeys === 1 ? 'journey' : 'journeys'} sent messages in the last 28 days.`,
          ko: `최근 28일 동안 유저 여정 ${page.count(journeys)}개가 메시지를 보냈습니다.`,
        })
      : page.say({
          en: `The largest drop of the last 28 days is before “${largest.user_journey_node_name}” in “${largest.user_journey_name}”: ${page.rate(largest.drop_off)} fewer messages than in the step before.`,
          ko: `최근 28일 동안 가장 많이 이탈한 단계는 ‘${largest.user_journey_name}’의 ‘${largest.user_journey_node_name}’입니다: 이전 단계보다 메시지가 ${page.rate(largest.drop_off)} 적습니다.`,
        }),
    left > 0 &&
      page.say({
        en: `${page.count(left)} smaller journeys are left out.`,
        ko: `규모가 작은 유저 여정 ${page.count(left)}개는 생략했습니다.`,
      }),
  );
}

function card(funnel: readonly Step[], page: Page): Html {
  const journey = funnel[0]?.user_journey_name ?? '–';
  return html`<div class="card">
    <h3>${journey}</h3>
    ${table(
      page.say({ en: `Messages by step of ${journey}`, ko: `${journey}의 단계별 메시지` }),
      [
        {
          head: page.head('step'),
          cell: ({ step, user_journey_node_name }: Step) => `${step}. ${user_journey_node_name}`,
        },
        {
          head: page.say({ en: 'compared', ko: '비교' }),
          cell: ({ user_journey_node_name, share_of_first }) =>
            bar(
              share_of_first ?? 0,
              Math.max(1, ...funnel.map((step) => step.share_of_first ?? 0)),
              `${user_journey_node_name}: ${page.rate(share_of_first)}`,
            ),
          kind: 'chart',
        },
        { head: page.head('sent'), cell: ({ sent }) => page.count(sent), kind: 'number' },
        {
          head: page.say({ en: 'of the first', ko: '첫 단계 대비' }),
          cell: ({ share_of_first }) => page.rate(share_of_first),
          kind: 'number',
        },
        { head: page.head('click_rate'), cell: ({ click_rate }) => page.rate(click_rate), kind: 'number' },
      ],
      funnel.slice(0, SHOWN_STEPS),
    )}
  </div>`;
}
