/** Templates and opt-outs: as they were on the day of a message, after messages, and night by night. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { shiftDay, type Day } from '../../src/ground/calendar.js';
import {
  dayOfInstant,
  referenceWorkshop,
  sqlOf,
  type Message,
  type OptOut,
  type Reference,
  type Template,
} from './reference.js';
import { asked, lineOf, shared, Workshop, type Row } from './support.js';
import { refreshModels } from '../../src/warehouse/models.js';
import { runChecks } from '../../src/warehouse/checks.js';
import { extended, long } from '../support/tags.js';

const send = (day: Day, template: string, more: Partial<Message> = {}): Message => ({
  id: `${day} ${template} ${more.event ?? ''} ${more.sender ?? ''}`,
  at: `${day}T03:00:00Z`,
  channel: 'chatapp-brand-message',
  template,
  ...more,
});

const WELCOME: Template[] = [
  { name: '환영', text: '첫 글', status: 'A', from: '2026-11-10', to: '2026-11-12' },
  { name: '환영', text: '새 글', status: 'REJ', from: '2026-11-15' },
];

describe('the template of a message', () => {
  const sale = { name: '할인', sender: 's2', id: 'b', text: '나중' };
  const alike = { name: '같음', from: '2026-11-01' };
  const alimtalk = { kind: 'alimtalk', name: 'T1', from: '2026-11-01' } as const;
  const templates: Template[] = [
    ...WELCOME,
    { name: '지난 글', text: '끝', from: '2026-11-01', to: '2026-11-05' },
    { ...sale, from: '2026-11-10' },
    { ...sale, id: 'a', sender: 's1', text: '먼저', from: '2026-11-01', to: '2026-11-20' },
    { ...alike, id: 'b', sender: 's2', text: '나중' },
    { ...alike, id: 'a', sender: 's1', text: '먼저' },
    { ...alimtalk, id: 'ch1', sender: 's1', text: '하나' },
    { ...alimtalk, id: 'ch2', sender: 's2', text: '둘' },
  ];
  const CASES: [name: string, template: string, rows: [sent: string, known: string][]][] = [
    [
      'is the latest that a snapshot showed by then, else the earliest there is',
      '환영',
      [
        ['2026-11-01', 'later | 첫 글 | 1'],
        ['2026-11-10', 'that day | 첫 글 | 1'],
        ['2026-11-12', 'that day | 첫 글 | 1'],
        // No snapshot of that night: the one before it tells.
        ['2026-11-13', 'earlier | 첫 글 | 1'],
        ['2026-11-15', 'that day | 새 글 | 1'],
        ['2026-11-30', 'that day | 새 글 | 1'],
      ],
    ],
    ['that was deleted is its last one', '지난 글', [['2026-11-09', 'earlier | 끝 | 1']]],
    ['that nobody knows is none', '없는 글', [['2026-11-09', 'unknown | - | 0']]],
    [
      'of whose name there are two is one that was there then, and both are counted',
      '할인',
      [
        ['2026-11-05', 'that day | 먼저 | 2'],
        ['2026-11-15', 'that day | 나중 | 2'],
        ['2026-11-25', 'that day | 나중 | 2'],
      ],
    ],
    [
      'of those that nothing tells apart is the first by its id',
      '같음',
      [['2026-11-15', 'that day | 먼저 | 2']],
    ],
  ];
  /** Alimtalks by their sender, each on a day of its own. */
  const SENDERS = [
    ['2026-11-02', 's2', 'that day | 둘 | 1'],
    ['2026-11-03', 'ch2', 'that day | 둘 | 1'],
    ['2026-11-04', 's3', 'that day | 하나 | 2'],
    ['2026-11-05', undefined, 'that day | 하나 | 2'],
  ] as const;
  const workshop = shared(() =>
    referenceWorkshop({
      templates,
      messages: [
        ...CASES.flatMap(([, template, rows]) => rows.map(([day]) => send(day, template))),
        ...SENDERS.map(([day, sender]) =>
          send(day, 'T1', { channel: 'chatapp-alimtalk', ...(sender === undefined ? {} : { sender }) }),
        ),
      ],
    }),
  );
  const seen = (template: string): Promise<string[]> =>
    workshop.lines(
      `select date, template_known, text, candidates from marts.template_days
      where template = '${template}' order by all`,
    );

  test.each(CASES)('%s', async (_, template, rows) => {
    expect(await seen(template)).toEqual(rows.map((row) => row.join(' | ')));
  });

  test('of an alimtalk is that of its own sender, where both sides name it', async () => {
    expect(await seen('T1')).toEqual(SENDERS.map(([day, , known]) => `${day} | ${known}`));
  });
});

