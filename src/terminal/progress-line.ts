/** The line at the bottom of a terminal: the current step of a command and its elapsed time. */
import { formatDuration, visible } from './text.js';

interface Screen {
  readonly columns: number;
  write(text: string): unknown;
}

/**
 * The shortest and the longest time between two drawings in milliseconds; the line is redrawn so that elapsed times
 * advance.
 */
const FRAME_MS = 100;
const TICK_MS = 500;

/** Duration in milliseconds after which a step shows its elapsed time. */
const SOON_MS = 2_000;

export class ProgressLine {
  #step = '';
  #since = 0;
  #shown = '';
  #drawnAt = -Infinity;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly screen: Screen,
    private readonly now: () => number,
    private readonly paint: (text: string) => string,
  ) {}

  show(step: string): void {
    if (step !== this.#step) this.#since = this.now();
    this.#step = step;
    this.#timer ??= setInterval(() => {
      this.#draw();
    }, TICK_MS).unref();
    if (this.now() - this.#drawnAt >= FRAME_MS) this.#draw();
  }

  above(line: string): void {
    this.screen.write(`${this.#erasing()}${line}\n`);
    if (this.#step !== '') this.#draw();
  }

  /** Removes the line temporarily while another stream writes; the line is redrawn soon. */
  clear(): void {
    const erasing = this.#erasing();
    if (erasing !== '') this.screen.write(erasing);
  }

  end(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#step = '';
    this.clear();
  }

  #draw(): void {
    this.#drawnAt = this.now();
    const columns = Math.max(10, this.screen.columns || 80) - 1;
    // Contains no wide letters and no letters that a terminal with another encoding cannot show. The last column stays
    // empty, because a wrapped line cannot be overwritten.
    const text = visible(this.#text())
      .replace(/[^\x20-\x7e]/g, '?')
      .slice(0, columns);
    if (text === this.#shown) return;
    // Written in one piece from the left to avoid flicker.
    this.screen.write(`\r${this.paint(text)}\u001b[K`);
    this.#shown = text;
  }

  #text(): string {
    const passed = this.now() - this.#since;
    const step = passed < SOON_MS ? this.#step : `${this.#step}, ${formatDuration(passed)}`;
    return `${step.charAt(0).toUpperCase()}${step.slice(1)}`;
  }

  #erasing(): string {
    if (this.#shown === '') return '';
    this.#shown = '';
    return '\r\u001b[K';
  }
}
