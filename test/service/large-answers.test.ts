/** Answers that are too large for memory: over real sockets into a real landing zone, never whole in memory. */
import { createHash, randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { readdir } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { askPage, readPage } from '../../src/streams/events/answer.js';
import { LandingZone } from '../../src/landing/landing-zone.js';
import { readBody, textOf } from '../../src/landing/page-file.js';
import type { ServiceClient } from '../../src/service/client.js';
import { dailyStatistics } from '../../src/service/endpoints.js';
import { extractDaily } from '../../src/streams/statistics/pull.js';
import { dataFolder } from '../landing/support.js';
import {
  clientFor,
  PROJECT,
  quickEffects,
  startDouble,
  type Double,
  type Handler,
} from '../support/service-double.js';
import { long } from '../support/tags.js';

const DAY = '2026-11-20';
const MIB = 2 ** 20;
const NO_HEAD = { seq: 0, sum: '', erase: '' };

interface SetUp {
  readonly client: ServiceClient;
  readonly landing: LandingZone;
  readonly double: Double;
  /** The temporary files of answers. */
  readonly left: () => Promise<string[]>;
}

async function setUp(handler: Handler, largestAnswer = 2 ** 30): Promise<SetUp> {
  const effects = quickEffects();
  const landing = await LandingZone.open(await dataFolder(), effects, () => NO_HEAD);
  const double = await startDouble(handler);
  const settings = { exports: { largestAnswer }, retries: 1, requestTimeoutSeconds: 60 };
  const client = clientFor(double.url, effects, settings, undefined, landing);
  onTestFinished(async () => {
    await Promise.all([double.close(), client.close()]);
  });
  const left = async (): Promise<string[]> =>
    (await readdir(landing.folder)).filter((name) => name.startsWith('.tmp-'));
  return { client, landing, double, left };
}

/** A list of so many records of about so many bytes, with escapes and characters of several bytes, piece by piece. */
function* list(records: number, bytes: number): Generator<string> {
  const html = '<td class=\\"가을\\">😀 {[\\u0041\\\\]}</td>'.repeat(Math.ceil(bytes / 44));
  for (let n = 0; n < records; n++) yield `${n === 0 ? '[' : ','}{"id":"${n}","html":"${html}"}`;
  yield ']';
}

function* page(records: number, bytes: number): Generator<string> {
  yield '{"status":"success","data":';
  yield* list(records, bytes);
  yield ',"total_page_count":3}';
}

/** Sends a text piece by piece; resolves once it is sent, or with the number of bytes sent when the other side hangs up. */
async function send(response: ServerResponse, text: Iterable<string>, gzip = false): Promise<number> {
  let sent = 0;
  function* counted(): Generator<string> {
    for (const piece of text) {
      sent += piece.length;
      yield piece;
    }
  }
  response.writeHead(200, {
    'content-type': 'application/json',
    ...(gzip && { 'content-encoding': 'gzip' }),
  });
  const source = Readable.from(counted());
  await (gzip ? pipeline(source, createGzip({ level: 1 }), response) : pipeline(source, response)).catch(
    () => undefined,
  );
  return sent;
}

function digestOf(text: Iterable<string>): string {
  const hash = createHash('sha256');
  for (const piece of text) hash.update(piece);
  return hash.digest('hex');
}

async function digestIn(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of textOf(file)) hash.update(piece);
  return hash.digest('hex');
}

