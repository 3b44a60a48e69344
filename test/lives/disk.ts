/**
 * What node:fs has written and not fsynced below a folder, so that a process that dies without dying leaves a copy of what
 * would be on the disk: of a killed process all bytes, after a power cut only those that are durable. DuckDB's files
 * pass it by, and are copied as they are.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import type { FileHandle } from 'node:fs/promises';
import type { FileIdentity } from '../../src/ground/effects.js';
import type { Chance } from '../torture/chance.js';
import { isTemporary, type Operation } from './order.js';

/** Where lines are appended that promise something. */
const JOURNAL = /(?<!\/landing)\/ledger\/journal\.jsonl$/;

interface Rename {
  readonly to: string;
  /** The file that had the name before, if there was one. */
  readonly old: string | undefined;
}

const real = {
  open: fs.promises.open,
  rename: fs.promises.rename,
  rm: fs.promises.rm,
  writeFile: fs.promises.writeFile,
};
type Open = typeof fs.promises.open;

export class Disk implements Disposable {
  /** The durable size of each file that is open, or has bytes that are not durable. */
  readonly #durable = new Map<string, number>();
  /** Names that a power cut may take back, oldest first. */
  #renames: Rename[] = [];
  readonly #identities = new Map<string, FileIdentity>();
  #kept = 0;
  /** The bytes that the disk still takes, and how often it took none. DuckDB's files take no room. */
  room = Number.POSITIVE_INFINITY;
  refusals = 0;
  /** What was done, in its order. */
  readonly operations: Operation[] = [];

  private constructor(
    readonly root: string,
    private readonly keep: string,
  ) {}

  /** Watches what this process does below `root`, until it is disposed; `keep` is a folder for files that were replaced. */
  static watch(root: string, keep: string): Disk {
    fs.mkdirSync(keep, { recursive: true });
    const disk = new Disk(resolve(root), keep);
    const names = new WeakMap<FileHandle, string>();
    const writing = new WeakMap<FileHandle, (data: unknown, taken: unknown) => void>();
    const open: Open = async (path, flags = 'r', mode) => {
      const name = resolve(String(path));
      const before = sizeOf(name);
      const handle = await real.open(path, flags, mode);
      if (!disk.#isBelow(name)) return handle;
      names.set(handle, name);
      if (flags !== 'r') disk.#opened(name, String(flags), before);
      const wrote = (data: unknown, taken: unknown): void => {
        // The name of a file without bytes promises nothing.
        const isNew = !before && data === taken && !isTemporary(name);
        const inPlace = flags === 'w' && before !== undefined;
        const isLine = data === taken && Buffer.isBuffer(data) && JOURNAL.test(name);
        const line = isLine ? { line: data.toString() } : {};
        disk.operations.push({ did: 'wrote', path: name, isNew, inPlace, ...line });
      };
      const sync = handle.sync.bind(handle);
      handle.sync = async () => {
        const size = sizeOf(name) ?? 0;
        await sync();
        disk.#synced(name, size);
      };
      const close = handle.close.bind(handle);
      handle.close = async () => {
        await close();
        if (disk.#durable.get(name) === sizeOf(name)) disk.#durable.delete(name);
      };
      const append = handle.appendFile.bind(handle);
      handle.appendFile = async (data, options) => {
        const taken = disk.#taken(data);
        await append(taken, options);
        wrote(data, taken);
        disk.#assertWhole(data, taken);
      };
      writing.set(handle, wrote);
      return handle;
    };
    fs.promises.open = open;
    fs.promises.writeFile = async (file, data, options) => {
      const isOurs = typeof file === 'object' && 'fd' in file && names.has(file);
      const taken = isOurs ? disk.#taken(data) : data;
      await real.writeFile(file, taken, options);
      if (!isOurs) return;
      writing.get(file)?.(data, taken);
      disk.#assertWhole(data, taken);
    };
    fs.promises.rm = async (path, options) => {
      const name = resolve(String(path));
      const size = disk.#isBelow(name) ? (sizeOf(name) ?? 0) : 0;
      await real.rm(path, options);
      disk.operations.push({ did: 'removed', path: name });
      disk.room += size;
    };
    fs.promises.rename = async (from, to) => {
      const [source, target] = [resolve(String(from)), resolve(String(to))];
      const old = disk.#isBelow(target) && sizeOf(target) !== undefined ? disk.#keep(target) : undefined;
      await real.rename(from, to);
      if (disk.#isBelow(target)) disk.#renamed(source, target, old);
    };
    syncBuiltinESMExports();
    return disk;
  }

  [Symbol.dispose](): void {
    Object.assign(fs.promises, real);
    syncBuiltinESMExports();
  }

  /** Copies a folder to a new path as a kill leaves it; with `chance`, as a power cut leaves it. Returns what was lost. */
  leave(from: string, to: string, chance?: Chance): string[] {
    // Bytes are copied, not shared: what the dying process still does must not reach the copy.
    fs.cpSync(from, to, { recursive: true, preserveTimestamps: true });
    for (const name of filesBelow(from)) this.#inherit(join(from, name), join(to, name));
    const lost = chance === undefined ? [] : this.#cut(from, to, chance);
    this.#renames = this.#renames.filter((one) => !one.to.startsWith(from + sep));
    for (const path of this.#durable.keys()) if (path.startsWith(from + sep)) this.#durable.delete(path);
    return lost;
  }

  /** What tells a file from a copy of it: what `leave` has copied is the same file. */
  identify = async (file: FileHandle | string): Promise<FileIdentity> => {
    const { ino, birthtimeNs } =
      typeof file === 'string' ? fs.statSync(file, { bigint: true }) : await file.stat({ bigint: true });
    return this.#identities.get(`${ino} ${birthtimeNs}`) ?? { inode: String(ino), born: String(birthtimeNs) };
  };

  /** What the disk takes of these bytes. */
  #taken<T>(data: T): T | Uint8Array {
    const bytes = typeof data === 'string' ? Buffer.from(data) : data;
    if (!(bytes instanceof Uint8Array)) return data;
    const taken = Math.min(bytes.length, this.room);
    this.room -= taken;
    return taken === bytes.length ? data : bytes.subarray(0, taken);
  }

  #assertWhole(data: unknown, taken: unknown): void {
    if (data === taken) return;
    this.refusals++;
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  }

  #isBelow(path: string): boolean {
    return path.startsWith(this.root + sep);
  }

  #opened(path: string, flags: string, before: number | undefined): void {
    const isNew = before === undefined;
    if (!this.#durable.has(path) || flags === 'w') this.#durable.set(path, flags === 'w' ? 0 : (before ?? 0));
    if (isNew && !isTemporary(path)) this.#renames.push({ to: path, old: undefined });
  }

  #synced(path: string, size: number): void {
    this.operations.push({ did: 'synced', path });
    if (this.#durable.has(path)) this.#durable.set(path, size);
    // The fsync of a folder makes its names durable.
    this.#renames = this.#renames.filter(({ to }) => dirname(to) !== path);
  }

  #renamed(from: string, to: string, old: string | undefined): void {
    this.operations.push({ did: 'renamed', from, to });
    const durable = this.#durable.get(from);
    this.#durable.delete(from);
    this.#durable.delete(to);
    if (durable !== undefined && durable < (sizeOf(to) ?? 0)) this.#durable.set(to, durable);
    if (from !== to) this.#renames.push({ to, old });
  }

