/** The server of `explore`: who may read, what it refuses, its views, hostile names, and what happens to the file meanwhile. */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseHTML } from 'linkedom';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { loadCatalogue } from '../../../src/readers/queries/catalogue.js';
import { change, ended, start } from '../../support/dawnload.js';
import { goldenAnswers, makeWarehouse } from '../queries/support.js';
import { landedPages } from '../../support/contents.js';
import { answeringHere, answeringInItsProcess } from '../../support/here.js';
import { ends, makePlace } from '../../support/place.js';
import { temporaryFolder } from '../../warehouse/support.js';
import { Served, TOKEN } from './support.js';
import { extended, long } from '../../support/tags.js';

const NASTY = `<script>alert('하나')</script> & "둘" \u202e<img src=x onerror=alert(1)>`;
const LONG = '긴'.repeat(10_000);

answeringHere();

let folder: string;
let file: string;
let served: Served;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'dawnload-explore-'));
  file = join(folder, 'warehouse.duckdb');
  await makeWarehouse('small', file);
  served = await Served.start(file);
  return async () => {
    await served.close();
    rmSync(folder, { recursive: true, force: true });
  };
});

const pageOf = (body: string): Document => parseHTML(body).document;
const textOf = (body: string, selector: string): string =>
  (pageOf(body).querySelector(selector)?.textContent ?? '').replace(/\s+/g, ' ').trim();

test.each([
  ['en', '수신거부'],
  ['ko', 'opt-out'],
])('the search of %s finds columns by a word of the other language', async (language, word) => {
  const { body } = await served.get(`/search?lang=${language}&q=${encodeURIComponent(word)}`);
  expect(textOf(body, 'a[href^="/data?table="]')).not.toBe('');
  expect(body).toContain('href="/data?table=marts.opt_outs_after_messages"');
});

/** A holdout whose people with messages buy twice as often, for twice as much. */
const HOLDOUT = `
  create table own.people as
  select 'p' || n as user_id, if(n < 400, 'holdout', 'messages') as arm from range(4000) as people (n);
  create or replace view own.holdouts as
  select
    'members' as holdout, user_id, null::varchar as service_user_id, null::varchar as device_id, null::varchar as service_device_id, arm,
    0.1::double as share, (select max(date) - 20 from ops.coverage where stream = 'statistics') as assigned_on
  from own.people;
  create or replace view own.conversions as
  select
    user_id, null::varchar as service_user_id, null::varchar as device_id, null::varchar as service_device_id,
    null::timestamptz as converted_at, (select max(date) from ops.coverage where stream = 'statistics') as date,
    if(arm = 'holdout', 10000, 20000)::double as value, 'KRW' as currency, null::varchar as goal
  from own.people
  where hash(user_id) % 10 < if(arm = 'holdout', 3, 6);
  insert into ops.holdouts by name select 'members' as holdout, 'table' as kind, 0.1 as share, 0.05 as smallest_effect`;

long('where a holdout exists, incremental revenue comes first', async () => {
  const withHoldout = join(folder, 'holdout.duckdb');
  copyFileSync(file, withHoldout);
  await change(withHoldout, HOLDOUT);
  const own = await Served.forTest(withHoldout);
  for (const [language, sentence] of [
    ['en', /^In 21 days \(.+\), messages added [\d.,]+(\smillion)?\sKRW in sales \(95% interval/],
    ['ko', /^21일간\(.+\) 메시지 덕분에 매출이 [\d.,]+[만억]?원\(95% 신뢰 구간 [^)]+원\) 늘었습니다/],
  ] as const) {
    const { body } = await own.get(`/?lang=${language}`);
    expect(textOf(body, '#happened p.sentence')).toMatch(sentence);
    expect(pageOf(body).querySelector('#happened .links a')?.getAttribute('href')).toMatch(/^\/q\/uplift/);
  }
});

