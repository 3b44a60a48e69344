/**
 * What a person or a log sees. Data goes to stdout and everything else to stderr; colour and progress only at an
 * interactive terminal.
 *
 * It is the one gate for text from outside: callers interpolate names, notes and paths as they are, and each call prints
 * one line with control characters escaped (`visible`). Only `draw` takes several lines, a table, whose caller escapes
 * its cells.
 */
import { createInterface } from 'node:readline/promises';
import { styleText } from 'node:util';
import { InterruptedError } from '../errors.js';
import { openQuestions, type Questions } from './questions.js';
import { visible } from './visible.js';

export interface Terminal {
  /** Whether stderr is a terminal: progress and colour make sense. */
  readonly interactive: boolean;
  /** One line of data, such as JSON. */
  out(text: string): void;
  /** Several lines of data, or coloured ones, in which the caller has escaped text from outside. */
  draw(text: string): void;
  /** One line about what is going on. */
  note(text: string, fields?: LogFields): void;
  /** One line that deserves attention. */
  warn(text: string, fields?: LogFields): void;
  /** The line that says why the command fails. */
  error(text: string): void;
  /** The line at the bottom that changes in place, at a terminal only. An empty text removes it. */
  progress(text: string): void;
  /** The last progress that was not empty, also without a terminal: the step at which a run stopped. */
  readonly doing: string;
  /**
   * Asks a yes-or-no question; `no` without a terminal.
   *
   * @throws InterruptedError on Ctrl-C; the signal's reason when it aborts
   */
  confirm(question: string, signal: AbortSignal): Promise<boolean>;
  /** Opens the keyboard for several questions; undefined without a terminal. */
  questions(signal: AbortSignal): Questions | undefined;
}

/** What a log for collectors says beside the sentence: the name of what happened, and its numbers. */
export type LogFields = Readonly<Record<string, string | number | null | undefined>>;

export interface Streams {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

/** The shortest time between two drawings of the changing line, in milliseconds. */
const FRAME_MS = 80;

const NOTHING_PAID = 'No paid request was sent. Completed steps are kept.';

/** The terminal of this process. */
export function realTerminal({ stdin, stdout, stderr }: Streams, now: () => number): Terminal {
  const interactive = stderr.isTTY;
  let shown = '';
  let doing = '';
  let drawnAt = 0;

  function clear(): void {
    if (shown !== '') stderr.write('\r\u001b[2K');
    shown = '';
  }

  function line(text: string): void {
    clear();
    stderr.write(`${text}\n`);
  }

  function draw(text: string): void {
    clear();
    stdout.write(`${text}\n`);
  }

  return {
    interactive,
    out(text) {
      draw(visible(text));
    },
    draw,
    note(text) {
      line(visible(text));
    },
    warn(text) {
      line(`${interactive ? styleText('yellow', 'warning:') : 'warning:'} ${visible(text)}`);
    },
    error(text) {
      line(`${interactive ? styleText('red', 'dawnload:') : 'dawnload:'} ${visible(text)}`);
    },
    get doing() {
      return doing;
    },
    progress(given) {
      const text = visible(given);
      if (text !== '') doing = text;
      if (!interactive) return;
      if (text === '') {
        clear();
        return;
      }
      if (text === shown || now() - drawnAt < FRAME_MS) return;
      drawnAt = now();
      clear();
      // A line longer than the window would wrap, and a wrapped line cannot be drawn over.
      shown = text.slice(0, Math.max(10, stderr.columns - 1));
      stderr.write(styleText('dim', shown));
    },
    async confirm(question, signal) {
      if (!stdin.isTTY || !interactive) return false;
      clear();
      const prompt = createInterface({ input: stdin, output: stderr });
      // While the prompt holds the keyboard, Ctrl-C is a key like any other.
      const key = new AbortController();
      prompt.on('SIGINT', () => {
        key.abort();
      });
      try {
        const answer = await prompt.question(`${visible(question)} [y/N] `, {
          signal: AbortSignal.any([signal, key.signal]),
        });
        return /^y(es)?$/i.test(answer.trim());
      } catch (cause) {
        stderr.write('\n');
        signal.throwIfAborted();
        if (key.signal.aborted) throw new InterruptedError('Interrupted.', { hint: NOTHING_PAID, cause });
        // Ctrl-D: no answer is no consent.
        return false;
      } finally {
        prompt.close();
      }
    },
    questions(signal) {
      if (!stdin.isTTY || !interactive) return undefined;
      clear();
      return openQuestions({ stdin, stderr }, signal);
    },
  };
}

/** A count for people: `1,234,567`. */
export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}

/** `1 day`, `2 days`. */
export function plural(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** Bytes for people: `1.4 MB`. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const value = bytes / 1000 ** power;
  return `${value.toFixed(power === 0 || value >= 100 ? 0 : 1)} ${units[power] ?? 'B'}`;
}

/** A stretch of time for people: `3 days`, `2 h 13 min`, `42 s`. */
export function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  if (minutes >= 48 * 60) return `${Math.floor(minutes / (24 * 60))} days`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
