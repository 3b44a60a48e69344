import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  answerOf,
  campaignName,
  exportFolder,
  instantName,
  instantOf,
  pageName,
  pageOf,
  pathOf,
  rangeName,
  rangeOf,
  idOf,
  safeName,
  slug,
} from '../../src/storage/paths.js';
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
    ['aB3xYz', 'a~b3x~yz'],
    ['', '%'],
    ['.', '%2e'],
    ['..', '%2e%2e'],
    ['../../etc/passwd', '%2e%2e%2f%2e%2e%2fetc%2fpasswd'],
    ['a b\n', 'a%20b%0a'],
    ['-rf', '%2drf'],
    ['가', '%uac00'],
    ['\u0000', '%00'],
  ])('%j is %s', (text, name) => {
    expect(safeName(text)).toBe(name);
    expect(idOf(name)).toBe(text);
  });

  it('is safe in a path and in a shell, short enough, and can be read back', () => {
    fc.assert(
      fc.property(id, (text) => {
        const name = safeName(text);
        expect(name).toMatch(/^[a-z0-9_~%][a-z0-9_~%-]*$/);
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

  it('of an id that is too long stays within a name and is not read back', () => {
    const long = safeName('x'.repeat(10_000));
    expect(long).toMatch(/^%h[0-9a-f]{64}$/);
    expect(idOf(long)).toBeUndefined();
  });

  it('is not made up: other names stand for nothing', () => {
    for (const name of ['A', 'a.b', '~', '~1', '%2', '%zz', '%61', '%u0061', 'a/b', '%h00']) {
      expect(idOf(name), name).toBeUndefined();
    }
  });
});

describe('the places of the landing zone', () => {
  const of = { day: '2026-11-20', key: '2026-11-20.1', exportId: 'Exp/1' };

  it.each([
    [
      { stream: 'statistics', range, pulledAt: AT } as const,
      'statistics/2026-11-14_2026-11-20/20261121T070512.123Z.json.gz',
    ],
    [
      { stream: 'statistics', range, pulledAt: AT, accepted: true } as const,
      'statistics/2026-11-14_2026-11-20/20261121T070512.123Z.accepted.json.gz',
    ],
    [
      { stream: 'statistics_by_subchannel', day: '2026-11-20', pulledAt: AT } as const,
      'statistics_by_subchannel/2026-11-20/20261121T070512.123Z.json.gz',
    ],
    [
      { stream: 'events', export: of, page: 7 } as const,
      'events/2026-11-20/2026-11-20.1/~exp%2f1/page-00007.json.gz',
    ],
    [
      { stream: 'rejected', endpoint: 'E21', what: 'page 3: Not JSON!', at: AT } as const,
      'rejected/2026-11-21/20261121T070512.123Z-e21-page-3-not-json.gz',
    ],
  ])('%j', (place, path) => {
    expect(pathOf(place)).toBe(path);
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
    expect(rangeOf(rangeName(range))).toEqual(range);
    expect(answerOf(`${instantName(AT)}.json.gz`)).toEqual({ pulledAt: AT, accepted: false });
    expect(answerOf(`${instantName(AT)}.accepted.json.gz`)).toEqual({ pulledAt: AT, accepted: true });
    expect(answerOf(`${instantName(AT)}.other.json.gz`)).toBeUndefined();
  });

  it.each<[string, (name: string) => unknown, string[]]>([
    ['page', pageOf, ['page-1.json.gz', 'page-00001.json', '.tmp-1-1', 'page-00001.json.gz.bak', '']],
    ['range', rangeOf, ['2026-11-14', '2026-02-30_2026-03-01', '2026-11-14_2026-11-20_x', '']],
    ['instant', instantOf, ['20261321T070512.123Z', '2026-11-21T07:05:12.123Z', '20261121T070512.123', '']],
  ])('no other name is that of a %s', (_, read, names) => {
    for (const name of names) expect(read(name), name).toBeUndefined();
  });

  it("tell a campaign's second answer from the first answer of a campaign with such a name", () => {
    const names = [
      campaignName('c', 1),
      campaignName('c', 2),
      campaignName('c.2', 1),
      campaignName('c-2', 1),
    ];
    expect(new Set(names).size).toBe(4);
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
