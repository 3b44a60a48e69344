/** Writes settings to the warehouse: A/B tests to `ops.experiments`, main goals to `ops.main_goals`, names that are no clicks. */
import type { ExperimentSettings } from '../config/schema.js';
import { dayOf } from '../ground/calendar.js';
import type { Session } from './session.js';
import { z } from 'zod';

/** Defaults of the settings, also for fields that `default` leaves out. */
const DEFAULTS = { smallest_effect: 0.2, alpha: 0.05, power: 0.8 } as const;

/** The settings that models depend on. */
export interface ModelSettings {
  /** Settings of A/B tests, by campaign id. */
  readonly experiments?: Readonly<Record<string, ExperimentSettings>>;
  /** Main goals: the conversion that counts, by campaign or user journey id. */
  readonly mainGoals?: Readonly<Record<string, string>>;
  /** Names of events that are no clicks, besides the built-in ones. */
  readonly notClicks?: readonly string[];
}

/**
 * Replaces the rows that come from the settings. Call inside a transaction, before the models are refreshed: a changed
 * setting of clicks computes them in full.
 */
export async function noteSettings(
  session: Session,
  { experiments = {}, mainGoals = {}, notClicks = [] }: ModelSettings,
  now: Date,
): Promise<void> {
  const general = { ...DEFAULTS, ...experiments['default'] };
  const rows = Object.entries({ ...experiments, default: general }).map(([campaign_id, own]) => ({
    campaign_id,
    ...general,
    ...own,
    split: byFirstDay(own.split ?? general.split),
  }));
  const goals = Object.entries(experiments).flatMap(([id, { goal }]) =>
    goal === undefined ? [] : [[id, goal]],
  );
  await session.set({
    given: {
      experiments: JSON.stringify(rows),
      main_goals: JSON.stringify({ ...Object.fromEntries(goals), ...mainGoals }),
      today: dayOf(now),
      names: [...new Set(notClicks)].sort(),
    },
  });
  for (const name of ['experiments', 'keep_main_goals', 'clicks']) await session.run(`ops/${name}`);
}

/** A split without days was intended from the first day. */
function byFirstDay(split: ExperimentSettings['split'] = {}): unknown {
  const [first] = Object.values<unknown>(split);
  return typeof first === 'number' ? { '0001-01-01': split } : first === undefined ? null : split;
}

const chosenGoal = z.object({ resource_id: z.string(), goal: z.string() });

/**
 * Chooses the main goals that are still open, and returns them by campaign and user journey. Call after the models are
 * refreshed.
 */
export async function chooseMainGoals(session: Session, now: Date): Promise<Record<string, string>> {
  await session.set({ given: { today: dayOf(now) } });
  const chosen = await session.rows('ops/choose_main_goals', chosenGoal);
  return Object.fromEntries(chosen.map(({ resource_id, goal }) => [resource_id, goal]));
}
