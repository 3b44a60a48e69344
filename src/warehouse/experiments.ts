/** How A/B tests are judged: what the configuration says, in `ops.experiments`, where `marts.ab_tests` reads it. */
import type { ExperimentSettings } from '../config/schema.js';
import type { Session } from './session.js';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { PACKAGE_ROOT } from '../package.js';

/** The defaults of the settings, also for those that `default` leaves out. */
const DEFAULTS = { smallest_effect: 0.2, alpha: 0.05, power: 0.8 } as const;

/** Replaces `ops.experiments`. Inside a transaction. */
export async function noteExperiments(
  session: Session,
  experiments: Readonly<Record<string, ExperimentSettings>>,
): Promise<void> {
  const general = { ...DEFAULTS, ...experiments['default'] };
  const rows = Object.entries({ ...experiments, default: general }).map(([campaign_id, own]) => ({
    campaign_id,
    ...general,
    ...own,
  }));
  await session.set({ experiments: JSON.stringify(rows) });
  await session.run('ops/experiments');
}

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
