// @module-tag long
/** Nights on which the lists of reference data are odd, through the built command, and the sound night after each. */
import { afterEach, expect, test } from 'vitest';
import { NOW, Place, type Ended } from '../support/dawnload.js';
import type { Fault } from '../support/faults/index.js';

let place: Place;
afterEach(() => place.remove());

const SETTINGS = 'start_date: 2026-11-20\nretries: 0\n';

/** A place whose clock, and the service's, stand at the n-th night. */
async function nights(yaml: string): Promise<(night: number, faults?: readonly Fault[]) => Promise<Ended>> {
  let at = new Date(NOW);
  place = await Place.make(SETTINGS + yaml, { now: () => at, date: () => at.toUTCString() });
  return (night, faults = []) => {
    at = new Date(Date.parse(NOW) + night * 86_400_000);
    place.sandbox.setFaults(faults);
    return place.execute(['run'], { DAWNLOAD_NOW: at.toISOString() });
  };
}

/** E2 as these answers, one after the other. */
function answers(...bodies: readonly unknown[]): Fault[] {
  return bodies.map((body) => ({ endpoint: 'E2', kind: 'status', status: 200, body, times: 1 }));
}

test('a catalog that no view can be made of costs its view, and is told', async () => {
  const night = await nights('reference: { catalogs: true }\n');
  const fields = (name: string) => [
    { name: 'id', type: 'string' },
    { name, type: 'string' },
  ];
  const named = (name: string, field: string) => ({ name, num_items: 1, fields: fields(field) });
  const catalogs = { data: [named('nul', 'a\0b'), ...['p', 'P', 'p~2'].map((name) => named(name, 'a'))] };
  const items = { data: { items: [{ id: 'i', a: 'x', 'a\0b': 'y' }], next_cursor: null } };
  const odd = await night(0, answers(catalogs, items, items, items, items, catalogs));
  expect(odd.code, odd.stderr).toBe(0);
  expect(await place.rows('select count(*)::int as n from catalog_items')).toEqual([{ n: 4 }]);
  const views = `select view_name as name from duckdb_views() where schema_name = 'catalog' order by all`;
  expect(await place.rows(views)).toEqual([{ name: 'P' }, { name: 'p~2' }]);
  expect(await place.rows(`select subject from ops.checks where name = 'load_notes' order by all`)).toEqual([
    { subject: 'catalogs: nul' },
    { subject: 'catalogs: p' },
  ]);

  expect(await night(1)).toMatchObject({ code: 0 });
  expect(await place.rows(views)).toEqual([{ name: 'a-b_C' }, { name: 'products' }, { name: 'stores' }]);
  expect(await place.execute(['rebuild'])).toMatchObject({ code: 0 });
  expect(await place.rows(views)).toEqual([{ name: 'a-b_C' }, { name: 'products' }, { name: 'stores' }]);
});

test('an answer of E5 that is no JSON, or has a key twice, costs no more than the status of its template', async () => {
  const night = await nights('reference: { brand_templates: { sender_keys: [9f2c4e6a8b0d1f3e5a7c] } }\n');
  const odd = (body: string): Fault => ({ endpoint: 'E5', kind: 'status', status: 200, body, times: 1 });
  const first = await night(0, [
    odd('{"data": {"chatappTemplate": {"status": nope}}, "error": null}'),
    odd('{"data": {"chatappTemplate": {"status": "A"}}, "data": {"chatappTemplate": {"status": "B"}}}'),
    odd('{"data": {"chatappTemplate": {"status": "\\ud83d"}}}'),
    odd('{"data": {"chatappTemplate": 1, "a\\u0000Template": []}}'),
  ]);
  expect(first.code, first.stderr).toBe(1);
  expect(first.stderr).toContain('E5 failed for 1 of');
  expect(await place.rows('select count(*) > 4 as some from brand_templates')).toEqual([{ some: true }]);
  expect(await night(1)).toMatchObject({ code: 0 });
  expect(await place.execute(['rebuild'])).toMatchObject({ code: 0 });
});
