/** A disk that is really full: a small tmpfs of the child's own, and a limit on the size of files. */
import { execFileSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { child, dataFolder } from '../landing/support.js';

/** Whether a process may mount a filesystem that only it and its children see. */
const canMount = (() => {
  try {
    execFileSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', '-o', 'size=64k', 'none', '/mnt'], {
      stdio: 'ignore',
    });
    return true;
  } catch {
    return false;
  }
})();

/** The script sees a disk of its own of 512 KB at `data`; what it leaves there is gone when it ends. */
const ON_SMALL_DISK = `exec unshare -rm bash -c 'mount -t tmpfs -o size=512k none "$DATA" && exec $NODE --eval "$SCRIPT"'`;

const FILL = `
import { writeFileSync, statfsSync, readdirSync, rmSync } from 'node:fs';
const fill = () => { for (let n = 65536, i = 0; n >= 1; ) { try { writeFileSync(data + '/fill' + i++, Buffer.alloc(n)); } catch { n = Math.floor(n / 2); } } };
`;

async function linesOf(script: string): Promise<unknown[]> {
  const data = await dataFolder();
  await mkdir(data);
  const { out, err } = await child(data, FILL + script, { shell: ON_SMALL_DISK }).ended;
  expect(err).toBe('');
  return out
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
}

describe.skipIf(!canMount)('on a disk that is full', () => {
  it('the answer to a request that was sent can still be written down', async () => {
    const [entries] = await linesOf(`
const ledger = await openLedger();
const { key } = await ledger.intend({ day: '2026-11-20', messageData: true, estimate: 1, pricePerRecord: 0 });
fill();
// More than what may be left of the block that the last line ends in.
await ledger.requested(key, 'x'.repeat(4_096));
console.log(JSON.stringify((await readLedger()).entries().map(({ state, exportId }) => [state, exportId])));
`);
    expect(entries).toEqual([['requested', 'x'.repeat(4_096)]]);
  });
});
