/**
 * Breaks the built command on purpose, one safeguard at a time and in a copy, and shows which of the tests
 * notices. A mutation that survives is either guarded twice or not tested.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** The file of each kind of test, and part of the names of its tests. */
const TESTS = {
  synced: ['test/disk/atomic-file.test.ts', 'fsync'],
  patience: ['test/exports/download.test.ts', 'is one for all exports'],
  answers: ['test/torture/samples.test.ts', 'on E20'],
  publish: ['test/warehouse/publish.test.ts', ''],
  faults: ['test/torture/samples.test.ts', 'the run says so and ends'],
  pages: ['test/exports/download.test.ts', 'reading the pages'],
  night: ['test/e2e/nightly.test.ts', ''],
  files: ['test/disk/atomic-file.test.ts', 'writing a whole file'],
  ledger: ['test/exports/ledger.test.ts', 'a second request for the same day'],
  disk: ['test/exports/disk-full.test.ts', ''],
  restored: ['test/exports/recovery.test.ts', 'a machine that was lost'],
  lock: ['test/disk/run-lock.test.ts', 'notices when its file is taken away'],
  load: ['test/warehouse/load.test.ts', 'fails after the rows of the day were replaced'],
  deletion: ['test/night/deletion.test.ts', ''],
  retention: ['test/night/retention.test.ts', ''],
  journal: ['test/journal/journal.test.ts', ''],
  witness: ['test/journal/witness.test.ts', ''],
  forget: ['test/erasure/forget.test.ts', 'what arrives after an erasure'],
  paid: ['test/exports/paid-request.test.ts', ''],
  backup: ['test/operations/backup.test.ts', ''],
  lives: ['test/lives/lives.test.ts', ''],
} as const;
type TestName = keyof typeof TESTS;

/** A safeguard that is broken, as mutations.txt has it: the tests that should notice, likeliest first, the file below dist/src. */
interface Mutation {
  readonly name: string;
  readonly by: readonly TestName[];
  readonly file: string;
  /** Part of the names of those tests, where the rest need not be run. */
  readonly named: string | undefined;
  /** What is replaced, by what; it must be there. */
  readonly changes: readonly (readonly [from: string, to: string])[];
}

const MUTATIONS = readFileSync(resolve('test/torture/mutations.txt'), 'utf8')
  .trimEnd()
  .split('\n\n')
  .map((block): Mutation => {
    const [head = '', ...lines] = block.split('\n');
    const [name = '', by = '', file = '', named] = head.slice(2).split(' | ');
    const text = (sign: string, part: string): string =>
      [...part.matchAll(/^([-+]) ?(.*)$/gm)]
        .flatMap((line) => (line[1] === sign ? [line[2]] : []))
        .join('\n');
    // Each begins with what is replaced, and ends before what the next one replaces.
    const changes = lines.join('\n').split(/(?<=^\+.*)\n(?=-)/m);
    return {
      ...{ name, file, named, by: by.split(', ') as TestName[] },
      changes: changes.map((part) => [text('-', part), text('+', part)] as const),
    };
  });

/** What a copy takes to run tests by itself. */
const PARTS = [
  'dist',
  'docs',
  'sql',
  'test',
  'sandbox',
  'package.json',
  'package-lock.json',
  'vitest.config.ts',
];

/** A test that takes longer, in milliseconds, is no sign of anything but of a busy machine. */
const PATIENCE_MS = '300000';

/**
 * Runs first what should notice, on the sound build: a test that fails there notices nothing. Then tries each mutation.
 * Resolves to the number of tests that fail without any mutation, and of mutations that survive.
 */
export async function mutations(
  say: (line: string) => void,
  isWanted: (name: string) => boolean,
  workers: number,
): Promise<number> {
  const wanted = MUTATIONS.filter(({ name }) => isWanted(name));
  const survivors: string[] = [];
  /** What fails on the sound build: the runs of tests, by their names. */
  const unsound = new Set<string>();
  const copies = await Promise.all(Array.from({ length: workers }, copyOfAll));
  try {
    await eachOf(
      new Map(wanted.flatMap(runsOf).map((run) => [run.join(': '), run])),
      copies,
      async ([name, run], copy) => {
        const failed = await failingTest(run, copy).catch((error: unknown) => String(error));
        if (failed === undefined) return;
        unsound.add(name);
        say(`FAILS WITHOUT A MUTATION: ${name}: ${failed}`);
      },
    );
    say(`${unsound.size} runs of tests fail without a mutation`);
    await eachOf(wanted, copies, async (mutation, copy) => {
      const runs = runsOf(mutation).filter((run) => !unsound.has(run.join(': ')));
      const noticed = await tryMutation(mutation, runs, copy).catch((error: unknown) => {
        say(`BROKEN by ${mutation.name}: ${error instanceof Error ? error.message : String(error)}`);
        return undefined;
      });
      say(`| ${mutation.name} | ${noticed ?? '**survives**'} |`);
      if (noticed === undefined) survivors.push(mutation.name);
    });
  } finally {
    await Promise.all(copies.map((copy) => rm(copy, { recursive: true, force: true })));
  }
  say(`${survivors.length} of ${wanted.length} survive`);
  return unsound.size + survivors.length;
}