describe('who may read', () => {
  // The page opens by a program of this name on Linux alone.
  test.runIf(process.platform === 'linux')(
    '--open gives the browser a file, so that no list of processes shows the token',
    async () => {
      const own = temporaryFolder();
      mkdirSync(join(own, 'data'));
      copyFileSync(file, join(own, 'data', 'warehouse.duckdb'));
      writeFileSync(
        join(own, 'dawnload.yaml'),
        'base_url: https://api.example.com\nproject_id: 0123456789abcdef0123456789abcdef\nstart_date: 2026-11-01\n',
      );
      const bin = join(own, 'bin');
      mkdirSync(bin);
      const noted = join(own, 'opened');
      writeFileSync(
        join(bin, 'xdg-open'),
        `#!/bin/sh\necho "$@" > ${noted}.part; cat "$1" >> ${noted}.part; mv ${noted}.part ${noted}\n`,
        { mode: 0o755 },
      );
      const child = start(['explore', '--open', '--port', '0'], own, {
        PATH: `${bin}:${process.env['PATH'] ?? ''}`,
      });
      const result = ended(child);
      await vi.waitUntil(() => existsSync(noted), { timeout: 60_000 });
      child.kill('SIGINT');
      const { stdout } = await result;
      const [opened = '', content = ''] = readFileSync(noted, 'utf8').split('\n');
      const address = stdout.trim();
      expect(address).toContain('?token=');
      expect(opened).not.toContain('token');
      expect(content).toContain(address);
      expect(existsSync(opened)).toBe(false);
    },
  );

  test('the first address leaves a cookie that scripts and other sites do not get, and no token', async () => {
    const { status, headers } = await served.get(`/q/freshness?stream=events&token=${TOKEN}`, { cookie: '' });
    expect(status).toBe(303);
    expect(headers.location).toBe('/q/freshness?stream=events');
    expect(headers['set-cookie']?.[0]).toMatch(
      /^dawnload-\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    expect(String(headers['set-cookie'])).not.toContain(TOKEN);
  });

  test('a link without the cookie asks for the token, and a right one leads on', async () => {
    const asked = await served.get('/q/freshness?stream=events', { cookie: '' });
    expect(asked.status).toBe(401);
    const form = pageOf(asked.body).querySelector('form.enter');
    const to = form?.querySelector('[name=to]')?.getAttribute('value') ?? '';
    expect(to).toBe('/q/freshness?stream=events');
    const entered = await served.post('/enter', { token: TOKEN, to }, { cookie: '' });
    expect([entered.status, entered.headers.location]).toEqual([303, to]);
    expect(entered.headers['set-cookie']?.[0]).toContain('HttpOnly');
  });

  test.each(['/?token=wrong', '/?token=', `/?token=${TOKEN}x`])(
    'a wrong token (%s) shows nothing',
    async (path) => {
      const { status, headers, body } = await served.get(path, { cookie: '' });
      expect(status).toBe(403);
      expect(headers['set-cookie']).toBeUndefined();
      expect(textOf(body, '[role=alert]')).toBe('This is not correct.');
    },
  );

  test.each(['dawnload-1=x', 'dawnload-PORT=', 'dawnload-PORT=x; other=y'])(
    'nor does a cookie %s',
    async (cookie) => {
      for (const path of ['/', '/sql?q=select+1', '/q/channel-summary.csv', '/schema.json', '/campaign/c1'])
        expect((await served.get(path, { cookie: cookie.replace('PORT', String(served.port)) })).status).toBe(
          401,
        );
    },
  );

  test('the page that asks leads to no other site', async () => {
    for (const to of ['//evil.test/', '/\\evil.test', 'https://evil.test/'])
      expect((await served.post('/enter', { token: TOKEN, to }, { cookie: '' })).headers.location).toBe('/');
  });
});

describe('other sites', () => {
  test.each(['evil.test', 'evil.test:80', '127.0.0.1.evil.test', 'localhost.evil.test:8787', '192.0.2.7'])(
    'a Host header that names another server (%s) is refused, even with the cookie',
    async (host) => {
      const { status, body } = await served.get('/q/channel-summary', { host });
      expect(status).toBe(403);
      expect(body).toContain('is not the one that');
      expect(body).not.toContain('table');
    },
  );

  test('the names of this machine are answered', async () => {
    for (const name of ['127.0.0.1', 'localhost', '[::1]'])
      expect((await served.get('/search', { host: `${name}:${served.port}` })).status).toBe(200);
  });

  test.each([
    { origin: 'https://evil.test' },
    { origin: 'null' },
    { origin: '' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
  ])('a form that comes with %j is refused', async (headers: Record<string, string>) => {
    for (const path of ['/keep', '/cancel', '/sql', '/enter'])
      expect((await served.post(path, { q: 'select 1', token: TOKEN }, headers)).status, path).toBe(403);
  });
});

long(
  'no view shows an id or a number that privacy hides',
  async () => {
    const place = await makePlace(
      'start_date: 2026-11-19\nprivacy: { recipients: hash, columns: { user_id: hash, device_id: drop } }\nexports: { budget: { records_per_run: 100000 } }\n',
      { eventsPerDay: 300 },
    );
    // Each message holds the name, the order and the number of its recipient.
    place.sandbox.setFaults([{ endpoint: 'E21', kind: 'own-messages' }]);
    // A part of them comes by a channel that the statistics do not know, so that the exports look short.
    await ends(place.run(['run']), 1, 'may lack');
    const pages = await landedPages(join(place.folder, 'data'));
    const records = pages.flatMap(({ page }) => (page as { data: Record<string, unknown>[] }).data);
    const hidden = records.flatMap(({ user_id, device_id, message_data }) => [
      user_id,
      device_id,
      (message_data as { recipientNo?: string } | null)?.recipientNo,
    ]);
    const plain = [...new Set(hidden.filter((one) => typeof one === 'string'))];
    expect(plain.length).toBeGreaterThan(100);

    const view = await Served.forTest(place.published);
    const ids = await view.get('/search?q=-');
    const details = [...ids.body.matchAll(/href="(\/(?:campaign|journey)\/[^"]+)"/g)].map(
      ([, path = '']) => path,
    );
    const tables = [
      'events',
      'text_messages',
      'alimtalk_messages',
      'emails',
      'push_messages',
      'marts.messages',
      'marts.person_ids',
    ];
    const paths = [
      ...['/', '/data', ...details.slice(0, 3), ...details.slice(-2)],
      ...loadCatalogue()
        .filter(({ sql }) => /person|user_id|recipient_no|template|title/.test(sql))
        .map(({ name }) => `/q/${name}`),
      ...tables.flatMap((table) => [
        `/data?table=${table}`,
        `/sql?q=${encodeURIComponent(`from ${table} limit 1000`)}`,
      ]),
    ];
    const shown = await Promise.all(paths.map(async (path) => ({ path, body: (await view.get(path)).body })));
    expect(shown.some(({ body }) => body.includes('문의') || body.includes('주문'))).toBe(true);
    for (const { path, body } of shown)
      expect(
        plain.filter((one) => body.includes(one)),
        path,
      ).toEqual([]);
  },
  240_000,
);

describe('every answer', () => {
  const PATHS = [
    '/',
    '/search',
    '/search?q=11',
    '/q/channel-summary',
    '/q/channel-summary?by=day&beside=before',
    '/q/key-figures',
    '/q/send-heatmap',
    '/q/campaign-performance?beside=channel-summary&b.by=day',
    '/data',
    '/data?table=marts.channel_days',
    '/sql?q=from+marts.channel_days',
    '/nothing',
  ];

  test.each(PATHS)(
    '%s has the policy, no script and no style of its own, and no address of others',
    async (path) => {
      const { headers, body } = await served.get(path);
      expect(headers['content-security-policy']).toMatch(
        /^default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:;/,
      );
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['cache-control']).toBe('private, no-store');
      const document = pageOf(body);
      expect(document.querySelectorAll('style, [style], iframe, object, embed, base').length).toBe(0);
      expect(
        [...document.querySelectorAll('script')].filter(
          (script) => !script.getAttribute('src')?.startsWith('/assets/'),
        ),
      ).toEqual([]);
      expect(body).not.toMatch(/\son\w+=|undefined|NaN|\[object/);
      const addresses = [...body.matchAll(/\s(?:src|href|action)="([^"]*)"/g)].map(
        ([, address = '']) => address,
      );
      expect(addresses.filter((address) => !/^(\/(?!\/)|#|data:,$)/.test(address))).toEqual([]);
      expect(body.trimEnd().endsWith('</html>')).toBe(true);
    },
  );

  test.each([
    '/assets/../package.json',
    '/assets/..%2f..%2fpackage.json',
    '/assets/%2e%2e/%2e%2e/package.json',
    '/assets/report.css/../../../etc/passwd',
    '/q/..%2f..%2f..%2fetc%2fpasswd',
    '/q/../../etc/passwd',
    '/q/%00',
    '/campaign/..%2f..',
    '/data?table=..%2fx',
    '/%',
    '/q/%E0%A4%A',
  ])('%s is no page', async (path) => {
    const { status, body } = await served.get(path);
    expect(status).toBe(404);
    expect(body).not.toMatch(/root:|"dependencies"/);
  });

  test('a request that is no HTTP, and one that never ends, keep nobody from the others', async () => {
    const sockets = ['\u0000\u0001\r\n\r\n', 'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n'].map((text) => {
      const socket = connect(served.port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write(text);
      return socket;
    });
    expect((await served.get('/search')).status).toBe(200);
    for (const socket of sockets) socket.destroy();
  });
});

describe('a question', () => {
  test('has its form, its answer, its days, and links to what can be done with it', async () => {
    const { body } = await served.get('/q/campaign-performance?measure=clicked');
    const document = pageOf(body);
    expect(textOf(body, 'h1')).toBe('Campaigns and user journeys over a range');
    expect(
      [...document.querySelectorAll('select[name=campaign], select[name=channel] option')].length,
    ).toBeGreaterThan(1);
    expect(document.querySelector('input[name=start]')?.getAttribute('type')).toBe('date');
    expect(document.querySelector('select[name=measure] option[selected]')?.getAttribute('value')).toBe(
      'clicked',
    );
    expect(textOf(body, '.sentence')).toContain('clicks');
    expect(document.querySelectorAll('table.rows tbody tr').length).toBeGreaterThan(1);
    expect(textOf(body, '.covers')).toContain('Covers');
    expect([...document.querySelectorAll('.downloads a')].map((link) => link.getAttribute('href'))).toContain(
      '/q/campaign-performance.csv?measure=clicked',
    );
    expect(document.querySelector('.copy input')?.getAttribute('value')).toContain(
      `http://${served.host}/q/campaign-performance?measure=clicked`,
    );
  });

  test('leaves fields without a value out of its address', async () => {
    const { status, headers } = await served.get('/q/channel-summary?start=&by=day&channel=&nothing=x');
    expect([status, headers.location]).toEqual([303, '/q/channel-summary?by=day']);
  });

  test('is sorted by its address', async () => {
    const sent = async (sort: string): Promise<number[]> => {
      const document = pageOf((await served.get(`/q/campaign-days?sort=${sort}`)).body);
      const at = [...document.querySelectorAll('.rows thead th')].findIndex(
        (head) => head.textContent === 'Sent',
      );
      return [...document.querySelectorAll('.rows tbody tr')].map((row) =>
        Number(row.children[at]?.textContent.replace(',', '')),
      );
    };
    const [up, down] = [await sent('sent'), await sent('-sent')];
    expect(up.length).toBeGreaterThan(2);
    expect(up).toEqual([...up].sort((a, b) => a - b));
    expect(down).toEqual([...up].reverse());
  });

  test.each([
    ['/q/channel-summary?channel=nope', 'The warehouse has no channel "nope".'],
    ['/q/channel-summary?start=2026-02-31', 'must be a day that exists'],
    ['/q/channel-summary?days=abc', 'must be a whole number'],
    ['/q/channel-summary?start=2026-11-03&end=2026-11-01', 'must not be after end'],
    ['/q/channel-summary?sort=nope', 'Referenced column "nope" not found'],
    ['/sql?q=selct+1', 'syntax error at or near "selct"'],
    ["/sql?q=from+read_csv('/etc/passwd')", 'only reading is allowed'],
    ["/sql?q=attach+'x.duckdb'", 'a query must be a SELECT, not ATTACH'],
    ['/sql?q=select+1;+select+2', 'several SELECT statements'],
  ])('%s says in one place what is wrong', async (path, said) => {
    const { status, body } = await served.get(path);
    expect(status).toBe(200);
    expect(textOf(body, '[role=alert]')).toContain(said);
    expect(textOf(body, '[role=alert]')).not.toContain('--');
  });

  test('gives all of its rows as a file, in each format, and a page where it cannot', async () => {
    const csv = await served.get('/q/channel-summary.csv?by=day&lang=ko');
    expect(csv.headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(csv.headers['content-disposition']).toContain('channel-summary.csv');
    expect(csv.body.split('\r\n')[0]).toContain('채널');
    expect(JSON.parse((await served.get('/sql.json?q=select+1+as+a')).body)).toEqual([{ a: 1 }]);
    expect((await served.get('/q/freshness.parquet')).body.slice(0, 4)).toBe('PAR1');
    expect((await served.get('/q/freshness.xlsx')).body.slice(0, 2)).toBe('PK');
    const wrong = await served.get('/q/channel-summary.csv?channel=nope');
    expect(wrong.status).toBe(400);
    expect(wrong.headers['content-disposition']).toBeUndefined();
    expect(textOf(wrong.body, '[role=alert]')).toContain('has no channel');
    expect((await served.get('/q/nope.csv')).status).toBe(404);
  });
});

/** A question that takes minutes. */
const SLOW = 'select count(*) from range(1_000_000) a, range(1_000_000) b where a.range % 7 = b.range % 11';

/** The processes of questions that this process has started. */
function questionsUnderWay(): number {
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return processes.filter((id) => {
    try {
      const parent = /PPid:\s*(\d+)/.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1];
      return (
        Number(parent) === process.pid &&
        readFileSync(`/proc/${id}/cmdline`, 'utf8').includes('queries/child.js')
      );
    } catch {
      return false;
    }
  }).length;
}

describe('a slow question', () => {
  answeringInItsProcess();

  test('that takes too long ends at its limit, and says so', async () => {
    const short = await Served.forTest(file, { limits: { seconds: 1, megabytes: 1024 } });
    const { body } = await short.get(`/sql?q=${encodeURIComponent(SLOW)}`);
    expect(textOf(body, '[role=alert]')).toContain('There was no answer within 1 seconds.');
    await expect.poll(questionsUnderWay).toBe(0);
  });

  long('that needs too much memory ends at its limit, and says so', async () => {
    const small = await Served.forTest(file, { limits: { seconds: 30, megabytes: 300 } });
    const { body } = await small.get(
      `/sql?q=${encodeURIComponent('select list(i) from range(300_000_000) as t(i)')}`,
    );
    expect(textOf(body, '[role=alert]')).toMatch(/Out of Memory|more than 300 MB/);
  });

  long('is announced, and ends when its form of cancelling is sent', async () => {
    const own = await Served.forTest(file);
    const answer = own.get(`/sql?q=${encodeURIComponent(SLOW)}`);
    let name: string | undefined;
    // The announcement is in the first pieces, which a browser shows meanwhile.
    const first = await fetchPieces(own, `/sql?q=${encodeURIComponent(SLOW)}`, (text) => {
      name ??= /name="question" value="([\w-]+)"/.exec(text)?.[1];
      return name !== undefined;
    });
    const cancelled = await own.post('/cancel', { question: name ?? '', to: '/sql?run=no' });
    expect([cancelled.status, cancelled.headers.location]).toEqual([303, '/sql?run=no']);
    await first.end;
    expect(first.text()).toContain('The question was cancelled.');
    void answer.catch(() => undefined);
    await own.close();
    await expect.poll(questionsUnderWay).toBe(0);
  });

  long('ends when the browser goes away', async () => {
    const own = await Served.forTest(file);
    const started = await fetchPieces(own, `/sql?q=${encodeURIComponent(SLOW)}`, (text) =>
      text.includes('class="running"'),
    );
    await expect.poll(questionsUnderWay).toBe(1);
    started.leave();
    await expect.poll(questionsUnderWay).toBe(0);
  });

  test('that was cancelled is not asked again by its address', async () => {
    const { body } = await served.get('/q/channel-summary?run=no');
    expect(textOf(body, '.notice')).toBe('The question was cancelled.');
    expect(body).not.toContain('class="rows"');
  });
});

/** Reads an answer piece by piece, until the text so far satisfies the caller. */
async function fetchPieces(from: Served, path: string, enough: (text: string) => boolean) {
  const socket = connect(from.port, '127.0.0.1');
  let text = '';
  const end = new Promise<void>((done) => socket.on('close', done));
  socket.setEncoding('utf8').on('error', () => undefined);
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: ${from.host}\r\nCookie: ${from.cookies}\r\nConnection: close\r\n\r\n`,
  );
  await new Promise<void>((done) => {
    socket.on('data', (piece: string) => {
      text += piece;
      if (enough(text)) done();
    });
  });
  return { end, text: () => text, leave: () => socket.destroy() };
}

extended(
  'of a thousand requests at the same time each gets an answer or one sentence',
  async () => {
    const own = await Served.forTest(file);
    const all = await Promise.all(Array.from({ length: 1_000 }, () => own.get('/q/freshness')));
    const kinds = all.map(({ status, body }) =>
      status !== 200
        ? String(status)
        : body.includes('Too many questions are waiting.')
          ? 'too many'
          : body.includes('class="rows"')
            ? 'answer'
            : body,
    );
    expect([...new Set(kinds)].sort()).toEqual(['answer', 'too many']);
    expect((await own.get('/q/freshness')).body).toContain('class="rows"');
  },
  180_000,
);

long('exports, runs and findings are in the language of the page', async () => {
  const own = join(temporaryFolder(), 'warehouse.duckdb');
  copyFileSync(file, own);
  await change(
    own,
    `delete from ops.exports;
    insert into ops.exports by name
    select '2026-11-20.1' as key, date '2026-11-20' as date, 'loaded' as state, 100 as records, 0.1 as price_per_record;
    insert into ops.runs by name select 'r' as run_id, 'run' as command, now() as started_at, now() as finished_at, 'limited' as outcome;
    insert into ops.checks by name select now() as checked_at, 'templates_known' as name, 'warn' as severity, 'events' as stream,
    'Messages were sent by a template that no snapshot shows, so its text is unknown.' as meaning,
    'alimtalk t1' as subject, 'The last message by this template was sent on 2026-11-20.' as finding;`,
  );
  const { body } = await (await Served.forTest(own)).get('/data?lang=ko');
  const [exported, runs] = ['이벤트 내보내기', '최근 실행'].map((title) => {
    const heading = [...pageOf(body).querySelectorAll('h2')].find(({ textContent }) => textContent === title);
    return heading?.nextElementSibling?.textContent;
  });
  expect(body).toContain('스냅샷에 없는 템플릿으로');
  const { body: asked } = await (await Served.forTest(own)).get('/q/template-performance?lang=ko');
  const findings = textOf(asked, 'details:has(li)');
  expect(findings).toContain('스냅샷에 없는 템플릿 (');
  expect(findings).toContain(
    '알림톡 t1: 이 템플릿의 마지막 발송일은 11월 20일입니다. 스냅샷에 없는 템플릿으로',
  );
  expect(findings).not.toMatch(/templates_known|message by/);
  expect(exported).toMatch(/상태.*내보내기 비용.*적재 완료/s);
  expect(runs).toMatch(/종료 시각.*결과.*예산·동의 범위까지 완료/s);
});

long('bars are named by what their rows have, and a page does not repeat what it is about', async () => {
  const { body } = await served.get('/q/message-costs?lang=ko');
  expect(pageOf(body).querySelector('.chart th')?.textContent).toBe('채널');
  const listed = (await served.get('/search?q=-')).body;
  const campaign = /href="(\/campaign\/[^"]+)"/.exec(listed)?.[1] ?? '';
  const names = pageOf((await served.get(`${campaign}?lang=ko`)).body).querySelectorAll(
    '.rows th[scope=col]',
  );
  const heads = [...names].map(({ textContent }) => textContent);
  expect(heads).toContain('발송');
  expect(heads).not.toContain('캠페인 ID');
});

test('a file without what a bundled question reads is said to be of another version', async () => {
  const own = join(temporaryFolder(), 'warehouse.duckdb');
  copyFileSync(file, own);
  await change(own, 'drop macro marts.currencies_of');
  const { body } = await (await Served.forTest(own)).get('/q/revenue?lang=en');
  expect(body).toContain('which another version of dawnload may have written.');
});

describe('hostile names', { tags: ['long'] }, () => {
  test('markup, signs of direction and ten thousand letters are names in every view, in both languages', async () => {
    const name = `${NASTY}${LONG}`;
    const own = join(temporaryFolder(), 'warehouse.duckdb');
    copyFileSync(file, own);
    const texts = name.replaceAll("'", "''");
    await change(
      own,
      `update daily_statistics set campaign_name = '${texts}' || campaign_name, user_journey_name = '${texts}', user_journey_node_name = '${texts}',
         variant_name = '${texts}', tags = ['${texts}'], message = to_json({'${texts}': '${texts}'})`,
    );
    const view = await Served.forTest(own);
    const ids = await view.get('/search?q=c');
    const details = [...ids.body.matchAll(/href="(\/(?:campaign|journey)\/[^"]+)"/g)].map(
      ([, path = '']) => path,
    );
    expect(details.length).toBeGreaterThan(0);
    const paths = [
      '/',
      '/search',
      '/search?q=c',
      `/search?q=${encodeURIComponent(name.slice(0, 400))}`,
      '/q/campaign-performance',
      '/q/campaign-days',
      '/q/journey-funnel',
      '/q/tags',
      '/data',
      ...details.slice(0, 2),
      '/sql?q=from+daily_statistics',
    ];
    for (const [nth, path] of paths.entries()) {
      const { status, body } = await view.get(
        `${path}${path.includes('?') ? '&' : '?'}lang=${nth % 2 === 0 ? 'en' : 'ko'}`,
      );
      expect(status, path).toBe(200);
      expect(body, path).not.toMatch(/<script>alert|<img|\u202e/);
      expect(body.length, path).toBeLessThan(600_000);
      const scripts = [...pageOf(body).querySelectorAll('script')];
      expect(
        scripts.every((script) => script.getAttribute('src')?.startsWith('/assets/') === true),
        path,
      ).toBe(true);
    }
    expect((await view.get('/q/campaign-performance')).body).toMatch(/&lt;script&gt;alert.*긴긴긴…/);
  });
});

describe('the published file', () => {
  long('that a night publishes meanwhile is shown from then on', async () => {
    const own = join(temporaryFolder(), 'warehouse.duckdb');
    copyFileSync(file, own);
    const view = await Served.forTest(own);
    const sent = async (): Promise<string> =>
      textOf(
        (await view.get('/sql?q=select+sum(message_sent)::int+from+daily_statistics')).body,
        '.rows tbody',
      );
    const before = await sent();
    const today = (await view.get('/')).body;
    const next = `${own}.next`;
    copyFileSync(file, next);
    await change(
      next,
      "update daily_statistics set message_sent = message_sent + 1000, campaign_name = 'Renamed by the night'",
    );
    renameSync(next, own);
    expect(await sent()).not.toBe(before);
    expect((await view.get('/search?q=renamed')).body).toContain('Renamed by the night');
    expect((await view.get('/')).body).not.toBe(today);
  });

  long('that is gone is one sentence in each view, and comes back', async () => {
    const own = join(temporaryFolder(), 'warehouse.duckdb');
    copyFileSync(file, own);
    const view = await Served.forTest(own);
    expect((await view.get('/q/freshness')).status).toBe(200);
    rmSync(own);
    for (const path of [
      '/',
      '/search',
      '/q/freshness',
      '/data',
      '/campaign/c1',
      '/journey/j1',
      '/sql?q=select+1',
    ]) {
      const { status, body } = await view.get(path);
      expect([path, status, textOf(body, 'main')]).toEqual([
        path,
        503,
        'No file has been published yet.Run dawnload run, then reload this page.',
      ]);
    }
    expect((await view.get('/q/freshness.csv')).status).not.toBe(200);
    copyFileSync(file, own);
    expect((await view.get('/q/freshness')).status).toBe(200);
  });
});

long(
  'a question about one person is recorded, also beside another one, and not offered without the private folder',
  async () => {
    const place = temporaryFolder();
    const own = join(place, 'warehouse.duckdb');
    copyFileSync(file, own);
    const view = await Served.forTest(own);
    expect((await view.get('/q/timeline?id=u1')).status).toBe(404);
    expect((await view.get('/search?q=timeline')).body).not.toContain('/q/timeline');
    const hidden = join(place, 'private');
    mkdirSync(hidden);
    writeFileSync(join(hidden, 'hmac.key'), Buffer.alloc(32, 7));
    const lines = (): number =>
      existsSync(join(hidden, 'access.jsonl'))
        ? readFileSync(join(hidden, 'access.jsonl'), 'utf8').trimEnd().split('\n').length
        : 0;
    expect((await view.get('/q/timeline')).status).toBe(200);
    expect(lines()).toBe(0);
    expect((await view.get('/q/timeline?id=u1')).body).toContain('was recorded');
    expect(lines()).toBe(1);
    expect((await view.get('/q/timeline.csv?id=u1')).body).toContain('push-notification');
    expect(lines()).toBe(2);
    await view.get('/q/timeline?id=u1&beside=channel-summary');
    expect(lines()).toBe(3);
  },
);

describe('a question of your own', () => {
  const SQL = 'select date, sum(sent) as sent from marts.channel_days group by date';

  long('is written into the folder of `queries`, and is there at once', async () => {
    const queries = join(temporaryFolder(), 'queries');
    const view = await Served.forTest(file, { queries });
    const answer = pageOf((await view.get(`/sql?q=${encodeURIComponent(SQL)}`)).body);
    const given = Object.fromEntries(
      [...answer.querySelectorAll('form.keep input')].map((input) => [
        input.getAttribute('name') ?? '',
        input.getAttribute('value') ?? '',
      ]),
    );
    const kept = await view.post('/keep', {
      ...given,
      name: 'sent-by-day',
      title: 'Sent by day',
      question: 'How many\n-- params: x',
    });
    expect([kept.status, kept.headers.location]).toEqual([303, '/q/sent-by-day']);
    expect(readFileSync(join(queries, 'sent-by-day.sql'), 'utf8')).toBe(
      `-- title: Sent by day\n-- question: How many -- params: x\n-- chart: line date sent\n-- params: none\n\n${SQL};\n`,
    );
    const { body } = await view.get('/q/sent-by-day');
    expect(textOf(body, 'h1')).toBe('Sent by day');
    expect(body).toContain('class="plot"');
    expect((await view.get('/search?q=sent+by')).status).not.toBe(500);
    expect(loadCatalogue(queries).some(({ name }) => name === 'sent-by-day')).toBe(true);
  });

  test.each(['channel-summary', '../escape', 'UPPER', 'a/b', '', '.hidden'])(
    'cannot be named %j',
    async (name) => {
      const queries = join(temporaryFolder(), 'queries');
      mkdirSync(queries);
      const view = await Served.forTest(file, { queries });
      const { status, body } = await view.post('/keep', { name, q: SQL, title: '!', question: 'q' });
      expect(status).toBe(400);
      expect(textOf(body, '[role=alert]')).toContain('cannot be the name of a new query');
      expect(readdirSync(queries)).toEqual([]);
      expect(existsSync(join(queries, '..', 'escape.sql'))).toBe(false);
    },
  );

  test('needs the setting', async () => {
    const { status, body } = await served.post('/keep', { name: 'mine', q: SQL });
    expect(status).toBe(400);
    expect(textOf(body, '[role=alert]')).toContain('Add queries: ./queries to dawnload.yaml.');
  });
});

test('charts draw columns that their questions answer with', () => {
  for (const { name, charts } of loadCatalogue()) {
    const heads = goldenAnswers().find((one) => one.name === name)?.heads ?? [];
    for (const { kind, columns, by } of charts) {
      const wanted =
        kind === 'tiles' ? ['figure', 'daily_values'] : kind === 'heatmap' ? ['hour', 'monday'] : columns;
      expect(heads, name).toEqual(expect.arrayContaining([...wanted, ...(by === undefined ? [] : [by])]));
    }
  }
});
