import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { dayAfter, landed, micros, page, record, Workshop, type Row } from './support.js';

const DAY = '2026-11-20';

const push = (more: Row = {}): Row =>
  record({ message_data: { title: '제목', body: '본문', link: 'l' }, ...more });

test('a time that is a list is kept beside the record', async () => {
  const workshop = new Workshop();
  await workshop.load(workshop.events(DAY, [[push({ id: 'ok' }), push({ id: 'odd', time: ['x', 1] })]]));
  expect(
    await workshop.look(
      "select event_id, occurred_at is null as timeless, extra ->> 'time' as time, date from events order by 1",
    ),
  ).toEqual([
    { event_id: 'odd', timeless: true, time: '["x",1]', date: DAY },
    { event_id: 'ok', timeless: false, time: null, date: DAY },
  ]);
});

test('pages of one line and of many are read alike', async () => {
  const workshop = new Workshop();
  const layouts = [
    (body: unknown) => JSON.stringify(body),
    (body: unknown) => JSON.stringify(body, null, 2),
    (body: unknown) => `\r\n${JSON.stringify(body, null, '\t').replaceAll('\n', '\r\n')}\r\n\r\n`,
  ];
  const title = 'first\nsecond';
  const files = layouts.map((laidOut, i) =>
    landed(workshop.folder, laidOut(page([push({ id: `e${i}`, message_data: { title } })]))),
  );
  const [report] = await workshop.load(workshop.events(DAY, [], { files, records: 3 }));
  expect(report?.notes).toEqual({});
  expect(await workshop.look('select event_id, title from push_messages order by 1')).toEqual([
    { event_id: 'e0', title },
    { event_id: 'e1', title },
    { event_id: 'e2', title },
  ]);
});

describe('unknown fields', () => {
  const message = { title: '제목', body: '본문', link: 'l' };

  test('are kept in the order of their document, whichever records of a page have them', async () => {
    const workshop = new Workshop();
    const pages = [
      [
        { z: 1, ...push({ id: '1' }), a: [2, 'b'] },
        { ...push({ id: '2' }), a: null, z: { q: 1 } },
        push({ id: '3' }),
        { ...push({ id: '4' }), 'x/~"': 'y' },
        // Unknown ones beside a value of another kind.
        { z: 1, ...push({ id: '5', device_id: ['d'] }), a: 2 },
      ],
      [push({ id: '6' }), { ...push({ id: '7' }), a: 1 }],
    ];
    const [report] = await workshop.load(workshop.events(DAY, pages));
    expect(
      await workshop.look('select event_id as id, extra::varchar as extra from events order by 1'),
    ).toEqual([
      { id: '1', extra: '{"z":1,"a":[2,"b"]}' },
      { id: '2', extra: '{"a":null,"z":{"q":1}}' },
      { id: '3', extra: null },
      { id: '4', extra: '{"x/~\\"":"y"}' },
      { id: '5', extra: '{"z":1,"device_id":["d"],"a":2}' },
      { id: '6', extra: null },
      { id: '7', extra: '{"a":1}' },
    ]);
    expect(report?.drift).toEqual([
      'record.a (unknown)',
      'record.device_id (type)',
      'record.x/~" (unknown)',
      'record.z (unknown)',
    ]);
  });

  test('in messages are kept likewise', async () => {
    const workshop = new Workshop();
    const of = (id: string, more: Row): Row => push({ id, message_data: more });
    const records = [
      of('1', { z: 1, ...message, a: 2 }),
      of('2', { a: null, ...message, z: 'x' }),
      of('3', message),
      of('4', { ...message, a: { token: 'secret' } }),
    ];
    await workshop.load(workshop.events(DAY, [records]));
    expect(
      await workshop.look(
        'select event_id as id, title, extra::varchar as extra from push_messages order by 1',
      ),
    ).toEqual([
      { id: '1', title: '제목', extra: '{"z":1,"a":2}' },
      { id: '2', title: '제목', extra: '{"a":null,"z":"x"}' },
      { id: '3', title: '제목', extra: null },
      { id: '4', title: '제목', extra: '{"a":{"token":"***"}}' },
    ]);
  });

  test('in every record hide what is personal, and credentials', async () => {
    const workshop = new Workshop({ privacy: { recipients: 'hash', key: Buffer.alloc(32, 7) } });
    const records = ['1', '2'].map((id) => ({
      ...push({ id }),
      note: 'call 010-1234-5678 or a@b.kr',
      apiKey: 'k-123',
    }));
    await workshop.load(workshop.events(DAY, [records]));
    const [row] = await workshop.look('select distinct extra::varchar as extra from events');
    expect(row?.['extra']).toMatch(/^\{"note":"call [0-9a-f]{64} or [0-9a-f]{64}","apiKey":"\*\*\*"\}$/);
  });

  test('of which two have the same name are kept by the first', async () => {
    const workshop = new Workshop();
    const text = JSON.stringify({ status: 'success', total_page_count: 1, data: [push({ id: '1' })] });
    const pull = workshop.events(DAY, [[push({ id: '1' })]]);
    for (const file of pull.files) {
      writeFileSync(file, gzipSync(text.replace('{"id":"1"', '{"a":1,"a":2,"id":"1"')));
    }
    await workshop.load(pull);
    expect(await workshop.look('select extra::varchar as extra from events')).toEqual([{ extra: '{"a":1}' }]);
  });
});