describe('how a template does', () => {
  const messages = [
    ...Array.from({ length: 10 }, (_, i) => send('2026-11-11', '환영', { id: `a${i}` })),
    send('2026-11-11', '환영', { id: 'a0', event: 'brand_message_click', at: '2026-11-13T03:00:00Z' }),
    send('2026-11-11', '환영', { id: 'failed', event: 'send_failure' }),
    send('2026-11-16', '환영', { id: 'b0', campaign: 'c2' }),
  ];

  test('is told for each version, with its text and status then', async () => {
    const workshop = await referenceWorkshop({ templates: WELCOME, messages });
    const rows = await asked(workshop, 'template-performance');
    expect(rows).toMatchObject([
      { status: 'REJ', text: '새 글', sent: '1', clicked: '0', version_from: '2026-11-15' },
      // The click came on a night without a snapshot.
      { status: 'A', text: '첫 글', sent: '11', failed: '1', delivered: null, template_known: 'that day' },
    ]);
    const [all] = await asked(workshop, 'template-performance', { per: 'template' });
    expect(all).toMatchObject({ sent: '12', failed: '1', clicked: '1', click_rate: 0.090909, text: '새 글' });
    // Wilson's interval of one in eleven.
    expect(all).toMatchObject({ click_rate_low: 0.016225, click_rate_high: 0.37736 });
  });

  test('a status is read by the beginnings of its words', async () => {
    const cases = [
      ['REJ', 'refused'],
      ['TSC04', 'refused'],
      ['반려', 'refused'],
      ['거절', 'refused'],
      ['STP', 'suspended'],
      ['Suspended', 'suspended'],
      ['사용 중단', 'suspended'],
      ['APR', null],
      ['unblocked', null],
      ['', null],
    ];
    const values = cases.map(([status], i) => `(${i}, '${status}')`).join(', ');
    const workshop = new Workshop();
    const rows = await workshop.look(
      `select status, marts.template_state(status) as state from (values ${values}) as given (i, status) order by i`,
    );
    expect(rows.map(({ status, state }) => [status, state])).toEqual(cases);
  });
});

/** An instant of 10 November in Korea. */
const clock = (time: string, day = 10): string =>
  new Date(`2026-11-${String(day).padStart(2, '0')}T${time}+09:00`).toISOString();

/** Twenty days of events, and a snapshot of opt-outs on the morning after. */
const HELD = {
  eventDays: Array.from({ length: 20 }, (_, i) => shiftDay('2026-11-01', i)),
  snapshots: { opt_outs: ['2026-11-21'] },
};

