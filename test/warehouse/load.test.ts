/** What loads of all streams have in common: groups, orders, and answers with bad bytes. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DamageError } from '../../src/ground/errors.js';
import { groupsOf } from '../../src/warehouse/load.js';
import type { Pull } from '../../src/landing/landing-zone.js';
import { anyPull, pullsOf } from './pulls.js';
import {
  contents,
  dayAfter,
  landedPage,
  micros,
  NOW,
  page,
  pullOf,
  record,
  shared,
  statistic,
  without,
  Workshop,
} from './support.js';

const DAY = '2026-11-20';
const RANGE = { start: DAY, end: DAY };

const JOURNALS = [
  'select stream, date, campaign_id, pull, rows, messages from ops.held_back order by all',
  'select * exclude (detected_at) from ops.restatements order by all',
  'select * from ops.load_notes order by all',
  'select * from ops.drift_by_day order by all',
  'select * exclude (loaded_at) from ops.loads order by all',
];

async function all(workshop: Workshop): Promise<unknown> {
  const journals: unknown[] = [];
  for (const sql of JOURNALS) journals.push(await workshop.look(sql));
  return { ...(await contents(workshop)), journals };
}

describe('any pulls', { tags: ['long'] }, () => {
  test('loaded together end in the same rows and the same journals as one by one', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyPull, { minLength: 3, maxLength: 9 }), async (given) => {
        const nightly = new Workshop();
        await nightly.load(...pullsOf(nightly, given));
        const together = new Workshop();
        await together.loadTogether(...pullsOf(together, given));
        expect(await all(together)).toEqual(await all(nightly));
      }),
      { numRuns: Number(process.env['TOGETHER_RUNS'] ?? 1) },
    );
  }, 600_000);

  test('hold the same in any order of loading, where a person accepts all of them', async () => {
    const given = fc
      .array(anyPull, { minLength: 2, maxLength: 8 })
      .chain((pulls) =>
        fc.tuple(fc.constant(pulls), fc.shuffledSubarray([...pulls.keys()], { minLength: pulls.length })),
      );
    await fc.assert(
      fc.asyncProperty(given, async ([wanted, order]) => {
        const forwards = new Workshop();
        const pulls = pullsOf(forwards, wanted, true);
        await forwards.load(...pulls);
        const shuffled = new Workshop();
        await shuffled.load(...order.map((at) => pulls[at]!), ...pulls);
        expect(await contents(shuffled)).toEqual(await contents(forwards));
      }),
      { numRuns: Number(process.env['TOGETHER_RUNS'] ?? 1) },
    );
  }, 240_000);
});

describe('pulls are grouped', () => {
  const pulledAt = new Date(0);
  const events = (id: string, day: string, rows = 10): Pull =>
    pullOf('events', day, [{ file: '', rows, bytes: 0 }], { id, pulledAt });
  const subchannels = (id: string): Pull =>
    pullOf('statistics_by_subchannel', DAY, [{ file: '', rows: 1, bytes: 0 }], { id, pulledAt });
  const campaigns = (id: string, complete: boolean): Pull =>
    pullOf('campaigns', RANGE, [], { id, pulledAt, complete });

  test.each<[string, Pull[], string[]]>([
    [
      'by stream, wherever they stand',
      [subchannels('a'), events('b', '2026-11-19'), subchannels('c'), events('d', DAY)],
      ['a c', 'b d'],
    ],
    [
      'with one export of a day, and a large one alone',
      [
        events('a', '2026-11-19'),
        events('b', '2026-11-19'),
        events('large', '2026-11-18', 1_000_000),
        events('c', '2026-11-17'),
      ],
      ['a', 'b', 'large', 'c'],
    ],
    [
      'with an incomplete one alone, between those before it and those after it',
      [campaigns('a', true), campaigns('b', true), campaigns('c', false), campaigns('d', true)],
      ['a b', 'c', 'd'],
    ],
  ])('%s', (_, pulls, expected) => {
    expect(groupsOf(pulls).map((group) => group.map(({ id }) => id).join(' '))).toEqual(expected);
  });

  test('up to a size', () => {
    const many = Array.from({ length: 900 }, (_, i) => subchannels(String(i)));
    expect(groupsOf(many).map(({ length }) => length)).toEqual([400, 400, 100]);
  });
});

/** A raw answer in which a record is spoilt; the value that its column shows then, or undefined where any will do. */
type Spoilt = readonly [what: string, spoil: (body: string) => string | Buffer, shown?: string];
const SPOILT: readonly Spoilt[] = [
  ['a byte order mark', (body) => `\ufeff${body}`, 'QQ'],
  ['a control character', (body) => body.replace('QQ', 'a\u0001b'), 'a\u0001b'],
  ['a line break and a tab', (body) => body.replace('QQ', 'a\n\tb'), 'a\n\tb'],
  ['an escaped zero', (body) => body.replace('QQ', 'a\\u0000b'), 'a\u0000b'],
  ['an escape that means nothing', (body) => body.replace('QQ', 'a\\qb'), 'a\\qb'],
  ['a byte that is no UTF-8', (body) => Buffer.from(body.replace('QQ', 'a\u00ffb'), 'latin1'), 'a\ufffdb'],
  ['half an emoji', (body) => body.replace('QQ', 'a\\ud83d'), 'a\ufffd'],
  ['NaN', (body) => body.replace('"QQ"', 'NaN')],
  ['Infinity', (body) => body.replace('"QQ"', '-Infinity')],
  ['a number too large', (body) => body.replace('"QQ"', '1e999')],
  ['a key given twice', (body) => body.replace('"QQ"', '"QQ","KEY":"R"'), 'QQ'],
  ['a key given twice beside a control character', (body) => body.replace('"QQ"', '"Q\u0001","KEY":"R"')],
  ['records that are none', (body) => body.replace('[{', '[5,null,"x",[1],{'), 'QQ'],
  ['depth', (body) => body.replace('"QQ"', '['.repeat(50_000) + ']'.repeat(50_000))],
  ['depth of objects', (body) => body.replace('"QQ"', `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`)],
];