describe('records whose time is more than 31 days outside the window of their export', () => {
  const INSTANTS: readonly [string, string, string][] = [
    ['year-9999', '253402300799000000', '9999-12-31 23:59:59'],
    ['year-2100', String(Date.parse('2100-01-01T00:00:00Z') * 1000), '2100-01-01 00:00:00'],
    ['milliseconds', String(Date.parse('2026-11-20T03:00:00Z')), '1970-01-21 18:39:03.6'],
    ['zero', '0', '1970-01-01 00:00:00'],
    ['32 days late', micros(dayAfter(DAY, 32)), '2026-12-22 03:00:00'],
    ['31 days late', micros(dayAfter(DAY, 31)), '2026-12-21 03:00:00'],
  ];

  test('keep it, count on the day of the export, and are noted', async () => {
    const workshop = new Workshop();
    const odd = INSTANTS.map(([id, time]) => push({ id, time }));
    const [report] = await workshop.load(workshop.events(DAY, [[push({ id: 'ok' }), ...odd]]));
    expect(report?.notes).toEqual({ odd_time: 5, stray: 1 });
    const rows = await workshop.look(`
      select event_id, events.date, push_messages.date as message_date,
        strftime(occurred_at at time zone 'UTC', '%Y-%m-%d %H:%M:%S.%g') as occurred
      from events join push_messages using (event_id) where event_id <> 'ok' order by occurred_at`);
    const expected = INSTANTS.map(([id, , occurred]) => {
      const date = id === '31 days late' ? dayAfter(DAY, 31) : DAY;
      const text = occurred.includes('.') ? `${occurred}00` : `${occurred}.000`;
      return { event_id: id, date, message_date: date, occurred: text };
    });
    const byId = (a: Row, b: Row): number => String(a['event_id']).localeCompare(String(b['event_id']));
    expect(rows.toSorted(byId)).toEqual(expected.toSorted(byId));
  });

  test('are found by the check of notes, and by no other', { tags: ['long'] }, async () => {
    const workshop = new Workshop();
    await workshop.load(
      workshop.events(DAY, [[push({ id: 'ok' }), push({ id: 'odd', time: '253402300799000000' })]]),
    );
    const findings = await workshop.findings();
    const names = new Set(findings.map(({ name }) => name));
    expect([...names]).toEqual(expect.arrayContaining(['load_notes']));
    expect([...names]).not.toEqual(expect.arrayContaining(['events_dated']));
    expect(findings.find(({ name }) => name === 'load_notes')).toMatchObject({ date: DAY, actual: '1' });
  });
});

test.each<[string, (body: string) => string | Buffer, Row]>([
  ['a byte order mark', (body) => `\ufeff${body}`, { title: 'QQ' }],
  ['a control character', (body) => body.replace('QQ', 'a\u0001b'), { title: 'a\u0001b' }],
  ['a line break and a tab', (body) => body.replace('QQ', 'a\n\tb'), { title: 'a\n\tb' }],
  ['a zero byte', (body) => body.replace('QQ', 'a\u0000b'), { title: 'a\u0000b' }],
  ['an escaped zero', (body) => body.replace('QQ', 'a\\u0000b'), { title: 'a\u0000b' }],
  ['an escape that means nothing', (body) => body.replace('QQ', 'a\\qb'), { title: 'a\\qb' }],
  [
    'a byte that is no UTF-8',
    (body) => Buffer.from(body.replace('QQ', 'a\u00ffb'), 'latin1'),
    { title: 'a\ufffdb' },
  ],
  ['NaN', (body) => body.replace('"QQ"', 'NaN'), {}],
  ['NaN beside a control character', (body) => body.replace('"QQ"', 'NaN,"b":"\u0001"'), {}],
  ['Infinity', (body) => body.replace('"QQ"', '-Infinity'), {}],
  ['a number too large', (body) => body.replace('"QQ"', '1e999'), {}],
  ['depth', (body) => body.replace('"QQ"', `${'['.repeat(50_000)}${']'.repeat(50_000)}`), {}],
  ['depth of objects', (body) => body.replace('"QQ"', `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`), {}],
  ['a number that is none', (body) => body.replace('"QQ"', '01'), { event_id: null }],
  ['a key without quotes', (body) => body.replace('"title":"QQ"', 'title:"QQ"'), { event_id: null }],
  ['a key given twice', (body) => body.replace('"QQ"', '"QQ","title":"R"'), { title: 'QQ' }],
  [
    'a key given twice beside a control character',
    (body) => body.replace('"QQ"', '"Q\u0001","title":"R"'),
    {},
  ],
])('%s in one record costs no other record', { tags: ['long'] }, async (_, spoil, expected) => {
  for (const channel of ['push-notification', 'webhook']) {
    const workshop = new Workshop();
    const message = channel === 'webhook' ? { url: 'u', data: { title: 'QQ' } } : { title: 'QQ' };
    const odd = record({ id: 'odd', channel, message_data: message });
    const body = spoil(JSON.stringify(page([push({ id: 'before' }), odd, push({ id: 'after' })])));
    const file = join(workshop.folder, 'odd.json.gz');
    writeFileSync(file, gzipSync(body));
    await workshop.load(workshop.events(DAY, [], { files: [file], records: 3 }));
    const ids = (await workshop.look('select event_id from events')).map((row) => row['event_id']);
    const own = 'event_id' in expected ? null : 'odd';
    expect(new Set(ids)).toEqual(new Set(['before', own, 'after']));
    if (channel === 'webhook' || !('title' in expected)) continue;
    expect(await workshop.look(`select title from push_messages where event_id = 'odd'`)).toEqual([expected]);
  }
});
