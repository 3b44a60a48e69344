/**
 * Questions to a person at a terminal, drawn by clack. The keyboard is held from the first question to the last, also while
 * an answer is being checked: text that is typed or pasted ahead is never echoed by the terminal itself, and becomes the
 * next answers, one line each.
 */
import { PassThrough, Writable } from 'node:stream';
import { InterruptedError } from '../errors.js';
import type { Streams } from './terminal.js';
import { visible } from './text.js';

interface Question {
  readonly message: string;
  /** The answer that Enter stands for; `refuse` is then asked about the empty text. */
  readonly offered?: string | undefined;
  /** Whether the answer is drawn as dots. */
  readonly isSecret?: boolean;
  /** Why an answer cannot be taken, in one sentence; it is asked for again. */
  readonly refuse: (answer: string) => string | undefined;
}

export interface Questions {
  /** Aborted by Ctrl-C and the end of the input (with an `InterruptedError`), by `fail`, and by the end of the process. */
  readonly signal: AbortSignal;
  /**
   * Asks until the answer is not refused. Resolves with it, without spaces around it, or with the offered one.
   *
   * @throws the reason of the signal
   */
  ask(question: Question): Promise<string>;
  /** Forgets what was typed ahead: after a refused answer it may answer another question, and be a secret. */
  forget(): void;
  /** Ends the questions: `ask` throws the reason. */
  fail(reason: Error): void;
  close(): void;
}

/** Opens the keyboard until `close`. */
export function openQuestions(
  { stdin, stderr }: Pick<Streams, 'stdin' | 'stderr'>,
  stop: AbortSignal,
): Questions {
  const stopped = new AbortController();
  /** Text that was typed before its question; a return ends each line. */
  let ahead = '';
  let afterReturn = false;
  /** The keyboard of the question that waits for a line. */
  let waiting: PassThrough | undefined;

  const screen = new Writable({
    decodeStrings: false,
    write(text: string | Buffer, _, done) {
      stderr.write(text);
      done();
    },
  });
  // A terminal that does not know its width says 0.
  Object.defineProperty(screen, 'columns', { get: () => stderr.columns || 80 });

  function type(chunk: string): void {
    // Ctrl-C and Ctrl-D, which are keys like any other here.
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
    // The rest is the answer to the next question.
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
      // Escape leaves a question as Ctrl-C does.
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
