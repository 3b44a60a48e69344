/** Rows that the specification does not foresee: without ids, with ids of others, with values of other kinds. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { shiftDay } from '../../src/calendar.js';
import { catalogsOn } from '../../src/reference/catalogs.js';
import { listPage } from '../../src/reference/read-lists.js';
import type { ReferencePull, ReferenceStream } from '../../src/storage/pull.js';
import { landed, Workshop } from '../warehouse/support.js';

const FIRST = '2026-11-20';

type Lists = Readonly<Record<string, { body: unknown; rows: number }>>;

/** Loads the lists of a stream, one night after the other. */
async function nights(stream: ReferenceStream, ...given: readonly Lists[]): Promise<Workshop> {
  const workshop = new Workshop();
  mkdirSync(join(workshop.folder, 'tmp'), { recursive: true });
  await workshop.load(...pullsOf(workshop, stream, given));
  return workshop;
}

function pullsOf(workshop: Workshop, stream: ReferenceStream, given: readonly Lists[]): ReferencePull[] {
  return given.map((lists, night) => {
    const day = shiftDay(FIRST, night);
    return {
      stream,
      id: `${stream}/${day}`,
      day,
      pulledAt: new Date(`${shiftDay(day, -1)}T22:30:00Z`),
      complete: true,
      lists: Object.entries(lists).map(([list, { body, rows }]) => ({
        list,
        files: [landed(workshop.folder, body)],
        rows,
        announced: rows,
      })),
      short: [],
      templates: [],
      largestPage: 10_000,
    };
  });
}

const alimtalks = (...templates: readonly unknown[]): Lists => ({
  '*': {
    body: { resultCode: 0, templateListResponse: { templates, totalCount: templates.length } },
    rows: templates.length,
  },
});
const brands = (...templates: readonly unknown[]): Lists => ({
  sender: { body: { data: { templates, totalCount: templates.length } }, rows: templates.length },
});

describe('alimtalk templates', () => {
  test('without a code, or of one code, are all kept, and stay the same version from night to night', async () => {
    const list = alimtalks({ a: 1 }, { b: 2 }, { code: 'C', of: 'x' }, { code: 'C', of: 'y' }, 3);
    const shuffled = alimtalks({ code: 'C', of: 'y' }, 3, { b: 2 }, { code: 'C', of: 'x' }, { a: 1 });
    const workshop = await nights('alimtalk_templates', list, shuffled);
    const rows = await workshop.look(`select template_code as code, template::varchar as template,
      valid_from::varchar as since, valid_to as until from alimtalk_templates_history order by template::varchar`);
    const whole = { since: FIRST, until: null };
    expect(rows).toEqual([
      { code: null, template: '3', ...whole },
      { code: null, template: '{"a":1}', ...whole },
      { code: null, template: '{"b":2}', ...whole },
      { code: 'C', template: '{"code":"C","of":"x"}', ...whole },
      { code: 'C', template: '{"code":"C","of":"y"}', ...whole },
    ]);
  });
});

describe('brand templates', () => {
  test('with a control character that DuckDB refuses are loaded with it', async () => {
    const body = JSON.stringify({ data: { templates: [{ id: '1', templateName: 'aXb' }], totalCount: 1 } });
    const workshop = await nights('brand_templates', {
      sender: { body: body.replace('X', '\u0001'), rows: 1 },
    });
    expect(await workshop.look('select template_id, template_name from brand_templates')).toEqual([
      { template_id: '1', template_name: 'a\u0001b' },
    ]);
  });

  test('without an id are all kept, version by version', async () => {
    const buttons = [{ buttonName: '보기' }];
    const a = { templateName: 'a', template: { content: { buttons } } };
    const b = { id: null, templateName: 'b', template: { content: { buttons } } };
    const workshop = await nights('brand_templates', brands(a, b), brands(b, a), brands(b));
    const rows = await workshop.look(`select template_name as name, valid_from::varchar as since,
      valid_to::varchar as until from brand_templates_history order by all`);
    expect(rows).toEqual([
      { name: 'a', since: FIRST, until: shiftDay(FIRST, 1) },
      { name: 'b', since: FIRST, until: null },
    ]);
  });
});

