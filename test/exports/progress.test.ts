/** What a person reads while exports are generated and downloaded. */
import { expect, test } from 'vitest';
import { ExportsProgress } from '../../src/exports/progress.js';
import type { Spending } from '../../src/exports/budget.js';

const MONTH: Spending = { scope: 'month', records: 340_000, limit: 1_000_000, price: 0 };

/** A clock, and the line that stands at the bottom of a window by now. */
function watched(spent: Spending | null = MONTH): {
  progress: ExportsProgress;
  pass: (ms: number) => void;
  line: (columns?: number) => string;
} {
  let now = 0;
  let drawing: (columns: number) => string = () => '';
  const progress = new ExportsProgress({
    effects: { now: () => new Date(now) },
    spent: () => spent ?? undefined,
    terminal: {
      progress: (step, given) => {
        drawing = given ?? (() => step);
      },
    },
  });
  return { progress, pass: (ms) => (now += ms), line: (columns = 200) => drawing(columns) };
}

test('while an export is generated: its day, what the service says, since when, and what is spent', () => {
  const { progress, pass, line } = watched();
  progress.began('2026-11-20', 5_000);
  progress.waiting('2026-11-20', 'processing');
  pass(95_000);
  expect(line()).toBe(
    'waiting for the export of 2026-11-20, processing, 1:35 so far, spent 340,000 of 1,000,000 records this month',
  );
});

test('while its pages arrive: pages, events, rate and time left', () => {
  const { progress, pass, line } = watched({ ...MONTH, price: 34_000 });
  progress.began('2026-11-20', 300_000);
  pass(600_000);
  progress.ready('2026-11-20', 300, 0, 0);
  for (let page = 1; page <= 120; page++) {
    pass(100);
    progress.page('2026-11-20', page, 300, 1_000);
  }
  expect(line()).toBe(
    'events of 2026-11-20: page 120 of 300, 120,000 events, 10,000 events/s, 0:18 left, ' +
      'spent 340,000 of 1,000,000 records this month (price 34,000)',
  );
  expect(line(79)).toBe('2026-11-20 page 120/300, 120k events, 10k/s, 0:18 left, paid 340k/1M (34k)');
});

test('the days that come after count in the time that is left', () => {
  const { progress, pass, line } = watched(null);
  progress.queued([100_000, undefined, 100_000]);
  progress.began('2026-11-20', 100_000);
  pass(10_000);
  progress.ready('2026-11-20', 100, 0, 0);
  for (let page = 1; page <= 50; page++) {
    pass(200);
    progress.page('2026-11-20', page, 100, 1_000);
  }
  // Ten seconds for the other pages, and 20 s for each 50,000 events of the days after them.
  expect(line()).toMatch(/5,000 events\/s, 1:30 left$/);
});

test('pages of several days count as one, and a day that has ended counts no more', () => {
  const { progress, line } = watched(null);
  for (const day of ['2026-11-20', '2026-11-19'] as const) {
    progress.began(day, 2_000);
    progress.ready(day, 2, 1, 1_000);
  }
  expect(line()).toBe('events of 2 days: page 2 of 4, 2,000 events');
  progress.ended('2026-11-20');
  expect(line()).toBe('events of 2026-11-19: page 1 of 2, 1,000 events');
  progress.page('2026-11-19', 2, 2, 1_000);
  expect(line()).toBe('loading events of 2026-11-19, 2,000 events');
});

test('while nothing arrives no time left is shown, since it would only grow', () => {
  const { progress, pass, line } = watched(null);
  progress.queued([100_000]);
  progress.began('2026-11-20', 100_000);
  progress.ready('2026-11-20', 100, 0, 0);
  for (let page = 1; page <= 100; page++) {
    pass(100);
    progress.page('2026-11-20', page, 100, 1_000);
  }
  progress.ended('2026-11-20');
  progress.began('2026-11-19', 100_000);
  for (let i = 0; i < 5; i++) {
    pass(30_000);
    progress.waiting('2026-11-19', 'processing');
    expect(line()).not.toContain('left');
  }
  progress.ready('2026-11-19', 100, 0, 0);
  pass(20_000);
  expect(line()).not.toContain('left');
});
