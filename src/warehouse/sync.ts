/** What was written is on the disk: for a folder, that is the names in it. */
import { open } from 'node:fs/promises';

export async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