  #keep(path: string): string {
    const kept = join(this.keep, String(this.#kept++));
    fs.linkSync(path, kept);
    return kept;
  }

  #inherit(from: string, to: string): void {
    const [before, after] = [from, to].map((path) => fs.statSync(path, { bigint: true }));
    if (before === undefined || after === undefined) return;
    const known = this.#identities.get(`${before.ino} ${before.birthtimeNs}`);
    this.#identities.set(
      `${after.ino} ${after.birthtimeNs}`,
      known ?? { inode: String(before.ino), born: String(before.birthtimeNs) },
    );
  }

  #cut(from: string, to: string, chance: Chance): string[] {
    const lost: string[] = [];
    const moved = (path: string): string => join(to, relative(from, path));
    const isOurs = (path: string): boolean => path.startsWith(from + sep) && fs.existsSync(moved(path));
    const undone = new Set<string>();
    for (const rename of this.#renames.toReversed()) {
      // The disk may or may not have got that far: both must be survived.
      if (!isOurs(rename.to) || chance.happens(0.3)) continue;
      if (rename.old === undefined) fs.rmSync(moved(rename.to));
      else {
        fs.copyFileSync(rename.old, moved(rename.to));
        this.#inherit(rename.old, moved(rename.to));
      }
      undone.add(rename.to);
      lost.push(`the name ${basename(rename.to)}`);
    }
    for (const [path, durable] of this.#durable) {
      if (undone.has(path) || !isOurs(path)) continue;
      const size = sizeOf(moved(path)) ?? 0;
      if (size <= durable) continue;
      fs.truncateSync(moved(path), durable + chance.below(size - durable));
      lost.push(`bytes of ${basename(path)}`);
    }
    return lost;
  }
}

function sizeOf(path: string): number | undefined {
  return fs.statSync(path, { throwIfNoEntry: false })?.size;
}

function filesBelow(folder: string): string[] {
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}
