// @module-tag long
/** What A/B tests say, on days whose answer can be worked out by hand, and the mathematics behind it. */
import { describe, expect, test } from 'vitest';
import type { Day } from '../../src/ground/calendar.js';
import type { ExperimentSettings } from '../../src/config/schema.js';
import type { Pull } from '../../src/landing/landing-zone.js';
import { dayAfter, micros, modelled, record, shared, statistic, type Row, type Workshop } from './support.js';

/** A Monday. */
const DAY = '2026-11-16';
/** Ten days are covered by statistics. */
const LAST = dayAfter(DAY, 9);
/** A day without events. */
const UNHELD = dayAfter(DAY);
/** A day on which others get their first message. */
const LATER = dayAfter(DAY, 3);

interface Arm {
  readonly people: number;
  readonly clickers: number;
  /** Messages that each person gets, all on one day. */
  readonly messages?: number;
  readonly conversions?: number;
  /** The statistics know of it, the events do not. */
  readonly isUnknown?: boolean;
}

type Arms = Readonly<Record<string, Arm>>;

function statisticsOf(campaign_id: string, arms: Arms, date: Day): Row[] {
  return Object.entries(arms).map(([name, { people, clickers, messages = 1, conversions }]) =>
    statistic({
      date,
      campaign_id,
      variant_id: `${campaign_id}-${name}`,
      variant_name: name,
      message_sent: people * messages,
      message_failed: 0,
      delivered: people * messages,
      click: clickers,
      conversion:
        conversions === undefined
          ? []
          : [{ name: '구매', type: 'total_count_conversion', count: conversions }],
    }),
  );
}

function recordsOf(campaign_id: string, arms: Arms, date: Day): Row[] {
  return Object.entries(arms).flatMap(([name, { people, clickers, messages = 1, isUnknown = false }]) =>
    Array.from({ length: isUnknown ? 0 : people }, (_, person) => {
      const of = (id: string, more: Row = {}): Row =>
        record({
          id: `${campaign_id}-${name}-${person}-${id}-${date}`,
          campaign_id,
          user_id: `${campaign_id}-${name}-${person}${date === LATER ? '-later' : ''}`,
          time: micros(date),
          experiment_group_name: name,
          ...more,
        });
      const sent = Array.from({ length: messages }, (_, message) => of(String(message)));
      return person < clickers ? [...sent, of('click', { event_name: 'push_click' })] : sent;
    }).flat(),
  );
}

interface Case {
  readonly arms: Arms;
  readonly settings?: ExperimentSettings;
  /** The day on which everything is sent. */
  readonly day?: Day;
  readonly metric?: string;
  /** What is sent on `LATER`, to other people. */
  readonly later?: Arms;
  /** More records of its events. */
  readonly records?: readonly Row[];
  /** More rows of its statistics. */
  readonly more?: readonly Row[];
  readonly codes: string;
}

const arm = (people: number, clickers: number, more: Partial<Arm> = {}): Arm => ({
  people,
  clickers,
  ...more,
});
const WINNER = { A: arm(600, 120), B: arm(600, 192) };
const ALIKE = { A: arm(1000, 500), B: arm(1000, 501) };
const SOLD = {
  A: arm(600, 100, { conversions: 120 }),
  B: arm(600, 100, { conversions: 192 }),
};
/** Of both variants 5 % click, later 20%. */
const RISING = {
  arms: { A: arm(900, 45, { conversions: 45 }), B: arm(100, 5, { conversions: 5 }) },
  later: { A: arm(1000, 200, { conversions: 200 }), B: arm(1000, 200, { conversions: 200 }) },
};
const MOVED = { [DAY]: { A: 90, B: 10 }, [LATER]: { A: 1, B: 1 } };
const UNEQUAL = { A: arm(360, 72), B: arm(240, 84) };
const BETTER = 'baseline better';
const UNCLEAR = 'baseline inconclusive';

/**
 * So many people of A who get B too, at that many seconds after the first send, and who all click B: without them A and B are
 * alike.
 */