/** How an answer of each stream has three records, of which the middle one holds QQ, and what is held of them. */
type Holder = readonly [
  stream: string,
  key: string,
  make: (workshop: Workshop, day: string) => { pull: Pull; file: string; body: string },
  held: (day: string) => string,
];
const NAMES = ['before', 'odd', 'after'];
const HOLDERS: readonly Holder[] = [
  [
    'E17',
    'campaign_name',
    (workshop, date) => {
      const pull = workshop.statistics(date, []);
      const rows = NAMES.map((id) =>
        statistic({ date, campaign_id: id, campaign_name: id === 'odd' ? 'QQ' : id }),
      );
      return { pull, file: pull.files[0]?.file ?? '', body: JSON.stringify(rows) };
    },
    (day) => `select campaign_id, campaign_name from daily_statistics where date = '${day}'`,
  ],
  [
    'E18',
    'resource_name',
    (workshop, day) => {
      const pull = workshop.subchannels(day, []);
      const rows = NAMES.map((id) => ({
        ...without(statistic(), 'date', 'campaign_id', 'campaign_name'),
        resource_id: id,
        resource_name: id === 'odd' ? 'QQ' : id,
      }));
      return { pull, file: pull.files[0]?.file ?? '', body: JSON.stringify(rows) };
    },
    (day) => `select resource_id, resource_name from daily_statistics_by_subchannel where date = '${day}'`,
  ],
  [
    'E19',
    'metricName',
    (workshop, date) => {
      const pull = workshop.campaigns({ start: date, end: date }, { c1: [] });
      const stats = NAMES.map((id) => ({
        metricName: id === 'odd' ? 'QQ' : id,
        dailyCounts: [{ date, count: 1 }],
      }));
      const body = JSON.stringify({ data: { stats }, error: null });
      return { pull, file: pull.files[0]?.file ?? '', body };
    },
    (day) =>
      `select if(metric_name in ('before', 'after'), metric_name, 'odd'), metric_name from campaign_metrics where date = '${day}'`,
  ],
  ...(['push-notification', 'webhook'] as const).map((channel): Holder => [
    `E21 (${channel})`,
    'title',
    (workshop, day) => {
      const pull = workshop.exported(day, [landedPage(workshop.folder, page([]), 3)]);
      const rows = NAMES.map((id) => {
        const message = { title: id === 'odd' ? 'QQ' : id };
        const message_data = channel === 'webhook' ? { url: 'u', data: message } : message;
        return record({ id: `${day} ${id}`, channel, time: micros(day), message_data });
      });
      return { pull, file: pull.files[0]?.file ?? '', body: JSON.stringify(page(rows)) };
    },
    (day) =>
      `select split_part(event_id, ' ', 2), ${channel === 'webhook' ? "data ->> '$.title'" : 'title'}
       from events left join ${channel === 'webhook' ? 'webhook_messages' : 'push_messages'} using (event_id, export_date)
       where export_date = '${day}'`,
  ]),
];

