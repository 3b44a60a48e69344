/** A/B tests: the difference of each variant from the baseline with its confidence interval, and the verdict. */
import { dot, ruleX, ruleY } from '@observablehq/plot';
import { z } from 'zod';
import { ACCENT, chart, IN_ROW, INK, SOFT } from '../chart.js';
import type { Html, Page } from '../page.js';
import { count, name, number, paragraph, part, rows, text, type ToDo } from '../part.js';
import { table } from '../table.js';

const SHOWN = 24;
/** Verdicts that require a decision, in the order of the list. */
const DECIDED = ['better', 'worse', 'unequal_groups', 'no_difference'];

const answers = rows({
  campaign_name: name,
  channel: name,
  metric: text,
  variant_name: name,
  size: number,
  rate: number,
  difference: number,
  difference_low: number,
  difference_high: number,
  verdict_code: text,
  verdict: name,
  unit: text,
  days: count,
});
type Arm = z.infer<typeof answers>[number];

export const tests = part({
  id: 'tests',
  title: { en: 'A/B tests', ko: 'A/B 테스트' },
  asks: ({ language }) => [{ query: 'ab-tests', parameters: { lang: language } }],
  answers: z.tuple([answers]),
  show([arms], page) {
    const judged = arms.filter(
      ({ verdict_code }) => !['baseline', 'alone', 'hold_out'].includes(verdict_code),
    );
    if (judged.length === 0) return undefined;
    const shown = [...judged].sort((a, b) => urgency(a) - urgency(b)).slice(0, SHOWN);
    // The scale ignores a single very wide interval, which would squeeze the others. That interval extends beyond the
    // drawing; its numbers show its bounds.
    const bounds = shown
      .flatMap(({ difference_low, difference_high }) => [difference_low, difference_high])
      .filter((bound) => bound !== null)
      .map(Math.abs)
      .sort((a, b) => a - b);
    const widest = bounds[Math.floor(bounds.length * 0.9)] ?? 0.01;
    return {
      sentence: sentenceOf(judged, shown.length, page),
      toDo: toDoOf(judged, page),
      body: table(
        page.say({
          en: 'Difference from the baseline with its interval',
          ko: '기준 변형과의 차이와 신뢰 구간',
        }),
        [
          {
            head: page.say({ en: 'Variant', ko: '변형' }),
            cell: ({ campaign_name, variant_name }: Arm) => `${campaign_name}: ${variant_name}`,
            sub: ({ metric, unit }) => `${page.value('metric', metric)} / ${page.value('unit', unit)}`,
          },
          { head: page.head('rate'), cell: ({ rate }) => page.rate(rate), kind: 'number' },
          {
            head: page.head('difference'),
            cell: (arm) => interval(arm, widest, page),
            kind: 'chart',
            legend: page.say({
              en: 'an interval that crosses the line allows for no difference',
              ko: '구간이 세로선에 걸치면 차이가 없을 수도 있음',
            }),
          },
          {
            head: page.say({ en: 'interval', ko: '신뢰 구간' }),
            cell: (arm) => boundsOf(arm, page),
            kind: 'number',
          },
          { head: page.head('verdict'), cell: ({ verdict }) => verdict, kind: 'sentence' },
        ],
        shown,
      ),
    };
  },
  empty: {
    en: 'No campaign is split into variants. An A/B test shows here from its first day.',
    ko: '변형으로 나뉜 캠페인이 없습니다. A/B 테스트를 시작하면 첫날부터 여기에 나타납니다.',
  },
});

/**
 * The sort rank of a variant: first verdicts that require a decision, then variants with a confidence interval, then the
 * others.
 */
function urgency({ verdict_code, difference_low }: Arm): number {
  const place = DECIDED.indexOf(verdict_code);
  return place === -1 ? DECIDED.length + (difference_low === null ? 1 : 0) : place;
}