const crossing = (campaign_id: string, people: number, seconds: number): Row[] =>
  Array.from({ length: people }, (_, n) =>
    ['send_success', 'push_click'].map((event_name) =>
      record({
        id: `${campaign_id}-crossed-${n}-${event_name}`,
        campaign_id,
        // The last of A, who do not click there.
        user_id: `${campaign_id}-A-${999 - n}`,
        experiment_group_name: 'B',
        event_name,
        time: micros(DAY, 43_200 + seconds + (event_name === 'push_click' ? 60 : 0)),
      }),
    ),
  ).flat();
const EVEN = { A: arm(1000, 100), B: arm(1000, 100) };

const CASES: Readonly<Record<string, Case>> = {
  'people in two variants': {
    arms: EVEN,
    records: crossing('people in two variants', 80, 3600),
    codes: 'people_crossed people_crossed',
  },
  'people in two variants, as a person accepts': {
    arms: EVEN,
    records: crossing('people in two variants, as a person accepts', 80, 3600),
    settings: { accept_crossing: true, smallest_effect: 0.5 },
    codes: 'baseline no_difference',
  },
  'few people in two variants': {
    arms: EVEN,
    records: crossing('few people in two variants', 10, 3600),
    settings: { smallest_effect: 0.5 },
    codes: 'baseline no_difference',
  },
  'few people in two variants, all of whom began with one': {
    arms: EVEN,
    records: crossing('few people in two variants, all of whom began with one', 19, 86_400),
    codes: 'people_crossed people_crossed',
  },
  'shares that change while rates rise': { ...RISING, codes: 'unequal_groups unequal_groups' },
  'shares that change while rates rise, with a split that fits their sum': {
    ...RISING,
    settings: { split: { A: 1900, B: 1100 }, smallest_effect: 0.5 },
    codes: 'baseline no_difference',
  },
  'shares that change as intended while rates rise': {
    ...RISING,
    settings: { split: MOVED, smallest_effect: 0.5 },
    codes: 'baseline no_difference',
  },
  'shares that change as intended, and a winner': {
    arms: RISING.arms,
    later: { A: arm(1000, 200), B: arm(1000, 300) },
    settings: { split: MOVED },
    codes: BETTER,
  },
  'shares that change as intended on another day': {
    ...RISING,
    settings: { split: { [DAY]: { A: 90, B: 10 }, [LAST]: { A: 1, B: 1 } } },
    codes: 'unequal_groups unequal_groups',
  },
  'conversions while shares change': {
    ...RISING,
    settings: { split: MOVED, conversions_per_person: 1 },
    metric: 'conversion',
    codes: 'baseline shares_moved',
  },
  'variants that never share a day': {
    arms: { A: arm(1000, 50) },
    later: { B: arm(1000, 200) },
    settings: { split: { [DAY]: { A: 99.99, B: 0.01 }, [LATER]: { A: 0.01, B: 99.99 } } },
    codes: 'baseline too_early',
  },
  'a winner that goes to everyone': {
    arms: WINNER,
    later: { B: arm(1000, 320) },
    settings: { split: { [DAY]: { A: 50, B: 50 }, [LATER]: { A: 0, B: 100 } } },
    codes: BETTER,
  },
  'a clear winner': { arms: WINNER, codes: BETTER },
  'what a single look would call significant': {
    // The fixed-sample p is 0.04.
    arms: { A: arm(600, 120), B: arm(600, 150) },
    codes: UNCLEAR,
  },
  'two messages a person': {
    arms: { A: arm(600, 120, { messages: 2 }), B: arm(600, 165, { messages: 2 }) },
    codes: UNCLEAR,
  },
  'no difference': { arms: ALIKE, codes: 'baseline no_difference' },
  'six days': { arms: WINNER, day: dayAfter(DAY, 4), codes: 'baseline too_early' },
  'a handful of clicks': { arms: { A: arm(900, 3), B: arm(900, 90) }, codes: 'baseline too_early' },
  'nobody clicks on the baseline': { arms: { A: arm(50, 0), B: arm(50, 9) }, codes: 'baseline too_early' },
  'nobody clicks on any': { arms: { A: arm(50, 0), B: arm(50, 0) }, codes: 'baseline too_early' },
  'many messages to few people': {
    // By message, 4.5 % against 3 % of 24,000 would be beyond doubt; by person it is 24 against 36 of 40.
    arms: { A: arm(60, 24, { messages: 40 }), B: arm(60, 36, { messages: 40 }) },
    codes: UNCLEAR,
  },
  'without events': { arms: WINNER, day: UNHELD, codes: 'baseline people_unknown' },
  'events that name another group': {
    arms: { A: arm(600, 120), B: arm(600, 192, { isUnknown: true }) },
    codes: 'baseline people_unknown',
  },
  'messages whose product is beyond a bigint': {
    arms: { A: arm(4e9, 1e9, { isUnknown: true }), B: arm(4e9, 2e9, { isUnknown: true }) },
    codes: 'baseline people_unknown',
  },
  'everybody clicks on both': { arms: { A: arm(50, 50), B: arm(50, 50) }, codes: UNCLEAR },
  'conversions of nobody knows whom': {
    arms: SOLD,
    metric: 'conversion',
    codes: 'baseline converters_unknown',
  },
  'conversions of one a person': {
    arms: SOLD,
    settings: { conversions_per_person: 1 },
    metric: 'conversion',
    codes: BETTER,
  },
  'conversions below zero': {
    arms: { A: arm(600, 100, { conversions: -30 }), B: arm(600, 100, { conversions: -30 }) },
    settings: { conversions_per_person: 1, smallest_effect: 1 },
    metric: 'conversion',
    // Such counts are not known, so nothing is compared.
    codes: '',
  },
  'a variant that nothing was sent to': { arms: { control: arm(0, 0), ...WINNER }, codes: BETTER },
  'a split that chance does not make': { arms: UNEQUAL, codes: 'unequal_groups unequal_groups' },
  'the same split, intended': { arms: UNEQUAL, settings: { split: { A: 60, B: 40 } }, codes: BETTER },
  'the same split, in small letters': {
    arms: UNEQUAL,
    settings: { split: { a: 60, b: 40 }, baseline: 'a' },
    codes: BETTER,
  },
  'a split that cannot be tested': {
    arms: { A: arm(500, 50), B: arm(500, 150) },
    settings: { split: { A: 50, C: 50 } },
    codes: BETTER,
  },
  'a chosen baseline': {
    arms: { A: arm(500, 50), B: arm(500, 50) },
    settings: { baseline: 'B' },
    codes: 'inconclusive baseline',
  },
  'a baseline by its former name': {
    arms: { A: arm(600, 120), B: arm(600, 120) },
    settings: { baseline: 'B', split: { A: 50, B: 50 } },
    more: [
      { ...statisticsOf('a baseline by its former name', { B: arm(0, 0) }, UNHELD)[0], variant_name: 'B2' },
    ],
    codes: 'inconclusive baseline',
  },
  'a hold-out': {
    arms: { ...WINNER, C: arm(20, 1) },
    settings: { hold_outs: ['C'] },
    codes: `${BETTER} hold_out`,
  },
  'two variants': { arms: { A: arm(600, 120), B: arm(600, 160) }, codes: UNCLEAR },
  'four variants': {
    arms: { A: arm(600, 120), B: arm(600, 160), C: arm(600, 120), D: arm(600, 120) },
    codes: `${UNCLEAR} inconclusive inconclusive`,
  },
  'a winner': { arms: { A: arm(600, 120), B: arm(600, 180) }, codes: BETTER },
  'a winner under an alpha of its own': {
    arms: { A: arm(600, 120), B: arm(600, 180) },
    settings: { alpha: 0.001 },
    codes: UNCLEAR,
  },
};