describe.each(HOLDERS)('one bad byte in an answer of %s costs no other record', (_, key, make, held) => {
  const dayOf = (at: number): string => dayAfter('2026-01-01', at);
  const workshop = shared(async () => {
    const made = new Workshop();
    const pulls = SPOILT.map(([, spoil], at): Pull => {
      const { pull, file, body } = make(made, dayOf(at));
      const spoilt = spoil(body);
      const named = typeof spoilt === 'string' ? spoilt.replace('"KEY"', `"${key}"`) : spoilt;
      writeFileSync(file, gzipSync(named));
      const isLonger = pull.stream === 'events' && named.includes('[5,null');
      return isLonger ? { ...pull, files: pull.files.map((one) => ({ ...one, rows: 7 })) } : pull;
    });
    await made.loadTogether(...pulls);
    return made;
  });
  test.each(SPOILT.map(([what, , shown], at) => [what, shown, dayOf(at)] as const))(
    '%s',
    async (_, shown, day) => {
      const rows = await workshop.look(held(day));
      const found = new Map(rows.map((row) => Object.values(row) as [unknown, unknown]));
      expect([...found.keys()]).toEqual(expect.arrayContaining(['before', 'after']));
      if (shown !== undefined) expect(found.get('odd')).toBe(shown);
    },
  );
});

test('what was replaced is noted', async () => {
  const workshop = new Workshop();
  const [report] = await workshop.load(
    workshop.statistics(DAY, [statistic({ campaign_name: '할인\ud83d' })]),
  );
  expect(report?.notes).toEqual({ mended: 1 });
});

test('an answer of another shape, or no JSON, stops the load with the name of its file, and the rows of the day stay', async () => {
  const workshop = new Workshop();
  await workshop.load(workshop.statistics(DAY, [statistic()]));
  const before = await all(workshop);
  const pulls = [
    workshop.statistics(DAY, { error: 'Timeout' }),
    workshop.statistics(DAY, JSON.stringify([statistic()]).replace('10', '01')),
    workshop.statistics(DAY, JSON.stringify([statistic()]).replace('10', 'NaN,"b":"\u0001"')),
    ...[
      { data: null, error: 'Internal Server Error' },
      { data: { lastCollectedAt: 'x' }, error: null },
      [],
    ].map((c1) => workshop.campaigns(RANGE, { c1 })),
  ];
  for (const pull of pulls) {
    const failure: unknown = await workshop.load(pull).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(DamageError);
    expect(String(failure)).toContain(pull.files[0]?.file);
  }
  expect(await all(workshop)).toEqual(before);
});

