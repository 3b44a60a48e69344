/**
 * Breaks the built command on purpose, one safeguard at a time and in a copy, and shows which of the tests
 * notices. A mutation that survives is either guarded twice or not tested.
 */
import { spawn } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** The file of each kind of test, and part of the names of its tests. */
const TESTS = {
  kill: ['test/torture/samples.test.ts', 'a run may be killed'],
  faults: ['test/torture/samples.test.ts', 'the run says so and ends'],
  pages: ['test/exports/download.test.ts', 'reading the pages'],
  night: ['test/e2e/nightly.test.ts', ''],
  files: ['test/landing/atomic-file.test.ts', 'writing a whole file'],
  ledger: ['test/exports/ledger.test.ts', 'a second request for the same day'],
  disk: ['test/exports/disk-full.test.ts', ''],
  lost: ['test/exports/recovery.test.ts', 'a journal of before is recognised'],
  restored: ['test/exports/recovery.test.ts', 'a machine that was lost'],
  lock: ['test/landing/run-lock.test.ts', 'notices when its file is taken away'],
  load: ['test/warehouse/load.test.ts', 'fails after the rows of the day were replaced'],
} as const;
type TestName = keyof typeof TESTS;

interface Mutation {
  readonly name: string;
  /** The tests that should notice, likeliest first. */
  readonly by: readonly TestName[];
  /** Part of the names of those tests, where the rest need not be run. */
  readonly named?: string;
  /** Below dist/src. */
  readonly file: string;
  /** What is replaced, by what; it must be there. */
  readonly changes: readonly (readonly [from: string, to: string])[];
}

const MUTATIONS: readonly Mutation[] = [
  {
    name: 'landed files are not fsynced',
    by: ['kill'],
    file: 'landing/atomic-file.js',
    changes: [['await handle.sync();', '']],
  },
  {
    name: 'folders are not fsynced after a rename',
    by: ['kill'],
    file: 'landing/atomic-file.js',
    changes: [['await this.#sync.sync(folder);', '']],
  },
  {
    name: 'landed files are written in place',
    by: ['files', 'kill'],
    file: 'landing/atomic-file.js',
    changes: [['const temporary = join(', 'const temporary = path || join(']],
  },
  {
    name: 'lines of the journal are not fsynced',
    by: ['kill'],
    file: 'landing/atomic-file.js',
    changes: [['await file.sync();', '']],
  },
  {
    name: 'no run lock',
    named: 'of two runs at once',
    by: ['night'],
    file: 'job/data-folder.js',
    changes: [
      [
        'await RunLock.take(dataDir, `dawnload ${command}`, effects)',
        '{ assertHeld: async () => undefined, release: async () => undefined }',
      ],
    ],
  },
  {
    name: 'the request leaves before its intent is on record',
    by: ['kill'],
    file: 'exports/paid-request.js',
    changes: [
      [
        "const entry = await ('again' in wish",
        "const day0 = new Date(`${folder.report.startedAt.toISOString().slice(0, 10)}T00:00:00+09:00`);\n    const early = await requestExport(permit, { start: new Date(day0.getTime() - 86400000), end: day0 }, messageData);\n    const entry = await ('again' in wish",
      ],
      ['const outcome = await requestExport(', 'const outcome = early ?? await requestExport('],
    ],
  },
  {
    name: 'intents do not check for another of the day',
    by: ['ledger', 'kill', 'faults'],
    file: 'exports/ledger.js',
    changes: [['this.#assertNotCovered(intent.day, (entry) => blocksRuns(entry.state));', '']],
  },
  {
    name: 'left intents are not settled',
    by: ['kill'],
    file: 'job/data-folder.js',
    changes: [['            await ledger.settle();\n', '']],
  },
  {
    name: 'landed pulls are not caught up with',
    named: 'landed and was not loaded',
    by: ['night'],
    file: 'job/run.js',
    changes: [['    await loadLanded(folder);\n', '']],
  },
  {
    name: 'what is paid is not downloaded by the next run',
    by: ['kill'],
    file: 'exports/download.js',
    changes: [['ledger.entries().filter(isUnderWay)', '[]']],
  },
  {
    name: 'the paid request is retried like any other',
    named: 'on E20',
    by: ['faults'],
    file: 'service/client.js',
    changes: [
      [
        'const answer = await this.#paced(question, token, NEVER);\n                if',
        "let answer = await this.#paced(question, token, NEVER);\n                if (answer.verdict.kind !== 'ok') answer = await this.#paced(question, token, NEVER);\n                if",
      ],
    ],
  },
  {
    name: 'an ambiguous day is requested again by the next run',
    named: 'reset after on E20',
    by: ['faults'],
    file: 'exports/ledger.js',
    changes: [["return state !== 'failed' &&", "return state !== 'failed' && state !== 'ambiguous' &&"]],
  },
  {
    name: 'ambiguous exports are not told of',
    named: 'reset after on E20',
    by: ['faults'],
    file: 'exports/ledger.js',
    changes: [["if (entry.state === 'ambiguous')\n        return true;", '']],
  },
  {
    name: 'pages that are at home are fetched again',
    named: 'pages that are at home',
    by: ['night'],
    file: 'exports/download.js',
    changes: [['folder, writer, pages, whole);', 'folder, writer, [], undefined);']],
  },
  {
    name: 'the budget of a run is ignored',
    named: 'a budget that is too small',
    by: ['night'],
    file: 'exports/budget.js',
    changes: [['Math.min(leftInRun, leftInMonth)', 'leftInMonth']],
  },
  {
    name: 'the budget of the month is ignored',
    named: 'nor over one',
    by: ['night'],
    file: 'exports/budget.js',
    changes: [['Math.min(leftInRun, leftInMonth)', 'leftInRun']],
  },
  {
    name: 'days without an estimate are paid for without consent',
    named: 'has no estimate',
    by: ['night'],
    file: 'exports/budget.js',
    changes: [['estimate === undefined && !yesPaid', 'false']],
  },
  {
    name: 'a backfill pays without consent',
    named: 'without --yes-paid',
    by: ['night'],
    file: 'exports/paid-request.js',
    changes: [["if (job.consent !== 'ask')", 'if (true)']],
  },
  {
    name: 'paying again does not ask the purse',
    named: 'nor over one',
    by: ['night'],
    file: 'exports/paid-request.js',
    changes: [['const estimate = await affordable(key, folder);', 'const estimate = undefined;']],
  },
  {
    name: 'an unknown outcome counts as a refusal',
    named: 'on E20',
    by: ['faults'],
    file: 'exports/paid-request.js',
    changes: [["told.kind !== 'refused' && (text === undefined", 'false && (text === undefined']],
  },
  {
    name: 'the published file is written in place',
    by: ['kill'],
    file: 'warehouse/publish.js',
    changes: [['`${published}.next-${process.pid}`', 'published']],
  },
  {
    name: 'the published file is not fsynced before its rename',
    by: ['kill'],
    file: 'warehouse/publish.js',
    changes: [['await fsync(next);', '']],
  },
  {
    name: 'loading is not one transaction',
    by: ['load'],
    file: 'warehouse/session.js',
    changes: [
      ["await this.#execute('begin transaction');", ''],
      ["await this.#settle('commit');", ''],
    ],
  },
  {
    name: 'a repeated page is taken',
    by: ['pages'],
    file: 'exports/download.js',
    changes: [['if (twin === undefined)', 'if (twin !== null)']],
  },
  {
    name: 'no room is kept for the answer',
    by: ['disk'],
    file: 'journal/journal.js',
    changes: [['Buffer.alloc(64 * 1024)', 'Buffer.alloc(0)']],
  },
  {
    name: 'heads that other files carry are not compared',
    by: ['lost'],
    file: 'journal/journal.js',
    changes: [['const missing = heads.filter(', 'const missing = [].filter(']],
  },
  {
    name: 'a missing witness is no sign of a restored folder',
    by: ['restored'],
    file: 'journal/journal.js',
    changes: [['isNew ? undefined : restored', 'undefined']],
  },
  {
    name: 'a doubt does not stop a payment',
    by: ['lost'],
    file: 'job/data-folder.js',
    changes: [['ledger.doubt = found;', '']],
  },
  {
    name: 'the lock is not looked at again before paying',
    by: ['lock'],
    file: 'landing/run-lock.js',
    changes: [['if (this.instance !== undefined && inode === this.inode)', 'if (true)']],
  },
  {
    name: 'signals are not waited for while paying',
    named: 'while a paid request is on its way',
    by: ['night'],
    file: 'service/client.js',
    changes: [['this.#paced(question, token, NEVER)', 'this.#paced(question, token, this.#signal)']],
  },
];

