/**
 * What A/B tests say, on days whose answer can be worked out by hand, and the mathematics behind it.
 *
 * @module-tag long
 */
import { describe, expect, test } from 'vitest';
import type { ExperimentSettings } from '../../src/config/schema.js';
import type { Workshop } from './support.js';
import { dayAfter, micros, record, statistic, type Row, modelled } from './support.js';

/** A Monday. */
const DAY = '2026-11-16';

interface Arm {
  readonly people: number;
  readonly clickers: number;
  /** Messages that each person gets, all on the first day. */
  readonly messages?: number;
  readonly conversions?: number;
  readonly channel?: string;
}

interface World {
  /** Days that the statistics cover; everything is sent on the first one. */
  readonly days?: number;
  readonly events?: boolean;
  readonly experiments?: Readonly<Record<string, ExperimentSettings>>;
}

/** An A/B test that sent everything on its first day. */
function abTest(arms: Readonly<Record<string, Arm>>, world: World = {}): Promise<Workshop> {
  const { days = 10, events = true, ...options } = world;
  const named = Object.entries(arms);
  return modelled(
    (workshop) => [
      workshop.statistics({ start: DAY, end: dayAfter(DAY, days - 1) }, named.map(statisticOf)),
      ...(events ? [workshop.events(DAY, [named.flatMap(recordsOf)])] : []),
    ],
    options,
  );
}

function statisticOf([name, { people, clickers, messages = 1, conversions, channel }]: [string, Arm]): Row {
  return statistic({
    date: DAY,
    variant_id: `c1-${name}`,
    variant_name: name,
    ...(channel !== undefined && { channel }),
    message_sent: people * messages,
    message_failed: 0,
    delivered: people * messages,
    click: clickers,
    conversion:
      conversions === undefined ? [] : [{ name: '구매', type: 'total_count_conversion', count: conversions }],
  });
}

function recordsOf([name, { people, clickers, messages = 1, channel }]: [string, Arm]): Row[] {
  const of = (person: number, id: string, more: Row = {}): Row =>
    record({
      id: `${name}-${person}-${id}`,
      user_id: `${name}-${person}`,
      time: micros(DAY),
      experiment_group_name: name,
      ...(channel !== undefined && { channel }),
      ...more,
    });
  return Array.from({ length: people }, (_, person) => [
    ...Array.from({ length: messages }, (_, message) => of(person, String(message))),
    ...(person < clickers ? [of(person, 'click', { event_name: 'push_click' })] : []),
  ]).flat();
}

const rows = (workshop: Workshop, columns: string, metric = 'click'): Promise<Row[]> =>
  workshop.look(`select ${columns} from marts.ab_tests where metric = '${metric}' order by variant_name`);

const codes = async (workshop: Workshop, metric = 'click'): Promise<unknown[]> =>
  (await rows(workshop, 'verdict_code', metric)).map((row) => row['verdict_code']);

