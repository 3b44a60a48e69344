import { FIELDS } from '../../src/streams/index.js';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { DamageError } from '../../src/ground/errors.js';
import { fieldsFor } from '../../src/ground/fields.js';
import type { Pull } from '../../src/landing/landing-zone.js';
import {
  contents,
  dayAfter,
  landed,
  landedPage,
  micros,
  page,
  record,
  statistic,
  without,
  Workshop,
  type Row,
} from './support.js';
import { extended, long } from '../support/tags.js';

const DAY = '2026-11-20';
const NEXT = dayAfter(DAY);

const push = (more: Row = {}): Row =>
  record({ message_data: { title: '제목', body: '본문', link: 'l' }, ...more });

test('every record of every page is loaded, and the number of landed records is insisted on', async () => {
  const workshop = new Workshop();
  const pages = Array.from({ length: 5 }, (_, p) =>
    Array.from({ length: 200 }, (_, i) => push({ id: `e${p}-${i}` })),
  );
  const report = { rows: 1000, days: [DAY], notes: {}, drift: [] };
  expect(await workshop.load(workshop.events(DAY, pages))).toMatchObject([report]);
  expect(await workshop.lines('select count(*) from push_messages')).toEqual(['1000']);

  const one = page([record({ time: micros(NEXT) })]);
  const of = (rows: number, more = {}) =>
    workshop.exported(NEXT, [landedPage(workshop.folder, one, rows)], more);
  await expect(workshop.load(of(2))).rejects.toThrow(/have 1 records together, not the 2/);
  expect(await workshop.look(`from ops.coverage where date = '${NEXT}'`)).toEqual([]);
  // Only an erasure may have cut records; none can have added one.
  await workshop.load(of(2, { isCut: () => true }));
  expect(await workshop.lines(`select rows from ops.coverage where date = '${NEXT}'`)).toEqual(['1']);
  const two = landedPage(workshop.folder, page([record({ id: 'a' }), record({ id: 'b' })]), 1);
  const longer = workshop.exported(NEXT, [two], { isCut: () => true });
  await expect(workshop.load(longer)).rejects.toThrow(/have 2 records together, not the 1/);
});

long('a day is replaced whole by a later pull with its drift, and left alone by an earlier one', async () => {
  const workshop = new Workshop();
  const earlier = workshop.events(DAY, [[push({ id: 'a', novelty: 1 }), push({ id: 'b' })]]);
  const later = workshop.events(DAY, [[push({ id: 'b' }), push({ id: 'c' })]]);
  await workshop.load(earlier, later);
  const expected = await contents(workshop);
  expect(await workshop.lines('select event_id from push_messages order by 1')).toEqual(['b', 'c']);
  expect(await workshop.look('from ops.schema_drift')).toEqual([]);

  const backwards = new Workshop();
  const reports = await backwards.load(later, earlier, later);
  expect(reports.slice(1)).toMatchObject([{ rows: 0, days: [] }]);
  expect(await contents(backwards)).toEqual(expected);
});

test('an export without a record covers its day', async () => {
  const workshop = new Workshop();
  await workshop.load(
    workshop.events(DAY, [[]]),
    workshop.exported(NEXT, [landedPage(workshop.folder, { status: 'invalid_page', message: 'x' }, 0)]),
  );
  const covered = [`${DAY} | 0`, `${NEXT} | 0`];
  expect(await workshop.lines('select date, rows from ops.coverage order by date')).toEqual(covered);
});

long('a record that the service repeats counts once, whatever their order', async () => {
  const variants = [
    push({ resource_title: 'b' }),
    push({ resource_title: 'a' }),
    push({ message_data: null }),
    push(),
    push(),
  ];
  const workshop = new Workshop();
  const [report] = await workshop.load(workshop.events(DAY, [variants.slice(0, 2), variants.slice(2)]));
  expect(report?.notes).toEqual({ full_page: 1, repeated: 4 });
  expect(await workshop.lines('select title from push_messages join events using (event_id)')).toEqual([
    '제목',
  ]);
  const backwards = new Workshop();
  await backwards.load(
    backwards.events(
      DAY,
      variants.toReversed().map((one) => [one]),
    ),
  );
  expect((await contents(backwards))['events']).toEqual((await contents(workshop))['events']);
});

