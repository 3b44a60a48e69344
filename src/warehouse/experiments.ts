/** How A/B tests are judged: what the configuration says, in `ops.experiments`, where `marts.ab_tests` reads it. */
import type { Session } from './session.js';

/** What is left out has its default. */
export interface Experiment {
  /** Name or id of the variant that the others are compared with. */
  readonly baseline?: string | undefined;
  /** Name of the conversion that counts. */
  readonly goal?: string | undefined;
  /** Shares by variant, in any unit. */
  readonly split?: Readonly<Record<string, number>> | undefined;
  /** Variants that get no messages. */
  readonly hold_outs?: readonly string[] | undefined;
  /** The smallest difference that matters, as a share of the baseline's rate. */
  readonly smallest_effect?: number | undefined;
  /** How often one person converts at most; without it no verdict is given on conversions. */
  readonly conversions_per_person?: number | undefined;
  /** How often a winner may be named where there is none. */
  readonly alpha?: number | undefined;
  /** How often a difference of the smallest effect is to be found. */
  readonly power?: number | undefined;
}

const DEFAULTS = { smallest_effect: 0.2, alpha: 0.05, power: 0.8 } as const;

/** Replaces `ops.experiments`. Inside a transaction. */
export async function noteExperiments(
  session: Session,
  experiments: Readonly<Record<string, Experiment>>,
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
