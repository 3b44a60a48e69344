/** The process of a question ends with its parent, however that ends and whatever DuckDB does at the time. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { change, start } from '../../support/dawnload.js';

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'dawnload-orphan-'));
  mkdirSync(join(folder, 'data'));
  writeFileSync(join(folder, 'dawnload.yaml'), '');
  await change(join(folder, 'data', 'warehouse.duckdb'), 'create table t as select 1 as a');
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const QUESTIONS: Readonly<Record<string, string>> = {
  'threads of DuckDB work':
    'select count(*) from range(100000000) as a, range(1000000) as b where a.range * b.range % 7 = 3',
  // Each of them takes less memory than the limit, and the processor for a while.
  'constants are computed': `select ${Array.from({ length: 40 }, (_, nth) => `md5(repeat('ab', ${100_000_000 + nth}))`).join(' || ')}`,
};

/** The processor time of a process, in hundredths of a second; undefined if it has ended. */
function usedBy(pid: string): number | undefined {
  try {
    const [state, ...fields] = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? [];
    // What nobody has waited for yet is a zombie.
    return state === 'Z' ? undefined : Number(fields[10]) + Number(fields[11]);
  } catch {
    return undefined;
  }
}

/** Waits until the child works, kills its parent, and expects the child to be gone within two seconds. */
async function expectEnd(parent: ChildProcess, child: string, ticks: number): Promise<void> {
  while ((usedBy(child) ?? ticks) < ticks) await wait(50);
  expect(usedBy(child)).toBeDefined();
  const ended = once(parent, 'exit');
  parent.kill('SIGKILL');
  await ended;
  const began = performance.now();
  while (usedBy(child) !== undefined && performance.now() - began < 5_000) await wait(50);
  const isLeft = usedBy(child) !== undefined;
  if (isLeft) process.kill(Number(child), 'SIGKILL');
  expect(isLeft).toBe(false);
  expect(performance.now() - began).toBeLessThan(2_000);
}

const onLinux = test.runIf(process.platform === 'linux');

onLinux.each(Object.entries(QUESTIONS))('after kill -9 while %s', { tags: ['long'] }, async (_, sql) => {
  const parent = start(['query', '--sql', sql], folder);
  const pid = String(parent.pid);
  const children = (): string => readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim();
  while (children() === '') await wait(50);
  await expectEnd(parent, children(), 150);
});

onLinux('after kill -9 while JavaScript works without a pause', { tags: ['long'] }, async () => {
  const [entry, endless] = [
    resolve('dist/src/readers/queries/child.js'),
    'data:text/javascript,setTimeout(()=>{for(;;);},3000)',
  ];
  const given = JSON.stringify({ execArgv: ['--import', endless] });
  const source = `console.log(require('node:child_process').fork(${JSON.stringify(entry)}, ${given}).pid)`;
  const parent = spawn(process.execPath, ['-e', source], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [pid] = (await once(parent.stdout, 'data')) as [Buffer];
  await expectEnd(parent, pid.toString().trim(), 100);
});
