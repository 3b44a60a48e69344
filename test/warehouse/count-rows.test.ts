/** The rows of the pages of a list, counted before they are loaded. */
import { gzipSync } from 'node:zlib';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DamageError } from '../../src/errors.js';
import { Workshop } from './support.js';

/** One file that holds those pages, packed byte for byte. */
function packed(workshop: Workshop, pages: readonly unknown[]): string {
  const file = join(workshop.folder, 'pages.json.gz');
  writeFileSync(file, Buffer.concat(pages.map((page) => gzipSync(JSON.stringify(page)))));
  return file;
}

async function count(pages: readonly unknown[], id: string): Promise<unknown> {
  const workshop = new Workshop();
  const file = packed(workshop, pages);
  return workshop.with((warehouse) => warehouse.countRows([file], { id, largestPage: 1000 }));
}

const items = (...ids: readonly string[]) => ({ data: { items: ids.map((id) => ({ id })) }, error: null });
const optOuts = (...numbers: readonly string[]) => ({
  totalCount: 4,
  data: numbers.map((recipientNo) => ({ recipientNo, requestDate: '2026-11-20 10:00:00' })),
});

describe('the rows of a list', () => {
  test('are those of all pages in a file', async () => {
    expect(await count([items('a', 'b'), items('c'), items()], '/id')).toEqual({
      rows: 3,
      repeated: 0,
      equal: 0,
    });
  });

  test('with an id count as repeated wherever they come again', async () => {
    expect(await count([items('a', 'b'), items('b')], '/id')).toEqual({ rows: 3, repeated: 1, equal: 0 });
    expect(await count([items('a', 'a')], '/id')).toEqual({ rows: 2, repeated: 1, equal: 0 });
  });

  test('without an id may be the same on one page, and are told apart from those on two', async () => {
    const [onOne, onTwo] = [
      [optOuts('1', '1', '2'), optOuts('3')],
      [optOuts('1', '2'), optOuts('2', '3')],
    ];
    expect(await count(onOne, '')).toEqual({ rows: 4, repeated: 0, equal: 1 });
    expect(await count(onTwo, '')).toEqual({ rows: 4, repeated: 1, equal: 1 });
  });

  test('are counted in a copy where DuckDB refuses a byte, and the copy goes away', async () => {
    const workshop = new Workshop();
    const temporary = join(workshop.folder, 'tmp');
    mkdirSync(temporary);
    const file = join(workshop.folder, 'odd.json.gz');
    const odd = JSON.stringify(items('a', 'b', 'b')).replace('"a"', '"\u00ff"');
    writeFileSync(file, gzipSync(Buffer.from(odd, 'latin1')));
    const counted = await workshop.with((warehouse) =>
      warehouse.countRows([file], { id: '/id', largestPage: 1000 }),
    );
    expect(counted).toEqual({ rows: 3, repeated: 1, equal: 0 });
    expect(readdirSync(temporary)).toEqual([]);
  });

  test('of a file that is no JSON are not counted, and the file is named', async () => {
    const workshop = new Workshop();
    mkdirSync(join(workshop.folder, 'tmp'));
    const file = join(workshop.folder, 'half.json.gz');
    writeFileSync(file, gzipSync('{"data":{"items":[{"id":'));
    const counting = workshop.with((warehouse) =>
      warehouse.countRows([file], { id: '/id', largestPage: 1000 }),
    );
    await expect(counting).rejects.toThrow(DamageError);
    await expect(counting).rejects.toThrow('half.json.gz is not JSON');
  });

  test('stand in any of the places where the service has lists', async () => {
    const templates = { templateListResponse: { templates: [{ a: 1 }, { a: 2 }], totalCount: 2 } };
    expect(await count([templates], '')).toEqual({ rows: 2, repeated: 0, equal: 0 });
    expect(
      await count([{ data: [{ name: 'a' }] }, { data: { catalogs: [{ name: 'b' }] } }], '/name'),
    ).toEqual({
      rows: 2,
      repeated: 0,
      equal: 0,
    });
  });
});
