/** Five numbers for the last seven days, each compared with the week before. */
import { barX } from '@observablehq/plot';
import { z } from 'zod';
import { shiftDay } from '../../calendar.js';
import { ACCENT, chart } from '../chart.js';
import { html, type Html, type Page } from '../page.js';
import { NOTES, count, number, paragraph, part, rows, text } from '../part.js';
const answers = rows({
  measure: text,
  value: number,
  previous: number,
  change: number,
  days_missing: count,
  previous_days_missing: count,
  goals: text.nullable(),
});
/** The typical rise of counts after the first morning following their day. */
const rises = rows({ counter: text, age_days: count, days: count, median_rise: number });
type Rise = z.infer<typeof rises>[number];
const RISING = {
  delivered: { en: 'deliveries', ko: '도달' },
  click: { en: 'clicks', ko: '클릭' },
  conversion: { en: 'conversions', ko: '전환' },
};
/** Number of standard errors below which a difference is neither good nor bad. */
const CLEARLY = 3;

type Measure = z.infer<typeof answers>[number];

export const headline = part({
  id: 'headline',
  title: { en: 'The last seven days', ko: '최근 7일' },
  asks: () => [{ query: 'period-comparison', parameters: { by: 'all' } }, { query: 'restatements-by-age' }],
  answers: z.tuple([answers, rises]),
  show([measures, risen], page) {
    const sent = measures.find(({ measure }) => measure === 'sent');
    if (page.day === undefined || sent === undefined) return undefined;
    const shown = measures.filter(({ value, previous }) => value !== null || previous !== null);
    const days = `${shiftDay(page.day, -6)} – ${page.day}`;
    return {
      sentence: `${page.say({
        en: `${page.count(sent.value)} messages were sent from ${days}.`,
        ko: `${days}에 메시지 ${page.count(sent.value)}건을 보냈습니다.`,
      })} ${comparison(sent, page)} ${differingGoals(measures, page)}`,
      note: paragraph(
        page.say({
          en: 'Rates are of all channels together, so they also move with the mix of channels.',
          ko: '비율은 전체 채널을 합친 값이라 채널 구성이 바뀌어도 달라집니다.',
        }),
        page.say(NOTES.clicksByShown),
        maturity(risen, page),
      ),
      body: html`<div class="tiles">${shown.map((measure) => tile(measure, sent, page))}</div>`,
    };
  },
  empty: {
    en: 'No daily statistics are held yet. `dawnload run` brings them, free of charge.',
    ko: '일별 통계가 아직 없습니다. `dawnload run`을 실행하면 무료로 가져옵니다.',
  },
});

function comparison({ change, days_missing, previous_days_missing }: Measure, page: Page): string {
  if (change !== null) {
    if (change === 0)
      return page.say({ en: 'That is as many as in the week before.', ko: '그 전주와 같습니다.' });
    const by = page.rate(Math.abs(change));
    return change < 0
      ? page.say({ en: `That is ${by} fewer than in the week before.`, ko: `그 전주보다 ${by} 적습니다.` })
      : page.say({ en: `That is ${by} more than in the week before.`, ko: `그 전주보다 ${by} 많습니다.` });
  }
  const missing = days_missing + previous_days_missing;
  if (missing === 0) return '';
  return page.say({
    en: `They are not compared with the week before: of these two weeks ${page.count(missing)} days are not held.`,
    ko: `두 주 가운데 ${page.count(missing)}일의 데이터가 없어 전주와 비교하지 않습니다.`,
  });
}

function differingGoals(measures: readonly Measure[], page: Page): string {
  const differ = measures.some(
    ({ measure, value, goals }) => measure === 'conversion_rate' && value === null && goals !== null,
  );
  return differ
    ? page.say({
        en: 'Campaigns count different goals, so they have no conversion rate together.',
        ko: '캠페인마다 목표가 달라 전체 전환율은 계산하지 않습니다.',
      })
    : '';
}

