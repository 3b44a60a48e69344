/** Copies data folders so that a test can restore them without being noticed as a copy. */
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { realEffects } from '../../src/ground/effects.js';

/** Replaces a folder by a copy of another one, which the witness accepts as the original. */
export async function copyData(from: string, to: string): Promise<void> {
  await rm(to, { recursive: true, force: true });
  await cp(from, to, { recursive: true, preserveTimestamps: true });
  await adopt(to);
}

/** Updates the witness, so that a copied folder counts as the original. */
export async function adopt(dataDir: string): Promise<void> {
  const path = join(dataDir, 'private', 'witness.json');
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) return;
  const witness = JSON.parse(text) as { file: unknown };
  // Overwritten in place, to keep its inode and birth time.
  await writeFile(path, JSON.stringify({ ...witness, file: await realEffects({}).identify(path) }));
}