describe('catalogs', () => {
  const catalog = (fields: readonly (readonly [string, string])[], items: readonly unknown[]): Lists => ({
    '*': { body: { data: [{ name: 'c', fields: fields.map(([name, type]) => ({ name, type })) }] }, rows: 1 },
    c: { body: { data: { items, next_cursor: null } }, rows: items.length },
  });

  test('keep items without an id', async () => {
    const workshop = await nights('catalogs', catalog([['id', 'string']], [{ x: 1 }, { x: 2 }]));
    expect(await workshop.look('select count(*)::int as n from catalog_items')).toEqual([{ n: 2 }]);
  });

  test('have times in UTC, whatever the zone of the reader, and null for what is no time', async () => {
    const times = {
      zone: '2026-11-20T10:02:03.5+09:00',
      utc: '2026-11-20T01:02:03Z',
      none: '2026-11-20T01:02:03',
      day: '2026-11-20',
      seconds: 1763600000,
      half: 1763600000.5,
      text: '1763600000',
      forever: 'infinity',
      flag: true,
    };
    const items = Object.entries(times).map(([id, t]) => ({ id, t }));
    const workshop = await nights(
      'catalogs',
      catalog(
        [
          ['id', 'string'],
          ['t', 'time'],
        ],
        items,
      ),
    );
    const sql = `select id, strftime(t at time zone 'UTC', '%Y-%m-%d %H:%M:%S.%g') as t from catalog.c`;
    for (const zone of ['UTC', 'Asia/Seoul']) {
      const rows = await workshop.look(sql, `set timezone = '${zone}'`);
      expect(Object.fromEntries(rows.map(({ id, t }) => [id, t]))).toEqual({
        zone: '2026-11-20 01:02:03.500',
        utc: '2026-11-20 01:02:03.000',
        none: '2026-11-20 01:02:03.000',
        day: '2026-11-20 00:00:00.000',
        seconds: '2025-11-20 00:53:20.000',
        half: '2025-11-20 00:53:20.500',
        text: null,
        forever: null,
        flag: null,
      });
    }
  });

  test('and fields without a name, or with one of odd letters, leave the views of the others as they are', async () => {
    const fields = ['id', '', 'a/b~c', `q'q"q`, '한 글'].map((name) => ({ name, type: 'string' }));
    const items = [{ id: 'i', '': 'none', 'a/b~c': '1', [`q'q"q`]: '2', '한 글': '3' }];
    const names = ['', `n'n"n`, 'select', 'Select'];
    const workshop = await nights('catalogs', {
      '*': { body: { data: names.map((name) => ({ name, fields })) }, rows: names.length },
      ...Object.fromEntries(names.map((name) => [name, { body: { data: { items } }, rows: 1 }])),
    });
    for (const view of [`"n'n""n"`, '"Select"', '"select~2"'])
      expect(await workshop.look(`from catalog.${view}`)).toEqual([
        { id: 'i', 'a/b~c': '1', [`q'q"q`]: '2', '한 글': '3' },
      ]);
    expect(await workshop.look('select count(*)::int as n from catalog_items')).toEqual([{ n: 4 }]);
  });

  test('that no view can be made of cost their view alone, and are noted', async () => {
    const list = (name: string, field: string) => ({ name, fields: [{ name: field, type: 'string' }] });
    const workshop = await nights('catalogs', {
      '*': {
        body: {
          data: [list('a\0b', 'x'), list('n', 'a\0b'), ...['p', 'P', 'p~2'].map((name) => list(name, 'x'))],
        },
        rows: 5,
      },
      p: { body: { data: { items: [{ id: 'i', x: '1' }] } }, rows: 1 },
    });
    expect(
      await workshop.look(`select view_name from duckdb_views() where schema_name = 'catalog' order by all`),
    ).toEqual([{ view_name: 'P' }, { view_name: 'p~2' }]);
    expect(
      await workshop.look(`select subject from ops.load_notes where note = 'no_view' order by all`),
    ).toEqual([{ subject: 'a\0b' }, { subject: 'n' }, { subject: 'p' }]);
    expect(await workshop.look('select catalog_name from catalog_items')).toEqual([{ catalog_name: 'p' }]);
  });

  test('have places of two numbers only', async () => {
    const places = { good: [127.5, 37], text: ['127.5', '37'], word: ['nan', 'inf'], none: [null, null] };
    const items = Object.entries(places).map(([id, g]) => ({ id, g }));
    const workshop = await nights(
      'catalogs',
      catalog(
        [
          ['id', 'string'],
          ['g', 'geo'],
        ],
        items,
      ),
    );
    expect(await workshop.look('from catalog.c where g_longitude is not null')).toEqual([
      { id: 'good', g_longitude: 127.5, g_latitude: 37 },
    ]);
  });

  test('whose number of items is none announce none', () => {
    const data = ['120', 1.5, -1, null, 3].map((num_items, at) => ({ name: String(at), num_items }));
    const page = listPage(Buffer.from(JSON.stringify({ data })), { rows: [['data']] });
    expect(page && catalogsOn(page)).toEqual([
      ['0', null],
      ['1', null],
      ['2', null],
      ['3', null],
      ['4', 3],
    ]);
  });
});

test('an error that nobody foresaw costs the pull of reference data, not the run', async () => {
  const workshop = await nights('alimtalk_templates', alimtalks({ code: 'C' }));
  await workshop.change('drop table alimtalk_templates_history cascade');
  const [, pull] = pullsOf(workshop, 'alimtalk_templates', [alimtalks(), alimtalks({ code: 'C' })]);
  await workshop.with(async ({ loader }) => {
    const { failures } = await loader.loadAll(pull === undefined ? [] : [pull], () => undefined);
    expect(failures.map(({ error }) => error.message)).toEqual([
      'The pull alimtalk_templates/2026-11-21 cannot be loaded (Catalog Error).',
    ]);
  });
});
