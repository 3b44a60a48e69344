/**
 * Asks the user questions at a terminal, drawn by clack. The keyboard is captured from the first question to the last,
 * also while an answer is checked: the terminal itself never echoes text that is typed or pasted ahead, and each line of
 * that text answers one of the next questions.
 */
import { PassThrough, Writable } from 'node:stream';
import { InterruptedError } from '../errors.js';
import type { Streams } from './terminal.js';
import { visible } from './text.js';

interface Question {
  readonly message: string;
  /** The default answer for Enter; `refuse` is then called with the empty text. */
  readonly offered?: string | undefined;
  /** True if the answer is drawn as dots. */
  readonly isSecret?: boolean;
  /** Returns the reason why an answer is invalid, as one sentence; the question is then repeated. */
  readonly refuse: (answer: string) => string | undefined;
}

export interface Questions {
  /** Aborted by Ctrl-C or the end of the input (with an `InterruptedError`), by `fail`, and by the end of the process. */
  readonly signal: AbortSignal;
  /**
   * Repeats the question until the answer is valid. Resolves to the trimmed answer, or to the default.
   *
   * @throws the reason of the signal
   */
  ask(question: Question): Promise<string>;
  /**
   * Discards text that was typed ahead. After a refused answer that text may belong to another question and may be a
   * secret.
   */
  forget(): void;
  /** Ends the questions; `ask` then throws the reason. */
  fail(reason: Error): void;
  close(): void;
}

/** Captures the keyboard until `close` is called. */
export function openQuestions(
  { stdin, stderr }: Pick<Streams, 'stdin' | 'stderr'>,
  stop: AbortSignal,
): Questions {
  const stopped = new AbortController();
  /** Text that was typed before its question; a carriage return ends each line. */
  let ahead = '';
  let afterReturn = false;
  /** The input of the question that waits for a line. */
  let waiting: PassThrough | undefined;

  const screen = new Writable({
    decodeStrings: false,
    write(text: string | Buffer, _, done) {
      stderr.write(text);
      done();
    },
  });
  // A terminal of unknown width reports 0.
  Object.defineProperty(screen, 'columns', { get: () => stderr.columns || 80 });

  function type(chunk: string): void {
    // Ctrl-C and Ctrl-D arrive as ordinary characters, because the keyboard is captured.
    if (['\u0003', '\u0004'].some((key) => chunk.includes(key))) {
      interrupt();
      return;
    }
    ahead += (afterReturn ? chunk.replace(/^\n/, '') : chunk).replace(/\r?\n/g, '\r');
    afterReturn = chunk.endsWith('\r');
    feed();
  }

  function feed(): void {
    if (waiting === undefined || ahead === '') return;
    const keyboard = waiting;
    const end = ahead.indexOf('\r') + 1;
    const keys = end === 0 ? ahead : ahead.slice(0, end);
    ahead = ahead.slice(keys.length);
    // The rest answers the next question.
    if (end > 0) waiting = undefined;
    keyboard.write(keys);
  }

  function interrupt(): void {
    stopped.abort(new InterruptedError('Interrupted.', { hint: 'Nothing was written.' }));
  }

  stdin.setEncoding('utf8').on('data', type).on('end', interrupt);
  stdin.setRawMode(true);
  stop.addEventListener('abort', interrupt, { once: true });
  return {
    signal: stopped.signal,
    async ask({ message, offered, isSecret = false, refuse }) {
      const { isCancel, password, text } = await import('@clack/prompts');
      stopped.signal.throwIfAborted();
      const input = new PassThrough();
      const prompt = {
        message: visible(message),
        input,
        output: screen,
        signal: stopped.signal,
        validate(answer = ''): string | undefined {
          const refused = refuse(answer.trim());
          if (refused === undefined) return undefined;
          ahead = '';
          waiting = input;
          return visible(refused);
        },
      };
      const offer = offered === undefined ? {} : { placeholder: visible(offered), defaultValue: offered };
      const answered = isSecret ? password({ ...prompt, clearOnError: true }) : text({ ...prompt, ...offer });
      waiting = input;
      feed();
      const answer = await answered;
      waiting = undefined;
      // Escape cancels a question like Ctrl-C.
      if (isCancel(answer)) interrupt();
      stopped.signal.throwIfAborted();
      return String(answer).trim();
    },
    forget() {
      ahead = '';
    },
    fail(reason) {
      stopped.abort(reason);
    },
    close() {
      stop.removeEventListener('abort', interrupt);
      stdin.off('data', type).off('end', interrupt).pause();
      stdin.setRawMode(false);
    },
  };
}
