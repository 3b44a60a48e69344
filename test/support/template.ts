/**
 * A warehouse without rows, its schema and models made: tests copy it, since making it takes longer than most of them.
 * Kept between runs by a hash of what it is made of.
 */
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { inject } from 'vitest';
import type { TestProject } from 'vitest/node';
import { Warehouse } from '../../src/warehouse/warehouse.js';

declare module 'vitest' {
  export interface ProvidedContext {
    template: string;
  }
}

const CACHE = resolve('node_modules/.cache/dawnload');

/** Makes the template where it is missing; vitest runs this once, before all tests. */
export async function setup({ provide }: TestProject): Promise<void> {
  const hash = hashOf(['sql', 'src/warehouse', 'src/dictionary', 'package-lock.json']);
  const path = join(CACHE, `${hash}.duckdb`);
  provide('template', path);
  if (existsSync(path)) return;
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(join(CACHE, 'making-'));
  try {
    const made = join(folder, 'warehouse.duckdb');
    const warehouse = await Warehouse.open({
      path: made,
      tempDirectory: join(folder, 'tmp'),
      brand: 'service',
      messenger: 'chatapp',
      privacy: { recipients: 'keep', key: Buffer.alloc(16) },
      effects: { now: () => new Date(0), reach: () => undefined },
    });
    await warehouse.model();
    await warehouse.check();
    await warehouse.close();
    renameSync(made, path);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Puts a new warehouse there. */
export function copyTemplate(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  copyFileSync(inject('template'), path);
}

function hashOf(paths: readonly string[]): string {
  const hash = createHash('sha256');
  for (const path of paths) {
    for (const file of path.endsWith('.json') ? [path] : filesBelow(path)) {
      hash.update(file).update('\0').update(readFileSync(file)).update('\0');
    }
  }
  return hash.digest('hex').slice(0, 32);
}

function filesBelow(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}