function pullsOf(workshop: Workshop, cases: Readonly<Record<string, Case>>): Pull[] {
  type Sent = Omit<Case, 'codes' | 'later'> & { name: string; day: Day };
  const all = Object.entries(cases).flatMap(([name, { later, ...one }]): Sent[] => [
    { name, ...one, day: one.day ?? DAY },
    ...(later === undefined ? [] : [{ name, arms: later, day: LATER }]),
  ]);
  const held = [...new Set(all.map(({ day }) => day))].filter((day) => day !== UNHELD);
  const unnamed = ['v1', 'v2'].map((variant_id) =>
    statistic({
      date: DAY,
      campaign_id: 'unnamed',
      variant_id,
      variant_name: variant_id === 'v1' ? null : 'B',
    }),
  );
  return [
    workshop.statistics({ start: DAY, end: LAST }, [
      ...all.flatMap(({ name, arms, day, more = [] }) => [...statisticsOf(name, arms, day), ...more]),
      ...unnamed,
    ]),
    ...held.map((date) => {
      const ofDay = all.filter(({ day }) => day === date);
      return workshop.events(date, [
        ofDay.flatMap(({ name, arms, records = [] }) => [...recordsOf(name, arms, date), ...records]),
      ]);
    }),
  ];
}

const workshop = shared(async () => {
  const experiments = Object.entries(CASES).flatMap(([name, { settings }]) =>
    settings === undefined ? [] : [[name, settings] as const],
  );
  const made = await modelled((one) => pullsOf(one, CASES), { experiments: Object.fromEntries(experiments) });
  // The view computes all tests, whichever is asked for.
  await made.change("set timezone = 'Asia/Seoul'; create table all_tests as from marts.ab_tests");
  return made;
});