describe('an opt-out', () => {
  const text = (id: string, when: string, more: Partial<Message> = {}): Message => ({
    id,
    at: when,
    recipient: 'r',
    ...more,
  });
  const made = (
    messages: readonly Message[],
    optOuts: readonly OptOut[] = [{ recipient: 'r', at: clock('11:00:00') }],
  ): Promise<Workshop> => referenceWorkshop({ ...HELD, messages, optOuts });
  const followed = (workshop: Workshop): Promise<string[]> =>
    workshop.lines('select event_id from marts.opt_outs_after_messages order by all');
  const perHour = (workshop: Workshop): Promise<Row[]> =>
    asked(workshop, 'opt-outs-after-messages', { per: 'hour' });

  test('that ended leaves the file, and each day on which one ended is told', async () => {
    const at = clock('11:00:00');
    const workshop = await made(
      [],
      [
        { recipient: 'a', at, from: '2026-11-10', to: '2026-11-11' },
        { recipient: 'b', at, from: '2026-11-10', to: '2026-11-11' },
        { recipient: 'c', at, from: '2026-11-10', to: '2026-11-12' },
        { recipient: 'd', at, from: '2026-11-10', to: '2026-11-13' },
        { recipient: 'e', at, from: '2026-11-10', to: '2026-11-20' },
        { recipient: 'f', at, from: '2026-11-10' },
      ],
    );
    const removed = await workshop.with((warehouse) => warehouse.removeClosedOptOuts('2026-11-14'));
    expect(removed.toSorted((one, other) => one.day.localeCompare(other.day))).toEqual([
      { day: '2026-11-11', rows: 2 },
      { day: '2026-11-12', rows: 1 },
      { day: '2026-11-13', rows: 1 },
    ]);
    expect(await workshop.lines('select recipient from opt_outs_history order by 1')).toEqual(['e', 'f']);
  });

  test('follows the last message to the same recipient within 72 hours, both ends included', async () => {
    const messages = [
      text('72 hours', clock('12:00:00', 7), { recipient: 'a' }),
      text('a second more', clock('11:59:59', 7), { recipient: 'b' }),
      text('the same second', clock('12:00:00'), { recipient: 'c' }),
      text('a second after', clock('12:00:01'), { recipient: 'd' }),
      text('first of two', clock('09:00:00'), { recipient: 'e' }),
      text('last of two', clock('10:00:00'), { recipient: 'e' }),
      text('failed', clock('11:00:00'), { recipient: 'e', event: 'send_failure' }),
      text('to another', clock('11:30:00'), { recipient: 'f' }),
      text('to nobody', clock('11:30:00'), { recipient: null }),
      text('as a text instead', clock('11:40:00'), {
        recipient: 'g',
        channel: 'chatapp-alimtalk',
        event: 'failover_text_message_send_success',
      }),
      // Half past midnight in Korea, which is the day before elsewhere.
      text('at night', clock('00:30:00'), { recipient: 'h', channel: 'chatapp-friendtalk' }),
      text('in another spelling', clock('10:00:00'), { recipient: '010-1234-5678' }),
    ];
    const recipients = ['a', 'b', 'c', 'd', 'e', 'g', 'h', '+82 10 1234 5678'];
    const optOuts = recipients.map((recipient) => ({ recipient, at: clock('12:00:00') }));
    expect(await followed(await made(messages, optOuts))).toEqual([
      '72 hours',
      'as a text instead',
      'at night',
      'in another spelling',
      'last of two',
      'the same second',
    ]);
  });

  long('follows only what was delivered on a channel that tells of deliveries', async () => {
    const channel = 'chatapp-alimtalk';
    const delivered = { channel, event: 'alimtalk_delivered' } as const;
    const workshop = await made([
      text('delivered', clock('09:00:00'), { channel }),
      text('delivered', clock('09:00:05'), delivered),
      text('sent', clock('10:00:00'), { channel }),
      text('of others', clock('10:00:00'), { channel, recipient: 'other' }),
      text('of others', clock('10:00:05'), { ...delivered, recipient: 'other' }),
    ]);
    expect(await followed(workshop)).toEqual(['delivered']);
    expect(await asked(workshop, 'opt-outs-after-messages')).toMatchObject([
      { counted_as: 'delivered', messages: '2', opted_out: '1' },
    ]);
  });

  test('follows only a message that shows its number, and those alone are compared', async () => {
    const workshop = await made([
      text('shows it', clock('08:00:00'), { body: '(광고) 080-123-4567' }),
      text('shows another', clock('09:00:00'), { body: '(광고) 080-999-9999' }),
      text('shows a longer one', clock('09:30:00'), { body: '송장 10801234567' }),
      text('shows none', clock('10:00:00'), { body: '주문이 완료되었습니다.' }),
      text('alimtalk', clock('10:30:00'), { channel: 'chatapp-alimtalk', body: '배송 출발' }),
    ]);
    expect(await followed(workshop)).toEqual(['shows it']);
    expect(await perHour(workshop)).toMatchObject([
      { channel: 'text-message', item: '8', messages: '1', opted_out: '1' },
      { channel: 'text-message', item: '9', messages: '1', opted_out: '0' },
    ]);
  });

  test('whose recipient was dropped is said to follow nobody knows what, and is not 0', async () => {
    const message = text('m', clock('10:00:00'), { recipient: null });
    const workshop = await made([message], [{ recipient: null, at: clock('11:00:00') }]);
    expect(await asked(workshop, 'opt-outs-after-messages')).toMatchObject([
      { verdict_code: 'unknown', messages: null, opted_out: null, per_thousand: null },
    ]);
  });

  test.each<[string, Partial<Reference>, number]>([
    ['is known with snapshots and days', {}, 1],
    ['without any snapshot is not known', { snapshots: {} }, 0],
    ['of a message whose 72 hours are not over is left out', { snapshots: { opt_outs: ['2026-11-13'] } }, 0],
    [
      'of one before days whose events are not held is left out',
      { eventDays: HELD.eventDays.filter((day) => day !== '2026-11-12') },
      0,
    ],
  ])('%s', { tags: ['long'] }, async (_, less, rows) => {
    const optOuts = [{ recipient: 'r', at: clock('11:00:00') }];
    const given = { ...HELD, messages: [text('m', clock('10:00:00'))], optOuts, ...less };
    expect(await asked(await referenceWorkshop(given), 'opt-outs-after-messages')).toHaveLength(rows);
  });

  test('counts on the day of its request, and vanishes with the first snapshot without it', async () => {
    const workshop = await referenceWorkshop({
      snapshots: { opt_outs: ['2026-11-10', '2026-11-12', '2026-11-14'] },
      optOuts: [
        { recipient: 'a', at: clock('23:30:00', 8), from: '2026-11-10' },
        // Half past midnight in Korea.
        { recipient: 'b', at: clock('00:30:00', 9), from: '2026-11-10', to: '2026-11-12' },
        { recipient: 'c', at: clock('10:00:00', 11), number: '0809999999', from: '2026-11-12' },
        // Two versions of one opt-out, and the same one twice, are one.
        { recipient: 'd', at: clock('10:00:00', 11), from: '2026-11-12', to: '2026-11-12' },
        { recipient: 'd', at: clock('10:00:00', 11), from: '2026-11-14' },
        { recipient: 'd', at: clock('10:00:00', 11), from: '2026-11-14', copy: 2 },
      ],
    });
    const before = (last: string): string[] => [
      `2026-11-08 | 0801234567 | 1 | 0 | 1 | ${last} | 28`,
      `2026-11-09 | 0801234567 | 1 | 0 | 2 | ${last} | 28`,
      `2026-11-11 | 0801234567 | 1 | 0 | 3 | ${last} | 28`,
      `2026-11-11 | 0809999999 | 1 | 0 | 1 | ${last} | 28`,
    ];
    // The day of the last snapshot was not over.
    expect((await asked(workshop, 'opt-outs')).map(lineOf)).toEqual(before('2026-11-13'));
    expect((await asked(workshop, 'opt-outs', { end: '2026-11-14' })).map(lineOf)).toEqual([
      ...before('2026-11-14'),
      '2026-11-14 | 0801234567 | 0 | 1 | 2 | 2026-11-14 | 28',
    ]);
    expect(await asked(workshop, 'opt-outs', { number: '0809999999' })).toHaveLength(1);
  });
});

