/** Seeds: small tables that come with the package (`sql/seeds`), such as the public holidays of Korea. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { PACKAGE_ROOT } from '../package.js';
import type { Session } from './session.js';

const FOLDER = join(PACKAGE_ROOT, 'sql', 'seeds');

/** Fills the tables whose file is not the one that filled them last. Inside a transaction. */
export async function plantSeeds(session: Session): Promise<void> {
  const known = await session.rows(
    'refresh/known',
    z.object({ relation: z.string(), fingerprint: z.string() }),
  );
  for (const file of readdirSync(FOLDER)) {
    const relation = basename(file, '.csv');
    const path = join(FOLDER, file);
    const fingerprint = createHash('sha256').update(readFileSync(path)).digest('hex');
    if (known.some((seed) => seed.relation === relation && seed.fingerprint === fingerprint)) continue;
    const relations = [relation];
    await session.set({
      file: path,
      former_relations: relations,
      relations,
      kinds: ['seed'],
      fingerprints: [fingerprint],
    });
    await session.run('refresh/seed', { relation });
    await session.run('refresh/note');
  }
}
