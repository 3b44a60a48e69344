/** What the answers of E21 mean, as a table: a script of answers, what is requested, and how the reading ends. */
import { describe, expect, test } from 'vitest';
import type { Answer, Other } from '../../src/streams/events/answer.js';
import { Course, type Move, type Terms } from '../../src/streams/events/course.js';

const TERMS: Terms = {
  expectsRecords: true,
  atLeast: 0,
  plausiblePages: 10,
  retries: 0,
  pageParameter: 'page',
  isAgain: false,
  isMade: false,
  keepsBeside: false,
  replaces: false,
};

const MINUTE = 60_000;

/** A page of that many records out of `total` pages. */
const page = (number: number, totalPages: number, records = 3, fingerprint = `of ${number}`): Answer => ({
  kind: 'page',
  number,
  body: Buffer.from('{}'),
  records,
  totalPages,
  fingerprint,
});
const other = (kind: Other['kind']): Answer => ({ kind, reason: kind, body: Buffer.from('{}') });

/** Follows a course to its end; each pause takes 30 seconds. */
function follow(answer: (number: number, nth: number) => Answer, terms: Partial<Terms>, minutes: number) {
  const course = new Course({ ...TERMS, ...terms }, []);
  const asked: number[] = [];
  let now = 0;
  for (;;) {
    const step: Move = course.next(now, now >= minutes * MINUTE);
    if (step.kind === 'pause') now += MINUTE / 2;
    else if (step.kind !== 'ask') return { end: step.kind, minutes: now / MINUTE, asked, course };
    else for (const number of step.pages) course.take(number, answer(number, asked.push(number) - 1), now);
    if (asked.length > 5_000) throw new Error('no end');
  }
}

type Row = readonly [
  what: string,
  answer: (number: number, nth: number) => Answer,
  end: string,
  after: Readonly<{ minutes: number; asked?: number; records?: number }>,
  terms?: Partial<Terms>,
];

