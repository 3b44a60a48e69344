/** Templates as they were on the day of a message, and how they do. */
import { describe, expect, test } from 'vitest';
import { shiftDay, type Day } from '../../src/calendar.js';
import { referenceWorkshop, type Message, type Template } from './reference.js';
import { asked, Workshop } from './support.js';

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

describe('the version of the day', () => {
  const seen = async (templates: readonly Template[], messages: readonly Message[]) => {
    const workshop = await referenceWorkshop({ templates, messages });
    return workshop.look(
      `select date::varchar as date, template_known as known, text, candidates::integer as candidates
      from marts.template_days order by all`,
    );
  };

  test('is the latest that a snapshot showed by then, else the earliest there is', async () => {
    const days = ['2026-11-01', '2026-11-10', '2026-11-12', '2026-11-13', '2026-11-15', '2026-11-30'];
    expect(
      await seen(
        WELCOME,
        days.map((day) => send(day, '환영')),
      ),
    ).toEqual([
      { date: '2026-11-01', known: 'later', text: '첫 글', candidates: 1 },
      { date: '2026-11-10', known: 'that day', text: '첫 글', candidates: 1 },
      { date: '2026-11-12', known: 'that day', text: '첫 글', candidates: 1 },
      // No snapshot of that night: the one before it tells.
      { date: '2026-11-13', known: 'earlier', text: '첫 글', candidates: 1 },
      { date: '2026-11-15', known: 'that day', text: '새 글', candidates: 1 },
      { date: '2026-11-30', known: 'that day', text: '새 글', candidates: 1 },
    ]);
  });

  test('of a template that was deleted is its last one, and of one that nobody knows none', async () => {
    const gone: Template[] = [{ name: '지난 글', text: '끝', from: '2026-11-01', to: '2026-11-05' }];
    expect(await seen(gone, [send('2026-11-09', '지난 글'), send('2026-11-09', '없는 글')])).toEqual([
      { date: '2026-11-09', known: 'earlier', text: '끝', candidates: 1 },
      { date: '2026-11-09', known: 'unknown', text: null, candidates: 0 },
    ]);
  });

  test(
    'of two templates of one name is one that was there then, and both are counted',
    { tags: ['long'] },
    async () => {
      const both: Template[] = [
        { name: '할인', id: 'b', sender: 's2', text: '나중', from: '2026-11-10' },
        { name: '할인', id: 'a', sender: 's1', text: '먼저', from: '2026-11-01', to: '2026-11-20' },
      ];
      expect(
        await seen(both, [
          send('2026-11-05', '할인'),
          send('2026-11-15', '할인'),
          send('2026-11-25', '할인'),
        ]),
      ).toEqual([
        { date: '2026-11-05', known: 'that day', text: '먼저', candidates: 2 },
        { date: '2026-11-15', known: 'that day', text: '나중', candidates: 2 },
        { date: '2026-11-25', known: 'that day', text: '나중', candidates: 2 },
      ]);
      // Of those that nothing tells apart, the first by its id.
      const alike = both.map((one): Template => ({ ...one, from: '2026-11-01', to: '2026-11-30' }));
      expect(await seen(alike, [send('2026-11-15', '할인')])).toMatchObject([
        { text: '먼저', candidates: 2 },
      ]);
    },
  );

  test('of an alimtalk is that of its own sender, where both sides name it', { tags: ['long'] }, async () => {
    const alimtalk = { kind: 'alimtalk', name: 'T1', from: '2026-11-01' } as const;
    const templates: Template[] = [
      { ...alimtalk, id: 'ch1', sender: 's1', text: '하나' },
      { ...alimtalk, id: 'ch2', sender: 's2', text: '둘' },
    ];
    const of = (sender?: string): Message =>
      send('2026-11-05', 'T1', { channel: 'chatapp-alimtalk', ...(sender === undefined ? {} : { sender }) });
    expect(await seen(templates, [of('s2')])).toMatchObject([{ text: '둘', candidates: 1 }]);
    expect(await seen(templates, [of('ch2')])).toMatchObject([{ text: '둘', candidates: 1 }]);
    expect(await seen(templates, [of('s3')])).toMatchObject([{ text: '하나', candidates: 2 }]);
    expect(await seen(templates, [of()])).toMatchObject([{ text: '하나', candidates: 2 }]);
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
    expect(all).toMatchObject({ sent: '12', failed: '1', clicked: '1', click_rate: 0.0909, text: '새 글' });
    // Wilson's interval of one in eleven.
    expect(all).toMatchObject({ click_rate_low: 0.0162, click_rate_high: 0.3774 });
  });

  test('and those that were refused and are sent all the same', async () => {
    const workshop = await referenceWorkshop({ templates: WELCOME, messages });
    expect(await asked(workshop, 'refused-templates')).toMatchObject([
      {
        template: '환영',
        state: 'refused',
        status: 'REJ',
        sent: '1',
        resource_id: 'c2',
        first_date: '2026-11-16',
      },
    ]);
  });

  test('a status is read by the beginnings of its words', async () => {
    const cases = [
      ['REJ', 'refused'],
      ['rejected', 'refused'],
      ['TSC04', 'refused'],
      ['반려', 'refused'],
      ['STOP', 'suspended'],
      ['STP', 'suspended'],
      ['Suspended', 'suspended'],
      ['TEMPLATE_BLOCKED', 'suspended'],
      ['사용 중단', 'suspended'],
      ['APR', null],
      ['TSC03', null],
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

describe('a template without use', () => {
  const unused = (more: Partial<Template> = {}): Template => ({ name: '안 씀', from: '2026-11-01', ...more });
  const days = (n: number): Day[] => Array.from({ length: n }, (_, i) => shiftDay('2026-11-20', -i));
  const told = async (held: number, templates: readonly Template[], messages: readonly Message[] = []) => {
    const workshop = await referenceWorkshop({ templates, messages, eventDays: days(held) });
    const rows = await asked(workshop, 'unused-templates');
    return rows.map(({ template, verdict_code, days_unused }) => [template, verdict_code, days_unused]);
  };

  test(
    'is unused where all 90 days are held, and not known to be where fewer are',
    { tags: ['long'] },
    async () => {
      expect(await told(90, [unused()])).toEqual([['안 씀', 'unused', null]]);
      expect(await told(89, [unused()])).toEqual([['안 씀', 'days_missing', null]]);
    },
  );

  test('that is younger than that is new', { tags: ['long'] }, async () => {
    expect(await told(90, [unused({ created: '2026-11-01 00:00:00+09:00' })])).toEqual([
      ['안 씀', 'too_new', null],
    ]);
    // One that the first snapshot did not show.
    expect(await told(90, [unused(), unused({ name: '새', from: '2026-11-05' })])).toEqual([
      ['안 씀', 'unused', null],
      ['새', 'too_new', null],
    ]);
  });

  test('that was used lately, or is gone, is not among them', { tags: ['long'] }, async () => {
    const at = (ago: number): Message => send(shiftDay('2026-11-20', -ago), '안 씀');
    expect(await told(120, [unused()], [at(89)])).toEqual([]);
    expect(await told(120, [unused()], [at(90)])).toEqual([['안 씀', 'unused', '90']]);
    expect(await told(120, [unused({ to: '2026-11-10' })])).toEqual([]);
  });
});
