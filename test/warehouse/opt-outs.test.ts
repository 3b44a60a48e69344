/** Opt-outs by day, and the messages that they follow. */
import { describe, expect, test } from 'vitest';
import { shiftDay, type Day } from '../../src/calendar.js';
import { dayOfInstant, referenceWorkshop, type Message, type OptOut, type Reference } from './reference.js';
import { asked, type Row, type Workshop } from './support.js';

/** An instant of 10 November in Korea. */
const at = (time: string, day = 10): string =>
  new Date(`2026-11-${String(day).padStart(2, '0')}T${time}+09:00`).toISOString();

/** Twenty days of events, and a snapshot of opt-outs on the morning after. */
const HELD = {
  eventDays: Array.from({ length: 20 }, (_, i) => shiftDay('2026-11-01', i)),
  snapshots: { opt_outs: ['2026-11-21'] },
};

const following = (workshop: Workshop): Promise<Row[]> =>
  workshop.look(
    'select event_id, hour, campaign_id, template from marts.opt_outs_after_messages order by all',
  );

const followed = async (messages: readonly Message[], optOuts: readonly OptOut[]): Promise<unknown[]> => {
  const rows = await following(await referenceWorkshop({ ...HELD, messages, optOuts }));
  return rows.map(({ event_id }) => event_id);
};

const text = (id: string, when: string, more: Partial<Message> = {}): Message => ({
  id,
  at: when,
  recipient: 'r',
  ...more,
});