test('a load that fails after the rows of the day were replaced leaves the earlier ones', async () => {
  let isFailing = false;
  const effects = {
    now: () => NOW,
    reach: (point: string) => {
      if (isFailing && point === 'load/before-commit') throw new Error('The disk is gone.');
    },
  };
  const workshop = new Workshop({ effects });
  await workshop.load(
    workshop.statistics(DAY, [statistic()]),
    workshop.events(DAY, [[record({ message_data: { title: 'earlier' } })]]),
  );
  const before = await all(workshop);
  isFailing = true;
  for (const later of [
    workshop.statistics(DAY, [statistic({ message_sent: 99 })]),
    workshop.events(DAY, [[record({ id: 'e2' }), record({ id: 'e3' })]], { exportId: 'export-2' }),
  ]) {
    await expect(workshop.load(later)).rejects.toThrow('The disk is gone.');
    expect(await all(workshop)).toEqual(before);
  }
});

describe('the rows of a list, counted before they are loaded', () => {
  const items = (...ids: readonly string[]) => ({ data: { items: ids.map((id) => ({ id })) }, error: null });
  const optOuts = (...numbers: readonly string[]) => ({
    totalCount: 4,
    data: numbers.map((recipientNo) => ({ recipientNo, requestDate: '2026-11-20 10:00:00' })),
  });
  const templates = { templateListResponse: { templates: [{ a: 1 }, { a: 2 }], totalCount: 2 } };
  const workshop = shared(async () => {
    const made = new Workshop();
    await made.open();
    return made;
  });
  const counted = async (bytes: Uint8Array, id: string, name = 'pages.json.gz'): Promise<unknown> => {
    const file = join(workshop.folder, name);
    writeFileSync(file, bytes);
    const { rows, repeated, equal } = await workshop.with((warehouse) =>
      warehouse.countRows([{ file, rows: 0, bytes: 1000 }], id),
    );
    return [rows, repeated, equal];
  };

  test.each<[string, unknown[], string, number[]]>([
    ['are those of all pages in a file', [items('a', 'b'), items('c'), items()], '/id', [3, 0, 0]],
    ['with an id count as repeated on another page', [items('a', 'b'), items('b')], '/id', [3, 1, 0]],
    ['with an id count as repeated on their page', [items('a', 'a')], '/id', [2, 1, 0]],
    [
      'with an empty id are compared as they are',
      [
        {
          data: [
            { id: '', n: 1 },
            { id: '', n: 2 },
          ],
        },
      ],
      '/id',
      [2, 0, 0],
    ],
    ['without an id may be the same on one page', [optOuts('1', '1', '2'), optOuts('3')], '', [4, 0, 1]],
    ['without an id are repeated on two', [optOuts('1', '2'), optOuts('2', '3')], '', [4, 1, 1]],
    ['may be templates', [templates], '', [2, 0, 0]],
    [
      'stand in any of the places where the service has lists',
      [{ data: [{ name: 'a' }] }, { data: { catalogs: [{ name: 'b' }] } }],
      '/name',
      [2, 0, 0],
    ],
  ])('%s', async (_, pages, id, expected) => {
    const packed = Buffer.concat(pages.map((one) => gzipSync(JSON.stringify(one))));
    expect(await counted(packed, id)).toEqual(expected);
  });

  test('are counted in a copy where DuckDB refuses a byte, and the copy goes away', async () => {
    const odd = JSON.stringify(items('a', 'b', 'b')).replace('"a"', '"\u00ff"');
    expect(await counted(gzipSync(Buffer.from(odd, 'latin1')), '/id')).toEqual([3, 1, 0]);
    mkdirSync(join(workshop.folder, 'tmp'), { recursive: true });
    expect(readdirSync(join(workshop.folder, 'tmp'))).toEqual([]);
  });

  test('of a file that is no JSON are not counted, and the file is named', async () => {
    const counting = counted(gzipSync('{"data":{"items":[{"id":'), '/id', 'half.json.gz');
    await expect(counting).rejects.toThrow(DamageError);
    await expect(counting).rejects.toThrow('half.json.gz is not JSON');
  });
});
