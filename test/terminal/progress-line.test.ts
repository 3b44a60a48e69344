import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ProgressLine } from '../../src/terminal/terminal.js';

beforeEach(() => vi.useFakeTimers({ now: 0 }));
afterEach(() => vi.useRealTimers());

/** A screen of so many columns that keeps what is written to it. */
function screenOf(columns: number): { columns: number; written: string[]; write: (text: string) => void } {
  const written: string[] = [];
  return { columns, written, write: (text) => void written.push(text) };
}

function lineOn(screen: ReturnType<typeof screenOf>): ProgressLine {
  return new ProgressLine(screen, Date.now, (text) => text);
}

test('a step that lasts shows for how long, and its line goes when it ends', () => {
  const screen = screenOf(80);
  const line = lineOn(screen);
  line.show('modeling');
  vi.advanceTimersByTime(65_000);
  expect(screen.written.at(0)).toBe('\rModeling\u001b[K');
  expect(screen.written.at(-1)).toBe('\rModeling, 1 min\u001b[K');
  line.end();
  expect(screen.written.at(-1)).toBe('\r\u001b[K');
  const { length } = screen.written;
  vi.advanceTimersByTime(65_000);
  expect(screen.written).toHaveLength(length);
});

test('a line is never wider than the window, and has no letter that is wide', () => {
  const screen = screenOf(20);
  lineOn(screen).show('캠페인 of a very long name indeed');
  expect(screen.written).toEqual(['\r??? of a very long \u001b[K']);
});

test('many pages are drawn ten times a second, and the last one is not forgotten', () => {
  const screen = screenOf(80);
  const line = lineOn(screen);
  for (let page = 1; page <= 999; page++) {
    line.show(`page ${page}`);
    vi.advanceTimersByTime(1);
  }
  expect(screen.written.length).toBeLessThanOrEqual(13);
  vi.advanceTimersByTime(1000);
  expect(screen.written.at(-1)).toBe('\rPage 999\u001b[K');
});