long('one id with several event names or times is kept, its message once', async () => {
  const workshop = new Workshop();
  const buttons = [{ name: '하나' }, { name: '둘' }];
  const alimtalk = { channel: 'chatapp-alimtalk', message_data: { content: 'x', buttons } };
  const named = [{}, { event_name: 'push_click' }, { time: micros(DAY, 1) }];
  const [report] = await workshop.load(
    workshop.events(DAY, [named.map((more) => push({ ...alimtalk, ...more }))]),
  );
  expect(report?.notes).toEqual({ shared_id: 1 });
  expect(
    await workshop.lines(`select (select count(*) from events), (select count(*) from alimtalk_messages),
      (select list(name order by position) from message_buttons)`),
  ).toEqual(['3 | 1 | ["하나","둘"]']);
});

describe('records that lie outside the window of their export', () => {
  const stray = push({ id: 'stray', time: micros(NEXT, 1) });
  const STRAY = `select events.date, events.export_date, push_messages.export_date, epoch_us(occurred_at), title
    from events join push_messages using (event_id) where event_id = 'stray'`;

  test.each([
    ['first', [0, 1]],
    ['last', [1, 0]],
  ])(
    'count once where the export of their own day has them too, loaded %s',
    { tags: ['long'] },
    async (_, order) => {
      const workshop = new Workshop();
      const pulls = [workshop.events(DAY, [[push(), stray]]), workshop.events(NEXT, [[stray]])];
      await workshop.load(...order.map((index) => pulls[index]!));
      const own = [NEXT, NEXT, NEXT, micros(NEXT, 1), '제목'].join(' | ');
      expect(await workshop.lines(STRAY)).toEqual([own]);
      const findings = await workshop.findings();
      expect(findings.filter(({ severity }) => severity === 'stop')).toEqual([]);
      // They come back when the export of their own day is replaced without them.
      await workshop.load(workshop.events(NEXT, [[push({ id: 'other', time: micros(NEXT) })]]));
      const back = [NEXT, DAY, DAY, micros(NEXT, 1), '제목'].join(' | ');
      expect(await workshop.lines(STRAY)).toEqual([back]);
    },
  );

  test('are noted alike whether the two exports are loaded together or one after the other', async () => {
    const notes: string[][] = [];
    for (const how of ['load', 'loadTogether'] as const) {
      const workshop = new Workshop();
      await workshop[how](workshop.events(DAY, [[push(), stray]]), workshop.events(NEXT, [[stray]]));
      notes.push(await workshop.lines('select date, note, records from ops.load_notes order by all'));
    }
    expect(notes[0]).toContain(`${DAY} | stray | 1`);
    expect(notes[1]).toEqual(notes[0]);
  });
});

test('an export of which more than a tenth happened on other days is not loaded, unless a person accepts it', async () => {
  const workshop = new Workshop();
  const of = (records: number, accepted = false): Pull => {
    const rows = Array.from({ length: records }, (_, i) =>
      push({ id: `e${i}`, time: micros(i === 0 ? NEXT : DAY) }),
    );
    return workshop.exported(DAY, [landedPage(workshop.folder, page(rows), records)], { accepted });
  };
  await expect(workshop.load(of(9))).rejects.toThrow('1 of its 9 records happened on other days');
  expect(await workshop.look('from events')).toEqual([]);
  for (const pull of [of(9, true), of(10)]) {
    await workshop.load(pull);
    expect(await workshop.lines('select count(*) from events')).toEqual([String(pull.files[0]?.rows)]);
  }
});

test('an event that is dated days ahead counts on the day of its export, and is marked', async () => {
  const workshop = new Workshop();
  const ahead = [0, 1, 2, 20, 400].map((n) => push({ id: `e${n}`, time: micros(DAY, 43_200 + n * 86_400) }));
  const back = [-31, -32].map((n) => push({ id: `e${n}`, time: micros(DAY, 43_200 + n * 86_400) }));
  const [report] = await workshop.load(workshop.events(DAY, [[...ahead, ...back]]));
  expect(await workshop.lines('select event_id, date from events order by date, event_id')).toEqual([
    'e-31 | 2026-10-20',
    ...['e-32', 'e0', 'e2', 'e20', 'e400'].map((id) => `${id} | ${DAY}`),
    `e1 | ${NEXT}`,
  ]);
  expect(report?.notes).toMatchObject({ odd_time: 4 });
});

