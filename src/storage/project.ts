/**
 * Records the project that a data folder belongs to, and the addresses that it was pulled from. Two projects must not
 * share a folder, where days, exports and budget of one would count as those of the other.
 */
import { join } from 'node:path';
import { z } from 'zod';
import type { Effects } from '../effects.js';
import { ConfigError, DamageError } from '../errors.js';
import { DurableFolder } from './atomic-file.js';
import { foldersOf } from './paths.js';
import { readIfThere } from './storage-error.js';

/** The settings of the project; a command that needs no service may lack both of them. */
interface ProjectSettings {
  readonly dataDir: string;
  readonly projectId: string | undefined;
  readonly baseUrl: string | undefined;
}

const projectFile = z.object({ project_id: z.string(), base_urls: z.array(z.string()) });

type ProjectFile = z.infer<typeof projectFile>;

/**
 * Checks the project of a folder, for read-only commands. Creates nothing.
 *
 * @throws ConfigError when the folder holds another project; the message names both
 * @throws DamageError, StorageError when the project file cannot be read
 */
export async function assertSameProject(settings: ProjectSettings): Promise<void> {
  await heldProject(settings);
}

/**
 * Checks the project of a folder; a folder that is new, or older than the project file, is assigned to the project.
 * Requires the lock. Returns the last address that the project was pulled from, if it was never pulled from the one in
 * the settings.
 *
 * @throws ConfigError, DamageError, StorageError as `assertSameProject`, and StorageError when the project file cannot
 *   be written
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
 * Records the address in the settings, once the address has issued a token: data never comes from a mistyped one.
 * Requires the lock and an earlier `keepToProject`; throws the same errors.
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

/** The project file is in the landing zone, so that a copy of the landing zone still names its project. */
function pathIn(dataDir: string): string {
  return join(foldersOf(dataDir).landing, 'project.json');
}
