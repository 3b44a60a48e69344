/** Runs commands in this process, with the same table of commands and a clock that pauses advance. */
import { STREAMS } from '../../src/streams/index.js';
import { setMaxListeners } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import { Writable } from 'node:stream';
import { CommanderError } from 'commander';
import { commandLine } from '../../src/commands/program.js';
import type { Output } from '../../src/commands/query.js';
import { loadConfig } from '../../src/config/config.js';
import { realEffects, type Effects } from '../../src/ground/effects.js';
import { ConfigError, DawnloadError, EXIT, messageOf } from '../../src/ground/errors.js';
import type { LakeCatalog } from '../../src/lake/lake.js';
import type { Invocation } from '../../src/config/invocation.js';
import type { Terminal } from '../../src/terminal/terminal.js';
import { beginWithTemplate, rebuildWithTemplate } from './template.js';

// One test runs on each processor, so DuckDB gets one thread.
os.availableParallelism = () => 1;
syncBuiltinESMExports();

/** Numbers the commands, so that two at the same instant are different runs. */
let runs = 0;

export interface Performed {
  readonly code: number;
  readonly stdout: string;
  /** Notes and warnings, and the sentences of the final error. */
  readonly stderr: string;
}

export interface TestClock {
  now(): Date;
  /** Called at the end of a pause, which takes no time. */
  moveTo(instant: Date): void;
}

/** Runs a command to its end. A pause takes no time, but advances the clock. */
export async function performCommand(
  args: readonly string[],
  cwd: string,
  environment: Readonly<Record<string, string>>,
  clock: TestClock,
  /** The terminal for commands that ask you something. */
  terminal?: Terminal,
  lakeCatalog?: LakeCatalog,
  /** Effects that replace the default ones. */
  effects: Partial<Effects> = {},
  /** True to write status.json, which takes an eighth of the time of all tests. */
  leavesStatus = false,
): Promise<Performed> {
  beginWithTemplate(args, cwd);
  const out: string[] = [];
  const err: string[] = [];
  let code: number;
  const signal = new AbortController().signal;
  // As src/cli.ts does it.
  setMaxListeners(0, signal);
  try {
    const typed = commandLine('0.0.0').parse(['node', 'dawnload', ...args]);
    const { flags = {} } = typed ?? {};
    code =
      (await typed?.perform({
        flags,
        effects: {
          now: () => clock.now(),
          sleep: async (ms) => {
            const end = new Date(clock.now().getTime() + ms);
            // Give other pending work its turn.
            await new Promise((resolve) => setImmediate(resolve));
            clock.moveTo(end);
          },
          random: () => 0.5,
          identify: realEffects({}).identify,
          reach: (point) => {
            rebuildWithTemplate(point, cwd);
          },
          ...effects,
        },
        terminal: terminal ?? silent(out, err),
        signal,
        runId: `${clock.now().toISOString()}-${runs++}`,
        version: '0.0.0',
        environment,
        ...(lakeCatalog === undefined ? {} : { lakeCatalog }),
        ...(leavesStatus ? {} : { changed: () => Promise.resolve() }),
        loadConfig: () => loadConfig(STREAMS, flags, environment, cwd),
      })) ?? 0;
  } catch (error) {
    const known = error instanceof DawnloadError;
    code = known ? error.exitCode : error instanceof CommanderError ? EXIT.usage : 1;
    if (known) err.push(...error.lines.map((line) => `dawnload: ${line}`), error.hint ?? '');
    else err.push(`unforeseen: ${messageOf(error)}\n${stackOf(error)}`);
  }
  return { code, stdout: out.join('\n'), stderr: err.join('\n') };
}

/** The invocation for a command that is called directly, by default without settings. */
export function invocationOf(given: Partial<Invocation> = {}, notes: string[] = []): Invocation {
  return {
    flags: {},
    effects: realEffects(),
    terminal: silent(notes, notes),
    signal: new AbortController().signal,
    runId: 'test',
    version: '0.0.0',
    environment: {},
    loadConfig: () => {
      throw new ConfigError('the command needs no settings');
    },
    ...given,
  };
}

/** A standard output that keeps its bytes; with `columns`, a terminal of that width. */
export function keepingOutput(columns?: number): { readonly stdout: Output; readonly bytes: () => Buffer } {
  const chunks: Buffer[] = [];
  const stdout: Output = new Writable({
    write(chunk: Buffer, _, done) {
      chunks.push(chunk);
      done();
    },
  });
  if (columns !== undefined) Object.assign(stdout, { isTTY: true, columns, hasColors: () => true });
  return { stdout, bytes: () => Buffer.concat(chunks) };
}

export function silent(out: string[], err: string[]): Terminal {
  return {
    color: false,
    doing: '',
    out: (text) => void out.push(text),
    draw: (text) => void out.push(text),
    note: (text) => void err.push(text),
    warn: (text) => void err.push(`warning: ${text}`),
    error: (text) => void err.push(text),
    record: () => undefined,
    progress: () => undefined,
    confirm: () => Promise.resolve(false),
  };
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? '') : '';
}