const rows = (name: string, columns: string): Promise<Row[]> =>
  workshop.look(
    `select ${columns} from all_tests where campaign_id = '${name}'
     and metric = '${CASES[name]?.metric ?? 'click'}' order by variant_name`,
  );

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
    const found = await workshop.look(
      `select abs(marts.normal_quantile(p) - z) as off from (
        values (0.5, 0), (0.8, 0.841621), (0.9, 1.281552), (0.975, 1.959964), (0.99, 2.326348)
      ) as published (p, z)`,
    );
    for (const { off } of found) expect(off).toBeLessThan(0.0005);
  });

  test('a Korean sentence adds 안 to the name of a variant, except to 개선안 and 대조군', async () => {
    const names = ['A', '개선안', '대조군'].map((name) => `marts.variant_in_korean('${name}')`);
    expect(await workshop.lines(`select ${names.join(', ')}`)).toEqual(['A안 | 개선안 | 대조군']);
  });

  test('give null for what is not known', async () => {
    expect(
      await workshop.lines(
        `select marts.normal_two_sided_p(null), marts.chi_squared_p(null, 1), marts.chi_squared_p(1, null),
        marts.sequential_p(null, 1, 1), marts.sequential_p(0.1, 0, 1), marts.sequential_split_p([0, 0], [0.5, 0.5])`,
      ),
    ).toEqual(['- | - | - | - | - | -']);
  });
});

