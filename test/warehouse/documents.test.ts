/** What the load makes of documents that are not as the specification says; the functions themselves are tested in test/documents. */
import { gzipSync } from 'node:zlib';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DamageError } from '../../src/ground/errors.js';
import { landedPage, page, record, statistic, Workshop } from './support.js';

const DAY = '2026-11-20';

describe('the days of E17', () => {
  test('of which none can be read fail the day', async () => {
    const workshop = new Workshop();
    const pull = workshop.statistics({ start: '2026-11-19', end: DAY }, [
      statistic({ date: '20th' }),
      statistic({ date: 'today' }),
    ]);
    await expect(workshop.load(pull)).rejects.toThrow(/has 2 records, and none has a readable day/);
    expect(await workshop.look('select count(*)::int as n from ops.coverage')).toEqual([{ n: 0 }]);
    // One that can be read is enough: the others are noted.
    await workshop.load(
      workshop.statistics(DAY, [statistic({ date: '20th', campaign_id: 'c2' }), statistic()]),
    );
    expect(await workshop.look('select count(*)::int as n from daily_statistics')).toEqual([{ n: 2 }]);
  });
});

test('an answer in EUC-KR is named as one, and not loaded', async () => {
  const workshop = new Workshop();
  const file = join(workshop.folder, 'euc-kr.json.gz');
  // 한글 in EUC-KR.
  const name = Buffer.from([0xc7, 0xd1, 0xb1, 0xdb]);
  const body = Buffer.concat([
    Buffer.from('[{"date":"2026-11-20","resource_type":"campaign","campaign_id":"c1","campaign_name":"'),
    name,
    Buffer.from('","channel":"email"}]'),
  ]);
  writeFileSync(file, gzipSync(body));
  const pull = workshop.statistics(DAY, [statistic()]);
  const broken = { ...pull, files: [{ file, rows: 1, bytes: 0 }] };
  await expect(workshop.load(broken)).rejects.toThrow(DamageError);
  await expect(workshop.load(broken)).rejects.toThrow(/euc-kr\.json\.gz is in EUC-KR and not in UTF-8/);
});

test('an id that is a number with and without places is one id', async () => {
  const workshop = new Workshop();
  const data = [record({ id: 'a', user_id: 10001 }), record({ id: 'b', user_id: 7 })];
  const text = JSON.stringify(page(data)).replace('"user_id":7', '"user_id":10001.0');
  await workshop.load(workshop.exported(DAY, [landedPage(workshop.folder, text, 2)]));
  expect(await workshop.look('select distinct user_id from events')).toEqual([{ user_id: '10001' }]);
});

test('the message of a webhook loses its credentials in the daily statistics, in the notes on its rows too', async () => {
  const workshop = new Workshop();
  const message = {
    url: 'https://hooks.slack.com/services/T0/B0/s3cr3tpath',
    data: '{"access_token":"t0ken"}',
  };
  const row = statistic({ channel: 'webhook', message });
  await workshop.load(workshop.statistics(DAY, [row, { ...row, message_sent: 1 }]));
  const stored = JSON.stringify([
    await workshop.look('select message from daily_statistics'),
    await workshop.look('select given_rows from ops.load_notes'),
  ]);
  expect(stored).toContain('hooks.slack.com/***');
  for (const secret of ['s3cr3tpath', 't0ken']) expect(stored).not.toContain(secret);
});
