/** What alerts remember: `alerts.json` in the data folder. Without it, or when it cannot be read, everything is told again. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Effects } from '../effects.js';
import { DurableFolder } from '../storage/atomic-file.js';
import type { Memory } from './causes.js';

const shape = z.object({
  told: z.record(z.string(), z.string()),
  failing: z.boolean(),
  drift: z.array(z.string()),
});

const NOTHING: Memory = { told: {}, failing: false, drift: [] };

const fileIn = (dataDir: string): string => join(dataDir, 'alerts.json');

export async function recall(dataDir: string): Promise<Memory> {
  try {
    return shape.parse(JSON.parse(await readFile(fileIn(dataDir), 'utf8')));
  } catch {
    return NOTHING;
  }
}

/** Throws `StorageError`. */
export async function remember(
  dataDir: string,
  memory: Memory,
  effects: Pick<Effects, 'reach'>,
): Promise<void> {
  const folder = new DurableFolder(dataDir, effects);
  await folder.write(fileIn(dataDir), `${JSON.stringify(memory, null, 1)}\n`, 'alerts');
}
