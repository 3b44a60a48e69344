/** Copies of data folders that stand for the folder itself, which a test puts back later. */
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { realEffects } from '../../src/ground/effects.js';

/** Puts a folder in the place of another one, or beside it; the copy passes for the folder that was copied. */
export async function copyData(from: string, to: string): Promise<void> {
  await rm(to, { recursive: true, force: true });
  await cp(from, to, { recursive: true, preserveTimestamps: true });
  await adopt(to);
}

/** Lets a data folder pass for the one that its witness saw. */
export async function adopt(dataDir: string): Promise<void> {
  const path = join(dataDir, 'private', 'witness.json');
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) return;
  const witness = JSON.parse(text) as { file: unknown };
  // Written in place, so that the file stays the one it is.
  await writeFile(path, JSON.stringify({ ...witness, file: await realEffects({}).identify(path) }));
}
