import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { InterruptedError } from '../../src/errors.js';
import { realTerminal, type Streams } from '../../src/terminal/terminal.js';

const QUESTION = 'Request paid exports of 2 days?';

/** A question to a person who presses those keys once they have read it. */
async function asked(keys: string, stop = new AbortController()): Promise<boolean> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()].map((stream) =>
    Object.assign(stream, { isTTY: true, columns: 80 }),
  );
  const streams = { stdin, stdout, stderr } as unknown as Streams;
  const answer = realTerminal(streams, Date.now).confirm(QUESTION, stop.signal);
  stderr?.once('data', () => {
    if (keys === '') stop.abort(new InterruptedError('told to stop'));
    else stdin?.write(keys);
  });
  return answer;
}

test.each([
  ['y\r', true],
  ['yes\r', true],
  ['n\r', false],
  ['\r', false],
  ['sure\r', false],
  ['\u0004', false],
])('%j is taken for %s: nothing but a plain yes is a consent', async (keys, consent) => {
  expect(await asked(keys)).toBe(consent);
});

test('Ctrl-C at the question interrupts', async () => {
  await expect(asked('\u0003')).rejects.toBeInstanceOf(InterruptedError);
});

test('a signal to stop does not wait for the answer', async () => {
  await expect(asked('')).rejects.toThrow('told to stop');
});

test('where nobody looks on the answer is no', async () => {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  const terminal = realTerminal(streams as unknown as Streams, Date.now);
  expect(await terminal.confirm(QUESTION, new AbortController().signal)).toBe(false);
});
