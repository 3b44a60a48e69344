import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { windowOf } from '../../src/calendar.js';
import { DamageError } from '../../src/errors.js';
import type { EventsPull } from '../../src/storage/pull.js';
import { contents, dayAfter, landed, micros, page, record, without, Workshop, type Row } from './support.js';

const DAY = '2026-11-20';
const NEXT = dayAfter(DAY);

const push = (more: Row = {}): Row =>
  record({ message_data: { title: '제목', body: '본문', link: 'l' }, ...more });

test('a record becomes a row, with nothing lost', async () => {
  const workshop = new Workshop();
  const [report] = await workshop.load(
    workshop.events(DAY, [
      [
        record({
          failure_reason: '수신 거부',
          experiment_group_name: 'A',
          user_journey_id: 'j1',
          user_journey_node_id: 'n1',
          resource_type: 'user_journey',
          channel_metadata: { channel_subtype: 'free_form', brand_message_target: 'M' },
        }),
      ],
    ]),
  );
  expect(report).toMatchObject({
    stream: 'events',
    changed: true,
    rows: 1,
    days: [DAY],
    notes: {},
    drift: [],
  });
  expect(await workshop.look('select * exclude (occurred_at) from events')).toEqual([
    {
      event_id: 'e1',
      user_id: 'u1',
      service_user_id: 'su1',
      device_id: 'd1',
      service_device_id: 'sd1',
      channel: 'push-notification',
      event_name: 'send_success',
      failure_reason: '수신 거부',
      resource_title: '재구매 캠페인',
      resource_type: 'user-journey',
      campaign_id: 'c1',
      experiment_group_name: 'A',
      user_journey_id: 'j1',
      user_journey_node_id: 'n1',
      date: DAY,
      channel_subtype: 'free_form',
      brand_message_target: 'M',
      export_date: DAY,
      extra: null,
    },
  ]);
});

test('microseconds are exact, and days change at midnight in Korea', { tags: ['long'] }, async () => {
  const workshop = new Workshop();
  const times = {
    first: micros(DAY, 0),
    second: micros(DAY, 0, 1),
    last: micros(NEXT, 0, -1),
    next: micros(NEXT, 0),
    number: micros(DAY, 60, 123456),
  };
  await workshop.load(
    workshop.events(DAY, [
      Object.entries(times).map(([id, time]) => record({ id, time: id === 'number' ? Number(time) : time })),
    ]),
  );
  const rows = await workshop.look('select event_id, epoch_us(occurred_at)::varchar as us, date from events');
  expect(Object.fromEntries(rows.map(({ event_id, us, date }) => [event_id, [us, date]]))).toEqual({
    first: [times.first, DAY],
    second: [times.second, DAY],
    last: [times.last, DAY],
    next: [times.next, NEXT],
    number: [times.number, DAY],
  });
});

test('every record of every page is loaded, and the number of landed records is insisted on', async () => {
  const workshop = new Workshop();
  const pages = Array.from({ length: 5 }, (_, p) =>
    Array.from({ length: 200 }, (_, i) => push({ id: `e${p}-${i}` })),
  );
  const pull = workshop.events(DAY, pages);
  expect(await workshop.load(pull)).toMatchObject([{ rows: 1000 }]);
  expect(await workshop.lookOne('select count(*)::integer as n from push_messages')).toEqual({ n: 1000 });

  const short = workshop.events(NEXT, [[record({ time: micros(NEXT) })]], { records: 2 });
  await expect(workshop.load(short)).rejects.toThrow(/hold 1 records together, not the 2/);
  expect(await workshop.look(`from ops.coverage where date = '${NEXT}'`)).toEqual([]);
});

test('loading a pull twice changes nothing', { tags: ['long'] }, async () => {
  const workshop = new Workshop();
  const pull = workshop.events(DAY, [[push()]]);
  await workshop.load(pull);
  const before = await contents(workshop);
  expect(await workshop.load(pull)).toMatchObject([{ changed: false, rows: 0 }]);
  expect(await contents(workshop)).toEqual(before);
});

