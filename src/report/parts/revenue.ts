/** The revenue attributed to the messages of campaigns. */
import { z } from 'zod';
import { bar } from '../chart.js';
import type { Page } from '../page.js';
import { name, number, paragraph, part, rows, text } from '../part.js';
import { table } from '../table.js';

const SHOWN = 10;

const answers = rows({
  campaign_id: text,
  campaign_name: name,
  variant_name: z.string().nullable(),
  succeeded: number,
  conversions: number,
  revenue: number,
  revenue_per_message: number,
  goal: name,
  is_winner: z.boolean().nullable(),
});
type Sales = z.infer<typeof answers>[number];

export const revenue = part({
  id: 'revenue',
  title: { en: 'Revenue', ko: '매출' },
  asks: () => [{ query: 'revenue' }],
  answers: z.tuple([answers]),
  show([found], page) {
    const campaigns = found
      .filter(({ variant_name, revenue: sold }) => variant_name === null && (sold ?? 0) > 0)
      .sort((a, b) => (b.revenue ?? 0) - (a.revenue ?? 0));
    const [first] = campaigns;
    if (first === undefined) return undefined;
    const shown = campaigns.slice(0, SHOWN);
    const winners = found.filter(
      ({ variant_name, is_winner }) => variant_name !== null && is_winner === true,
    );
    const per = (sales: Sales): number => sales.revenue_per_message ?? 0;
    const most = Math.max(...shown.map(per), Number.MIN_VALUE);
    const best = [...campaigns].sort((a, b) => per(b) - per(a))[0] ?? first;
    return {
      sentence: paragraph(
        page.say({
          en: `“${first.campaign_name}” sold the most in 28 days: ${money(first.revenue, page)}.`,
          ko: `최근 28일 동안 매출이 가장 큰 캠페인은 ‘${first.campaign_name}’입니다: ${money(first.revenue, page)}.`,
        }),
        campaigns.length > 1 &&
          page.say({
            en: `Most per message: “${best.campaign_name}”, ${money(best.revenue_per_message, page)}.`,
            ko: `메시지당 매출이 가장 큰 캠페인은 ‘${best.campaign_name}’입니다: ${money(best.revenue_per_message, page)}.`,
          }),
        ...winners.map(({ campaign_name, variant_name }) =>
          page.say({
            en: `${variant_name ?? ''} of “${campaign_name}” sells more per message than the other variants.`,
            ko: `‘${campaign_name}’에서는 ${variant_name ?? ''}의 메시지당 매출이 다른 변형보다 큽니다.`,
          }),
        ),
        campaigns.length > shown.length &&
          page.say({
            en: `The ${page.count(shown.length)} largest of ${page.count(campaigns.length)} campaigns with sales are shown.`,
            ko: `매출이 있는 캠페인 ${page.count(campaigns.length)}개 중 가장 큰 ${page.count(shown.length)}개를 표시했습니다.`,
          }),
      ),
      body: table(
        page.say({
          en: 'Sales after messages, by campaign: what the service attributes, in the currency of the shop',
          ko: '캠페인별 메시지 이후 매출. 서비스가 귀속한 금액이며 쇼핑몰 통화 기준입니다',
        }),
        [
          {
            head: page.head('campaign_name'),
            cell: ({ campaign_name }: Sales) => campaign_name,
            sub: ({ goal }) => goal,
          },
          {
            head: page.say({ en: 'per message', ko: '메시지당' }),
            cell: (sales) => bar(per(sales), most, `${sales.campaign_name}: ${money(per(sales), page)}`),
            kind: 'chart',
          },
          {
            head: page.head('revenue_per_message'),
            cell: ({ revenue_per_message }) => money(revenue_per_message, page),
            kind: 'number',
          },
          { head: page.head('revenue'), cell: ({ revenue: sold }) => money(sold, page), kind: 'number' },
          {
            head: page.head('conversions'),
            cell: ({ conversions }) => page.count(conversions),
            kind: 'number',
            isExtra: true,
          },
        ],
        shown,
      ),
    };
  },
  // The part is left out for teams that sell nothing through messages.
  empty: undefined,
});

/** Formats an amount; amounts of 100 or more have no decimals. */
function money(amount: number | null, page: Page): string {
  return page.count(amount !== null && Math.abs(amount) >= 100 ? Math.round(amount) : amount);
}
