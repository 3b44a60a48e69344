/**
 * The output for people and logs. Data is written to stdout and all other text to stderr; color and progress appear
 * only at an interactive terminal.
 *
 * All text from outside is escaped here: callers insert names, notes and paths unchanged, and each call prints one line
 * with control characters escaped (`visible`). The exception is `draw`, which accepts several lines, such as a table,
 * and whose caller must escape the cells.
 */
import { PassThrough } from 'node:stream';
import { styleText } from 'node:util';
import { formatKst } from '../ground/calendar.js';
import type { Environment } from '../ground/effects.js';
import { InterruptedError } from '../ground/errors.js';
import { shownText } from '../ground/text.js';
import { visible, wrapLine, formatDuration } from './text.js';

export { formatBytes, formatCount, formatDuration, plural } from './text.js';

export interface Terminal {
  /** True if data on stdout may have colors. */
  readonly color: boolean;
  /** Width in columns of the window that shows the data; undefined if stdout is not a terminal. */
  readonly width?: number | undefined;
  /** Prints one line of data. JSON stays on one line; text for people is wrapped in a narrow window. */
  out(text: string): void;
  draw(text: string): void;
  /** Adds global options to the commands in a text that the caller draws (`repeating`). */
  readonly complete?: (text: string) => string;
  note(text: string, fields?: LogFields): void;
  warn(text: string, fields?: LogFields): void;
  error(text: string): void;
  /** Writes a line to a structured log only. */
  record(text: string, fields: LogFields): void;
  /** Shows what is being done, as a clause on the last line of a terminal. An empty step removes the line. */
  progress(step: string): void;
  /** The current step, also if output is not a terminal, so that an interruption can name it. */
  readonly doing: string;
  /**
   * Asks a yes-or-no question. Anything but a plain yes means no. Without a terminal, resolves with `false`.
   *
   * @throws InterruptedError as `ask` does
   */
  confirm(question: string, signal: AbortSignal): Promise<boolean>;
  /**
   * Repeats a question until the answer is valid. Resolves with the trimmed answer. Undefined without a terminal.
   *
   * @throws InterruptedError after Ctrl-C, Escape or the end of the input; otherwise the reason of the signal
   */
  readonly ask?: ((question: Question, signal: AbortSignal) => Promise<string>) | undefined;
}

interface Question {
  readonly message: string;
  readonly isSecret?: boolean;
  readonly refuse: (answer: string) => string | undefined;
}

type LogFields = Readonly<Record<string, string | number | null | undefined>>;

export interface Streams {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: Environment;
}

const LABELS = { note: '', warn: 'warning: ', error: 'dawnload: ' } as const;

/** Maximum number of characters in a note, warning or error, because a message may quote a value of any length. */
const LONGEST_LINE = 10_000;

