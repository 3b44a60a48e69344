/** The monthly cost of event exports, and whether the budget will last. */
import { barX, ruleX, tickX } from '@observablehq/plot';
import { z } from 'zod';
import { bar, ACCENT, chart, INK, SOFT } from '../chart.js';
import { html, NOTHING, type Html, type Page, type Text } from '../page.js';
import { count, number, paragraph, part, rows, text, type ToDo } from '../part.js';
import { table } from '../table.js';

const SHOWN_MONTHS = 13;

const currency = z.string().nullable().default(null);
const months = rows({
  month: text,
  exports: count,
  ambiguous_exports: count,
  records: number,
  cost: number,
  currency,
});
const budgets = rows({
  month: text,
  records_used: count,
  records_per_month: count,
  /** The records used so far plus the forecast for the rest of the month; null while no night has been recorded. */
  forecast_records: number,
  forecast_cost: number,
  cost_used: count,
  tonight_records: number,
  is_enough: z.boolean().nullable(),
  days_over_budget: number.default(null),
  currency,
});
type Month = z.infer<typeof months>[number];
type Budget = z.infer<typeof budgets>[number];

export const spend = part({
  id: 'spend',
  title: { en: 'Spend on exports', ko: '내보내기 비용' },
  asks: () => [{ query: 'spend' }, { query: 'budget' }],
  answers: z.tuple([months, budgets]),
  show([paid, [budget]], page) {
    if (paid.length === 0 && budget === undefined) return undefined;
    const shown = [...paid].reverse().slice(0, SHOWN_MONTHS);
    const most = Math.max(...shown.map(({ records }) => records ?? 0));
    return {
      sentence: sentenceOf(budget, page),
      toDo: toDoOf(budget, page),
      body: html`${budget === undefined ? NOTHING : html`<div class="figure">${gauge(budget, page)}</div>`}
      ${table(
        page.say({ en: 'Records paid for, by the month of the request', ko: '요청한 달별 유료 레코드' }),
        [
          { head: page.head('month'), cell: ({ month }: Month) => month },
          {
            head: page.say({ en: 'compared', ko: '비교' }),
            cell: ({ month, records }) => bar(records ?? 0, most, `${month}: ${page.count(records)}`),
            kind: 'chart',
          },
          { head: page.head('records'), cell: ({ records }) => page.count(records), kind: 'number' },
          {
            head: page.head('cost'),
            cell: ({ cost, currency: word }) => page.price(cost, word),
            kind: 'number',
          },
          { head: page.head('exports'), cell: ({ exports }) => page.count(exports), kind: 'number' },
          {
            head: page.head('ambiguous_exports'),
            cell: ({ ambiguous_exports }) => page.count(ambiguous_exports),
            kind: 'number',
            isExtra: true,
          },
        ],
        shown,
      )}`,
    };
  },
  empty: {
    en: 'Nothing was paid for, and no budget is set: no paid request is sent. Set exports.budget to bring events; `dawnload plan` shows what they cost.',
    ko: '지출이 없으며 예산도 설정되지 않았습니다. 예산이 없으면 유료 요청을 보내지 않습니다. 이벤트를 가져오려면 exports.budget을 설정하세요. 비용은 `dawnload plan`으로 확인할 수 있습니다.',
  },
});

function sentenceOf(budget: Budget | undefined, page: Page): string {
  if (budget === undefined) {
    return page.say({
      en: 'No budget is set for a month, so the report cannot say whether it lasts.',
      ko: '월 예산이 설정되지 않아 예산이 충분한지 알 수 없습니다.',
    });
  }
  const { month, records_used, records_per_month, forecast_records, forecast_cost, days_over_budget } =
    budget;
  const price = (amount: number | null, of: Text): string =>
    amount === null || amount === 0
      ? ''
      : page.say(of).replace('{price}', () => page.price(amount, budget.currency));
  const paid = price(budget.cost_used, { en: ', for {price}', ko: '({price})' });
  return paragraph(
    page.say({
      en: `In ${month}, ${page.count(records_used)} of ${page.count(records_per_month)} records are used${paid}.`,
      ko: `${month}에 ${page.count(records_per_month)}건 중 ${page.count(records_used)}건을 사용했습니다${paid}.`,
    }),
    forecast_records === null
      ? page.say({
          en: 'How much the rest of the month needs is not known yet.',
          ko: '이달 말까지 얼마나 더 필요한지는 아직 알 수 없습니다.',
        })
      : page.say({
          en: `The runs until the end of the month will request about ${page.count(forecast_records - records_used)} more, ${page.count(forecast_records)} in all${price(forecast_cost, { en: ' ({price})', ko: '' })}.`,
          ko: `이달 말까지 약 ${page.count(forecast_records - records_used)}건을 더 요청해 모두 ${page.count(forecast_records)}건${price(forecast_cost, { en: '', ko: '({price})' })}이 될 것으로 예상합니다.`,
        }),
    budget.is_enough === true && page.say({ en: 'The budget lasts.', ko: '예산은 충분합니다.' }),
    budget.is_enough === false &&
      page.say({
        en: `The budget does not last: ${days_over_budget === null ? 'some' : page.count(days_over_budget)} days do not fit, and wait for the next month or for a larger budget.`,
        ko: `예산이 부족합니다. ${days_over_budget === null ? '일부' : `${page.count(days_over_budget)}일`}은 예산에 들어가지 않아 다음 달까지 기다리거나 예산을 늘려야 합니다.`,
      }),
  );
}

function toDoOf(budget: Budget | undefined, page: Page): ToDo[] {
  if (budget?.is_enough !== false) return [];
  return [
    {
      urgency: 'budget',
      reason: page.say({
        en: `The budget of ${budget.month} does not last for all days that should be exported.`,
        ko: `${budget.month}의 예산으로는 내보낼 날짜를 모두 요청할 수 없습니다.`,
      }),
      command: 'dawnload plan',
    },
  ];
}

/** Draws the used part (filled), the forecast (outlined) and the budget (a line). */
function gauge(budget: Budget, page: Page): Html {
  const { records_used: used, records_per_month: limit } = budget;
  const needed = budget.forecast_records ?? used;
  return chart({
    label: page.say({
      en: `${page.count(used)} records used, ${page.count(needed)} by the end of the month, of ${page.count(limit)}`,
      ko: `${page.count(limit)}건 중 ${page.count(used)}건 사용, 월말 예상 ${page.count(needed)}건`,
    }),
    description: page.say({
      en: 'The full bar is what is used, the dashed one what the month will need, the thick line the budget.',
      ko: '채워진 막대는 사용량, 점선 막대는 월말 예상, 굵은 선은 예산입니다.',
    }),
    width: 340,
    height: 40,
    margin: 4,
    axis: null,
    x: { domain: [0, Math.max(limit, needed, 1) * 1.02] },
    marks: [
      barX([needed], { x: (x: number) => x, fill: 'none', stroke: ACCENT, strokeDasharray: '4 3', inset: 6 }),
      barX([used], { x: (x: number) => x, fill: ACCENT, inset: 6 }),
      ruleX([0], { stroke: SOFT }),
      tickX([limit], { x: (x: number) => x, stroke: INK, strokeWidth: 3 }),
    ],
  });
}