function sentenceOf(arms: readonly Arm[], shown: number, page: Page): string {
  const decided = arms.filter(({ verdict_code }) => verdict_code === 'better' || verdict_code === 'worse');
  const doubtful = new Set(
    arms
      .filter(({ verdict_code }) => verdict_code === 'unequal_groups')
      .map(({ campaign_name }) => campaign_name),
  ).size;
  return paragraph(
    decided.length === 0
      ? page.say({
          en: `None of ${page.count(arms.length)} comparisons with a baseline has a winner yet.`,
          ko: `기준 변형과의 비교 ${page.count(arms.length)}건 중 아직 우열이 가려진 것은 없습니다.`,
        })
      : page.say({
          en: `Decided in ${page.count(decided.length)} of ${page.count(arms.length)} comparisons with a baseline: ${listOf(decided, page)}.`,
          ko: `기준 변형과의 비교 ${page.count(arms.length)}건 중 ${page.count(decided.length)}건에서 우열이 가려졌습니다: ${listOf(decided, page)}.`,
        }),
    doubtful > 0 &&
      page.say({
        en: `Do not trust ${page.count(doubtful)} of the campaigns: their people are split unequally.`,
        ko: `대상자가 불균등하게 나뉘어 신뢰할 수 없는 캠페인: ${page.count(doubtful)}개.`,
      }),
    arms.length > shown &&
      page.say({
        en: `The first ${page.count(shown)} are shown; \`dawnload query ab-tests\` gives all.`,
        ko: `${page.count(shown)}건만 표시했습니다. 전체는 \`dawnload query ab-tests\`로 볼 수 있습니다.`,
      }),
  );
}

function toDoOf(judged: readonly Arm[], page: Page): ToDo[] {
  return judged
    .filter(({ verdict_code }) => verdict_code === 'better')
    .map(({ campaign_name, variant_name, metric, verdict }) => ({
      urgency: 'decided_test' as const,
      reason: page.say({
        en: `The A/B test of “${campaign_name}” is decided for ${variant_name} (${page.value('metric', metric)}). ${verdict}`,
        ko: `‘${campaign_name}’의 A/B 테스트에서 ${variant_name}의 우세가 가려졌습니다(${page.value('metric', metric)}). ${verdict}`,
      }),
      command: 'dawnload query ab-tests',
    }));
}

function listOf(decided: readonly Arm[], page: Page): string {
  const words = { better: { en: 'better', ko: '우세' }, worse: { en: 'worse', ko: '열세' } };
  const named = decided.slice(0, 3).map(({ campaign_name, variant_name, verdict_code }) => {
    const verdict = page.say(verdict_code === 'better' ? words.better : words.worse);
    return page.say({
      en: `${variant_name} of “${campaign_name}” is ${verdict}`,
      ko: `‘${campaign_name}’의 ${variant_name} ${verdict}`,
    });
  });
  return [...named, ...(decided.length > 3 ? ['…'] : [])].join(', ');
}

function interval(arm: Arm, widest: number, page: Page): Html | string {
  const { difference, difference_low: low, difference_high: high } = arm;
  if (difference === null && low === null) return '–';
  const inside = (value: number): number => Math.max(-widest, Math.min(widest, value));
  return chart({
    label: `${arm.campaign_name} ${arm.variant_name}: ${page.points(difference)} (${boundsOf(arm, page)})`,
    width: 180,
    ...IN_ROW,
    x: { domain: [-widest, widest] },
    marks: [
      ruleX([0], { stroke: INK, strokeDasharray: '3 2' }),
      ...(low === null || high === null
        ? []
        : [
            ruleY([arm], {
              y: null,
              x1: () => inside(low),
              x2: () => inside(high),
              stroke: ACCENT,
              strokeWidth: 2.5,
            }),
          ]),
      ...(difference === null
        ? []
        : [dot([inside(difference)], { x: (x: number) => x, r: 4, fill: ACCENT, stroke: SOFT })]),
    ],
  });
}

function boundsOf({ difference_low: low, difference_high: high }: Arm, page: Page): string {
  return low === null || high === null ? '–' : `${page.points(low)} … ${page.points(high)}`;
}
