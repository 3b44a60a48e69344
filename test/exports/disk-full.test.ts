/** A disk that is really full: a small tmpfs of the child's own, and a limit on the size of files. */
import { execFileSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { child, dataFolder, filesBelow, openLedger, testEffects } from '../landing/support.js';

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

interface Told {
  readonly name: string;
  readonly message: string;
  readonly hint: string;
}

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
  it('a page is landed whole or not at all, and the pages before it stay', async () => {
    const [error, rest] = await linesOf(`
import { randomBytes } from 'node:crypto';
const landing = await LandingZone.open(data, effects, () => ({ seq: 0, sum: '', erase: '' }));
const pull = await landing.reading({ day: '2026-11-20', key: '2026-11-20.1', exportId: 'e' });
let page = 0;
try {
  for (;;) { await pull.land(randomBytes(100_000), 1); page++; }
} catch (error) { tell(error); }
const pages = await landing.pages(pull.id);
for (const file of pages.values()) await readWhole(file);
const files = readdirSync(data, { recursive: true }).filter((name) => name.includes('.tmp-'));
console.log(JSON.stringify({ page, pages: pages.size, files }));
`);
    expect(error).toMatchObject({ name: 'StorageError' });
    expect((error as Told).message).toContain('the disk is full');
    expect((error as Told).hint).toContain('Free some space');
    const { page, pages, files } = rest as { page: number; pages: number; files: string[] };
    expect(page).toBeGreaterThan(0);
    expect([pages, files]).toEqual([page, []]);
  });

  it('no export is intended, and the ledger can go on once there is room', async () => {
    const [error, before, after] = await linesOf(`
const intent = { day: '2026-11-20', messageData: true, estimate: 1, pricePerRecord: 0 };
const ledger = await openLedger();
await ledger.intend(intent);
await ledger.record({ event: 'withdrawn', key: '2026-11-20.1', note: 'x' });
fill();
try { await ledger.intend(intent); } catch (error) { tell(error); }
console.log(JSON.stringify((await readLedger()).entries().map(({ state }) => state)));
for (const name of readdirSync(data)) if (name.startsWith('fill')) rmSync(data + '/' + name);
await ledger.intend(intent);
console.log(JSON.stringify((await readLedger()).entries().map(({ state }) => state)));
`);
    expect(error).toMatchObject({ name: 'StorageError' });
    expect(before).toEqual(['withdrawn']);
    expect(after).toEqual(['withdrawn', 'intended']);
  });

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

describe('with a limit on the size of a file', () => {
  it('a line that was written in part is cut off again, and a shorter one can follow', async () => {
    const data = await dataFolder();
    const script = `
const ledger = await openLedger();
const { key } = await ledger.intend({ day: '2026-11-20', messageData: true, estimate: 1, pricePerRecord: 0 });
try { await ledger.requested(key, 'x'.repeat(200_000)); } catch (error) { tell({ ...error, name: error.name, message: error.cause.message }); }
await ledger.requested(key, 'exp-1');
`;
    const { out, err, code } = await child(data, script, {
      shell: 'ulimit -f 100; exec $NODE --eval "$SCRIPT"',
    }).ended;
    expect({ err, code }).toEqual({ err: '', code: 0 });
    expect(JSON.parse(out)).toMatchObject({
      name: 'StorageError',
      message: `Cannot write ${join(data, 'ledger/journal.jsonl')}: the file would be larger than this account may write.`,
    });
    const ledger = await openLedger(data, testEffects());
    expect(ledger.get('2026-11-20.1')).toMatchObject({ state: 'requested', exportId: 'exp-1' });
    expect(await filesBelow(data)).toEqual([
      'landing/ledger/journal.jsonl',
      'ledger/journal.jsonl',
      'ledger/journal.reserve',
      'private/witness.json',
    ]);
  });
});