test.each([
  ['first', [0, 1, 2]],
  ['last', [2, 1, 0]],
])(
  'equal records without an id count once in adjacent exports, loaded %s',
  { tags: ['long'] },
  async (_, order) => {
    const workshop = new Workshop();
    const edge = without(push({ time: micros(NEXT) }), 'id');
    const own = without(push({ time: micros(DAY, 5) }), 'id');
    // The same message of another record.
    const stray = { ...edge, user_id: 'u3' };
    const AFTER = dayAfter(NEXT);
    const pulls = [
      workshop.events(DAY, [[edge, own, own, stray]]),
      // The second copy here is another record as far as anybody knows.
      workshop.events(NEXT, [[edge, edge, { ...edge, user_id: 'u2' }]]),
      workshop.events(AFTER, [[own]]),
    ];
    const reports = await workshop.load(...order.map((index) => pulls[index]!));
    expect(
      await workshop.lines('select export_date, user_id, count(*) from events group by all order by all'),
    ).toEqual([
      `${DAY} | u1 | 2`,
      `${DAY} | u3 | 1`,
      `${NEXT} | u1 | 2`,
      `${NEXT} | u2 | 1`,
      `${AFTER} | u1 | 1`,
    ]);
    // Each has its message, the copy has none.
    const messages = 'select export_date, date, count(*) from sent_push_messages group by all order by all';
    expect(await workshop.lines(messages)).toEqual([
      `${DAY} | ${DAY} | 2`,
      `${DAY} | ${NEXT} | 1`,
      `${NEXT} | ${NEXT} | 3`,
      `${AFTER} | ${DAY} | 1`,
    ]);
    expect(reports.map(({ notes }) => notes['no_id'] ?? 0).reduce((sum, one) => sum + one)).toBeGreaterThan(
      5,
    );
    // The copy comes back when the export of its own day is replaced without it.
    await workshop.load(workshop.events(NEXT, [[push()]]));
    expect(await workshop.lines(`select count(*) from events where export_date = '${DAY}'`)).toEqual(['4']);
    expect(
      await workshop.lines(`select count(*) from sent_push_messages where export_date = '${DAY}'`),
    ).toEqual(['4']);
  },
);

test.each([
  ['first', [0, 1]],
  ['last', [1, 0]],
])('drift is that of the export whose record stands, loaded %s', async (_, order) => {
  const workshop = new Workshop();
  const stray = push({ id: 'stray', time: micros(NEXT, 1) });
  const oddly = { novelty: 1, message_data: { title: 1, badge: 2 } };
  const pulls = [
    workshop.events(DAY, [[push({ old: 1 }), { ...stray, ...oddly, channel: 'telepathy' }]]),
    workshop.events(NEXT, [[{ ...stray, newer: 1 }]]),
  ];
  await workshop.load(...order.map((index) => pulls[index]!));
  const drift = 'select date, place, field, records from ops.drift_by_day order by all';
  expect(await workshop.lines(drift)).toEqual([`${DAY} | record | old | 1`, `${NEXT} | record | newer | 1`]);
});

long('reading quickly and reading closely give the same rows', async () => {
  const ordinary = [
    push({ id: 'a' }),
    push({ id: 'b', resource_title: '[광고] 특가', channel: 'telepathy' }),
    push({ id: 'c', channel: 'email', message_data: JSON.stringify({ title: 't', body: { text: 'x' } }) }),
    push({ id: 'd', time: micros(DAY, 5, 7), channel_metadata: null }),
  ];
  const quickly = new Workshop();
  await quickly.load(quickly.events(DAY, [ordinary]));
  const closely = new Workshop();
  await closely.load(closely.events(DAY, [[{ ...push({ id: 'odd' }), novelty: 1 }, ...ordinary]]));
  const rows = (await contents(closely))['events']?.filter((row) => !row.includes('"odd"'));
  expect(rows).toEqual((await contents(quickly))['events']);
});

