/**
 * The instants of pulls that a clock which ran ahead has dated: `landing/instants.json`, by id of the pull. What has landed is
 * never renamed, so this says when it counts as pulled. Without the file, or when it cannot be read, each keeps its own date
 * until the next run finds it in the future again.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { dayOf } from '../calendar.js';
import type { DurableFolder } from './atomic-file.js';
import { isReference, type FreePull } from './pull.js';

const shape = z.record(
  z.string(),
  z.iso.datetime().transform((text) => new Date(text)),
);

export type Instants = ReadonlyMap<string, Date>;

const fileIn = (landing: string): string => join(landing, 'instants.json');

export async function readInstants(landing: string): Promise<Instants> {
  try {
    return new Map(Object.entries(shape.parse(JSON.parse(await readFile(fileIn(landing), 'utf8')))));
  } catch {
    return new Map();
  }
}

/** Throws `StorageError`. */
export async function writeInstants(disk: DurableFolder, landing: string, instants: Instants): Promise<void> {
  const text = JSON.stringify(Object.fromEntries(instants), null, 1);
  await disk.write(fileIn(landing), `${text}\n`, 'instants');
}

/** The pull as of the instant at which it counts. */
export function redated<P extends FreePull>(pull: P, instants: Instants): P {
  const pulledAt = instants.get(pull.id);
  if (pulledAt === undefined) return pull;
  return isReference(pull) ? { ...pull, pulledAt, day: dayOf(pulledAt) } : { ...pull, pulledAt };
}
