import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { InterruptedError } from '../../src/ground/errors.js';
import { realTerminal, repeating, type Streams, type Terminal } from '../../src/terminal/terminal.js';
import { personWho } from '../support/person.js';

const QUESTION = 'Request paid exports of 2 days?';

/** A question to a person who presses those keys once they have read it. */
function asked(keys: string, signal = new AbortController().signal): Promise<boolean> {
  return personWho([keys]).terminal.confirm(QUESTION, signal);
}

test.each([
  ['yes\r', true],
  ['n\r', false],
  ['sure\r', false],
  ['\r', false],
])('%j is taken for %s: nothing but a plain yes is a consent', async (keys, consent) => {
  expect(await asked(keys)).toBe(consent);
});

test.each(['\u0003', '\u0004'])('%j at the question interrupts', async (keys) => {
  await expect(asked(keys)).rejects.toBeInstanceOf(InterruptedError);
});

test('a signal to stop does not wait for the answer', async () => {
  const stop = new AbortController();
  setTimeout(() => {
    stop.abort(new InterruptedError('told to stop'));
  }, 300);
  await expect(asked('not yet', stop.signal)).rejects.toThrow('told to stop');
});

/** What a terminal shows of those calls, as bytes; time does not pass. */
function shown(use: (terminal: Terminal) => void, env: Record<string, string> = {}, colors = true): string {
  const written: string[] = [];
  const stream = {
    isTTY: true,
    columns: 40,
    hasColors: () => colors,
    write: (text: string) => written.push(text),
  };
  const streams = { stdin: stream, stdout: stream, stderr: stream, env } as unknown as Streams;
  const terminal = realTerminal(streams, () => 0);
  use(terminal);
  terminal.progress('');
  return written.join('');
}

test('a note stands above the line of progress, which is gone at the end', () => {
  const bytes = shown(
    (terminal) => {
      terminal.progress('modeling');
      terminal.note('A note.');
    },
    {},
    false,
  );
  expect(bytes).toBe('\rModeling\u001b[K\r\u001b[KA note.\n\rModeling\u001b[K\r\u001b[K');
});

test('a dumb terminal gets lines only, and one without colours no colours', () => {
  const use = (terminal: Terminal): void => {
    terminal.progress('modeling');
    terminal.warn('Careful.');
  };
  expect(shown(use, { TERM: 'dumb' })).toBe('warning: Careful.\n');
  expect(shown(use, {}, false)).not.toContain('\u001b[33m');
  expect(shown(use)).toContain('\u001b[33mwarning:');
});

test('lines break at words where the window is narrower, below the text beside a label, and JSON stays one line', () => {
  const long = 'No paid request is sent before the statistics of that day are there.';
  const by = (use: 'note' | 'out' | 'warn', text: string): string =>
    shown((terminal) => {
      terminal[use](text);
    });
  expect(by('note', long)).toBe('No paid request is sent before the\n  statistics of that day are there.\n');
  expect(by('out', `  events      ${long}`)).toBe(
    ['  events      No paid request is sent', 'before the statistics of', 'that day are there.\n'].join(
      '\n              ',
    ),
  );
  // The color of the label takes no room.
  expect(by('warn', long)).toBe(
    '\u001b[33mwarning:\u001b[39m No paid request is sent before\n  the statistics of that day are there.\n',
  );
  expect(by('out', JSON.stringify({ long }))).toBe(`{"long":"${long}"}\n`);
});

test('where nobody looks on the answer is no', async () => {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough(), env: {} };
  const terminal = realTerminal(streams as unknown as Streams, Date.now);
  expect(await terminal.confirm(QUESTION, new AbortController().signal)).toBe(false);
});

test('printed commands repeat the given global options, except in JSON and where a command chooses its own', () => {
  const repeated = (way: 'out' | 'note' | 'warn' | 'error', text: string): string =>
    shown(
      (terminal) => {
        repeating(terminal, '--config a.yaml')[way](text);
      },
      {},
      false,
    );
  for (const way of ['out', 'note', 'warn', 'error'] as const)
    expect(repeated(way, 'Run `dawnload recover`.').replace(/\s+/g, ' ')).toContain(
      'Run `dawnload recover --config a.yaml`.',
    );
  const { complete = String } = repeating(personWho([]).terminal, '--config a.yaml');
  expect(complete('`dawnload run`')).toBe('`dawnload run --config a.yaml`');
  expect(repeated('note', '`dawnload demo` or `dawnload`')).toBe('`dawnload demo` or `dawnload`\n');
  expect(repeated('out', '["`dawnload run`"]')).toBe('["`dawnload run`"]\n');
});
