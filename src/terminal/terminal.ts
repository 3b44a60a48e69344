/**
 * The output for people and logs. Data is written to stdout and all other text to stderr; colour and progress appear only
 * at an interactive terminal.
 *
 * All text from outside is escaped here: callers insert names, notes and paths unchanged, and each call prints one line
 * with control characters escaped (`visible`). The exception is `draw`, which accepts several lines, such as a table, and
 * whose caller must escape the cells.
 */
import { createInterface } from 'node:readline/promises';
import { styleText } from 'node:util';
import { InterruptedError } from '../ground/errors.js';
import { ProgressLine } from './progress-line.js';
import { openQuestions, type Questions } from './questions.js';
import { visible, wrapLine } from './text.js';

export { formatBytes, formatCount, formatDuration, plural } from './text.js';

export interface Terminal {
  /** True if stderr is a terminal. */
  readonly interactive: boolean;
  /** True if data on stdout may be coloured. */
  readonly color: boolean;
  /** Width in columns of the window that shows data; undefined if stdout is not a terminal. */
  readonly width?: number | undefined;
  /** Prints one line of data. JSON stays on one line; text for people is wrapped at words in a narrower window. */
  out(text: string): void;
  /** Prints several lines of data, or coloured ones. The caller must escape text from outside. */
  draw(text: string): void;
  /** Prints one line about the progress of the command. */
  note(text: string, fields?: LogFields): void;
  /** Prints one line that requires attention. */
  warn(text: string, fields?: LogFields): void;
  /** Prints the reason why the command fails, in one line. */
  error(text: string): void;
  /** Writes a line to a structured log only. */
  record(text: string, fields: LogFields): void;
  /**
   * Shows the line at the bottom that changes in place, at a terminal only. An empty step removes it.
   *
   * @param step a clause that describes the current work
   * @param drawing returns the text of the line instead of the step
   */
  progress(step: string): void;
  /**
   * The last non-empty progress text, kept even when output is not a terminal; it names the step at which a run stopped.
   */
  readonly doing: string;
  /**
   * Asks a yes-or-no question; resolves to `false` without a terminal.
   *
   * @throws InterruptedError on Ctrl-C; the signal's reason when it aborts
   */
  confirm(question: string, signal: AbortSignal): Promise<boolean>;
  /** Captures the keyboard for several questions; undefined without a terminal. */
  questions(signal: AbortSignal): Questions | undefined;
}

/** The structured fields of a log line: the name of the event and its numbers. */
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
  // A dumb terminal only appends lines. NO_COLOR and FORCE_COLOR are handled by `hasColors`.
  const movable = interactive && env['TERM'] !== 'dumb';
  const allowsColor = (stream: NodeJS.WriteStream): boolean =>
    stream.isTTY && env['TERM'] !== 'dumb' && stream.hasColors();
  const styled = (style: 'dim' | 'red' | 'yellow', text: string): string =>
    allowsColor(stderr) ? styleText(style, text, { validateStream: false }) : text;
  const bottom = new ProgressLine(stderr, now, (text) => styled('dim', text));
  let doing = '';

  /** Wraps the text at words first and then colours the label, so that colour codes do not count as width. */
  function line(text: string, label = '', style: 'red' | 'yellow' = 'red'): void {
    const whole = wrapLine(`${label}${visible(text)}`, interactive ? stderr.columns || undefined : undefined);
    bottom.above(label === '' ? whole : `${styled(style, label.trimEnd())} ${whole.slice(label.length)}`);
  }

  // A terminal of unknown width reports 0.
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
    record: () => undefined,
    get doing() {
      return doing;
    },
    progress(given) {
      const step = visible(given);
      if (step !== '') doing = step;
      if (!movable) return;
      if (step === '') bottom.end();
      else bottom.show(step);
    },
    async confirm(question, signal) {
      if (!stdin.isTTY || !interactive) return false;
      bottom.end();
      const prompt = createInterface({ input: stdin, output: stderr });
      // While the prompt captures the keyboard, Ctrl-C arrives as an ordinary character.
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
        // Ctrl-D counts as no consent.
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