describe('a reading within a waiting time of ten minutes', () => {
  /** Four pages, one of which is always answered so. */
  const but = (odd: number, kind: Other['kind']) => (n: number) => (n === odd ? other(kind) : page(n, 4));
  /** So many answers of one kind, then a single page. */
  const first = (times: number, kind: Other['kind']) => (n: number, nth: number) =>
    nth < times ? other(kind) : page(n, 1);
  const repeated = (): Answer => ({ ...other('unreadable'), repeated: true }) as Answer;
  const NONE = other('invalid_page');
  const ENDLESS = { minutes: 1.5, records: 12 };
  const short = (n: number): Answer => (n < 2 ? page(n, n === 0 ? 2 : 4) : NONE);

  const rows: readonly Row[] = [
    ['all pages', (n) => page(n, 3), 'end', { minutes: 0, asked: 3, records: 9 }],
    ['no record, none expected', () => page(0, 0, 0), 'empty', { minutes: 0 }, { expectsRecords: false }],
    ['no record, some expected', () => page(0, 0, 0), 'doubtful', { minutes: 10 }],
    ['processing for ever', () => other('processing'), 'processing', { minutes: 10 }],
    ['processing, then pages', first(5, 'processing'), 'end', { minutes: 2.5 }],
    ['failures for ever', () => other('trouble'), 'stuck', { minutes: 10 }],
    ['failures that pass', first(15, 'trouble'), 'end', { minutes: 7.5 }],
    ['not found for ever', () => other('not_found'), 'unknown', { minutes: 10 }],
    ['another shape for ever', () => other('strange'), 'stuck', { minutes: 5 }],
    [
      'no page 0 after processing',
      (_, nth) => (nth === 0 ? other('processing') : NONE),
      'doubtful',
      { minutes: 10 },
    ],
    ['a page that keeps failing', but(2, 'trouble'), 'broken', { minutes: 10, records: 9 }],
    ['a page that is gone', but(2, 'not_found'), 'broken', { minutes: 5, records: 9 }],
    ['a page that cannot be read', but(2, 'unreadable'), 'end', { minutes: 5, records: 9 }],
    ['a first page that cannot be read', but(0, 'unreadable'), 'end', { minutes: 5, records: 9 }],
    [
      'no page that can be read, and no page behind them',
      (n) => (n < 3 ? other('unreadable') : NONE),
      'stuck',
      { minutes: 10 },
    ],
    [
      'a page that cannot be read, and none behind it',
      (n) => (n === 0 ? repeated() : NONE),
      'stuck',
      { minutes: 10 },
    ],
    ['no page that can be read, without end', () => other('unreadable'), 'stuck', { minutes: 10 }],
    ['the same, each repeated by the client', repeated, 'stuck', { minutes: 10 }],
    ['fewer pages than announced', short, 'end', { minutes: 0, records: 6 }],
    ['page 0 for ever', (n) => page(n, 9, 3, 'same'), 'broken', { minutes: 0.5, records: 3 }],
    ['empty pages without end', (n) => page(n, 1e8, n < 4 ? 3 : 0), 'end', ENDLESS],
    ['repeated pages without end', (n) => page(n, 1e8, 3, `of ${Math.min(n, 3)}`), 'end', ENDLESS],
    ['invalid pages without end', (n) => (n < 4 ? page(n, 1e8) : NONE), 'end', ENDLESS],
    ['full pages without end', (n) => page(n, n + 3), 'broken', { minutes: 0, asked: 100 }],
    ['more pages than are plausible', (n) => page(n, 40), 'end', { minutes: 0, asked: 40, records: 120 }],
  ];
  test.each(rows.map(([what, answer, end, after, terms = {}]) => ({ what, answer, end, after, terms })))(
    '$what: $end',
    ({ answer, end, after, terms }) => {
      const { minutes, asked, records } = after;
      const found = follow(answer, terms, 10);
      expect([found.end, found.minutes]).toEqual([end, minutes]);
      if (asked !== undefined) expect(found.asked).toHaveLength(asked);
      if (records !== undefined) expect(found.course.pages.records).toBe(records);
    },
  );

  test('that is over at once requests each page that fails a few times', () => {
    const stuck = follow(() => other('trouble'), {}, 0);
    expect([stuck.end, stuck.asked]).toEqual(['stuck', [0]]);
    const broken = follow((n) => (n === 1 ? other('trouble') : page(n, 3)), {}, 0);
    expect([broken.end, broken.asked]).toEqual(['broken', [0, 1, 1, 1, 1]]);
  });
});

describe('what a reading says in the end', () => {
  test('a page count that shrinks below the pages that are missing ends it, whole', () => {
    const { end, course } = follow(
      (n, nth) => (n >= 3 ? other('invalid_page') : page(n, nth === 0 || n > 0 ? 5 : 3)),
      { retries: 1 },
      10,
    );
    expect([end, course.isWhole, course.notes]).toEqual([
      'end',
      true,
      ['total_page_count shrank to 3 or less'],
    ]);
    expect([course.state, course.pages.records]).toEqual(['no answer yet', 9]);
  });

  test('page 0 that announces as many pages as before leaves the missing one missing', () => {
    const { end, course } = follow((n) => (n === 3 ? other('invalid_page') : page(n, 5)), {}, 10);
    expect(end).not.toBe('end');
    expect(course.notes).not.toContain('total_page_count shrank to 3 or less');
  });

  test('changed counts are named by the first and the last, and of empty pages the first three', () => {
    const { course } = follow((n) => page(n, n < 4 ? 8 : 9, n > 2 && n < 8 ? 0 : 3), {}, 10);
    expect(course.notes).toEqual([
      'total_page_count changed from 8 to 9',
      ...[3, 4, 5].map((n) => `page ${n} has no records`),
      '2 more pages have no records',
    ]);
  });

  test.each([
    ['no answer', 'no answer yet'],
    ['trouble', 'no answer yet'],
    ['processing', 'processing'],
    ['not_found', 'unknown'],
  ] as const)('after %s its state is %s', (kind, state) => {
    const course = new Course(TERMS, []);
    course.next(0, false);
    if (kind !== 'no answer') course.take(0, other(kind), 0);
    expect(course.state).toBe(state);
  });
});
