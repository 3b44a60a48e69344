import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  exportFolder,
  firstReading,
  instantName,
  instantOf,
  pageName,
  pageOf,
  pullFolder,
  rangeOf,
  readingOf,
  idOf,
  safeName,
  slug,
} from '../../src/disk/paths.js';
const AT = new Date('2026-11-21T07:05:12.123Z');
const range = { start: '2026-11-14', end: '2026-11-20' };
const id = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: 'grapheme-ascii', maxLength: 200 }),
  // Single UTF-16 units, halves of surrogate pairs among them.
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 30 })
    .map((units) => String.fromCharCode(...units)),
);

describe('the id of something as a file name', () => {
  it.each([
    ['c-01_a', 'c-01_a'],
    ['aB3xYz', 'a%423x%59z'],
    ['.', '%2e'],
    ['..', '%2e%2e'],
    ['../../etc/passwd', '%2e%2e%2f%2e%2e%2fetc%2fpasswd'],
    ['a b\n', 'a%20b%0a'],
    ['-rf', '%2drf'],
    ['가', '%ea%b0%80'],
    ['\u0000', '%00'],
  ])('%j is %s', (text, name) => {
    expect(safeName(text)).toBe(name);
    expect(idOf(name)).toBe(text);
  });

  it('is safe in a path and in a shell, short enough, and can be read back', () => {
    fc.assert(
      fc.property(id, (text) => {
        const name = safeName(text);
        expect(name).toMatch(/^[a-z0-9_%][a-z0-9_%-]*$/);
        expect(name.length).toBeLessThanOrEqual(120);
        if (!name.startsWith('%h')) expect(idOf(name)).toBe(text);
      }),
      { numRuns: 200 },
    );
  });

  it('is never that of another id, even where case does not count', () => {
    fc.assert(
      fc.property(id, id, (a, b) => {
        fc.pre(a !== b);
        expect(safeName(a).toLowerCase()).not.toBe(safeName(b).toLowerCase());
      }),
      { numRuns: 200 },
    );
    expect(safeName('AB')).not.toBe(safeName('ab'));
    expect(safeName('a'.repeat(300))).not.toBe(safeName('A'.repeat(300)));
  });

  it.each(['x'.repeat(10_000), '', '\ud800'])(
    'of an id that is too long, empty or half a letter is not read back',
    (odd) => {
      expect(safeName(odd)).toMatch(/^%h[0-9a-f]{64}$/);
      expect(idOf(safeName(odd))).toBeUndefined();
    },
  );

  it('is not made up: other names stand for nothing', () => {
    for (const name of ['A', 'a.b', '~', '%', '%2', '%zz', '%61', '%2F', '%u0061', 'a/b', '%h00', '%ff']) {
      expect(idOf(name), name).toBeUndefined();
    }
  });
});

describe('the places of the landing zone', () => {
  const of = { day: '2026-11-20', key: '2026-11-20.1', exportId: 'Exp/1' };

  it('have one shape for all streams', () => {
    const day = { start: '2026-11-20', end: '2026-11-20' };
    const folders = [pullFolder('statistics', range, AT), pullFolder('opt_outs', day, AT)];
    expect(folders).toEqual([
      'statistics/2026-11-14_2026-11-20/20261121T070512.123Z',
      'opt_outs/2026-11-20_2026-11-20/20261121T070512.123Z',
    ]);
    expect([exportFolder(of), exportFolder(of, 2)]).toEqual([
      'events/2026-11-20/2026-11-20.1/%45xp%2f1',
      'events/2026-11-20/2026-11-20.1/%45xp%2f1.2',
    ]);
  });

  it('tell the second reading of an export from the first reading of one with such an id', () => {
    expect(exportFolder({ ...of, exportId: 'e' }, 2)).not.toBe(exportFolder({ ...of, exportId: 'e.2' }));
    for (const reading of [1, 2, 10]) {
      const folder = exportFolder(of, reading);
      expect(readingOf(folder.split('/').at(-1) ?? '')).toEqual({ encoded: '%45xp%2f1', reading });
      expect(firstReading(folder)).toBe(exportFolder(of));
      expect(firstReading(folder)).not.toBe(exportFolder({ ...of, exportId: 'exp/1' }));
    }
  });

  it('are read back as they were written', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true }),
        (at) => {
          expect(instantOf(instantName(at))).toEqual(at);
        },
      ),
    );
    fc.assert(
      fc.property(fc.nat(2_000_000), (page) => {
        expect(pageOf(pageName(page))).toBe(page);
      }),
    );
    expect(rangeOf('2026-11-14_2026-11-20')).toEqual(range);
  });

  it.each<[string, (name: string) => unknown, string[]]>([
    ['page', pageOf, ['page-1.json.gz', 'page-00001.json', '.tmp-1-1', 'page-00001.json.gz.bak', '']],
    ['range', rangeOf, ['2026-11-14', '2026-02-30_2026-03-01', '2026-11-14_2026-11-20_x', '']],
    ['instant', instantOf, ['20261321T070512.123Z', '2026-11-21T07:05:12.123Z', '20261121T070512.123', '']],
  ])('no other name is that of a %s', (_, read, names) => {
    for (const name of names) expect(read(name), name).toBeUndefined();
  });

  it('keep the exports of one key apart by their ids', () => {
    expect(exportFolder(of)).not.toBe(exportFolder({ ...of, exportId: 'exp/1' }));
  });

  it('make words of anything', () => {
    expect(slug('  ÜBER -- Größe 3  ')).toBe('ber-gr-e-3');
    expect(slug('가나다')).toBe('answer');
    expect(slug('x'.repeat(500))).toHaveLength(60);
  });
});
