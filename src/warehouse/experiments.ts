/** How A/B tests are judged: what the configuration says, in `ops.experiments`, where `marts.ab_tests` reads it. */
import type { ExperimentSettings } from '../config/schema.js';
import type { Session } from './session.js';

/** Of what `default` leaves out too. */
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