describe('the macros of significance', () => {
  test('agree with published values', async () => {
    // Tables of the normal and the chi-squared distribution, as any textbook prints them; then scipy 1.17.1:
    // norm.pdf(0.02, 0, v ** 0.5) over the integral of its mixture with norm.pdf(t, 0, 0.01), and
    // multinomial.pmf(n, N, shares) / dirichlet_multinomial.pmf(n, 100 * shares, N), at most 1.
    const published: Record<string, number> = {
      'marts.normal_two_sided_p(0)': 1,
      'marts.normal_two_sided_p(1.644853627)': 0.1,
      'marts.normal_two_sided_p(1.959963985)': 0.05,
      'marts.normal_two_sided_p(-2.575829304)': 0.01,
      'marts.normal_two_sided_p(3.890591886)': 0.0001,
      'marts.chi_squared_p(3.841459, 1)': 0.05,
      'marts.chi_squared_p(6.634897, 1)': 0.01,
      'marts.chi_squared_p(5.991465, 2)': 0.05,
      'marts.chi_squared_p(7.814728, 3)': 0.05,
      'marts.chi_squared_p(9.487729, 4)': 0.05,
      'marts.chi_squared_p(18.307038, 10)': 0.05,
      'marts.chi_squared_p(24.724970, 11)': 0.01,
      'marts.chi_squared_p(0, 5)': 1,
      'marts.sequential_p(0.02, 0.00003, 0.01)': 0.012338428807,
      'marts.sequential_half_width(0.00003, 0.01, 0.05)': 0.017054449948,
      'marts.sequential_split_p([5000, 5300], [0.5, 0.5])': 0.134893698395,
      'marts.sequential_split_p([360, 240], [0.5, 0.5])': 0.000084688932,
      'marts.sequential_split_p([50300, 49700], [0.5, 0.5])': 1,
    };
    const workshop = await modelled(() => []);
    const found = await workshop.lookOne(
      `select ${Object.keys(published)
        .map((call) => `${call} as "${call}"`)
        .join(', ')}`,
    );
    for (const [call, expected] of Object.entries(published)) {
      expect(found[call], call).toBeCloseTo(expected, 6);
    }
  });

  test('the quantile of the normal distribution is right to 0.0005', async () => {
    const workshop = await modelled(() => []);
    const found = await workshop.look(
      `select abs(marts.normal_quantile(p) - z) as off from (
        values (0.5, 0), (0.8, 0.841621), (0.9, 1.281552), (0.975, 1.959964), (0.99, 2.326348)
      ) as published (p, z)`,
    );
    for (const { off } of found) expect(off).toBeLessThan(0.0005);
  });

  test('give null for what is not known', async () => {
    const workshop = await modelled(() => []);
    const row = await workshop.lookOne(
      'select marts.normal_two_sided_p(null) as a, marts.chi_squared_p(null, 1) as b, marts.chi_squared_p(1, null) as c, marts.sequential_p(null, 1, 1) as d, marts.sequential_p(0.1, 0, 1) as e, marts.sequential_split_p([0, 0], [0.5, 0.5]) as f',
    );
    expect(row).toEqual({ a: null, b: null, c: null, d: null, e: null, f: null });
  });
});

