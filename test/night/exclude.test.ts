// @module-tag long
/** The list of staff and test people: a night without it publishes nothing, and no plain id of it enters the warehouse. */
import { execFileSync } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { filesWith } from '../support/contents.js';
import { Place } from '../support/dawnload.js';
import { beginWithNight, ends } from '../support/place.js';
import { extended } from '../support/tags.js';
import { answeringHere } from '../support/here.js';

answeringHere();

const YAML = `start_date: 2026-11-19
lookback_days: 1
exports:
  budget: { records_per_run: 1000000, records_per_month: 1000000 }
`;
const LISTED = `${YAML}exclude: { user_ids: ./staff.txt }\n`;

let place: Place;
let file: string;

beforeAll(async () => {
  place = await Place.make(YAML);
  file = join(place.folder, 'staff.txt');
  await beginWithNight(place, YAML);
  await place.configure(LISTED);
}, 120_000);

afterAll(() => place.remove());

test.each([
  ['is missing', () => Promise.resolve(), 'which cannot be read (it does not exist)'],
  ['is a folder', () => mkdir(file), 'which cannot be read (it is a folder, not a file)'],
  [
    'is a pipe',
    () => Promise.resolve(execFileSync('mkfifo', [file])),
    'which cannot be read (it is a pipe, not a file)',
  ],
  [
    'is in EUC-KR',
    () => writeFile(file, Buffer.from([0xc1, 0xf7, 0xbf, 0xf8, 0x0a])),
    'which cannot be read (it is not in UTF-8)',
  ],
  ['is empty', () => writeFile(file, '\ufeff\r\n  \r\n'), 'which has no ids'],
  ['has two columns', () => writeFile(file, 'u-1\nu-2,Kim\n'), 'whose line 2 has more than one id'],
])('a list that %s stops every command before it changes anything', async (_, make, why) => {
  await make();
  const before = await place.rows('select count(*)::integer as runs from ops.runs');
  for (const args of [['run'], ['rebuild'], ['forget', '--user-id', 'u-1', '--yes']]) {
    const { stderr } = await ends(place.run(args), 2, `exclude.user_ids names ${file}, ${why}.`);
    expect(stderr.trim().split('\n').length).toBeLessThanOrEqual(3);
  }
  expect((await place.run(['doctor'])).stdout).toContain(why);
  expect(await place.rows('select count(*)::integer as runs from ops.runs')).toEqual(before);
  await rm(file, { recursive: true, force: true });
});

test('privacy that drops the ids cannot exclude by them', async () => {
  await place.configure(`${YAML}privacy: { columns: { user_id: drop } }\nexclude: { user_ids: [u-1] }\n`);
  await ends(place.run(['run']), 2, 'exclude.user_ids needs the ids of events, which privacy.columns drops');
  await place.configure(LISTED);
});

test('the list is counted apart, and an id without events is nowhere in the data folder', async () => {
  const [staff] = await place.rows(
    "select user_id, count(*)::integer as events from events where user_id <> '' group by all order by all limit 1",
  );
  const id = String(staff?.['user_id']);
  await writeFile(file, `user_id\r\n"${id}"\r\nnobody-knows-me\r\n`);
  await ends(place.run(['run']), 0);
  const [noted] = await place.rows(
    'select listed::integer as listed, people::integer as people, events::integer as events from ops.exclusions',
  );
  expect(noted).toMatchObject({ listed: 3, people: 1 });
  expect(Number(noted?.['events'])).toBeGreaterThanOrEqual(Number(staff?.['events']));
  const raw = await place.rows(`select count(*)::integer as events from events where user_id = '${id}'`);
  expect(raw).toEqual([{ events: staff?.['events'] }]);
  expect(await place.rows(`select * from marts.counted_events where user_id = '${id}'`)).toEqual([]);
  expect(await filesWith(join(place.folder, 'data'), ['nobody-knows-me'])).toEqual([]);
  const status = await ends(place.run(['status']), 0);
  expect(status.stdout).toContain(`not counted; 1 of 3 ids under exclude with events`);
  const fresh = await place.run(['query', 'freshness']);
  expect(fresh.stdout + fresh.stderr).toContain('1 of 3 ids under `exclude` have events.');
  const summary = await place.run(['query', 'channel-summary']);
  expect(summary.stdout + summary.stderr).toContain('Daily statistics include 1 person under `exclude`.');
});

test('an erased person in the list does not come back, in no spelling', async () => {
  const [staff] = await place.rows(
    "select user_id from events where user_id <> '' group by all order by user_id desc limit 1",
  );
  const id = String(staff?.['user_id']);
  await writeFile(file, `${id}\n`);
  await ends(place.run(['run']), 0);
  await ends(place.run(['forget', '--user-id', id, '--yes']), 0);
  await ends(place.run(['run']), 0);
  expect(await filesWith(join(place.folder, 'data'), [id])).toEqual([]);
  expect(await place.rows('from ops.excluded_people union all select 1 from ops.excluded_ids')).toEqual([]);
});

extended('ids that are hashed in events are listed as they are', async () => {
  const [staff] = await place.rows(
    "select user_id from events where user_id <> '' group by all order by user_id desc limit 1",
  );
  const id = String(staff?.['user_id']);
  await place.configure(`${YAML}privacy: { columns: { user_id: hash } }\nexclude: { user_ids: [${id}] }\n`);
  await ends(place.run(['rebuild']), 0);
  const [noted] = await place.rows('select people::integer as people from ops.exclusions');
  expect(noted).toEqual({ people: 1 });
  await place.configure(YAML);
  await ends(place.run(['rebuild']), 0);
  expect(await place.rows('from ops.exclusions')).toEqual([]);
});
