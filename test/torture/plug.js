// Preloaded into a child: notes which files were written, renamed and fsynced, so that after a kill the harness can
// leave on the disk only what a power cut would have left there. The note itself is written outside the data folder.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join, resolve } from 'node:path';

const note = process.env.TORTURE_NOTE;
if (note !== undefined) {
  const out = fs.openSync(note, 'a');
  const kept = `${note}.kept`;
  fs.mkdirSync(kept, { recursive: true });
  const say = (what) => fs.writeSync(out, `${JSON.stringify(what)}\n`);
  const sizeOf = (path) => fs.statSync(path, { throwIfNoEntry: false })?.size;
  let copies = 0;
  let patched = false;
  const paths = new WeakMap();
  const { open, rename, copyFile } = fs.promises;

  fs.promises.open = async (path, flags = 'r', mode) => {
    const name = resolve(String(path));
    const before = sizeOf(name);
    const handle = await open(path, flags, mode);
    paths.set(handle, name);
    if (flags !== 'r')
      say({ dirty: name, size: flags === 'w' ? 0 : (before ?? 0), isNew: before === undefined });
    if (!patched) {
      patched = true;
      const prototype = Object.getPrototypeOf(handle);
      const { sync } = prototype;
      prototype.sync = async function () {
        await sync.call(this);
        say({ synced: paths.get(this) });
      };
    }
    return handle;
  };
  fs.promises.rename = async (from, to) => {
    const target = resolve(String(to));
    let old = null;
    if (sizeOf(target) !== undefined) {
      old = join(kept, `${process.pid}-${copies++}`);
      fs.linkSync(target, old);
    }
    await rename(from, to);
    say({ renamed: target, from: resolve(String(from)), old, folder: dirname(target) });
  };
  fs.promises.copyFile = async (from, to, how) => {
    await copyFile(from, to, how);
    say({ dirty: resolve(String(to)), size: 0, isNew: true });
  };
  syncBuiltinESMExports();
}