describe('the comparison with all others', { tags: ['long'] }, () => {
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

  extended(
    'calls a campaign more or less than chance explains, corrected for all that are judged',
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
      // Charts draw the interval: it has zero exactly where no difference was found.
      const withZero = rows.filter(
        (row) => Number(row['difference_low']) <= 0 && Number(row['difference_high']) >= 0,
      );
      expect(withZero.map((row) => row['resource_id'])).toEqual(['usual', 'few']);
      expect(rows[0]).toMatchObject({
        verdict: 'Significantly more opt-outs: 30.00 per 1,000 messages; all others, 5.88.',
      });
      const [korean] = await asked(workshop, 'opt-outs-after-messages', { lang: 'ko' });
      expect(korean?.['verdict']).toContain('1,000건당 30.00건');
    },
  );
});

const FIRST = '2026-11-01';
const NIGHTS = 12;
const DAYS = Array.from({ length: NIGHTS }, (_, i) => shiftDay(FIRST, i));

const TABLES = [
  'daily_templates',
  'daily_recipient_messages',
  'daily_opt_out_messages',
  'template_days',
  'opt_outs_after_messages',
];

async function held(workshop: Workshop): Promise<Record<string, Row[]>> {
  const found: Record<string, Row[]> = {};
  for (const table of TABLES) found[table] = await workshop.look(`from marts.${table} order by all`);
  return found;
}

