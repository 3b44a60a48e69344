/** The weekly upkeep of the documents, as they say it is run. */
import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ended } from '../support/dawnload.js';
import type { Parts } from './parts.js';
import { sparkEnvironment, sparkSettings } from './spark.js';
import type { Stack } from './stack.js';

const SCRIPT = resolve('docs/lake_upkeep.py');

/** What it prints. Throws where a step fails. Nessie keeps the history in commits of its own, so by default nothing expires. */
export async function upkeep(
  parts: Parts,
  stack: Stack,
  namespace: string,
  how: readonly string[] = ['--keep-snapshots'],
): Promise<string> {
  const folder = join(stack.folder, 'upkeep');
  await mkdir(folder, { recursive: true });
  const settings = Object.entries(sparkSettings(parts, stack)).map(([name, value]) => `${name} ${value}\n`);
  await writeFile(join(folder, 'spark-defaults.conf'), settings.join(''));
  const child = spawn('python3', [SCRIPT, 'lake', namespace, ...how], {
    env: { ...sparkEnvironment(parts), SPARK_CONF_DIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { code, stdout, stderr } = await ended(child);
  if (code !== 0) throw new Error(`The upkeep ended with ${code ?? 'a signal'}:\n${stderr.slice(-2_000)}`);
  return stdout.trim();
}
