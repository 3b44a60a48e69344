/** An empty warehouse with schema and models. Tests copy it, because creating it takes longer than most tests. */
import { fieldsFor } from '../../src/ground/fields.js';
import { FIELDS } from '../../src/streams/index.js';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { dataFiles } from '../../src/disk/paths.js';
import { Warehouse } from '../../src/warehouse/warehouse.js';
import { refreshModels } from '../../src/warehouse/models.js';
import { runChecks } from '../../src/warehouse/checks.js';

/** The variable with the template's path: vitest's processes inherit it; other programs in `test/` do without a template. */
const TEMPLATE = 'DAWNLOAD_TEST_TEMPLATE';

const CACHE = resolve('node_modules/.cache/dawnload');

/** The files and folders that determine a new warehouse and its models. */
export const MODELLED = ['sql', 'dist/dictionary.json', 'src/warehouse', 'src/streams', 'package-lock.json'];

/** Creates the template if it is missing; vitest runs this once, before all tests. */
export async function setup(): Promise<void> {
  process.env[TEMPLATE] = await kept('template', MODELLED, async (path) => {
    const warehouse = await Warehouse.open({
      path,
      tempDirectory: join(dirname(path), 'tmp'),
      brand: 'service',
      messenger: 'chatapp',
      fields: fieldsFor('service', FIELDS),
      privacy: { recipients: 'keep', key: Buffer.alloc(16) },
      effects: { now: () => new Date(0), reach: () => undefined },
    });
    await refreshModels(warehouse);
    await runChecks(warehouse);
    await warehouse.close();
  });
}

/** Returns the path of a database that takes long to create; it is created again when one of its sources changes. */
export async function kept(
  name: string,
  madeOf: readonly string[],
  make: (path: string) => Promise<void>,
): Promise<string> {
  const path = join(CACHE, `${name}-${hashOf(madeOf)}.duckdb`);
  if (existsSync(path)) return path;
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(join(CACHE, 'making-'));
  try {
    const made = join(folder, 'warehouse.duckdb');
    await make(made);
    renameSync(made, path);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return path;
}

/** Copies the template to this path. */
export function copyTemplate(path: string): void {
  const template = process.env[TEMPLATE];
  if (template === undefined) throw new Error('There is no template: run the tests by vitest.');
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  copyFileSync(template, path);
  chmodSync(path, 0o600);
}

/** The commands that create a missing warehouse. */
const FILLING = ['run', 'backfill'];

/** Copies the template before a command creates the data folder. */
export function beginWithTemplate([command = '']: readonly string[], folder: string): void {
  const data = join(folder, 'data');
  if (process.env[TEMPLATE] === undefined || !FILLING.includes(command) || existsSync(data)) return;
  copyTemplate(dataFiles(data).working);
}

/** Copies the template just before a rebuild creates its file. */
export function rebuildWithTemplate(point: string, folder: string): void {
  if (process.env[TEMPLATE] === undefined || point !== 'rebuild/before-open') return;
  copyTemplate(dataFiles(join(folder, 'data')).rebuilt);
}

function hashOf(paths: readonly string[]): string {
  const hash = createHash('sha256');
  for (const path of paths) {
    for (const file of statSync(path).isFile() ? [path] : filesBelow(path)) {
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
