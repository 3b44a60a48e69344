/** Folders that go away, effects without chance, and real child processes that can be killed. */
import { STREAMS } from '../../src/streams/index.js';
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';
import { realEffects, type Effects } from '../../src/ground/effects.js';
import { Ledger } from '../../src/exports/ledger.js';
import { loadConfig } from '../../src/config/config.js';
import { Journal } from '../../src/journal/journal.js';

/** A data folder that does not exist yet, inside a temporary folder that goes away with the test. */
export async function dataFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'dawnload-landing-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'data');
}

export interface TestEffects extends Effects {
  /** Every crash point that was passed, in order. */
  readonly passed: string[];
  /** The clock; it stands still unless a test moves it. */
  time: Date;
  /** Called at each crash point; what it throws is thrown there. */
  onReach: (point: string) => void;
}

/** 07:05:12.123 KST on 21 November 2026. */
export const MORNING = new Date('2026-11-20T22:05:12.123Z');

export function testEffects(time = MORNING): TestEffects {
  const effects: TestEffects = {
    ...realEffects({}),
    passed: [],
    time,
    onReach: () => undefined,
    now: () => effects.time,
    random: () => 0.5,
    reach(point) {
      effects.passed.push(point);
      effects.onReach(point);
    },
  };
  return effects;
}

const { exports } = loadConfig(STREAMS, {}, {}, '/nowhere');

/** A data folder with the settings that nobody changed. */
export const placeOf = (dataDir: string) => ({ dataDir, exports });

/** A lock that nobody takes away. */
export const HELD = { assertHeld: (): Promise<void> => Promise.resolve() };

/** The ledger of a data folder, as the holder of its lock opens it. */
export async function openLedger(dataDir: string, effects: Effects): Promise<Ledger> {
  return new Ledger(placeOf(dataDir), await Journal.open({ dataDir }, effects), effects, HELD);
}

/** The ledger of a data folder, as a command reads it beside a run. */
export async function readLedger(dataDir: string): Promise<Ledger> {
  const effects = testEffects();
  return new Ledger(placeOf(dataDir), await Journal.read({ dataDir }, effects), effects);
}

/** Every file below a folder, as paths relative to it, sorted. */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

/** What a promise was rejected with; fails when it was not. */
export async function rejection(promise: Promise<unknown>): Promise<Error & { hint?: string }> {
  try {
    await promise;
  } catch (error) {
    return error as Error & { hint?: string };
  }
  throw new Error('nothing was thrown');
}

/** The build, which the suite makes before it runs. */
const BUILD = resolve(import.meta.dirname, '../../dist/src');

export interface Child {
  readonly process: ChildProcess;
  /** Resolves once the child has printed the line. */
  said(line: string): Promise<void>;
  readonly ended: Promise<{ code: number | null; signal: string | null; out: string; err: string }>;
}

export interface ChildOptions {
  readonly env?: Record<string, string>;
  /** A shell command in which `$NODE` stands for the node process: for limits and mounts. */
  readonly shell?: string;
}

const MODULES = {
  LandingZone: 'landing/landing-zone',
  Journal: 'journal/journal',
  Ledger: 'exports/ledger',
  RunLock: 'disk/run-lock',
  readWhole: 'landing/page-file',
  EXPORT: 'exports/export',
};

const LEDGER: ReadonlySet<string> = new Set(['Journal', 'Ledger']);

/** Imports only what a script names: loading the database takes longer than most scripts. */
function prelude(script: string): string {
  const imports = Object.entries(MODULES)
    .filter(
      ([name]) =>
        script.includes(`${name}.`) ||
        script.includes(`${name}(`) ||
        script.includes(`(${name},`) ||
        (script.includes('Ledger(') && LEDGER.has(name)),
    )
    .map(([name, file]) => `import { ${name} } from '${BUILD}/${file}.js';`);
  return `
import { realEffects } from '${BUILD}/ground/effects.js';
${imports.join('\n')}
const effects = realEffects();
const data = process.env.DATA;
const place = { dataDir: data, exports: { refusals: [] } };
const held = { assertHeld: () => Promise.resolve() };
const openLedger = async () => new Ledger(place, await Journal.open({ dataDir: data }, effects), effects, held);
const readLedger = async () => new Ledger(place, await Journal.read({ dataDir: data }, effects), effects);
const tell = ({ name, message, hint, exitCode }) => console.log(JSON.stringify({ name, message, hint, exitCode }));
`;
}

/**
 * Runs a script in a process of its own, with `LandingZone`, `Journal`, `openLedger()`, `readLedger()`, `RunLock`,
 * `effects`, the folder `data` and `tell(error)` at hand.
 */
export function child(data: string, script: string, options: ChildOptions = {}): Child {
  const whole = prelude(script) + script;
  const args = ['--input-type=module', '--eval', whole];
  const env = { ...process.env, DATA: data, NODE: `${process.execPath} --input-type=module`, ...options.env };
  const started =
    options.shell === undefined
      ? spawn(process.execPath, args, { env })
      : spawn('bash', ['-c', options.shell], { env: { ...env, SCRIPT: whole } });
  let out = '';
  let err = '';
  const waiting = new Map<string, () => void>();
  started.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
    for (const [line, tell] of waiting) if (out.split('\n').includes(line)) tell();
  });
  started.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  const ended = new Promise<{ code: number | null; signal: string | null; out: string; err: string }>((end) =>
    started.on('close', (code, signal) => {
      end({ code, signal, out, err });
    }),
  );
  return {
    process: started,
    ended,
    said: (line) =>
      new Promise((heard, gone) => {
        waiting.set(line, heard);
        void ended.then((end) => {
          gone(new Error(`the child ended without saying ${line}: ${JSON.stringify(end)}`));
        });
        if (out.split('\n').includes(line)) heard();
      }),
  };
}