/** What a copy takes to run tests by itself. */
const PARTS = ['dist', 'sql', 'test', 'sandbox', 'package.json', 'package-lock.json', 'vitest.config.ts'];

/** A test that takes longer, in milliseconds, is no sign of anything but of a busy machine. */
const PATIENCE_MS = '300000';

/** Tries each; resolves to the number that survived. */
export async function mutations(
  say: (line: string) => void,
  isWanted: (name: string) => boolean,
): Promise<number> {
  const survivors: string[] = [];
  for (const mutation of MUTATIONS) {
    if (!isWanted(mutation.name)) continue;
    const noticed = await tryMutation(mutation);
    say(`| ${mutation.name} | ${noticed ?? '**survives**'} |`);
    if (noticed === undefined) survivors.push(mutation.name);
  }
  say(`${survivors.length} survive`);
  return survivors.length;
}

/** The test that notices, or undefined. */
async function tryMutation({ by, named, file, changes }: Mutation): Promise<string | undefined> {
  const copy = await mkdtemp(join(tmpdir(), 'dawnload-mutant-'));
  try {
    for (const part of PARTS) await cp(resolve(part), join(copy, part), { recursive: true });
    await symlink(resolve('node_modules'), join(copy, 'node_modules'));
    // Tests that run a command in their own process run the broken one, too.
    await symlink(join(copy, 'dist', 'src'), join(copy, 'src'));
    const target = join(copy, 'dist/src', file);
    let text = await readFile(target, 'utf8');
    for (const [from, to] of changes) {
      if (!text.includes(from)) throw new Error(`${file} no longer holds ${from}`);
      text = text.replace(from, () => to);
    }
    await writeFile(target, text);
    for (const name of by) {
      const failed = await failingTest(TESTS[name], named, copy);
      if (failed !== undefined) return failed;
    }
    return undefined;
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

/**
 * Runs one test file in `copy`; the first test that fails, with its first words.
 *
 * @throws when the tests do not end by passing or failing, which says nothing of the mutation
 */
function failingTest(
  [test, all]: (typeof TESTS)[TestName],
  named: string | undefined,
  copy: string,
): Promise<string | undefined> {
  const vitest = resolve('node_modules/vitest/vitest.mjs');
  const child = spawn(
    process.execPath,
    [
      vitest,
      'run',
      ...['--root', copy, '--bail', '1', '--reporter', 'json', '--testTimeout', PATIENCE_MS],
      ...['-t', named ?? all],
      test,
    ],
    {
      cwd: copy,
      env: { TORTURE_KILLS: '60', TORTURE_SECONDS: '75', ...process.env },
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