test('pages of one line and of many are read alike, in a folder with signs that DuckDB takes for patterns', async () => {
  const workshop = new Workshop();
  const text = (id: string): unknown => page([push({ id, message_data: { title: 'a\nb' } })]);
  const files = [
    JSON.stringify(text('e0')),
    JSON.stringify(text('e1'), null, 2),
    `\r\n${JSON.stringify(text('e2'), null, '\t').replaceAll('\n', '\r\n')}\r\n\r\n`,
  ].map((laidOut) => landedPage(workshop.folder, laidOut, 1));
  const patterned = join(workshop.folder, 'a[1]*?.json.gz');
  writeFileSync(patterned, gzipSync(JSON.stringify(text('e3'))));
  const [report] = await workshop.load(
    workshop.exported(DAY, files),
    workshop.exported(NEXT, [{ file: patterned, rows: 1, bytes: 0 }]),
  );
  expect(report?.notes).toEqual({ full_page: 1 });
  const ids = await workshop.lines(`select event_id from push_messages where title = 'a\nb' order by 1`);
  expect(ids).toEqual(['e0', 'e1', 'e2', 'e3']);
});

test('a page that is none stops the load with the name of the file, and changes nothing', async () => {
  const workshop = new Workshop();
  await workshop.load(workshop.events(DAY, [[push({ id: 'old' })]]));
  const before = await contents(workshop);
  const whole = gzipSync(JSON.stringify(page(Array.from({ length: 50 }, (_, i) => push({ id: `e${i}` })))));
  const raw = (name: string, bytes: Uint8Array): string => {
    writeFileSync(join(workshop.folder, name), bytes);
    return join(workshop.folder, name);
  };
  const bad = [
    ...[
      { status: 'processing', message: 'x' },
      '<html>Bad gateway 01012345678</html>',
      JSON.stringify(page([record(), record()])).slice(0, 400),
    ].map((body) => landed(workshop.folder, body)),
    raw('cut.json.gz', whole.subarray(0, whole.length - 40)),
    join(workshop.folder, 'missing.json.gz'),
  ];
  for (const file of bad) {
    const pull = workshop.events(DAY, [[push()]]);
    const failure: unknown = await workshop
      .load({ ...pull, files: [...pull.files, { file, rows: 1, bytes: 0 }] })
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(DamageError);
    expect(String(failure)).toContain(file);
    expect(String(failure)).not.toContain('0101234');
  }
  expect(await contents(workshop)).toEqual(before);
});

test('every value is in its column or in extra, whatever its kind', async () => {
  const workshop = new Workshop();
  // Of two spellings of a field, the column holds one.
  const others = ['body.html', 'body.text', 'node_mane'];
  const fields = fieldsFor('service', FIELDS).filter(({ field }) => !others.includes(field));
  let marks = 0;
  const mark = (): string => `m${marks++}m`;
  const texts = (place: string): Row => {
    const entries = fields.flatMap(({ place: at, field, kind, part }): [string, unknown][] => {
      if (at !== place) return [];
      if (part !== null) return [[field, texts(part)]];
      return ['string', 'recipient', 'text', 'any'].includes(kind) ? [[field, mark()]] : [];
    });
    return Object.fromEntries(entries);
  };
  /** Documents of a place in which one value is of each form in turn, also in the object inside. */
  const odd = (place: string): Row[] =>
    fields
      .filter((one) => one.place === place)
      .flatMap(({ field, part }) => [
        ...[mark(), { a: mark() }, [mark()]].map((value) => ({ ...texts(place), [field]: value })),
        ...(part === null ? [] : odd(part).map((value) => ({ ...texts(place), [field]: value }))),
      ]);
  const messages = [...new Set(fields.map(({ place }) => place))].flatMap((place) =>
    /^message_data:[^.]+$/.test(place)
      ? odd(place).map((message) =>
          record({ channel: place.replace('message_data:', ''), message_data: message }),
        )
      : [],
  );
  const lists = { buttons: odd('button') };
  const files = { attachFileList: odd('attachment') };
  const sent = [
    ...messages,
    ...odd('record').map((more) => ({ ...record(), ...more })),
    record({ channel: 'in-app-message', message_data: lists }),
    record({ channel: 'text-message', message_data: files }),
  ].map((row, i) => ({ ...row, ...(row['id'] === record()['id'] && { id: `e${i}` }) }));
  const statistics = odd('statistic').map((more, i) => ({
    ...statistic({ user_journey_id: `j${i}` }),
    ...more,
  }));
  const subchannels = [...odd('statistic_by_subchannel'), { conversion: odd('conversion') }];
  await workshop.load(
    workshop.events(DAY, [sent]),
    workshop.statistics(DAY, statistics),
    workshop.subchannels(DAY, subchannels),
  );
  const tables = await workshop.lines(`select table_name from duckdb_tables() where schema_name = 'main'`);
  let held = '';
  for (const table of tables) held += JSON.stringify(await workshop.look(`from ${table}`));
  const came = JSON.stringify([sent, statistics, subchannels]).match(/m\d+m/g) ?? [];
  expect(came.length).toBeGreaterThan(2_000);
  expect(came.filter((one) => !held.includes(one))).toEqual([]);
});