describe('an opt-out', () => {
  test('follows the last message to the same recipient within 72 hours, both ends included', async () => {
    const messages = [
      text('72 hours', at('12:00:00', 7), { recipient: 'a' }),
      text('a second more', at('11:59:59', 7), { recipient: 'b' }),
      text('the same second', at('12:00:00'), { recipient: 'c' }),
      text('a second after', at('12:00:01'), { recipient: 'd' }),
      text('first of two', at('09:00:00'), { recipient: 'e' }),
      text('last of two', at('10:00:00'), { recipient: 'e' }),
      text('failed', at('11:00:00'), { recipient: 'e', event: 'send_failure' }),
      text('to another', at('11:30:00'), { recipient: 'f' }),
      text('to nobody', at('11:30:00'), { recipient: null }),
      text('as a text instead', at('11:40:00'), {
        recipient: 'g',
        channel: 'chatapp-alimtalk',
        event: 'failover_text_message_send_success',
      }),
      // Half past midnight in Korea, which is the day before elsewhere.
      text('at night', at('00:30:00'), { recipient: 'h', channel: 'chatapp-friendtalk' }),
    ];
    const optOuts = ['a', 'b', 'c', 'd', 'e', 'g', 'h'].map((recipient) => ({
      recipient,
      at: at('12:00:00'),
    }));
    expect(await followed(messages, optOuts)).toEqual([
      '72 hours',
      'as a text instead',
      'at night',
      'last of two',
      'the same second',
    ]);
  });

  test('of a message that two opt-outs follow counts once', async () => {
    const messages = [
      text('m', at('10:00:00'), { template: 'T' }),
      ...Array.from({ length: 9 }, (_, i) =>
        text(`m${i}`, at('10:00:00'), { recipient: `r${i}`, template: 'T' }),
      ),
    ];
    const optOuts = [
      { recipient: 'r', at: at('11:00:00') },
      { recipient: 'r', at: at('12:00:00'), number: '0807654321' },
    ];
    const workshop = await referenceWorkshop({ ...HELD, messages, optOuts });
    expect(await following(workshop)).toHaveLength(2);
    expect(await asked(workshop, 'opt-outs-after-messages', { per: 'hour' })).toMatchObject([
      { item: '10', messages: '10', opted_out: '1', per_thousand: 100, verdict_code: 'alone', days: '17' },
    ]);
    expect(await asked(workshop, 'opt-outs-after-messages', { per: 'template' })).toMatchObject([
      { item: 'T', counted_as: 'sent' },
    ]);
  });

  test(
    'follows only what was delivered on a channel that tells of deliveries',
    { tags: ['long'] },
    async () => {
      const channel = 'chatapp-alimtalk';
      const messages = [
        text('delivered', at('09:00:00'), { channel }),
        text('delivered', at('09:00:05'), { channel, event: 'alimtalk_delivered' }),
        text('sent', at('10:00:00'), { channel }),
        text('of others', at('10:00:00'), { channel, recipient: 'other' }),
        text('of others', at('10:00:05'), { channel, recipient: 'other', event: 'alimtalk_delivered' }),
      ];
      const workshop = await referenceWorkshop({
        ...HELD,
        messages,
        optOuts: [{ recipient: 'r', at: at('11:00:00') }],
      });
      expect(await following(workshop)).toMatchObject([{ event_id: 'delivered' }]);
      expect(await asked(workshop, 'opt-outs-after-messages')).toMatchObject([
        { counted_as: 'delivered', messages: '2', opted_out: '1' },
      ]);
    },
  );

  test('follows only a message that shows its number', async () => {
    const messages = [
      text('shows it', at('08:00:00'), { body: '(광고) 080-123-4567' }),
      text('shows another', at('09:00:00'), { body: '(광고) 080-999-9999' }),
      text('shows a longer one', at('09:30:00'), { body: '송장 10801234567' }),
      text('shows none', at('10:00:00'), { body: '주문이 완료되었습니다.' }),
      text('alimtalk', at('10:30:00'), { channel: 'chatapp-alimtalk', body: '배송 출발' }),
    ];
    const workshop = await referenceWorkshop({
      ...HELD,
      messages,
      optOuts: [{ recipient: 'r', at: at('11:00:00') }],
    });
    expect(await following(workshop)).toMatchObject([{ event_id: 'shows it' }]);
    // Only messages with a number to opt out with are compared: two texts, and no alimtalk.
    expect(await asked(workshop, 'opt-outs-after-messages', { per: 'hour' })).toMatchObject([
      { channel: 'text-message', item: '8', messages: '1', opted_out: '1' },
      { channel: 'text-message', item: '9', messages: '1', opted_out: '0' },
    ]);
  });

  test('is counted by sends on a channel where a delivery of another channel shares an id', async () => {
    const messages = [
      ...Array.from({ length: 9 }, (_, i) => text(`m${i}`, at('10:00:00'), { recipient: `r${i}` })),
      text('m0', at('10:00:05'), {
        recipient: 'r0',
        channel: 'chatapp-friendtalk',
        event: 'friendtalk_delivered',
      }),
      text('m1', at('10:00:05'), { recipient: 'r1', event: 'text_delivered' }),
    ];
    const workshop = await referenceWorkshop({
      ...HELD,
      messages,
      optOuts: [{ recipient: 'r3', at: at('11:00:00') }],
    });
    expect(await asked(workshop, 'opt-outs-after-messages', { per: 'hour' })).toMatchObject([
      { channel: 'text-message', messages: '9', opted_out: '1', counted_as: 'sent' },
    ]);
  });

  test('whose recipient was dropped is said to follow nobody knows what, and is not 0', async () => {
    const workshop = await referenceWorkshop({
      ...HELD,
      messages: [text('m', at('10:00:00'), { recipient: null })],
      optOuts: [{ recipient: null, at: at('11:00:00') }],
    });
    expect(await asked(workshop, 'opt-outs-after-messages')).toMatchObject([
      { verdict_code: 'unknown', messages: null, opted_out: null, per_thousand: null },
    ]);
  });

  test.each<[string, Partial<Reference>]>([
    ['without any snapshot nothing is known', { snapshots: {} }],
    ['a message whose 72 hours are not over is left out', { snapshots: { opt_outs: ['2026-11-13'] } }],
    [
      'so is one before days whose events are not held',
      { eventDays: HELD.eventDays.filter((day) => day !== '2026-11-12') },
    ],
  ])('%s', { tags: ['long'] }, async (_, less) => {
    const given = {
      ...HELD,
      messages: [text('m', at('10:00:00'))],
      optOuts: [{ recipient: 'r', at: at('11:00:00') }],
    };
    expect(await asked(await referenceWorkshop({ ...given, ...less }), 'opt-outs-after-messages')).toEqual(
      [],
    );
    expect(await asked(await referenceWorkshop(given), 'opt-outs-after-messages')).toHaveLength(1);
  });

  test('of a later snapshot is found though its day was modelled before', { tags: ['long'] }, async () => {
    const workshop = await referenceWorkshop({ ...HELD, messages: [text('m', at('10:00:00'))] });
    await workshop.change('delete from ops.touched_days');
    await workshop.change(
      `insert into opt_outs_history (unsubscribe_number, recipient, requested_at, copy, valid_from)
       values ('0801234567', 'r', '${at('11:00:00')}', 1, '2026-11-22');
       insert into ops.touched_days values ('opt_outs', '2026-11-22')`,
    );
    await workshop.with((warehouse) => warehouse.model());
    expect(await following(workshop)).toMatchObject([{ event_id: 'm', hour: 10 }]);
  });

  test.each(['infinity', '-infinity', '290000-01-01 00:00:00+00'])(
    'requested at %s keeps no night from being modelled and checked',
    { tags: ['long'] },
    async (moment) => {
      const workshop = await referenceWorkshop({ ...HELD, messages: [text('m', at('10:00:00'))] });
      await workshop.change(
        `insert into opt_outs_history (unsubscribe_number, recipient, requested_at, copy, valid_from)
         values ('0801234567', 'r', '${moment}', 1, '2026-11-22');
         insert into ops.touched_days values ('opt_outs', '2026-11-22')`,
      );
      for (const before of [
        "update ops.models set fingerprint = 'of before'",
        'delete from ops.check_versions',
      ]) {
        await workshop.with(async (warehouse) => {
          await warehouse.model();
          await warehouse.check();
        });
        expect(await following(workshop)).toEqual([]);
        await workshop.change(before);
      }
    },
  );

  test(
    'in another spelling is of the same recipient, where recipients are kept',
    { tags: ['long'] },
    async () => {
      expect(
        await followed(
          [text('m', at('10:00:00'), { recipient: '010-1234-5678' })],
          [{ recipient: '+82 10 1234 5678', at: at('11:00:00') }],
        ),
      ).toEqual(['m']);
    },
  );
});

