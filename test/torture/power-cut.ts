/**
 * A power cut, after a kill: what was not fsynced is taken off the disk again. Written bytes go, a rename whose folder
 * was not fsynced is undone. `plug.js`, inside the child, notes what happened; DuckDB's own files are left alone.
 */
import { existsSync } from 'node:fs';
import { readFile, rename, rm, stat, truncate } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Chance } from './chance.js';

const PLUG = resolve('test/torture/plug.js');

/** What a child must be started with for its disk to forget. */
export function plugged(note: string): Record<string, string> {
  return { TORTURE_NOTE: note, NODE_OPTIONS: `--import=file://${PLUG}` };
}

interface Note {
  readonly dirty?: string;
  readonly size?: number;
  readonly isNew?: boolean;
  readonly synced?: string;
  readonly renamed?: string;
  readonly from?: string;
  readonly old?: string | null;
  readonly folder?: string;
}

interface Rename {
  readonly to: string;
  readonly old: string | null;
  readonly folder: string;
}

/** Leaves on the disk what a power cut would have; returns what was lost, one phrase each. */
export async function cutPower(note: string, chance: Chance): Promise<string[]> {
  const text = existsSync(note) ? await readFile(note, 'utf8') : '';
  const dirty = new Map<string, number>();
  let renames: Rename[] = [];
  for (const line of text.split('\n')) {
    if (!line.endsWith('}')) continue;
    const entry = JSON.parse(line) as Note;
    if (entry.dirty !== undefined) {
      if (!dirty.has(entry.dirty)) dirty.set(entry.dirty, entry.size ?? 0);
      if (entry.isNew === true) renames.push({ to: entry.dirty, old: null, folder: dirname(entry.dirty) });
    }
    if (entry.synced !== undefined) {
      dirty.delete(entry.synced);
      renames = renames.filter(({ folder }) => folder !== entry.synced);
    }
    if (entry.renamed !== undefined && entry.from !== undefined) {
      const left = dirty.get(entry.from);
      dirty.delete(entry.from);
      dirty.delete(entry.renamed);
      if (left !== undefined) dirty.set(entry.renamed, left);
      renames = renames.filter(({ to }) => to !== entry.from);
      renames.push({ to: entry.renamed, old: entry.old ?? null, folder: entry.folder ?? '' });
    }
  }
  const lost: string[] = [];
  for (const { to, old } of renames.reverse()) {
    // The disk may or may not have got that far: both must be survived.
    if (!existsSync(to) || chance.happens(0.3)) continue;
    if (old === null) await rm(to);
    else await rename(old, to);
    dirty.delete(to);
    lost.push(`name ${to}`);
  }
  for (const [path, durable] of dirty) {
    if (!existsSync(path)) continue;
    const { size } = await stat(path);
    if (size <= durable) continue;
    const left = durable + chance.below(size - durable);
    await truncate(path, left);
    lost.push(`bytes ${left} to ${size} of ${path}`);
  }
  await rm(note, { force: true });
  await rm(`${note}.kept`, { recursive: true, force: true });
  return lost;
}
