/** Pages that are too large to be read at once are read in slices, and give the rows that small pages give. */
import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { landed, loadOne, micros, record, statistic, Workshop, type Row } from './support.js';

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

describe('a page of 20 MB', () => {
  test('of an export gives the rows of small pages, also where a record has to be repaired', async () => {
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

  test('of daily statistics gives all of its rows', async () => {
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
