/**
 * The output for a person or a log. Data goes to stdout and everything else to stderr; colour and progress only at an
 * interactive terminal.
 *
 * It is the one gate for text from outside: callers interpolate names, notes and paths as they are, and each call prints
 * one line with control characters escaped (`visible`). Only `draw` takes several lines, a table, whose caller escapes
 * its cells.
 */
import { createInterface } from 'node:readline/promises';
import { styleText } from 'node:util';
import { InterruptedError } from '../errors.js';
import { ProgressLine, type Drawing } from './progress-line.js';
import { openQuestions, type Questions } from './questions.js';
import { visible, wrapLine } from './text.js';

export { formatBytes, formatCount, formatDuration, plural } from './text.js';

export interface Terminal {
  /** Whether stderr is a terminal: somebody looks on. */
  readonly interactive: boolean;
  /** Whether data on stdout may have colours. */
  readonly color: boolean;
  /** The columns of the window that shows data; undefined where it goes elsewhere. */
  readonly width?: number | undefined;
  /** One line of data. JSON stays one line; text for people is broken at words where the window is narrower. */
  out(text: string): void;
  /** Several lines of data, or coloured ones, in which the caller has escaped text from outside. */
  draw(text: string): void;
  /** One line about what is going on. */
  note(text: string, fields?: LogFields): void;
  /** One line that deserves attention. */
  warn(text: string, fields?: LogFields): void;
  /** The line that says why the command fails. */
  error(text: string): void;
  /** A note for those who look on and for a log of fields; a plain log has the sums at the end. */
  finished(text: string, fields: LogFields): void;
  /** A line for a log of fields alone. */
  record(text: string, fields: LogFields): void;
  /**
   * The line at the bottom that changes in place, at a terminal only. An empty step removes it.
   *
   * @param step what is going on, as a clause
   * @param drawing what the line says instead of the step
   */
  progress(step: string, drawing?: Drawing): void;
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

/** The fields of a log line beside its sentence: the name of the event, and its numbers. */
export type LogFields = Readonly<Record<string, string | number | null | undefined>>;

export interface Streams {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const NOTHING_PAID = 'No paid request was sent. Completed steps are kept.';

/** The terminal of this process. */
export function realTerminal({ stdin, stdout, stderr, env }: Streams, now: () => number): Terminal {
  const interactive = stderr.isTTY;
  // A dumb terminal prints one line after the other. NO_COLOR and FORCE_COLOR are looked at by `hasColors`.
  const movable = interactive && env['TERM'] !== 'dumb';
  const allowsColor = (stream: NodeJS.WriteStream): boolean =>
    stream.isTTY && env['TERM'] !== 'dumb' && stream.hasColors();
  const styled = (style: 'dim' | 'red' | 'yellow', text: string): string =>
    allowsColor(stderr) ? styleText(style, text, { validateStream: false }) : text;
  const bottom = new ProgressLine(stderr, now, (text) => styled('dim', text));
  let doing = '';

  /** Lines break at words, and the color of a label is put on afterwards: it takes no room. */
  function line(text: string, label = '', style: 'red' | 'yellow' = 'red'): void {
    const whole = wrapLine(`${label}${visible(text)}`, interactive ? stderr.columns || undefined : undefined);
    bottom.above(label === '' ? whole : `${styled(style, label.trimEnd())} ${whole.slice(label.length)}`);
  }

  // A terminal that does not know its width says 0.
  const widthNow = (): number | undefined => (stdout.isTTY ? stdout.columns || undefined : undefined);

  function draw(text: string): void {
    bottom.clear();
    stdout.write(`${text}\n`);
  }

  return {
    interactive,
    color: allowsColor(stdout),
    get width() {
      return widthNow();
    },
    out(text) {
      draw(/^[[{]/.test(text) ? visible(text) : wrapLine(visible(text), widthNow()));
    },
    draw,
    note(text) {
      line(text);
    },
    warn(text) {
      line(text, 'warning: ', 'yellow');
    },
    error(text) {
      line(text, 'dawnload: ');
    },
    finished(text) {
      if (interactive) line(text);
    },
    record: () => undefined,
    get doing() {
      return doing;
    },
    progress(given, drawing) {
      const step = visible(given);
      if (step !== '') doing = step;
      if (!movable) return;
      if (step === '') bottom.end();
      else bottom.show(step, drawing);
    },
    async confirm(question, signal) {
      if (!stdin.isTTY || !interactive) return false;
      bottom.end();
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
      bottom.end();
      return openQuestions({ stdin, stderr }, signal);
    },
  };
}
