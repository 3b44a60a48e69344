/** The machine's own ways to fail: small disks, folders that cannot be written. As far as this account may make them. */
import { execFileSync } from 'node:child_process';
import { statfsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

function succeeds(command: string, ...args: string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** A disk of its own, in memory, as large as a test wants it. */
export class Disk {
  private constructor(readonly folder: string) {}

  /** @throws when this account may not mount */
  static mountAt(folder: string, mib: number): Disk {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mib}m`, 'none', folder], { stdio: 'ignore' });
    return new Disk(folder);
  }

  get free(): number {
    const { bavail, bsize } = statfsSync(this.folder);
    return bavail * bsize;
  }

  /** Fills it up until so many bytes are left. */
  async fill(left: number): Promise<void> {
    await writeFile(join(this.folder, 'filler'), Buffer.alloc(Math.max(0, this.free - left)));
  }

  async empty(): Promise<void> {
    await rm(join(this.folder, 'filler'), { force: true });
  }

  /** False when it cannot be had. */
  remount(how: 'ro' | 'rw'): boolean {
    return succeeds('mount', '-o', `remount,${how}`, this.folder);
  }

  unmount(): void {
    succeeds('umount', '-l', this.folder);
  }
}

/** Whether this account may mount a disk at all: tests that need one say so when it may not. */
export async function canMount(): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'dawnload-disk-'));
  try {
    Disk.mountAt(folder, 1).unmount();
    return true;
  } catch {
    return false;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Makes a file unchangeable, for the owner of all files too; false when it cannot be had. */
export function freeze(path: string): boolean {
  return succeeds('chattr', '+i', path);
}

export function thaw(path: string): void {
  succeeds('chattr', '-i', path);
}