test(
  'a day is replaced whole by a later pull, and left alone by an earlier one',
  { tags: ['long'] },
  async () => {
    const workshop = new Workshop();
    const earlier = workshop.events(DAY, [[push({ id: 'a' }), push({ id: 'b' })]]);
    const later = workshop.events(DAY, [[push({ id: 'b' }), push({ id: 'c' })]]);
    await workshop.load(earlier, later);
    const expected = await contents(workshop);
    expect(await workshop.look('select event_id from push_messages order by 1')).toEqual([
      { event_id: 'b' },
      { event_id: 'c' },
    ]);

    const backwards = new Workshop();
    const reports = await backwards.load(later, earlier);
    expect(reports[1]).toMatchObject({ changed: true, rows: 0, days: [], superseded: [DAY] });
    expect(await contents(backwards)).toEqual(expected);
  },
);

test('an export without a record covers its day', async () => {
  const workshop = new Workshop();
  await workshop.load(
    workshop.events(DAY, [[]]),
    workshop.events(NEXT, [], { files: [landed(workshop.folder, { status: 'invalid_page', message: 'x' })] }),
  );
  expect(await workshop.look('select date, rows::integer as rows from ops.coverage order by date')).toEqual([
    { date: DAY, rows: 0 },
    { date: NEXT, rows: 0 },
  ]);
});

describe('the service repeats itself', () => {
  test('a record counts once, within a page and across pages', { tags: ['long'] }, async () => {
    const workshop = new Workshop();
    const [report] = await workshop.load(
      workshop.events(DAY, [
        [push(), push(), push({ id: 'e2' })],
        [push(), push({ resource_title: '다른 제목' })],
      ]),
    );
    expect(report?.notes).toEqual({ repeated: 3, shared_id: 1 });
    expect(await workshop.look('select event_id from events order by 1')).toEqual([
      { event_id: 'e1' },
      { event_id: 'e2' },
    ]);
    expect(await workshop.look('select event_id from push_messages order by 1')).toEqual([
      { event_id: 'e1' },
      { event_id: 'e2' },
    ]);
  });

  test('which of several counts does not depend on their order', { tags: ['long'] }, async () => {
    const variants = [
      push({ resource_title: 'b' }),
      push({ resource_title: 'a' }),
      push({ message_data: null }),
    ];
    const forwards = new Workshop();
    await forwards.load(forwards.events(DAY, [variants]));
    const backwards = new Workshop();
    await backwards.load(
      backwards.events(
        DAY,
        [...variants].reverse().map((one) => [one]),
      ),
    );
    expect((await contents(backwards))['events']).toEqual((await contents(forwards))['events']);
    expect(await forwards.look('select title from push_messages')).toEqual([{ title: '제목' }]);
  });

  test('one id with several event names or times is kept, its message once', { tags: ['long'] }, async () => {
    const workshop = new Workshop();
    const buttons = [{ name: '하나' }, { name: '둘' }];
    const alimtalk = { channel: 'chatapp-alimtalk', message_data: { content: 'x', buttons } };
    const [report] = await workshop.load(
      workshop.events(DAY, [
        [
          push({ ...alimtalk }),
          push({ ...alimtalk, event_name: 'push_click' }),
          push({ ...alimtalk, time: micros(DAY, 1) }),
        ],
      ]),
    );
    expect(report?.notes).toEqual({ shared_id: 1 });
    expect(await workshop.lookOne('select count(*)::integer as n from events')).toEqual({ n: 3 });
    expect(await workshop.lookOne('select count(*)::integer as n from alimtalk_messages')).toEqual({ n: 1 });
    expect(await workshop.look('select name from message_buttons order by position')).toEqual(buttons);
  });
});

