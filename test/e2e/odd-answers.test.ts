/** Odd answers cost what is odd about them: no later night, and no rebuild. */
import { appendFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { encodeLine, EMPTY, type Head } from '../../src/storage/chain.js';
import type { Fault } from '../support/faults/index.js';
import { Place, type Ended } from '../support/dawnload.js';

const YAML =
  'start_date: 2026-11-20\nlookback_days: 1\nretries: 0\n' +
  'exports:\n  budget: { records_per_run: 100000, records_per_month: 1000000 }\n  max_wait_minutes: 0\n';

const places: Place[] = [];
afterEach(async () => {
  await Promise.all(places.splice(0).map((place) => place.remove()));
});

async function make(...faults: Fault[]): Promise<Place> {
  const place = await Place.make(YAML, { faults });
  places.push(place);
  return place;
}

const HALF = /(?<!\\)\\ud[89a-f]/;

/** What the data folder holds of text: no half of a pair. */
async function expectWellFormed(place: Place): Promise<void> {
  for (const file of ['ledger/exports.jsonl', 'ledger/runs.jsonl', 'landing/ledger/exports.jsonl']) {
    expect(await readFile(join(place.folder, 'data', file), 'utf8')).not.toMatch(HALF);
  }
}

/** A rebuild, and a night on which the service is well again. */
async function expectHealed(place: Place): Promise<Ended> {
  place.sandbox.setFaults([]);
  expect((await place.run(['rebuild'])).stderr).toContain('Published');
  const next = await place.run(['run']);
  expect(next.stderr).toContain('Published');
  const { stderr } = await place.run(['rebuild']);
  expect(stderr).toContain('Published');
  return next;
}

const EMOJI = '🎁'.repeat(600);
const json = { 'content-type': 'application/json' };

test.each([
  ['at an even place', EMOJI],
  ['at an odd place', `x${EMOJI}`],
  ['in the answer alone', '\\ud83d'],
])('a refusal that ends within an emoji, %s, costs no later night', async (_, message) => {
  const body = `{"error":"InvalidRequest","message":"${message}"}`;
  const answer = { kind: 'status', status: 400, headers: json, body } as const;
  const place = await make({ endpoint: 'E20', ...answer }, { endpoint: 'E19', ...answer });
  const { code, stderr } = await place.run(['run']);
  expect(code).toBe(1);
  expect(stderr).toContain('Published');
  await expectWellFormed(place);
  expect((await expectHealed(place)).code).toBe(0);
});

test('an export whose id holds half of an emoji waits for a person, and its day can be had', async () => {
  const body = '{"export_id":"abc\\ud83d","note":"\\udc00"}';
  const place = await make({
    endpoint: 'E20',
    kind: 'status',
    status: 200,
    headers: json,
    body,
    handled: true,
  });
  const { code, stderr } = await place.run(['run']);
  expect(code).toBe(1);
  expect(stderr).toContain('Published');
  await expectWellFormed(place);
  expect((await expectHealed(place)).code).toBe(1);
  const id = place.sandbox.bills()[0]?.export_id ?? '';
  expect((await place.run(['exports', 'attach', '2026-11-20.1', id])).code).toBe(0);
  expect((await place.run(['run'])).code).toBe(0);
  expect(place.sandbox.bills()).toHaveLength(1);
});

test('what an earlier version wrote with half an emoji is read', async () => {
  const place = await make();
  const folder = join(place.folder, 'data', 'ledger');
  await mkdir(folder, { recursive: true });
  const at = '2026-11-20T22:00:00.000Z';
  const window = { start: '2026-11-19T15:00:00.000Z', end: '2026-11-20T15:00:00.000Z' };
  const key = '2026-11-20.1';
  let head: Head = EMPTY;
  const lines = [
    { event: 'intended', at, key, day: '2026-11-20', ...window, messageData: true, pricePerRecord: 0 },
    { event: 'requested', at, key, exportId: 'abc\ud83d', rawAnswer: '{"export_id":"abc\ud83d"}' },
    { event: 'troubled', at, key, note: 'not ready \ud83d' },
  ].map((line) => {
    const { text, head: next } = encodeLine(head, line);
    head = next;
    return `${text}\n`;
  });
  await writeFile(join(folder, 'exports.jsonl'), lines.join(''));
  const begun = { runId: 'r', command: 'run', startedAt: at, version: '0', processId: 1 };
  const summary = { gaps: [{ text: 'refused \udc00' }], '\ud83d': 1 };
  const over = { runId: 'r', finishedAt: at, exitCode: 1, outcome: 'incomplete', summary };
  await appendFile(join(folder, 'runs.jsonl'), `\n${JSON.stringify({ begun })}\n${JSON.stringify({ over })}`);

  expect((await place.run(['rebuild'])).stderr).toContain('Published');
  const [run] = await place.rows("select summary->>'$.gaps[0].text' as text from ops.runs");
  expect(run).toEqual({ text: 'refused \ufffd' });
  expect((await place.run(['exports', 'list'])).stdout).toContain(key);
  expect((await place.run(['status'])).code).toBe(1);
  expect((await expectHealed(place)).code).toBe(1);
  expect(await place.rows('select export_id from ops.exports')).toEqual([{ export_id: 'abc\ufffd' }]);
});

test.each(['statistics', 'campaigns', 'catalogs'])(
  'an answer of %s that no load can read is told until a later one takes its place',
  async (stream) => {
    const place = await make();
    await place.configure(`${YAML}reference: { catalogs: true, opt_outs: true }\n`);
    expect((await place.run(['run'])).code).toBe(0);
    const folder = join(place.folder, 'data', 'landing', stream);
    const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.gz'));
    for (const file of files) await writeFile(join(folder, file), gzipSync('<html>'));
    const first = await place.run(['rebuild']);
    expect(first.code).toBe(1);
    expect(first.stderr).toContain('has landed but is not loaded');
    expect((await place.run(['run'])).code).toBe(0);
    const { code, stderr } = await place.run(['rebuild']);
    expect(code).toBe(0);
    expect(stderr).toContain('Later answers have taken its place.');
  },
);