describe('A/B tests', () => {
  test('the numbers are those of the people who got messages, with an interval that allows for daily looks', async () => {
    const workshop = await abTest({
      A: { people: 600, clickers: 120, messages: 2 },
      B: { people: 600, clickers: 165, messages: 2 },
    });
    const [, b] = await rows(
      workshop,
      'unit, size, successes, rate, difference, difference_low, difference_high, p_value, lift, messages_per_person',
    );
    expect(b).toMatchObject({ unit: 'person', size: '600', successes: '165', messages_per_person: 2 });
    expect(b?.['rate']).toBeCloseTo(0.275, 10);
    expect(b?.['difference']).toBeCloseTo(0.075, 10);
    expect(b?.['lift']).toBeCloseTo(0.375, 10);
    const variance = (0.2 * 0.8 + 0.275 * 0.725) / 600;
    const scale = 0.2 * 0.2375;
    const half = Math.sqrt(
      variance * (1 + variance / scale ** 2) * (Math.log(1 + scale ** 2 / variance) - 2 * Math.log(0.05)),
    );
    expect(b?.['difference_low']).toBeCloseTo(0.075 - half, 10);
    expect(b?.['difference_high']).toBeCloseTo(0.075 + half, 10);
    // A single look gives 0.002.
    expect(b?.['p_value']).toBeCloseTo(0.0534, 4);
  });

  test('a clear winner is called, and so is a loser', async () => {
    const workshop = await abTest({ A: { people: 600, clickers: 120 }, B: { people: 600, clickers: 192 } });
    expect(await rows(workshop, 'verdict_code, verdict, verdict_ko')).toEqual([
      {
        verdict_code: 'baseline',
        verdict: 'The other variants are compared with this one.',
        verdict_ko: '다른 변형을 이 변형과 비교합니다.',
      },
      {
        verdict_code: 'better',
        verdict: 'B is better than A: 32.00 % instead of 20.00 %.',
        verdict_ko: 'B 우세: 32.00 %, 기준 A: 20.00 %.',
      },
    ]);
    const worse = await abTest({ A: { people: 600, clickers: 192 }, B: { people: 600, clickers: 120 } });
    expect(await codes(worse)).toEqual(['baseline', 'worse']);
  });

  test(
    'a difference that a single look would call significant is inconclusive',
    { tags: ['long'] },
    async () => {
      // The fixed-sample p is 0.04.
      const workshop = await abTest({ A: { people: 600, clickers: 120 }, B: { people: 600, clickers: 150 } });
      const [, b] = await rows(workshop, 'verdict_code, size_needed, verdict');
      expect(b?.['verdict_code']).toBe('inconclusive');
      expect(Number(b?.['size_needed'])).toBeGreaterThan(600);
      expect(b?.['verdict']).toMatch(
        /^Inconclusive so far: to show a difference of 20 %, each side needs about [\d,]+, and one side has 600\.$/,
      );
    },
  );

  test('no difference means that the interval lies within the smallest effect of interest', async () => {
    const arms = { A: { people: 1000, clickers: 500 }, B: { people: 1000, clickers: 501 } };
    expect(await codes(await abTest(arms))).toEqual(['baseline', 'no_difference']);
    const finer = await abTest(arms, { experiments: { c1: { smallest_effect: 0.02 } } });
    expect(await codes(finer)).toEqual(['baseline', 'inconclusive']);
  });

  test(
    'a blast of one day gets its verdict after a week, counted to the last covered day',
    { tags: ['long'] },
    async () => {
      const arms = { A: { people: 600, clickers: 120 }, B: { people: 600, clickers: 192 } };
      const young = await abTest(arms, { days: 6 });
      expect(await rows(young, 'days, verdict_code')).toEqual([
        { days: '6', verdict_code: 'baseline' },
        { days: '6', verdict_code: 'too_early' },
      ]);
      const old = await abTest(arms, { days: 7 });
      expect(await codes(old)).toEqual(['baseline', 'better']);
    },
  );

  test('a handful of clicks is too early, however large the difference', async () => {
    const workshop = await abTest({ A: { people: 900, clickers: 3 }, B: { people: 900, clickers: 90 } });
    const [, b] = await rows(workshop, 'verdict_code, verdict, verdict_ko');
    expect(b).toEqual({
      verdict_code: 'too_early',
      verdict:
        'Too early to say: a verdict takes 7 days and 20 successes on each side. The test is 10 days old, and one side has 3.',
      verdict_ko:
        '아직 판정하기 이릅니다. 7일이 지나고 양쪽 모두 성과가 20건 이상이어야 합니다. 현재 10일째이며 적은 쪽의 성과는 3건입니다.',
    });
  });

  test('nobody clicks on the baseline, or on any variant', async () => {
    const one = await abTest({ A: { people: 50, clickers: 0 }, B: { people: 50, clickers: 9 } });
    expect(await rows(one, 'verdict_code, size_needed')).toEqual([
      { verdict_code: 'baseline', size_needed: null },
      { verdict_code: 'too_early', size_needed: null },
    ]);
    const none = await abTest({ A: { people: 50, clickers: 0 }, B: { people: 50, clickers: 0 } });
    expect(await rows(none, 'difference, difference_low, p_value, verdict_code')).toEqual([
      { difference: null, difference_low: null, p_value: null, verdict_code: 'baseline' },
      { difference: 0, difference_low: null, p_value: null, verdict_code: 'too_early' },
    ]);
  });

  test('many messages to few people are no evidence: people are counted', async () => {
    // By message, 4.5 % against 3 % of 24,000 would be beyond doubt; by person it is 24 against 36 of 40.
    const workshop = await abTest({
      A: { people: 60, clickers: 24, messages: 40 },
      B: { people: 60, clickers: 36, messages: 40 },
    });
    const [, b] = await rows(workshop, 'unit, size, verdict_code');
    expect(b).toEqual({ unit: 'person', size: '60', verdict_code: 'inconclusive' });
  });

  test('without events there is no verdict, and it says what would bring one', async () => {
    const workshop = await abTest(
      { A: { people: 600, clickers: 120 }, B: { people: 600, clickers: 192 } },
      { events: false },
    );
    const [, b] = await rows(workshop, 'unit, size, rate, difference, difference_low, verdict_code, verdict');
    expect(b).toMatchObject({
      unit: 'message',
      size: '600',
      rate: 0.32,
      difference_low: null,
      verdict_code: 'people_unknown',
      verdict:
        "No verdict: without events it is unknown how many people got these messages. Export the events of the test's days.",
    });
  });

  const once = { experiments: { default: { conversions_per_person: 1 } } };
  const converting = {
    A: { people: 600, clickers: 100, conversions: 120 },
    B: { people: 600, clickers: 100, conversions: 192 },
  };

  test('conversions get no verdict while nobody says how often a person converts', async () => {
    const [, b] = await rows(await abTest(converting), 'difference_low, verdict_code, verdict', 'conversion');
    expect(b).toEqual({
      difference_low: null,
      verdict_code: 'converters_unknown',
      verdict:
        'No verdict: the service counts conversions, not the people who convert. Set conversions_per_person if you know how often one does at most.',
    });
    const [, one] = await rows(
      await abTest(converting, once),
      'unit, size, verdict_code, verdict',
      'conversion',
    );
    expect(one).toMatchObject({ unit: 'message', size: '600', verdict_code: 'better' });
    expect(one?.['verdict']).toContain('allows for one person to count 1.0 times');
  });

  test(
    'conversions are widened by how often a person converts, and by the messages that one got',
    { tags: ['long'] },
    async () => {
      const often = { experiments: { c1: { conversions_per_person: 4 } } };
      expect(await codes(await abTest(converting, often), 'conversion')).toEqual([
        'baseline',
        'inconclusive',
      ]);
      // The same numbers, but four messages a person: a quarter of the people.
      const wide = {
        A: { people: 150, clickers: 25, messages: 4, conversions: 120 },
        B: { people: 150, clickers: 25, messages: 4, conversions: 192 },
      };
      expect(await codes(await abTest(wide, once), 'conversion')).toEqual(['baseline', 'inconclusive']);
    },
  );

  test('counts below zero break nothing', async () => {
    const workshop = await abTest(
      {
        A: { people: 600, clickers: 100, conversions: -30 },
        B: { people: 600, clickers: 100, conversions: -30 },
      },
      { experiments: { c1: { conversions_per_person: 1, smallest_effect: 1 } } },
    );
    expect(await codes(workshop, 'conversion')).toEqual(['baseline', 'too_early']);
  });

  test('a variant that nothing was sent to is no baseline', async () => {
    const workshop = await abTest({
      control: { people: 0, clickers: 0 },
      A: { people: 600, clickers: 120 },
      B: { people: 600, clickers: 192 },
    });
    expect(await rows(workshop, 'variant_name, verdict_code')).toEqual([
      { variant_name: 'A', verdict_code: 'baseline' },
      { variant_name: 'B', verdict_code: 'better' },
    ]);
  });

  test('where the people of one variant are unknown, nobody is distrusted or judged', async () => {
    const workshop = await modelled((workshop) => [
      workshop.statistics(
        { start: DAY, end: dayAfter(DAY, 9) },
        (['A', 'B'] as const).map((name) => statisticOf([name, { people: 600, clickers: 120 }])),
      ),
      workshop.events(DAY, [recordsOf(['A', { people: 600, clickers: 120 }])]),
    ]);
    expect(await codes(workshop)).toEqual(['baseline', 'people_unknown']);
  });

  test('a setting may name a variant as it was called before', async () => {
    const arm = { people: 600, clickers: 120 };
    const workshop = await modelled(
      (workshop) => [
        workshop.statistics({ start: DAY, end: dayAfter(DAY, 9) }, [
          statisticOf(['A', arm]),
          statisticOf(['B', arm]),
          { ...statisticOf(['B', { people: 0, clickers: 0 }]), date: dayAfter(DAY), variant_name: 'B2' },
        ]),
        workshop.events(DAY, [[...recordsOf(['A', arm]), ...recordsOf(['B', arm])]]),
      ],
      { experiments: { c1: { baseline: 'B', split: { A: 50, B: 50 } } } },
    );
    expect(await rows(workshop, 'variant_name, is_baseline, unequal_groups_p_value')).toEqual([
      { variant_name: 'A', is_baseline: false, unequal_groups_p_value: 1 },
      { variant_name: 'B2', is_baseline: true, unequal_groups_p_value: 1 },
    ]);
  });

  test('people who are split too unequally for chance make the test untrustworthy', async () => {
    const workshop = await abTest({ A: { people: 360, clickers: 72 }, B: { people: 240, clickers: 84 } });
    expect(await codes(workshop)).toEqual(['unequal_groups', 'unequal_groups']);
    const meant = await abTest(
      { A: { people: 360, clickers: 72 }, B: { people: 240, clickers: 84 } },
      { experiments: { default: { split: { A: 60, B: 40 } } } },
    );
    expect(await codes(meant)).toEqual(['baseline', 'better']);
  });

  test('people are held against the intended split though some sending days have no events', async () => {
    const unequal = { A: { people: 360, clickers: 72 }, B: { people: 240, clickers: 84 } };
    const workshop = await modelled((workshop) => [
      workshop.statistics(
        { start: DAY, end: dayAfter(DAY, 9) },
        Object.entries(unequal).flatMap((arm) => [
          statisticOf(arm),
          { ...statisticOf(arm), date: dayAfter(DAY) },
        ]),
      ),
      workshop.events(DAY, [Object.entries(unequal).flatMap(recordsOf)]),
    ]);
    expect(await codes(workshop)).toEqual(['unequal_groups', 'unequal_groups']);
  });

  test('a verdict says so where the split was not tested', async () => {
    const arms = { A: { people: 500, clickers: 50 }, B: { people: 500, clickers: 150 } };
    const said = async (split: Record<string, number>): Promise<unknown> => {
      const workshop = await abTest(arms, { experiments: { default: { split } } });
      return (await rows(workshop, 'verdict_code, verdict, verdict_ko'))[1];
    };
    expect(await said({ A: 50, C: 50 })).toMatchObject({
      verdict_code: 'better',
      verdict: expect.stringContaining('The split was not tested') as unknown,
      verdict_ko: expect.stringContaining('집단 분할은 검정하지 않았습니다') as unknown,
    });
    expect(await said({ A: 50, B: 50 })).toMatchObject({
      verdict: expect.not.stringContaining('split') as unknown,
    });
  });

  test(
    'the baseline is the one that was chosen, else one that is called control, else the first one',
    { tags: ['long'] },
    async () => {
      const named = await abTest({
        A: { people: 500, clickers: 50 },
        Control: { people: 500, clickers: 50 },
      });
      expect(await rows(named, 'variant_name, is_baseline')).toEqual([
        { variant_name: 'A', is_baseline: false },
        { variant_name: 'Control', is_baseline: true },
      ]);
      const chosen = await abTest(
        { A: { people: 500, clickers: 50 }, B: { people: 500, clickers: 50 } },
        { experiments: { c1: { baseline: 'B' } } },
      );
      expect(await rows(chosen, 'variant_name, is_baseline, baseline_name')).toEqual([
        { variant_name: 'A', is_baseline: false, baseline_name: 'B' },
        { variant_name: 'B', is_baseline: true, baseline_name: 'B' },
      ]);
    },
  );

  test('a hold-out is neither judged nor part of the split', async () => {
    const workshop = await abTest(
      {
        A: { people: 600, clickers: 120 },
        B: { people: 600, clickers: 192 },
        C: { people: 20, clickers: 1 },
      },
      { experiments: { c1: { hold_outs: ['C'] } } },
    );
    expect(await codes(workshop)).toEqual(['baseline', 'better', 'hold_out']);
  });

  test('more variants and metrics make a verdict harder, not likelier', async () => {
    const two = await abTest({ A: { people: 600, clickers: 120 }, B: { people: 600, clickers: 160 } });
    const four = await abTest({
      A: { people: 600, clickers: 120 },
      B: { people: 600, clickers: 160 },
      C: { people: 600, clickers: 120 },
      D: { people: 600, clickers: 120 },
    });
    const p = async (workshop: Workshop): Promise<number> =>
      Number((await rows(workshop, 'p_value'))[1]?.['p_value']);
    expect(await p(four)).toBeCloseTo(3 * (await p(two)), 10);
    const all = await rows(four, 'max(p_value) over () as most');
    expect(all[0]?.['most']).toBeLessThanOrEqual(1);
  });

  test('a variant without a name is called by its id', async () => {
    const workshop = await modelled((workshop) => [
      workshop.statistics({ start: DAY, end: dayAfter(DAY, 9) }, [
        statistic({ date: DAY, variant_id: 'v1', variant_name: null, conversion: [] }),
        statistic({ date: DAY, variant_id: 'v2', variant_name: 'B', conversion: [] }),
      ]),
    ]);
    expect(
      await workshop.look('select variant_name, verdict from marts.ab_tests order by variant_id'),
    ).toEqual([
      { variant_name: 'v1', verdict: expect.stringMatching(/^No verdict|^The other/) as string },
      { variant_name: 'B', verdict: expect.stringMatching(/^No verdict|^The other/) as string },
    ]);
  });

  test('an alpha of its own makes a test stricter', async () => {
    const arms = { A: { people: 600, clickers: 120 }, B: { people: 600, clickers: 180 } };
    expect(await codes(await abTest(arms))).toEqual(['baseline', 'better']);
    expect(await codes(await abTest(arms, { experiments: { c1: { alpha: 0.001 } } }))).toEqual([
      'baseline',
      'inconclusive',
    ]);
  });
});
