/** The history of reference data, recomputed here from the snapshots, whatever order and groups they are loaded in. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dayOf, shiftDay, type Day } from '../../src/ground/calendar.js';
import type { Pull } from '../../src/landing/landing-zone.js';
import { landedPage, pullOf, Workshop, type Row } from '../warehouse/support.js';
import { long } from '../support/tags.js';

const FIRST = '2026-11-16';

/** A pull of catalogs: which catalogs there are, and the version of each item of those that were read whole. */
interface Snapshot {
  /** Days after the first one, and hours after seven. */
  readonly day: number;
  readonly hour: number;
  readonly catalogs: readonly string[];
  readonly items: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

function catalogs(workshop: Workshop, { day, hour, catalogs, items }: Snapshot): Pull {
  const date = shiftDay(FIRST, day);
  const pulledAt = new Date(Date.parse(`${shiftDay(date, -1)}T22:00:00Z`) + hour * 3_600_000);
  const whole = Object.entries(items).filter(([name]) => catalogs.includes(name));
  const named = catalogs.map((name) => ({ name, fields: [{ name: 'id', type: 'string' }] }));
  const files = [
    landedPage(workshop.folder, { data: named }, catalogs.length),
    ...whole.map(([, versions]) => {
      const rows = Object.entries(versions).map(([id, version]) => ({ id, version }));
      return landedPage(workshop.folder, { data: { items: rows, next_cursor: null } }, rows.length);
    }),
  ];
  const names = ['*', ...whole.map(([name]) => name)];
  return pullOf('catalogs', dayOf(pulledAt), files, {
    id: `catalogs/${date}/${pulledAt.toISOString()}`,
    pulledAt,
    complete: whole.length === catalogs.length,
    lists: names.map((list, at) => ({ list, pages: 1, rows: files[at]?.rows ?? 0, announced: null })),
  });
}

/** The rows of `catalog_items_history`, by hand: one catalog and item after the other, day by day. */
function expectedItems(snapshots: readonly Snapshot[]): Row[] {
  const rows: Row[] = [];
  for (const name of ['a', 'b']) {
    // What the catalog holds on each day on which it was read whole, or was not there.
    const days = new Map<Day, Readonly<Record<string, number>>>();
    for (const { day, catalogs, items } of [...snapshots].sort((x, y) => x.day - y.day || x.hour - y.hour)) {
      const date = shiftDay(FIRST, day);
      const held = catalogs.includes(name) ? items[name] : {};
      if (held !== undefined) days.set(date, held);
    }
    const dates = [...days.keys()].sort();
    for (const item of ['x', 'y', 'z']) {
      let open: Row | undefined;
      dates.forEach((date, nth) => {
        const version = days.get(date)?.[item];
        if (open !== undefined && open['version'] !== version) {
          open['valid_to'] = dates[nth - 1];
          open = undefined;
        }
        if (version !== undefined && open === undefined) {
          open = { catalog_name: name, item_id: item, version, valid_from: date, valid_to: null };
          rows.push(open);
        }
      });
    }
  }
  return rows;
}

const versions = fc.dictionary(fc.constantFrom('x', 'y', 'z'), fc.nat(1), { maxKeys: 3 });
const snapshot = fc.record({
  day: fc.nat(4),
  hour: fc.nat(2),
  catalogs: fc.subarray(['a', 'b']),
  items: fc.record({ a: versions, b: versions }, { requiredKeys: [] }),
});
const snapshots = fc.uniqueArray(snapshot, {
  selector: ({ day, hour }) => `${day} ${hour}`,
  minLength: 1,
  maxLength: 6,
});

const HISTORY = `select catalog_name, item_id, (item ->> '$.version')::int as version,
  valid_from::varchar as valid_from, valid_to::varchar as valid_to
  from catalog_items_history order by catalog_name, item_id, valid_from`;

/** As a run does it: what the warehouse lacks, and what comes after that. */
async function loadAll(workshop: Workshop, pulls: readonly Pull[]): Promise<void> {
  await workshop.with(async (warehouse) => {
    const held = await warehouse.loader.loaded();
    const again = await warehouse.loader.unloadAfter(pulls.filter(({ id }) => !held.has(id)));
    const missing = pulls
      .filter(({ id }) => !held.has(id) || again.has(id))
      .sort((a, b) => a.pulledAt.getTime() - b.pulledAt.getTime());
    expect((await warehouse.loader.loadAll(missing, () => undefined)).failures).toEqual([]);
  });
}

describe('the history of catalog items', () => {
  long(
    'is what the snapshots say, whatever comes late and whatever is loaded together',
    async () => {
      await fc.assert(
        fc.asyncProperty(snapshots, fc.nat(6), fc.nat(6), async (given, first, second) => {
          const workshop = new Workshop();
          mkdirSync(join(workshop.folder, 'tmp'), { recursive: true });
          // In three parts that do not follow the order of the days.
          const pulls = given.map((one) => catalogs(workshop, one));
          for (const part of [pulls.slice(0, first), pulls.slice(0, first + second), pulls]) {
            await loadAll(workshop, part);
            const held = given.slice(0, part.length);
            expect(await workshop.look(HISTORY)).toEqual(sorted(expectedItems(held)));
          }
          expect(await workshop.look('select count(*)::int as n from ops.loads')).toEqual([
            { n: given.length },
          ]);
        }),
        { numRuns: Number(process.env['HISTORY_RUNS'] ?? 5) },
      );
    },
    600_000,
  );
});

function sorted(rows: readonly Row[]): Row[] {
  const key = (row: Row): string => [row['catalog_name'], row['item_id'], row['valid_from']].join(' ');
  return [...rows].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

test('an error that nobody foresaw costs the pull of reference data, not the run', async () => {
  const workshop = new Workshop();
  await workshop.change('drop table alimtalk_templates_history cascade');
  const body = { resultCode: 0, templateListResponse: { templates: [{ code: 'C' }], totalCount: 1 } };
  const pull = pullOf('alimtalk_templates', '2026-11-21', [landedPage(workshop.folder, body, 1)], {
    id: 'alimtalk_templates/2026-11-21',
    pulledAt: new Date('2026-11-20T22:30:00Z'),
    lists: [{ list: '*', pages: 1, rows: 1, announced: 1 }],
  });
  const { failures } = await workshop.with(({ loader }) => loader.loadAll([pull], () => undefined));
  expect(failures.map(({ error }) => error.message)).toEqual([
    'The pull alimtalk_templates/2026-11-21 cannot be loaded (Catalog Error).',
  ]);
});
