/** This package: its version, and the location of its SQL files. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of package.json: the parent of src/, and the grandparent of dist/src/. */
export const PACKAGE_ROOT = rootAbove(dirname(fileURLToPath(import.meta.url)));

function rootAbove(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : rootAbove(dirname(folder));
}

/**
 * Returns the version of this package, `1.2.3`. Reads it without a schema, since help and version must not load a
 * schema library.
 */
export function packageVersion(): string {
  const text = readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8');
  return /"version":\s*"([^"]+)"/.exec(text)?.[1] ?? 'unknown';
}