test('the words of brand and messenger become neutral', async () => {
  const workshop = new Workshop({ brand: 'acme', messenger: 'talky' });
  const rest = {
    ...without(record(), 'service_user_id', 'service_device_id'),
    acme_user_id: 'au',
    acme_device_id: 'ad',
  };
  const records = [
    { ...rest, id: 'e1', channel: 'push_notification' },
    { ...rest, id: 'e2', channel: 'talky_alimtalk', message_data: { content: 'x' } },
    { ...rest, id: 'e3', channel: 'web-push-notification', message_data: { acme: { ti: '제목' } } },
    { ...rest, id: 'e4', channel: 'talky-friendtalk' },
  ];
  const [report] = await workshop.load(workshop.events(DAY, [records]));
  expect(report?.drift).toEqual([]);
  expect(
    await workshop.lines(
      'select event_id, channel, service_user_id, service_device_id from events order by 1',
    ),
  ).toEqual([
    'e1 | push-notification | au | ad',
    'e2 | chatapp-alimtalk | au | ad',
    'e3 | web-push-notification | au | ad',
    'e4 | chatapp-friendtalk | au | ad',
  ]);
  expect(await workshop.lines('select content, ti from alimtalk_messages, web_push_messages')).toEqual([
    'x | 제목',
  ]);
});

extended('a load that needs more memory than usual is given it', async () => {
  const workshop = new Workshop({ memoryLimitMb: 40, threads: 1 });
  const body = '안녕하세요 '.repeat(300);
  const pages = Array.from({ length: 3 }, (_, p) =>
    Array.from({ length: 1000 }, (_, i) =>
      push({ id: `e${p}-${i}`, message_data: { title: `${i}`, body: `${body}${i}` } }),
    ),
  );
  expect(await workshop.load(workshop.events(DAY, pages))).toMatchObject([{ rows: 3000 }]);
  expect(await workshop.lines('select count(distinct body) from push_messages')).toEqual(['1000']);
});

test('an answer that is kept beside a page stays beside it when it has to be mended', async () => {
  const workshop = new Workshop();
  const pull = workshop.events(DAY, [[push({ id: 'one' })]]);
  const first = pull.files[0]?.file ?? '';
  const file = join(dirname(first), 'page-1000000000.json.gz');
  const body = gunzipSync(readFileSync(first)).toString('latin1').replace('"one"', '"tw\xff"');
  writeFileSync(file, gzipSync(Buffer.from(body, 'latin1')));
  const whole = { ...pull, files: [...pull.files, { file, rows: 1, bytes: body.length }] };
  expect(await workshop.load(whole)).toMatchObject([{ rows: 1, notes: { mended: 1 } }]);
});

describe('an export of many batches, which several workers prepare', { tags: ['long'] }, () => {
  const text = '안녕하세요 '.repeat(40);
  const options = { memoryLimitMb: 160, threads: 2 };
  const exported = (workshop: Workshop): ReturnType<Workshop['events']> =>
    workshop.events(
      DAY,
      Array.from({ length: 30 }, (_, p) =>
        Array.from({ length: 1000 }, (_, i) =>
          push({ id: `e${p}-${i}`, message_data: { title: `${p % 7}`, body: `${text}${i % 50}` } }),
        ),
      ),
    );

  test('leaves nothing when a late page is none, and the next load is whole', async () => {
    const workshop = new Workshop(options);
    const pull = exported(workshop);
    const last = pull.files.at(-2)?.file ?? '';
    const kept = readFileSync(last);
    writeFileSync(last, gzipSync('{"status": "processing"}'));
    await expect(workshop.load(pull)).rejects.toThrow(/not an answer of the expected shape|not a page/);
    expect(await workshop.lines('select count(*) from events')).toEqual(['0']);
    writeFileSync(last, kept);
    expect(await workshop.load(pull)).toMatchObject([{ rows: 30_000, notes: {} }]);
    expect(
      await workshop.lines(`
        select count(*), count(distinct event_id), (select count(*) from push_messages),
          (select count(*) from message_contents) from events`),
    ).toEqual(['30000 | 30000 | 30000 | 350']);
  });
});