export function realTerminal({ stdin, stdout, stderr, env }: Streams, now: () => number): Terminal {
  const interactive = stderr.isTTY;
  // A dumb terminal can only append lines. `hasColors` handles NO_COLOR and FORCE_COLOR.
  const movable = interactive && env['TERM'] !== 'dumb';
  const allowsColor = (stream: NodeJS.WriteStream): boolean =>
    // For a pipe, `isTTY` is undefined.
    stream.isTTY ? env['TERM'] !== 'dumb' && stream.hasColors() : false;
  const styled = (style: 'dim' | 'red' | 'yellow', text: string): string =>
    allowsColor(stderr) ? styleText(style, text, { validateStream: false }) : text;
  const bottom = new ProgressLine(stderr, now, (text) => styled('dim', text));
  let doing = '';
  let prompts: PassThrough | undefined;

  /** Wraps the text first and colors the label afterwards, so that color codes do not count as width. */
  function line(text: string, label = '', style: 'red' | 'yellow' = 'red'): void {
    const whole = wrapLine(`${label}${visible(shownText(text, LONGEST_LINE))}`, columnsOf(stderr));
    bottom.above(label === '' ? whole : `${styled(style, label.trimEnd())} ${whole.slice(label.length)}`);
  }

  // A terminal of unknown width reports 0.
  const columnsOf = (stream: NodeJS.WriteStream): number | undefined =>
    stream.isTTY ? stream.columns || undefined : undefined;

  function draw(text: string): void {
    bottom.clear();
    stdout.write(`${text}\n`);
  }

  const canAsk = stdin.isTTY && interactive;

  async function ask(
    { message, isSecret = false, refuse }: Question,
    signal: AbortSignal,
    hint = 'Nothing was written.',
  ): Promise<string> {
    bottom.end();
    const { isCancel, password, text } = await import('@clack/prompts');
    signal.throwIfAborted();
    // Ctrl-D closes the input; without this, clack would wait forever.
    const closed = new AbortController();
    const close = (key: string | undefined): void => {
      if (key === '\u0004') closed.abort();
    };
    stdin.on('keypress', close);
    const prompt = {
      message: visible(message),
      input: stdin,
      output: (prompts ??= promptsTo(stderr)),
      signal: AbortSignal.any([signal, closed.signal]),
      validate(answer = ''): string | undefined {
        const refused = refuse(answer.trim());
        return refused === undefined ? undefined : visible(refused);
      },
    };
    const answer = await (isSecret ? password({ ...prompt, clearOnError: true }) : text(prompt));
    stdin.off('keypress', close).pause();
    signal.throwIfAborted();
    if (isCancel(answer)) throw new InterruptedError('Interrupted.', { hint });
    return answer.trim();
  }

  return {
    color: allowsColor(stdout),
    get width() {
      return columnsOf(stdout);
    },
    out(text) {
      draw(/^[[{]/.test(text) ? visible(text) : wrapLine(visible(text), columnsOf(stdout)));
    },
    draw,
    note(text) {
      line(text);
    },
    warn(text) {
      line(text, LABELS.warn, 'yellow');
    },
    error(text) {
      line(text, LABELS.error);
    },
    record: () => undefined,
    get doing() {
      return doing;
    },
    progress(text) {
      const step = visible(text);
      if (step !== '') doing = step;
      if (!movable) return;
      if (step === '') bottom.end();
      else bottom.show(step);
    },
    async confirm(message, signal) {
      if (!canAsk) return false;
      const question = { message: `${message} [y/N]`, refuse: () => undefined };
      const answer = await ask(question, signal, 'Nothing was agreed to. Completed steps are kept.');
      return /^y(es)?$/i.test(answer);
    },
    ask: canAsk ? ask : undefined,
  };
}

/** A terminal of unknown width reports 0, and clack would print one letter per line. */
function promptsTo(stderr: NodeJS.WriteStream): PassThrough {
  const columns = { get: () => stderr.columns || 80 };
  const output = Object.defineProperty(new PassThrough(), 'columns', columns);
  output.pipe(stderr, { end: false });
  return output;
}

export function quiet(terminal: Terminal): Terminal {
  return { ...live(terminal), note: () => undefined, record: () => undefined };
}

/**
 * Returns a terminal that adds the global options to each printed command (`dawnload run`), so that you can copy it. Leaves JSON and drawn
 * tables unchanged, and the commands that choose their own settings.
 */
export function repeating(terminal: Terminal, options: string): Terminal {
  const full = (text: string): string =>
    text.replaceAll(/`dawnload (?!help|demo|init)[^`]*(?=`)/g, (command) => `${command} ${options}`);
  return {
    ...live(terminal),
    complete: full,
    out(text) {
      terminal.out(/^[[{]/.test(text) ? text : full(text));
    },
    note(text, fields) {
      terminal.note(full(text), fields);
    },
    warn(text, fields) {
      terminal.warn(full(text), fields);
    },
    error(text) {
      terminal.error(full(text));
    },
  };
}

/** Returns a terminal that starts each note, warning and error with the time in Korea. */
export function timed(terminal: Terminal, now: () => Date): Terminal {
  const stamped = (way: keyof typeof LABELS) => (text: string) => {
    terminal.note(`${formatKst(now(), 'seconds')} ${LABELS[way]}${text}`);
  };
  return { ...live(terminal), note: stamped('note'), warn: stamped('warn'), error: stamped('error') };
}

/** A copy whose current step and width always follow the original. */
const live = (terminal: Terminal): Terminal => ({
  ...terminal,
  get doing() {
    return terminal.doing;
  },
  get width() {
    return terminal.width;
  },
});

/** A terminal that writes notes, warnings and errors as JSON lines. Data on stdout is unchanged. */
export function jsonLog(
  terminal: Terminal,
  { runId, now }: { readonly runId: string; readonly now: () => Date },
  write: (line: string) => void,
): Terminal {
  const log =
    (level: 'info' | 'warning' | 'error') =>
    (message: string, fields: LogFields = {}): void => {
      const { event = level === 'info' ? 'note' : level, ...rest } = fields;
      const head = {
        time: now().toISOString(),
        run_id: runId,
        level,
        event,
        message: shownText(message.trim(), LONGEST_LINE),
      };
      write(`${JSON.stringify({ ...head, ...rest })}\n`);
    };
  let doing = '';
  return {
    ...terminal,
    color: false,
    note: log('info'),
    warn: log('warning'),
    error: log('error'),
    record: log('info'),
    get doing() {
      return doing;
    },
    progress(text) {
      if (text !== '') doing = text;
    },
    confirm: () => Promise.resolve(false),
    ask: undefined,
  };
}

interface Screen {
  readonly columns: number;
  write(text: string): unknown;
}

/** Minimum and maximum time between two drawings in milliseconds. The line is redrawn so that the elapsed time advances. */
const FRAME_MS = 100;
const TICK_MS = 500;

/** After this number of milliseconds, a step shows its elapsed time. */
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

  /** Removes the line while another stream writes. It is redrawn soon. */
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
    // Leave out wide letters and letters that a terminal with another encoding cannot show. Leave the last column empty, because a wrapped
    // line cannot be overwritten.
    const text = visible(this.#text())
      .replace(/[^\x20-\x7e]/g, '?')
      .slice(0, columns);
    if (text === this.#shown) return;
    // Write one piece from the left, to avoid flicker.
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
