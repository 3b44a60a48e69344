/** Asks the user questions at a terminal, by the prompts of clack. */
import { PassThrough } from 'node:stream';
import { InterruptedError } from '../ground/errors.js';
import { visible } from './text.js';

interface Question {
  readonly message: string;
  /** True if the answer is drawn as dots. */
  readonly isSecret?: boolean;
  /** Returns the reason why an answer is invalid, as one sentence; the question is then repeated. */
  readonly refuse: (answer: string) => string | undefined;
}

export interface Questions {
  /**
   * Repeats the question until the answer is valid. Resolves to the trimmed answer.
   *
   * @throws InterruptedError after Ctrl-C, Escape or the end of the input; otherwise the reason of the signal
   */
  ask(question: Question): Promise<string>;
}

interface Keyboard {
  readonly stdin: NodeJS.ReadStream;
  readonly stderr: NodeJS.WriteStream;
}

export function openQuestions({ stdin, stderr }: Keyboard, signal: AbortSignal): Questions {
  // A terminal of unknown width reports 0, at which each letter would get a line of its own.
  const columns = { get: () => stderr.columns || 80 };
  const output = Object.defineProperty(new PassThrough(), 'columns', columns);
  output.pipe(stderr, { end: false });
  return {
    async ask({ message, isSecret = false, refuse }) {
      const { isCancel, password, text } = await import('@clack/prompts');
      signal.throwIfAborted();
      const prompt = {
        message: visible(message),
        input: stdin,
        output,
        signal,
        validate(answer = ''): string | undefined {
          const refused = refuse(answer.trim());
          return refused === undefined ? undefined : visible(refused);
        },
      };
      const answer = await (isSecret ? password({ ...prompt, clearOnError: true }) : text(prompt));
      stdin.pause();
      signal.throwIfAborted();
      if (isCancel(answer)) throw new InterruptedError('Interrupted.', { hint: 'Nothing was written.' });
      return answer.trim();
    },
  };
}