const hour = fc.nat(NIGHTS * 24 - 1).map((hours) => at(hours));
const at = (hours: number): string =>
  new Date(Date.parse(`${FIRST}T00:20:00+09:00`) + hours * 3_600_000).toISOString();

const world = fc.record({
  messages: fc.array(
    fc.record({
      at: hour,
      recipient: fc.constantFrom('r1', 'r2', 'r3'),
      channel: fc.constantFrom('text-message' as const, 'chatapp-alimtalk' as const),
      template: fc.constantFrom('T1', 'T2'),
      body: fc.constantFrom('안내', '(광고) 080-123-4567', '무료수신거부 0801234567'),
      // So many hours later it is delivered, or clicked.
      answered: fc.constantFrom(undefined, 1, 30, 80),
      event: fc.constantFrom('alimtalk_delivered', 'alimtalk_click'),
    }),
    { minLength: 5, maxLength: 25 },
  ),
  optOuts: fc.array(fc.record({ at: hour, recipient: fc.constantFrom('r1', 'r2', 'r3'), late: fc.nat(6) }), {
    minLength: 2,
    maxLength: 8,
  }),
});

extended(
  'tables of reference data brought forward night by night are those made at once',
  async () => {
    await fc.assert(
      fc.asyncProperty(world, async (given) => {
        const messages = given.messages.flatMap(({ answered, event, ...message }, i): Message[] => {
          const send = { ...message, id: `m${String(i).padStart(2, '0')}` };
          const later = Date.parse(send.at) + (answered ?? 0) * 3_600_000;
          const isHeld = answered !== undefined && later < Date.parse(at(NIGHTS * 24 - 1));
          return isHeld ? [send, { ...send, event, at: new Date(later).toISOString() }] : [send];
        });
        // Seen by the snapshot of the morning after, or of a later one.
        const optOuts = given.optOuts.map(({ late, ...optOut }): OptOut => {
          const last = shiftDay(FIRST, NIGHTS);
          const seen = shiftDay(dayOfInstant(optOut.at), 1 + late);
          return { ...optOut, from: seen < last ? seen : last };
        });
        const templates = DAYS.slice(0, 4).map((from, i) => ({
          kind: 'alimtalk' as const,
          name: 'T1',
          text: `글 ${i}`,
          from,
          ...(i < 3 ? { to: from } : {}),
        }));
        const items = [{ catalog: 'products', id: 'shoe-1', from: FIRST }];
        const nights = DAYS.map((day): Reference => {
          const morning = shiftDay(day, 1);
          return {
            messages: messages.filter((message) => dayOfInstant(message.at) === day),
            eventDays: [day],
            optOuts: optOuts.filter(({ from }) => from === morning),
            snapshots: { opt_outs: [morning] },
          };
        });
        const nightly = await referenceWorkshop({ templates, items });
        const atOnce = await referenceWorkshop({ templates, items });
        const bring = (workshop: Workshop, some: readonly Reference[]): Promise<void> =>
          workshop.change(`set timezone = 'Asia/Seoul'; ${some.map(sqlOf).join('\n')}`).then(() =>
            workshop.with(async (warehouse) => {
              await refreshModels(warehouse);
              await runChecks(warehouse);
            }),
          );
        for (const night of nights) await bring(nightly, [night]);
        await bring(atOnce, nights);
        const found = await held(nightly);
        expect(found).toEqual(await held(atOnce));
        expect(found['daily_recipient_messages']).not.toEqual([]);
      }),
      { numRuns: 1, endOnFailure: true },
    );
  },
  120_000,
);