/** A run of tests: their file, and part of their names. */
type Run = readonly [file: string, named: string];

const runsOf = ({ by, named }: Mutation): Run[] =>
  by.map((name) => [TESTS[name][0], named ?? TESTS[name][1]] as const);

async function copyOfAll(): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'dawnload-mutant-'));
  for (const part of PARTS) await cp(resolve(part), join(copy, part), { recursive: true });
  await symlink(resolve('node_modules'), join(copy, 'node_modules'));
  // Tests that run a command in their own process run the broken one, too.
  await symlink(join(copy, 'dist', 'src'), join(copy, 'src'));
  return copy;
}

/** Works on all, one at a time in each copy. */
async function eachOf<T>(
  all: Iterable<T>,
  copies: readonly string[],
  work: (one: T, copy: string) => Promise<void>,
): Promise<void> {
  const queue = [...all];
  await Promise.all(
    copies.map(async (copy) => {
      for (let one = queue.shift(); one !== undefined; one = queue.shift()) await work(one, copy);
    }),
  );
}

/** The test that notices, or undefined. The copy is sound again afterwards. */
async function tryMutation(
  { file, changes }: Mutation,
  runs: readonly Run[],
  copy: string,
): Promise<string | undefined> {
  const target = join(copy, 'dist/src', file);
  const sound = await readFile(target, 'utf8');
  await writeFile(target, mutated(sound, file, changes));
  try {
    for (const run of runs) {
      const failed = await failingTest(run, copy);
      if (failed !== undefined) return failed;
    }
    return undefined;
  } finally {
    await writeFile(target, sound);
  }
}

/** Throws if the code no longer has what a mutation replaces, or has it twice: one of two places may be guarded by no test. */
function mutated(code: string, file: string, changes: Mutation['changes']): string {
  return changes.reduce((text, [from, to]) => {
    const found = text.split(from).length - 1;
    if (found !== 1) throw new Error(`${file} has ${found} times: ${from}`);
    return text.replace(from, () => to);
  }, code);
}

/** Applies every mutation to the build, without running a test; returns their number. */
export function applyAll(): number {
  for (const { file, changes } of MUTATIONS)
    mutated(readFileSync(resolve('dist/src', file), 'utf8'), file, changes);
  return MUTATIONS.length;
}

/** Which runs of tests name no test of their file: they could notice nothing. */
export function namingNoTest(): string[] {
  return MUTATIONS.flatMap(runsOf).flatMap(([file, named]) => {
    const text =
      readFileSync(resolve(file), 'utf8') + readFileSync(resolve('test/torture/faults.ts'), 'utf8');
    return text.includes(named.replace('E20', '${endpoint}')) || text.includes(named)
      ? []
      : [`${file}: ${named}`];
  });
}

/**
 * Runs one test file in `copy`; the first test that fails, with its first words.
 *
 * @throws when the tests do not end by passing or failing, which says nothing of the mutation
 */
function failingTest([test, named]: Run, copy: string): Promise<string | undefined> {
  const vitest = resolve('node_modules/vitest/vitest.mjs');
  const child = spawn(
    process.execPath,
    [
      vitest,
      'run',
      ...[
        '--root',
        copy,
        '--bail',
        '1',
        '--reporter',
        'json',
        '--testTimeout',
        PATIENCE_MS,
        '--hookTimeout',
        PATIENCE_MS,
      ],
      ...['-t', named],
      test,
    ],
    {
      cwd: copy,
      env: { LIVES_SEEDS: '40', ...process.env },
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  const out: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => out.push(text));
  return new Promise((done, fail) => {
    child.on('error', fail);
    child.on('close', (code) => {
      const tests = testsIn(out.join(''));
      const failure = firstFailure(tests);
      if (failure !== undefined || tests.some(({ status }) => status === 'passed')) done(failure);
      else fail(new Error(`${test} ends with ${code}, and no test has passed or failed`));
    });
  });
}

interface Result {
  readonly status: string;
  readonly title: string;
  readonly failureMessages: string[];
}

function testsIn(json: string): readonly Result[] {
  const begin = json.indexOf('{');
  if (begin < 0) return [];
  const { testResults } = JSON.parse(json.slice(begin)) as {
    readonly testResults: { readonly assertionResults: Result[] }[];
  };
  return testResults.flatMap(({ assertionResults }) => assertionResults);
}

function firstFailure(tests: readonly Result[]): string | undefined {
  const failed = tests.find(({ status }) => status === 'failed');
  if (failed === undefined) return undefined;
  const why = failed.failureMessages[0]?.split('\n')[0] ?? '';
  return `${failed.title}: ${why.slice(0, 160)}`;
}
