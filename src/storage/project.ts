/**
 * Which project a data folder belongs to, and from which addresses it was pulled. Two projects must not share a folder,
 * where days, exports and budget of one would count as those of the other.
 */
import { join } from 'node:path';
import { z } from 'zod';
import type { Effects } from '../effects.js';
import { ConfigError, DamageError } from '../errors.js';
import { DurableFolder } from './atomic-file.js';
import { foldersOf } from './paths.js';
import { readIfThere } from './storage-error.js';

/** The settings about it; a command that needs no service may lack both. */
interface ProjectSettings {
  readonly dataDir: string;
  readonly projectId: string | undefined;
  readonly baseUrl: string | undefined;
}

const projectFile = z.object({ project_id: z.string(), base_urls: z.array(z.string()) });

type ProjectFile = z.infer<typeof projectFile>;

/**
 * For read-only commands; creates nothing.
 *
 * @throws ConfigError when the folder holds another project, naming both
 * @throws DamageError, StorageError when its file cannot be read
 */
export async function assertSameProject(settings: ProjectSettings): Promise<void> {
  await heldProject(settings);
}

/**
 * For the holder of the lock: the same, and a folder that is new, or older than this file, becomes the project's. Returns
 * the address that the project was last pulled from, if it was never pulled from the one in the settings.
 *
 * @throws ConfigError, DamageError, StorageError as above, and StorageError when it cannot be written
 */
export async function keepToProject(
  settings: ProjectSettings,
  effects: Pick<Effects, 'reach'>,
): Promise<string | undefined> {
  const { dataDir, projectId, baseUrl } = settings;
  const held = await heldProject(settings);
  if (projectId === undefined) return undefined;
  if (held === undefined) await write(dataDir, { project_id: projectId, base_urls: [] }, effects);
  const known = held?.base_urls ?? [];
  return baseUrl === undefined || known.includes(baseUrl) ? undefined : known.at(-1);
}

/**
 * Remembers the address in the settings, once it has given a token: a mistyped one is not where the data comes from. For the
 * holder of the lock, after `keepToProject`, and throws as it does.
 */
export async function rememberAddress(
  settings: ProjectSettings,
  effects: Pick<Effects, 'reach'>,
): Promise<void> {
  const { dataDir, baseUrl } = settings;
  const held = await heldProject(settings);
  if (held === undefined || baseUrl === undefined || held.base_urls.includes(baseUrl)) return;
  await write(dataDir, { ...held, base_urls: [...held.base_urls, baseUrl] }, effects);
}

async function write(dataDir: string, file: ProjectFile, effects: Pick<Effects, 'reach'>): Promise<void> {
  const text = `${JSON.stringify(file, null, 2)}\n`;
  await new DurableFolder(dataDir, effects).write(pathIn(dataDir), text, 'project');
}

async function heldProject({ dataDir, projectId }: ProjectSettings): Promise<ProjectFile | undefined> {
  const path = pathIn(dataDir);
  const bytes = await readIfThere(path);
  if (bytes === undefined) return undefined;
  const held = parse(path, bytes.toString('utf8'));
  if (projectId !== undefined && held.project_id !== projectId) {
    throw new ConfigError(
      `${dataDir} holds the data of project ${held.project_id}, and the settings name project ${projectId}.`,
      { hint: 'Correct project_id, or give this project a data_dir of its own.' },
    );
  }
  return held;
}

function parse(path: string, text: string): ProjectFile {
  try {
    return projectFile.parse(JSON.parse(text));
  } catch (cause) {
    throw new DamageError(`${path} is damaged.`, {
      hint: 'Restore it from a backup, or remove it. The next run writes it again for the project in the settings.',
      cause,
    });
  }
}

/** In the landing zone, so that a copy of it still names its project. */
function pathIn(dataDir: string): string {
  return join(foldersOf(dataDir).landing, 'project.json');
}