/** The expected rise of the newest days, estimated from earlier days. */
function maturity(risen: readonly Rise[], page: Page): string {
  const known = risen.filter(({ age_days, median_rise }) => age_days === 1 && median_rise !== null);
  if (known.length === 0) {
    return page.say({
      en: 'How much the newest days will still rise is not known: too few earlier days were asked for again.',
      ko: '최근 날짜의 수치가 앞으로 얼마나 늘어날지는 알 수 없습니다. 다시 조회한 이전 날짜가 부족합니다.',
    });
  }
  const days = page.count(Math.max(...known.map(({ days: those }) => those)));
  const list = Object.entries(RISING).flatMap(([counter, word]) => {
    const rise = known.find((one) => one.counter === counter)?.median_rise ?? 0;
    return rise > 0
      ? [page.say({ en: `${word.en} by ${page.rate(rise)}`, ko: `${word.ko} ${page.rate(rise)}` })]
      : [];
  });
  return list.length === 0
    ? page.say({
        en: `Counts usually do not change after the first morning (median of ${days} days).`,
        ko: `수치는 대체로 첫날 아침 이후 달라지지 않습니다(${days}일의 중앙값).`,
      })
    : page.say({
        en: `The newest days are not final: after the first morning they usually rise, ${list.join(', ')} (median of ${days} days).`,
        ko: `최근 날짜의 수치는 확정이 아닙니다. 첫날 아침 이후 대체로 더 늘어납니다: ${list.join(', ')}(${days}일의 중앙값).`,
      });
}

/**
 * The change since the week before. A rate changes by percentage points, which may be good or bad; a count changes by
 * percent, which is neutral.
 */
function difference({ measure, value, previous, change }: Measure, sent: Measure, page: Page): string {
  if (measure === 'sent') return page.change(change);
  if (value === null || previous === null) return '–';
  const points = page.points(value - previous);
  // The denominators of the rates are at most the messages sent, so the random variation is at least this large.
  const chance = Math.sqrt(
    value * (1 - value) * (1 / Math.max(1, sent.value ?? 0) + 1 / Math.max(1, sent.previous ?? 0)),
  );
  if (Math.abs(value - previous) < CLEARLY * chance || !/[1-9]/.test(points)) {
    return `${points} · ${page.say({ en: '≈ about the same', ko: '≈ 비슷함' })}`;
  }
  const isBetter = value > previous !== (measure === 'failure_rate');
  return `${points} · ${
    isBetter ? page.say({ en: '✓ better', ko: '✓ 좋아짐' }) : page.say({ en: '✗ worse', ko: '✗ 나빠짐' })
  }`;
}

function tile(measure: Measure, sent: Measure, page: Page): Html {
  const show = (value: number | null): string =>
    measure.measure === 'sent' ? page.count(value) : page.rate(value);
  const before = page.say({ en: 'week before', ko: '전주' });
  return html`<div class="tile">
    <h3>${page.head(measure.measure)}</h3>
    <p class="big">${show(measure.value)}</p>
    ${
      measure.previous === null
        ? undefined
        : html`<p>${difference(measure, sent, page)}<br />${before} ${show(measure.previous)}</p>`
    }
    ${
      measure.value === null || measure.previous === null
        ? undefined
        : bars(
            [measure.value, measure.previous],
            `${page.head(measure.measure)}: ${show(measure.value)}, ${before} ${show(measure.previous)}`,
          )
    }
  </div>`;
}

/** Draws this week as a filled bar over the week before as an outline. */
function bars(values: readonly number[], label: string): Html {
  return chart({
    label,
    width: 190,
    height: 34,
    stretches: true,
    margin: 2,
    axis: null,
    x: { domain: [0, Math.max(...values, Number.MIN_VALUE)] },
    y: { domain: [0, 1] },
    marks: [
      barX(values, {
        x: (value: number) => value,
        y: (_: number, week: number) => week,
        fill: (_: number, week: number) => (week === 0 ? ACCENT : 'none'),
        stroke: ACCENT,
        inset: 1,
      }),
    ],
  });
}
