/** What other accounts of the machine see of a command in the process list. */
import { readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ended, start } from '../support/dawnload.js';

test.runIf(process.platform === 'linux').each([
  [['sandbox', '--port', '0', '--events-per-day', '7'], 'dawnload sandbox'],
  [['mcp', '--rows', '7'], 'dawnload mcp'],
  [['forget', '--recipient', '010-1234-5678', '-f', '/dev/stdin'], 'dawnload forget'],
])('%j shows no argument', async (args, shown) => {
  const child = start(args, process.cwd(), { DAWNLOAD_DATA_DIR: '/nowhere/data' });
  const over = ended(child);
  let said = '';
  while (child.exitCode === null && !said.startsWith(shown)) {
    said = (await readFile(`/proc/${String(child.pid)}/cmdline`, 'utf8').catch(() => said))
      .replaceAll('\0', ' ')
      .trim();
    await setTimeout(5);
  }
  child.kill('SIGKILL');
  await over;
  expect(said).toBe(shown);
});