describe('records that lie outside the window of their export', () => {
  const stray = push({ id: 'stray', time: micros(NEXT, 1) });

  test('are kept and reported', { tags: ['long'] }, async () => {
    const workshop = new Workshop();
    const [report] = await workshop.load(workshop.events(DAY, [[push(), stray]]));
    expect(report?.notes).toEqual({ stray: 1 });
    expect(await workshop.look(`select date, export_date from events where event_id = 'stray'`)).toEqual([
      { date: NEXT, export_date: DAY },
    ]);
  });

  test.each([
    ['first', [0, 1]],
    ['last', [1, 0]],
  ])('count once where the export of their own day has them too, loaded %s', async (_, order) => {
    const workshop = new Workshop();
    const pulls = [workshop.events(DAY, [[push(), stray]]), workshop.events(NEXT, [[stray]])];
    await workshop.load(...order.map((index) => pulls[index]!));
    expect(await workshop.look(`select date, export_date from events where event_id = 'stray'`)).toEqual([
      { date: NEXT, export_date: NEXT },
    ]);
    expect(await workshop.look(`select export_date from push_messages where event_id = 'stray'`)).toEqual([
      { export_date: NEXT },
    ]);
    const findings = await workshop.findings();
    expect(findings.filter(({ severity }) => severity === 'stop')).toEqual([]);
  });

  test(
    'come back when the export of their own day is replaced without them',
    { tags: ['long'] },
    async () => {
      const workshop = new Workshop();
      await workshop.load(
        workshop.events(DAY, [[push(), stray]]),
        workshop.events(NEXT, [[stray]]),
        workshop.events(NEXT, [[push({ id: 'other', time: micros(NEXT) })]]),
      );
      expect(
        await workshop.look(`select date, export_date, epoch_us(occurred_at)::varchar as us, extra
                           from events where event_id = 'stray'`),
      ).toEqual([{ date: NEXT, export_date: DAY, us: micros(NEXT, 1), extra: null }]);
      expect(
        await workshop.look(`select title, export_date from push_messages where event_id = 'stray'`),
      ).toEqual([{ title: '제목', export_date: DAY }]);
    },
  );
});

test(
  'what a warehouse holds does not depend on the order of loading',
  { tags: ['long'], timeout: 240_000 },
  async () => {
    const days = [DAY, NEXT, dayAfter(NEXT)];
    const records = fc.record({
      id: fc.constantFrom('a', 'b', 'c', 'd'),
      event_name: fc.constantFrom('send_success', 'push_click'),
      time: fc.constantFrom(...days.flatMap((day) => [micros(day, 0), micros(day, 1)])),
      message: fc.constantFrom(null, 'x', 'y'),
      channel: fc.constantFrom('push-notification', 'chatapp-alimtalk', 'webhook'),
    });
    const exports = fc.array(
      fc.record({ day: fc.constantFrom(...days), records: fc.array(records, { maxLength: 5 }) }),
      { minLength: 1, maxLength: 5 },
    );
    await fc.assert(
      fc.asyncProperty(exports, fc.infiniteStream(fc.nat()), async (given, dice) => {
        const forwards = new Workshop();
        const pulls = given.map(({ day, records }) =>
          forwards.events(day, [
            records.map(({ message, ...one }) =>
              push({
                ...one,
                message_data:
                  message === null
                    ? null
                    : {
                        title: message,
                        content: message,
                        url: message,
                        buttons: [{ name: message }],
                        data: message,
                      },
              }),
            ),
          ]),
        );
        await forwards.load(...pulls);
        const expected = await contents(forwards);

        const shuffled = new Workshop();
        const order = [...pulls];
        const loaded: EventsPull[] = [];
        while (order.length > 0)
          loaded.push(...order.splice((dice.next().value as number) % order.length, 1));
        await shuffled.load(...loaded, ...pulls);
        expect(await contents(shuffled)).toEqual(expected);
      }),
      { numRuns: 3 },
    );
  },
);

describe('reading quickly and reading closely', () => {
  const ordinary = [
    push({ id: 'a' }),
    push({ id: 'b', resource_title: '[광고] 특가', channel: 'telepathy' }),
    push({ id: 'c', channel: 'email', message_data: JSON.stringify({ title: 't', body: { text: 'x' } }) }),
    push({ id: 'd', time: micros(DAY, 5, 7), channel_metadata: null }),
  ];

  test('give the same rows', { tags: ['long'] }, async () => {
    const quickly = new Workshop();
    await quickly.load(quickly.events(DAY, [ordinary]));
    const closely = new Workshop();
    const odd = { ...push({ id: 'odd' }), novelty: 1 };
    await closely.load(closely.events(DAY, [[odd, ...ordinary]]));
    const rows = (await contents(closely))['events']?.filter((row) => !row.includes('"odd"'));
    expect(rows).toEqual((await contents(quickly))['events']);
  });

  test('a text that looks like JSON stays a text', async () => {
    const workshop = new Workshop();
    const [report] = await workshop.load(
      workshop.events(DAY, [[push({ resource_title: '[2026]', failure_reason: '{"a":1}' })]]),
    );
    expect(report?.drift).toEqual([]);
    expect(await workshop.look('select resource_title, failure_reason, extra from events')).toEqual([
      { resource_title: '[2026]', failure_reason: '{"a":1}', extra: null },
    ]);
  });
});