describe('snapshots', () => {
  const eventDays = DAYS;
  const newest: Day = DAYS.at(-1) ?? '';

  test('miss no days, and are as old as the nights since the last one', async () => {
    const workshop = await referenceWorkshop({
      eventDays,
      snapshots: { opt_outs: ['2026-11-05', shiftDay(newest, 1)], catalogs: ['2026-11-03', '2026-11-10'] },
    });
    const rows = await asked(workshop, 'freshness');
    expect(
      rows.map((row) => [row['stream'], row['last_date'], row['days_missing'], row['days_behind_newest']]),
    ).toEqual([
      ['catalogs', '2026-11-10', '0', '3'],
      ['events', newest, '0', '0'],
      ['opt_outs', '2026-11-13', '0', '0'],
    ]);
    expect(await asked(workshop, 'missing-days', { end: newest })).toEqual([]);
    // Only days that are wanted after the last one are behind: none that a person gave up, and none that has no state.
    await workshop.change(
      `update ops.coverage set date = date - 9 where stream = 'events';
       insert into ops.coverage (stream, date) values ('statistics', '${newest}');
       insert into ops.days (stream, date, state) values ('events', '${shiftDay(newest, -3)}', 'missing'),
         ('events', '${shiftDay(newest, -2)}', 'given_up'), ('events', '${shiftDay(newest, -1)}', 'under_way'),
         ('events', '${newest}', 'waits'), ('events', '${shiftDay(newest, 1)}', 'missing')`,
    );
    expect(
      await workshop.lookOne(
        "select days_missing::int as missing, days_behind_newest::int as behind from marts.freshness where stream = 'events'",
      ),
    ).toEqual({ missing: 2, behind: 3 });
    await workshop.change(`delete from ops.days`);
    expect(
      await workshop.lookOne(
        "select days_behind_newest::int as behind from marts.freshness where stream = 'events'",
      ),
    ).toEqual({ behind: 0 });
    // And they make the calendar no longer.
    expect(await workshop.lookOne('select max(date)::varchar as last from calendar')).toEqual({
      last: newest,
    });
  });

  test('the wanted days are missing by their state, and those that became complete since', async () => {
    const workshop = await referenceWorkshop({ eventDays });
    const second = shiftDay(newest, -1);
    await workshop.change(
      `insert into ops.days (stream, date, state) values ('campaigns', '${second}', 'missing'), ('campaigns', '${newest}', 'missing'),
         ('events', '2026-10-01', 'removed'), ('events', '2026-10-02', 'waits'), ('events', '${newest}', 'loaded');
       insert into ops.removed_days (date, rows) values ('2026-10-01', 1)`,
    );
    const now = `${shiftDay(newest, 2)}T08:00:00+09:00`;
    const missing = await asked(workshop, 'missing-days', { now });
    const next = shiftDay(newest, 1);
    expect(missing.map((row) => [row['stream'], row['first_date'], row['last_date'], row['reason']])).toEqual(
      [
        ['campaigns', second, next, 'missing'],
        ['events', '2026-10-01', '2026-10-01', 'removed by retention'],
        ['events', '2026-10-02', '2026-10-02', 'needs your decision'],
        ['events', next, next, 'missing'],
      ],
    );
    // Without a budget the last run wanted no events.
    await workshop.change(`delete from ops.days where stream = 'events'`);
    const free = await asked(workshop, 'missing-days', { now });
    expect(free.map((row) => [row['stream'], row['last_date']])).toEqual([
      ['campaigns', next],
      ['events', '2026-10-01'],
    ]);
  });
});
