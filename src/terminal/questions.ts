/**
 * Questions to a person at a terminal. The keyboard is read from the first question to the last, also while an answer is
 * being checked: what is typed or pasted ahead is never echoed by the terminal itself, and becomes the next answer.
 */
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { InterruptedError } from '../errors.js';
import type { Streams } from './terminal.js';
import { visible } from './text.js';

export interface Questions {
  /** Aborted, with an `InterruptedError`, by Ctrl-C, by the end of the input, and by what stops the process. */
  readonly signal: AbortSignal;
  /**
   * Asks for one line. The answer comes without spaces around it.
   *
   * @param hidden whether the keys leave no trace on the screen
   * @throws InterruptedError
   */
  ask(question: string, hidden?: boolean): Promise<string>;
  /** Forgets what was typed ahead: after a wrong answer it may be the answer to another question, such as a secret. */
  forget(): void;
  close(): void;
}

/** Opens the keyboard until `close`. */
export function openQuestions(
  { stdin, stderr }: Pick<Streams, 'stdin' | 'stderr'>,
  stop: AbortSignal,
): Questions {
  const stopped = new AbortController();
  const ahead: string[] = [];
  let waiting: { readonly take: (line: string) => void; readonly fail: (reason: Error) => void } | undefined;
  let shown = false;

  const screen = new Writable({
    decodeStrings: false,
    write(text: string | Buffer, _, done) {
      if (shown) stderr.write(text);
      done();
    },
  });
  Object.defineProperty(screen, 'columns', { get: () => stderr.columns });
  const keyboard = createInterface({
    input: stdin,
    output: screen,
    terminal: true,
    // The arrow keys must not bring a secret back.
    historySize: 0,
    // A line that ends with CR and LF is one line, however slowly it comes.
    crlfDelay: Number.POSITIVE_INFINITY,
  });

  const end = (): void => {
    if (stopped.signal.aborted) return;
    const reason = new InterruptedError('Interrupted.', { hint: 'Nothing was written.' });
    stderr.write('\n');
    stopped.abort(reason);
    waiting?.fail(reason);
  };
  keyboard.on('SIGINT', end);
  keyboard.on('close', end);
  stop.addEventListener('abort', end, { once: true });
  keyboard.on('line', (line) => {
    if (waiting === undefined) {
      ahead.push(line);
      return;
    }
    // At once: of a paste, the next line comes before the promise is heard.
    const { take } = waiting;
    waiting = undefined;
    shown = false;
    take(line);
  });

  return {
    signal: stopped.signal,
    async ask(question, hidden = false) {
      stopped.signal.throwIfAborted();
      const prompt = visible(question);
      const typed = ahead.shift();
      if (typed !== undefined) {
        stderr.write(`${prompt}${hidden ? '' : visible(typed)}\n`);
        return typed.trim();
      }
      const line = new Promise<string>((take, fail) => {
        waiting = { take, fail };
      });
      try {
        if (hidden) {
          stderr.write(prompt);
        } else {
          shown = true;
          keyboard.setPrompt(prompt);
          keyboard.prompt(true);
        }
        return (await line).trim();
      } finally {
        if (hidden && !stopped.signal.aborted) stderr.write('\n');
        shown = false;
        waiting = undefined;
      }
    },
    forget() {
      ahead.length = 0;
    },
    close() {
      stop.removeEventListener('abort', end);
      keyboard.off('close', end);
      keyboard.close();
    },
  };
}