describe('the contents of messages', () => {
  const html = (name: string): string => `<p>${name} ${'소식 '.repeat(1000)}</p>`;
  const email = (id: string, name: string, title = '안내'): Row =>
    record({ id, channel: 'email', message_data: { title, body: { html: html(name), text: name } } });
  const sent = (id: string, body: string | null, title: string | null = '제목', more: Row = {}): Row =>
    record({ id, message_data: { title, body, link: `app://${id}` }, ...more });
  const stored = (workshop: Workshop): Promise<string[]> =>
    workshop.lines('select title, body from message_contents order by all');

  test('that many receive are stored once, over pages, tables and days, and read as they were sent', async () => {
    const workshop = new Workshop();
    await workshop.load(
      workshop.events(DAY, [
        [email('a', '하나', '김님께'), email('b', '하나', '이님께'), sent('c', '특가')],
        [
          email('d', '둘'),
          sent('e', '특가'),
          sent('f', null, null),
          sent('g', '', null),
          sent('h', null, ''),
        ],
      ]),
      workshop.events(NEXT, [[email('i', '하나'), sent('j', '특가')]]),
    );
    expect(await stored(workshop)).toEqual([' | -', '제목 | 특가', '- | ', '- | 둘', '- | 하나']);
    expect(
      await workshop.look('select event_id, title, body_html, body_text from emails order by 1'),
    ).toEqual([
      { event_id: 'a', title: '김님께', body_html: html('하나'), body_text: '하나' },
      { event_id: 'b', title: '이님께', body_html: html('하나'), body_text: '하나' },
      { event_id: 'd', title: '안내', body_html: html('둘'), body_text: '둘' },
      { event_id: 'i', title: '안내', body_html: html('하나'), body_text: '하나' },
    ]);
    expect(await workshop.lines('select event_id, title, body, link from push_messages order by 1')).toEqual([
      'c | 제목 | 특가 | app://c',
      'e | 제목 | 특가 | app://e',
      'f | - | - | app://f',
      'g | - |  | app://g',
      'h |  | - | app://h',
      'j | 제목 | 특가 | app://j',
    ]);
  });

  long(
    'go with their last message, stay with that of another day, and of one that came twice one stays',
    async () => {
      const workshop = new Workshop();
      const first = workshop.events(DAY, [
        [sent('a', '이제 없는'), sent('b', '내일도'), email('c', '이제 없는')],
      ]);
      const tomorrow = workshop.events(NEXT, [[sent('d', '내일도'), sent('e', '하나'), sent('e', '둘')]]);
      const again = workshop.events(DAY, [[sent('a', '새')]], { exportId: 'export-2' });
      await workshop.load(first, tomorrow);
      await workshop.load(again);
      const found = await stored(workshop);
      expect(found).toHaveLength(3);
      expect(found).toEqual(expect.arrayContaining(['제목 | 내일도', '제목 | 새']));
      const otherwise = new Workshop();
      await otherwise.load(again, first, tomorrow);
      expect(await contents(otherwise)).toEqual(await contents(workshop));
    },
  );

  extended('of a message that another export has too come back when that one is replaced', async () => {
    const workshop = new Workshop();
    const at = { time: micros(NEXT) };
    await workshop.load(
      workshop.events(DAY, [[sent('stray', '그날의 것', '제목', at)]]),
      workshop.events(NEXT, [[sent('stray', '그날의 것, 다시', '제목', at)]]),
    );
    expect(await stored(workshop)).toEqual(['제목 | 그날의 것, 다시']);
    await workshop.load(workshop.events(NEXT, [[]], { exportId: 'export-2' }));
    expect(await workshop.lines('select body from push_messages')).toEqual(['그날의 것']);
    expect(await stored(workshop)).toEqual(['제목 | 그날의 것']);
  });
});
