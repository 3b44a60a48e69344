/** Pages that are too large to be read at once are read in slices, and give the rows that small pages give. */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import {
  landed,
  loadOne,
  micros,
  record,
  statistic,
  temporaryFolder,
  Workshop,
  type Row,
} from './support.js';
import { extended, long } from '../support/tags.js';

const DAY = '2026-11-20';
const MIB = 2 ** 20;

/** An e-mail of its own for each recipient. */
function email(nth: number, bytes: number): Row {
  const html = `<p>${nth}</p>${'<td>주말 특가</td>'.repeat(Math.ceil(bytes / 22))}`;
  const message_data = { title: `제목 ${nth}`, body: { html, text: 'text' } };
  return record({ id: `e${nth}`, channel: 'email', time: micros(DAY), message_data });
}

const pageOf = (records: readonly Row[]): string =>
  JSON.stringify({ status: 'success', data: records, total_page_count: 1 });

/** The temporary files of a load. */
const left = ({ folder }: Workshop): string[] =>
  existsSync(join(folder, 'tmp')) ? readdirSync(join(folder, 'tmp')) : [];

describe('a page of 20 MB', { tags: ['long'] }, () => {
  long('of an export gives the rows of small pages, also where a record has to be repaired', async () => {
    const records = Array.from({ length: 300 }, (_, nth) => email(nth, 70_000));
    // Half of a surrogate pair, which DuckDB rejects.
    const text = pageOf(records).replace('제목 250', String.raw`제목 \ud83d`);
    const whole = new Workshop();
    const file = landed(whole.folder, text);
    const pull = whole.exported(DAY, [{ file, rows: 300, bytes: Buffer.byteLength(text) }]);
    const [report] = await whole.load(pull);
    expect(report).toMatchObject({ rows: 300, notes: { mended: 1 } });
    expect(await whole.lines('select title from sent_emails where event_id = $$e250$$')).toEqual([
      '제목 \ufffd',
    ]);
    const small = new Workshop();
    await small.load(small.events(DAY, [records.slice(0, 100), records.slice(100, 200), records.slice(200)]));
    const rows = `select event_id, content_id::varchar from sent_emails order by event_id`;
    expect(await whole.lines(rows)).toEqual(await small.lines(rows));
    expect(left(whole)).toEqual([]);
  });

  test('that is no answer with records is told by its name', async () => {
    const workshop = new Workshop();
    const text = pageOf([email(1, 17 * MIB)]).replace('success', 'error  ');
    const file = landed(workshop.folder, text);
    const pull = workshop.exported(DAY, [{ file, rows: 1, bytes: Buffer.byteLength(text) }]);
    const warehouse = await workshop.open();
    await expect(loadOne(warehouse, pull)).rejects.toThrow(
      `${basename(file)} is not an answer of the expected shape.`,
    );
    expect(left(workshop)).toEqual([]);
  });

  long('of daily statistics gives all of its rows', async () => {
    const workshop = new Workshop();
    const message = { title: '안내', body: '본문'.repeat(5000) };
    const rows = Array.from({ length: 600 }, (_, nth) => statistic({ campaign_id: `c${nth}`, message }));
    const text = JSON.stringify(rows);
    const page = { file: landed(workshop.folder, text), rows: 600, bytes: Buffer.byteLength(text) };
    expect(page.bytes).toBeGreaterThan(16 * MIB);
    await workshop.load({ ...workshop.statistics(DAY, []), files: [page] });
    expect(await workshop.lines('select count(*), sum(message_sent) from daily_statistics')).toEqual([
      '600 | 6000',
    ]);
    expect(left(workshop)).toEqual([]);
  });
});

/** Asks for page 0 of an export, lands and loads it; prints the rows and the largest resident size in MB. */
const SCRIPT = `
const build = process.env.BUILD, data = process.env.DATA;
const load = (name) => import(build + '/' + name + '.js');
const { realEffects } = await load('ground/effects');
const { LandingZone } = await load('landing/landing-zone');
const { ServiceClient } = await load('service/client');
const { askPage } = await load('streams/events/answer');
const { Warehouse } = await load('warehouse/warehouse');
const { fieldsFor } = await load('ground/fields');
const { FIELDS, STREAMS } = await load('streams/index');
const effects = realEffects({});
const landing = await LandingZone.open(data, effects, () => ({ seq: 0, sum: '', erase: '' }));
const settings = {
  baseUrl: process.env.SERVICE, projectId: 'p', credentials: { reveal: () => ({ accessKey: 'a', secretKey: 's' }) },
  requestsPerSecond: 100, concurrency: 8, requestTimeoutSeconds: 600, retries: 0, serviceClock: 'obey',
  exports: { largestAnswer: 2 ** 30 },
};
const service = new ServiceClient(settings, effects, new AbortController().signal, '0.0.0', landing);
const answer = await askPage(service, 'x', 'page', 0);
const writer = await landing.reading({ day: '2026-11-20', key: '2026-11-20.1', exportId: 'x' });
const page = await writer.land(answer.body, answer.records, 0);
const pull = await writer.finish([page], { exportId: 'x' }, new Date());
await service.close();
const warehouse = await Warehouse.open({
  path: data + '/working.duckdb', tempDirectory: data + '/tmp', brand: 'service', messenger: 'chatapp',
  fields: fieldsFor('service', FIELDS), streams: STREAMS,
  privacy: { recipients: 'hash', key: Buffer.alloc(16) }, effects,
});
const { reports } = await warehouse.loader.loadAll([pull], () => undefined);
await warehouse.close();
console.log(JSON.stringify({ bytes: page.bytes, rows: reports[0]?.rows, mb: process.resourceUsage().maxRSS / 1024 }));
`;

extended(
  'a page of 500 MB is read, landed and loaded within 1 GB',
  async () => {
    const server = createServer((request, response) => {
      request.resume();
      if (request.url === '/authenticate') return response.end('{"data":"token","error":null}');
      response.writeHead(200, { 'content-type': 'application/json' });
      return Readable.from(mails(9000, 70_000)).pipe(response);
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const SERVICE = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const env = { ...process.env, DATA: temporaryFolder(), BUILD: resolve('dist/src'), SERVICE };
    const child = spawn(process.execPath, ['--input-type=module', '--eval', SCRIPT], { env });
    let [out, err] = ['', ''];
    child.stdout.on('data', (text: Buffer) => (out += text.toString()));
    child.stderr.on('data', (text: Buffer) => (err += text.toString()));
    await new Promise((ended) => child.on('close', ended));
    server.close();
    expect(err).toBe('');
    const { bytes, rows, mb } = JSON.parse(out) as Record<'bytes' | 'rows' | 'mb', number>;
    expect(bytes).toBeGreaterThan(500e6);
    expect(rows).toBe(9000);
    expect(mb).toBeLessThan(1000);
  },
  900_000,
);

/** A page of so many e-mails, each with a text of its own, piece by piece. */
function* mails(count: number, bytes: number): Generator<string> {
  yield '{"status":"success","data":[';
  for (let nth = 0; nth < count; nth++) {
    const html = Array.from(
      { length: bytes / 50 },
      (_, n) => `<td class="c${(nth * 7919 + n * 104_729) % 1e9}">주말 특가</td>`,
    );
    const message_data = { title: `제목 ${nth}`, body: { html: html.join(''), text: 'text' } };
    const one = record({ id: `e${nth}`, channel: 'email', time: micros(DAY), message_data });
    yield `${nth === 0 ? '' : ','}${JSON.stringify(one)}`;
  }
  yield '],"total_page_count":1}';
}