describe('pages that are not as they should be', () => {
  test.each([
    ['another answer', { status: 'processing', message: 'x' }],
    ['a bare array', [record()]],
    ['records that are no list', { status: 'success', data: { id: 1 } }],
    ['no JSON at all', '<html>Bad gateway 01012345678</html>'],
    ['half a page', JSON.stringify(page([record(), record()])).slice(0, 400)],
  ])('%s stops the load with the name of the file, and changes nothing', async (_, body) => {
    const workshop = new Workshop();
    await workshop.load(workshop.events(DAY, [[push({ id: 'old' })]]));
    const before = await contents(workshop);
    const pull = workshop.events(DAY, [[push()]]);
    const bad = landed(workshop.folder, body);
    const failure = await workshop.load({ ...pull, files: [...pull.files, bad] }).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(DamageError);
    expect(String(failure)).toContain(bad);
    expect(String(failure)).not.toContain('0101234');
    expect(await contents(workshop)).toEqual(before);
  });

  test('a file that is missing, empty or cut short is named', async () => {
    const workshop = new Workshop();
    const cut = join(workshop.folder, 'cut.json.gz');
    const whole = gzipSync(JSON.stringify(page(Array.from({ length: 50 }, (_, i) => push({ id: `e${i}` })))));
    writeFileSync(cut, whole.subarray(0, whole.length - 40));
    const empty = join(workshop.folder, 'empty.json.gz');
    writeFileSync(empty, '');
    for (const file of [cut, empty, join(workshop.folder, 'missing.json.gz')]) {
      const pull = workshop.events(DAY, [], { files: [file], records: 1 });
      await expect(workshop.load(pull)).rejects.toThrow(file);
    }
  });

  test('half an emoji, a zero byte and bytes that are no UTF-8 do not cost the day', async () => {
    const workshop = new Workshop();
    const whole = JSON.stringify(page([push({ id: 'ok', message_data: { title: '😀 \\ud83d 좋아요' } })]));
    const torn = JSON.stringify(
      page([push({ id: 'torn', message_data: { title: '끝\ud83d', body: 'a\u0000b' } })]),
    );
    const bytes = Buffer.from(JSON.stringify(page([push({ id: 'bytes', message_data: { title: 'QQ' } })])));
    bytes.fill(0xff, bytes.indexOf('QQ'), bytes.indexOf('QQ') + 2);
    const raw = join(workshop.folder, 'bytes.json.gz');
    writeFileSync(raw, gzipSync(bytes));
    const files = [landed(workshop.folder, whole), landed(workshop.folder, torn), raw];
    const [report] = await workshop.load(workshop.events(DAY, [], { files, records: 3 }));
    expect(report?.notes).toEqual({ mended: 2 });
    expect(await workshop.look('select event_id, title from push_messages order by 1')).toEqual([
      { event_id: 'bytes', title: '\ufffd\ufffd' },
      { event_id: 'ok', title: '😀 \\ud83d 좋아요' },
      { event_id: 'torn', title: '끝\ufffd' },
    ]);
    expect(gunzipSync(readFileSync(files[1]!)).toString()).toBe(torn);
  });

  test('keys given twice, and things that are no records, are kept', async () => {
    const workshop = new Workshop();
    const twice = JSON.stringify(push({ id: 'twice' })).replace('"user_id"', '"user_id":"first","user_id"');
    const text = `{"status":"success","data":[${twice},5,null,"x",[1]],"total_page_count":1}`;
    const [report] = await workshop.load(
      workshop.events(DAY, [], { files: [landed(workshop.folder, text)], records: 5 }),
    );
    expect(report?.notes).toMatchObject({ no_id: 4, no_time: 4, no_event_name: 4 });
    expect(await workshop.look('select event_id, extra from events order by event_id, extra')).toEqual([
      { event_id: 'twice', extra: null },
      { event_id: null, extra: '{"value":"x"}' },
      { event_id: null, extra: '{"value":5}' },
      { event_id: null, extra: '{"value":[1]}' },
      { event_id: null, extra: '{"value":null}' },
    ]);
  });

  test('a folder with signs that DuckDB takes for patterns is no matter', async () => {
    const workshop = new Workshop();
    const file = join(workshop.folder, 'a[1]*?.json.gz');
    writeFileSync(file, gzipSync(JSON.stringify(page([push()]))));
    expect(await workshop.load(workshop.events(DAY, [], { files: [file], records: 1 }))).toMatchObject([
      { rows: 1 },
    ]);
  });
});

