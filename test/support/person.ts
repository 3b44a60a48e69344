/** Simulates a person at a terminal, who reads the screen and answers each question. */
import { PassThrough } from 'node:stream';
import { realTerminal, type Streams, type Terminal } from '../../src/terminal/terminal.js';

export interface Person {
  readonly terminal: Terminal;
  /** Everything that was on the screen. */
  screen(): string;
}

/** @param answers the keys that follow each question, in the order of the questions; `\r` is Enter */
export function personWho(answers: readonly string[]): Person {
  // Wide enough that no sentence wraps.
  const stream = () =>
    Object.assign(new PassThrough(), {
      isTTY: true,
      columns: 1000,
      hasColors: () => true,
      setRawMode: () => undefined,
    });
  const [stdin, stdout, stderr] = [stream(), stream(), stream()];
  const left = [...answers];
  let screen = '';
  stderr.setEncoding('utf8').on('data', (text: string) => {
    screen += text;
    // A new question hides the cursor first; a refused answer has a mark.
    if (!/\[\?25l$|▲/.test(text)) return;
    const next = left.shift();
    if (next === undefined) stdin.end();
    else setImmediate(() => stdin.write(next));
  });
  return {
    terminal: realTerminal({ stdin, stdout, stderr, env: { TERM: 'xterm' } } as unknown as Streams, Date.now),
    screen: () => screen,
  };
}
