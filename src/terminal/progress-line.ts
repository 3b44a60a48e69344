import { formatClock, visible } from './text.js';

/** The text of a step in a window of so many columns. */
export type Drawing = (columns: number) => string;

interface Screen {
  readonly columns: number;
  write(text: string): unknown;
}

/** The shortest time between two drawings, and the longest one, in milliseconds: times that pass are shown too. */
const FRAME_MS = 100;
const TICK_MS = 500;

/** A step that takes longer shows for how long it has been under way, in milliseconds. */
const SOON_MS = 2_000;

export class ProgressLine {
  readonly #screen: Screen;
  readonly #now: () => number;
  readonly #paint: (text: string) => string;
  #step = '';
  #since = 0;
  #drawing: Drawing | undefined;
  #shown = '';
  #drawnAt = -Infinity;
  #timer: NodeJS.Timeout | undefined;

  constructor(screen: Screen, now: () => number, paint: (text: string) => string) {
    this.#screen = screen;
    this.#now = now;
    this.#paint = paint;
  }

  /** @param drawing what the line says; without it the step, and for how long it has been under way */
  show(step: string, drawing?: Drawing): void {
    if (step !== this.#step) this.#since = this.#now();
    this.#step = step;
    this.#drawing = drawing;
    this.#timer ??= setInterval(() => {
      this.#draw();
    }, TICK_MS).unref();
    if (this.#now() - this.#drawnAt >= FRAME_MS) this.#draw();
  }

  /** Writes a line that stays, above this one. */
  above(line: string): void {
    this.#screen.write(`${this.#erasing()}${line}\n`);
    if (this.#step !== '') this.#draw();
  }

  /** Makes way for what another stream writes; the line is there again soon. */
  clear(): void {
    const erasing = this.#erasing();
    if (erasing !== '') this.#screen.write(erasing);
  }

  /** Removes the line for good. */
  end(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#step = '';
    this.#drawing = undefined;
    this.clear();
  }

  #draw(): void {
    this.#drawnAt = this.#now();
    const columns = Math.max(10, this.#screen.columns || 80) - 1;
    // Without letters that are wide, or that a terminal of another encoding cannot show; and never to the last column,
    // since a line that wraps cannot be drawn over.
    const text = visible(this.#text(columns))
      .replace(/[^\x20-\x7e]/g, '?')
      .slice(0, columns);
    if (text === this.#shown) return;
    // In one piece, from the left, so that nothing flickers; where the window became narrower, the old one has wrapped.
    const start = this.#lines() > 1 ? this.#erasing() : '\r';
    this.#screen.write(`${start}${this.#paint(text)}\u001b[K`);
    this.#shown = text;
  }

  #text(columns: number): string {
    const passed = this.#now() - this.#since;
    const step = passed < SOON_MS ? this.#step : `${this.#step}, ${formatClock(passed)}`;
    const text = this.#drawing === undefined ? step : this.#drawing(columns);
    return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
  }

  /** The control sequence that removes the line from the screen. */
  #erasing(): string {
    if (this.#shown === '') return '';
    const up = this.#lines() - 1;
    this.#shown = '';
    return `\r${up > 0 ? `\u001b[${up}A` : ''}\u001b[J`;
  }

  /** How many lines of the window the text takes by now. */
  #lines(): number {
    return Math.max(1, Math.ceil(this.#shown.length / Math.max(1, this.#screen.columns || 80)));
  }
}

/** One part: as it reads best, and as it reads where there is little room. */
export interface Part {
  readonly long: string;
  readonly short: string;
}

/**
 * The parts in one line: all of them long, or else all of them short. Where that is still too wide, the last ones are left
 * out, so that the most important ones come first in `parts`.
 */
export function joinParts(parts: readonly Part[], columns: number): string {
  const line = (some: readonly Part[], form: 'long' | 'short'): string =>
    some.map((part) => part[form]).join(', ');
  const long = line(parts, 'long');
  if (long.length <= columns) return long;
  let kept = parts.length;
  while (kept > 1 && line(parts.slice(0, kept), 'short').length > columns) kept--;
  return line(parts.slice(0, kept), 'short');
}