test('what is missing is told, and the record kept', async () => {
  const workshop = new Workshop();
  const noId = without(push(), 'id');
  const [report] = await workshop.load(
    workshop.events(DAY, [
      [
        noId,
        push({ id: 'no-name', event_name: null }),
        push({ id: 'no-time', time: null }),
        push({ id: 'text', time: 'soon' }),
      ],
    ]),
  );
  expect(report?.notes).toEqual({ no_id: 1, no_event_name: 1, no_time: 2 });
  expect(report?.drift).toEqual([
    'record.event_name (missing)',
    'record.id (missing)',
    'record.time (missing)',
    'record.time (type)',
  ]);
  expect(await workshop.look(`select date, occurred_at, extra from events where event_id = 'text'`)).toEqual([
    { date: DAY, occurred_at: null, extra: '{"time":"soon"}' },
  ]);
});

test('an export knows its window', () => {
  const workshop = new Workshop();
  expect(workshop.events(DAY, [[]]).window).toEqual(windowOf(DAY));
});

test('a load that needs more memory than usual is given it', { tags: ['long'] }, async () => {
  const workshop = new Workshop({ memoryLimitMb: 40, threads: 1 });
  const body = '안녕하세요 '.repeat(300);
  const pages = Array.from({ length: 3 }, (_, p) =>
    Array.from({ length: 1000 }, (_, i) =>
      push({ id: `e${p}-${i}`, message_data: { title: `${i}`, body: `${body}${i}` } }),
    ),
  );
  expect(await workshop.load(workshop.events(DAY, pages))).toMatchObject([{ rows: 3000 }]);
  expect(await workshop.lookOne('select count(distinct body)::integer as n from push_messages')).toEqual({
    n: 1000,
  });
});

describe('an export of many batches, which several workers prepare', () => {
  const text = '안녕하세요 '.repeat(40);
  const pagesOf = (howMany: number): Row[][] =>
    Array.from({ length: howMany }, (_, p) =>
      Array.from({ length: 1000 }, (_, i) =>
        push({ id: `e${p}-${i}`, message_data: { title: `${p % 7}`, body: `${text}${i % 50}` } }),
      ),
    );
  const options = { memoryLimitMb: 160, threads: 2 };

  test('is whole, with each record once', { tags: ['long'] }, async () => {
    const workshop = new Workshop(options);
    expect(await workshop.load(workshop.events(DAY, pagesOf(30)))).toMatchObject([
      { rows: 30_000, notes: {} },
    ]);
    expect(
      await workshop.lookOne(`
        select count(*)::integer as events, count(distinct event_id)::integer as ids,
          (select count(*)::integer from push_messages) as messages,
          (select count(*)::integer from message_contents) as contents
        from events`),
    ).toEqual({ events: 30_000, ids: 30_000, messages: 30_000, contents: 350 });
  });

  test('is whole when every page has to be mended', { tags: ['long'] }, async () => {
    const workshop = new Workshop(options);
    const pull = workshop.events(DAY, pagesOf(30));
    for (const file of pull.files) {
      const text = gunzipSync(readFileSync(file)).toString('latin1');
      writeFileSync(file, gzipSync(Buffer.from(text.replace('"title":"', '"title":"\xff'), 'latin1')));
    }
    expect(await workshop.load(pull)).toMatchObject([{ rows: 30_000, notes: { mended: 30 } }]);
    expect(await workshop.lookOne('select count(distinct event_id)::integer as ids from events')).toEqual({
      ids: 30_000,
    });
  });

  test(
    'leaves nothing when one of its last pages is no page, and the next load works',
    { tags: ['long'] },
    async () => {
      const workshop = new Workshop(options);
      const pull = workshop.events(DAY, pagesOf(30));
      const files = [...pull.files];
      const last = files.at(-2) ?? '';
      const kept = readFileSync(last);
      writeFileSync(last, gzipSync('{"status": "processing"}'));
      await expect(workshop.load({ ...pull, files })).rejects.toThrow(
        /not an answer of the expected shape|not a page/,
      );
      expect(await workshop.lookOne('select count(*)::integer as n from events')).toEqual({ n: 0 });
      writeFileSync(last, kept);
      expect(await workshop.load({ ...pull, files })).toMatchObject([{ rows: 30_000 }]);
    },
  );
});