describe('A/B tests', () => {
  test.each(Object.entries(CASES))('%s', async (name, { codes }) => {
    const found = await rows(name, 'verdict_code');
    expect(found.map((row) => row['verdict_code']).join(' ')).toBe(codes);
  });

  test('the numbers are those of the people who got messages, with an interval that allows for daily looks', async () => {
    const [, b] = await rows(
      'two messages a person',
      'unit, size, successes, rate, difference, difference_low, difference_high, p_value, lift, variance_factor',
    );
    expect(b).toMatchObject({ unit: 'person', size: '600', successes: '165', variance_factor: 2 });
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
    // A single look gives 0.002; and among all tests of a warehouse, each stands for itself.
    expect(b?.['p_value']).toBeCloseTo(0.0534, 4);
  });

  test('a verdict is a sentence in two languages', async () => {
    expect(await rows('a clear winner', 'verdict, verdict_ko')).toEqual([
      {
        verdict: 'The other variants are compared with this one.',
        verdict_ko: '다른 안을 이 기준안과 비교합니다.',
      },
      {
        verdict: 'B is better than A: 32.0%, versus 20.0%.',
        verdict_ko: 'B안이 32.0%로 A안(20.0%)보다 유의미하게 높습니다.',
      },
    ]);
    const said = async (name: string, columns = 'verdict'): Promise<unknown[]> =>
      Object.values((await rows(name, columns))[1] ?? {});
    expect(await said('a handful of clicks', 'verdict, verdict_ko')).toEqual([
      'No verdict yet: it needs 7 days and 20 successes on each side. Days since the first message: 10; comparable successes on the smaller side: 3.',
      '아직 판정하기 이릅니다. 7일 이상 진행하고 두 안 모두 성과가 20건 이상이어야 합니다(첫 발송 후 10일째, 적은 쪽 3건).',
    ]);
    const [needed, inconclusive] = await said(
      'what a single look would call significant',
      'size_needed, verdict',
    );
    expect(Number(needed)).toBeGreaterThan(600);
    expect(inconclusive).toMatch(
      /^No winner yet: a difference of 20% of the rate needs about [\d,]+ (?:people|messages) per variant, and the smaller one has 600\.$/,
    );
    expect(await said('without events', 'unit, size, rate, difference_low, verdict')).toEqual([
      'message',
      '600',
      0.32,
      null,
      "No verdict: the number of people is unknown without events. Export the events of the test's days.",
    ]);
    expect(await said('events that name another group')).toEqual([
      'No verdict: the number of people is unknown. The events do not name the group “B”, or two variants have this name.',
    ]);
    expect(await said('everybody clicks on both', 'size_needed, verdict')).toEqual([
      null,
      'Inconclusive: everyone succeeded on both sides, so there is no difference to find.',
    ]);
  });

  test('where nobody clicks there is no size to wait for, and no p', async () => {
    const lines = async (name: string, columns: string): Promise<unknown[][]> =>
      (await rows(name, columns)).map((row) => Object.values(row));
    expect(await lines('nobody clicks on the baseline', 'size_needed')).toEqual([[null], [null]]);
    expect(await lines('nobody clicks on any', 'difference, difference_low, p_value')).toEqual([
      [null, null, null],
      [0, null, null],
    ]);
    expect(await lines('many messages to few people', 'unit, size')).toContainEqual(['person', '60']);
  });

  test('the names of variants are the newest ones, and an id where there is none', async () => {
    expect(await rows('a baseline by its former name', 'variant_name, unequal_groups_p_value')).toEqual([
      { variant_name: 'A', unequal_groups_p_value: 1 },
      { variant_name: 'B2', unequal_groups_p_value: 1 },
    ]);
    expect(await rows('a chosen baseline', 'is_baseline, baseline_name')).toEqual([
      { is_baseline: false, baseline_name: 'B' },
      { is_baseline: true, baseline_name: 'B' },
    ]);
    expect((await rows('unnamed', 'variant_name')).map((row) => row['variant_name'])).toEqual(['B', 'v1']);
  });

  test('more variants and metrics make a verdict harder, not likelier', async () => {
    const [, two] = await rows('two variants', 'p_value');
    const four = await rows('four variants', 'p_value, max(p_value) over () as most');
    expect(four[1]?.['p_value']).toBeCloseTo(3 * Number(two?.['p_value']), 10);
    expect(four[0]?.['most']).toBeLessThanOrEqual(1);
  });

  test('settings without a campaign are those of every other one', async () => {
    const other = await modelled((made) => pullsOf(made, { x: { arms: UNEQUAL, codes: '' } }), {
      experiments: { default: { split: { A: 60, B: 40 } } },
    });
    const found = await other.lines(
      "select verdict_code from marts.ab_tests where campaign_id = 'x' and metric = 'click' order by variant_name",
    );
    expect(found).toEqual(['baseline', 'better']);
  });
});

test('people who got two variants are in no arm, and the verdict says how many', async () => {
  const [a, b] = await rows('few people in two variants', 'size, successes, people_crossed, verdict');
  expect([a, b]).toMatchObject([
    { size: '990', successes: '100', people_crossed: '10' },
    {
      size: '1000',
      successes: '100',
      verdict: expect.stringContaining(
        'Not counted: people who got messages of two variants (10).',
      ) as string,
    },
  ]);
});

test('people are compared within the day of their first message, and an alarm says on which day the shares moved', async () => {
  const [, b] = await rows(
    'shares that change as intended while rates rise',
    'rate, round(compared_rate, 3) as compared_rate, round(compared_baseline_rate, 3) as compared_baseline_rate, difference, shares_moved_on',
  );
  // 205 of 1,100; each day weighs by both sides: 900 x 100 / 1,000 and 1,000 x 1,000 / 2,000.
  expect(b).toEqual({
    rate: 205 / 1100,
    compared_rate: 0.177,
    compared_baseline_rate: 0.177,
    difference: 0,
    shares_moved_on: null,
  });
  const [, alarm] = await rows('shares that change while rates rise', 'shares_moved_on, verdict');
  expect(alarm).toEqual({
    shares_moved_on: LATER,
    verdict: expect.stringContaining(
      `B got 10% of the new people before Nov ${Number(LATER.slice(8))}, and 50% from then on.`,
    ) as string,
  });
  expect(await rows('a split that chance does not make', 'shares_moved_on')).toContainEqual({
    shares_moved_on: null,
  });
});