describe('an answer of more than 64 MiB', { tags: ['long'] }, () => {
  test('is read as a page of E21, lands as it came, and is the same page when it is read from the disk', async () => {
    const { client, landing, left } = await setUp(
      (_, response) => void send(response, page(1000, 70_000), true),
    );
    const answer = await askPage(client, 'export-1', 'page', 1);
    expect(answer).toMatchObject({ kind: 'page', records: 1000, totalPages: 3 });
    if (answer.kind !== 'page') return;
    expect(Buffer.isBuffer(answer.body)).toBe(false);
    expect(await left()).toHaveLength(1);
    const writer = await landing.reading({ day: DAY, key: `${DAY}.1`, exportId: 'export-1' });
    const { file, bytes } = await writer.land(answer.body, 1000, 1);
    expect(bytes).toBeGreaterThan(64 * MIB);
    expect(await left()).toEqual([]);
    expect(await digestIn(file)).toBe(digestOf(page(1000, 70_000)));
    const again = readPage(await readBody(file), 1);
    expect(again).toMatchObject({ records: 1000, totalPages: 3, fingerprint: answer.fingerprint });
    // The next reading of the export takes the page over.
    const next = await landing.reading({ day: DAY, key: `${DAY}.1`, exportId: 'export-1' }, 'next');
    const copy = await next.land(await readBody(file), 1000, 1);
    expect(await digestIn(copy.file)).toBe(digestOf(page(1000, 70_000)));
  });

  test('is taken as a day of E17', async () => {
    const { client, landing, left } = await setUp((_, response) => void send(response, list(2000, 40_000)));
    const landed: string[] = [];
    const gaps = await extractDaily(client, 'statistics', { start: DAY, end: DAY }, [], {
      async accept(days, body, rows) {
        expect(rows).toBe(2000);
        landed.push((await landing.begin('statistics', days, new Date()).land(body, rows)).file);
      },
      reject: () => Promise.reject(new Error('rejected')),
    });
    expect(gaps).toEqual([]);
    expect(await left()).toEqual([]);
    expect(await digestIn(landed[0] ?? '')).toBe(digestOf(list(2000, 40_000)));
  });

  test('that ends short is asked for again, and leaves no file', async () => {
    const { client, double, left } = await setUp((_, response, nth) => {
      const text = nth === 0 ? [...page(1000, 70_000)].slice(0, -1) : page(3, 10);
      void send(response, text);
    });
    expect(await askPage(client, 'export-1', 'page', 1)).toMatchObject({ kind: 'page', records: 3 });
    expect(double.received.filter(({ url }) => url.includes('page=1'))).toHaveLength(2);
    expect(await left()).toEqual([]);
  });

  test('whose connection breaks is asked for again, and leaves no file', async () => {
    const { client, left } = await setUp((_, response, nth) => {
      if (nth > 0) return void send(response, page(3, 10));
      response.writeHead(200, { 'content-length': 200 * MIB });
      for (const piece of page(1000, 70_000)) response.write(piece);
      setTimeout(() => response.destroy(), 500);
    });
    expect(await askPage(client, 'export-1', 'page', 1)).toMatchObject({ kind: 'page', records: 3 });
    expect(await left()).toEqual([]);
  });
});

describe('an answer above the limit', () => {
  test('is told with its size, the limit and the setting, and is not read', async () => {
    const { client, left } = await setUp((_, response) => {
      response.writeHead(200, { 'content-length': 5 * MIB });
      for (let n = 0; n < 5; n++) response.write(Buffer.alloc(MIB, 0x20));
      response.end();
    }, 2 * MIB);
    const { verdict } = await client.askLarge(dailyStatistics(PROJECT, { start: DAY, end: DAY }));
    expect(verdict).toEqual({
      kind: 'oversized',
      reason: 'an answer of 5 MiB, larger than the limit of 2 MiB; raise exports.largest_answer',
    });
    expect(await left()).toEqual([]);
  });

  test('of E17 is asked for in halves, down to the days that are too large alone', async () => {
    const { client, landing } = await setUp(({ body }, response) => {
      const { start, end } = JSON.parse(body) as { start: string; end: string };
      const isLarge = start <= DAY && DAY <= end;
      void send(response, list(isLarge ? 60 : 1, 40_000));
    }, 2 * MIB);
    const accepted: string[] = [];
    const gaps = await extractDaily(client, 'statistics', { start: '2026-11-17', end: DAY }, [], {
      accept: (days) => Promise.resolve(void accepted.push(`${days.start} ${days.end}`)),
      reject: () => Promise.reject(new Error('rejected')),
    });
    expect(accepted).toEqual(['2026-11-17 2026-11-18', '2026-11-19 2026-11-19']);
    expect(gaps).toEqual([
      {
        stream: 'statistics',
        days: { start: DAY, end: DAY },
        reason:
          'E17 failed (an answer that is larger than the limit of 2 MiB; raise exports.largest_answer).',
      },
    ]);
    expect(await landing.pulls()).toEqual([]);
  });

  long('that is a gzip bomb is not unpacked to its end', async () => {
    let sending: Promise<number> | undefined;
    function* bomb(): Generator<string> {
      yield '[';
      const piece = `"${randomBytes(MIB / 64)
        .toString('latin1')
        .replaceAll(/["\\]/g, ' ')}${' '.repeat(MIB)}",`;
      for (let n = 0; n < 2000; n++) yield piece;
    }
    const { client, left } = await setUp(
      (_, response) => void (sending = send(response, bomb(), true)),
      80 * MIB,
    );
    const { verdict } = await client.askLarge(dailyStatistics(PROJECT, { start: DAY, end: DAY }));
    expect(verdict.kind).toBe('oversized');
    expect(await sending).toBeLessThan(1000 * MIB);
    expect(await left()).toEqual([]);
  });
});