describe('the comparison with all others', () => {
  const days = HELD.eventDays.slice(0, 10);

  /** So many messages of each campaign, of which so many are followed by an opt-out. */
  const campaigns = (cells: Readonly<Record<string, readonly [number, number]>>): Reference => {
    const all = Object.entries(cells).flatMap(([campaign, [messages, optedOut]]) =>
      Array.from({ length: messages }, (_, i) => ({ campaign, i, optsOut: i < optedOut })),
    );
    const when = (i: number): Day => days[i % days.length] ?? '';
    return {
      ...HELD,
      messages: all.map(({ campaign, i }) => ({
        id: `${campaign} ${i}`,
        at: `${when(i)}T03:00:00Z`,
        campaign,
        recipient: `${campaign} ${i}`,
      })),
      optOuts: all
        .filter(({ optsOut }) => optsOut)
        .map(({ campaign, i }) => ({ recipient: `${campaign} ${i}`, at: `${when(i)}T04:00:00Z` })),
    };
  };

  test(
    'calls a campaign more or less than chance explains, corrected for all that are judged',
    { tags: ['long'] },
    async () => {
      const workshop = await referenceWorkshop(
        campaigns({ worse: [500, 15], better: [500, 0], usual: [500, 4], few: [20, 2] }),
      );
      const rows = await asked(workshop, 'opt-outs-after-messages');
      expect(rows).toMatchObject([
        {
          resource_id: 'worse',
          verdict_code: 'more',
          per_thousand: 30,
          per_thousand_of_others: 5.882,
          ratio: 5.1,
        },
        { resource_id: 'better', verdict_code: 'fewer', per_thousand: 0, opted_out: '0' },
        { resource_id: 'usual', verdict_code: 'inconclusive', per_thousand: 8 },
        { resource_id: 'few', verdict_code: 'too_few', p_value: null },
      ]);
      // Of 21 opt-outs, 15 or more, or none, fall to 500 of 1520 messages by chance; and Holm's correction of three.
      const none = 3 * 2 * Math.pow(1 - 500 / 1520, 21);
      const many = Math.max(none, 2 * 2 * upperTail(15, 21, 500 / 1520));
      expect(Number(rows[0]?.['p_value'])).toBeCloseTo(many, 4);
      expect(Number(rows[1]?.['p_value'])).toBeCloseTo(none, 4);
      expect(rows[0]).toMatchObject({
        verdict: 'More opt-outs than chance explains: 30.00 per thousand, all others 5.88.',
      });
      const [korean] = await asked(workshop, 'opt-outs-after-messages', { lang: 'ko' });
      expect(korean?.['verdict']).toContain('1,000건당 30.00건');
    },
  );
});

/** How often so many of so many, or more, succeed. */
function upperTail(successes: number, trials: number, chance: number): number {
  let total = 0;
  for (let i = successes; i <= trials; i++)
    total += choose(trials, i) * chance ** i * (1 - chance) ** (trials - i);
  return total;
}

function choose(n: number, k: number): number {
  let ways = 1;
  for (let i = 1; i <= k; i++) ways = (ways * (n - k + i)) / i;
  return ways;
}

test('opt-outs count on the day of their request, and vanish with the first snapshot without them', async () => {
  const workshop = await referenceWorkshop({
    snapshots: { opt_outs: ['2026-11-10', '2026-11-12', '2026-11-14'] },
    optOuts: [
      { recipient: 'a', at: at('23:30:00', 8), from: '2026-11-10' },
      // Half past midnight in Korea.
      { recipient: 'b', at: at('00:30:00', 9), from: '2026-11-10', to: '2026-11-12' },
      { recipient: 'c', at: at('10:00:00', 11), number: '0809999999', from: '2026-11-12' },
      // Two versions of one opt-out, and the same one twice, are one.
      { recipient: 'd', at: at('10:00:00', 11), from: '2026-11-12', to: '2026-11-12' },
      { recipient: 'd', at: at('10:00:00', 11), from: '2026-11-14' },
      { recipient: 'd', at: at('10:00:00', 11), from: '2026-11-14', copy: 2 },
    ],
  });
  const rows = await asked(workshop, 'opt-outs');
  expect(rows.map((row) => Object.values(row).join(' '))).toEqual([
    '2026-11-08 0801234567 1 0 1',
    '2026-11-09 0801234567 1 0 2',
    '2026-11-11 0801234567 1 0 3',
    '2026-11-11 0809999999 1 0 1',
    '2026-11-14 0801234567 0 1 2',
  ]);
  expect(await asked(workshop, 'opt-outs', { number: '0809999999' })).toHaveLength(1);
});
