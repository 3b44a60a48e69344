/** The pushes of a night, which the settings name under `pushes`. */
import type { ServiceConfig } from '../config/config.js';
import type { Invocation } from '../config/invocation.js';
import type { PushSettings } from '../config/schema.js';
import { DawnloadError, InterruptedError, messageOf } from '../ground/errors.js';
import type { Journal } from '../journal/journal.js';
import type { Wanted } from './plan.js';
import { pushRows, sentenceOn } from './push.js';
import { parseTarget } from './targets.js';

/** The push of an entry under `pushes`. */
export function wantedOf(settings: PushSettings): Wanted {
  const { name, target, query, sql, file, params, key, mode, delete_missing: deleteMissing } = settings;
  const [kind = '', ...rest] = target.split(' ');
  const param = Object.entries(params).map(([parameter, value]) => `${parameter}=${value}`);
  const words = rest.length === 0 ? ([kind] as const) : ([kind, rest.join(' ')] as const);
  return {
    name,
    target: parseTarget(words, { mode }),
    source: { name: query, sql, file, param },
    key,
    deleteMissing,
  };
}

/** Makes the pushes of the configuration in order. A push that fails has its outcome, and the next one follows. */
export async function pushNightly(
  config: ServiceConfig,
  invocation: Invocation,
  journal: Journal,
): Promise<{ step: string; failed: boolean; sentence: string }[]> {
  const outcomes = [];
  for (const settings of config.pushes) {
    const { name } = settings;
    invocation.terminal.progress(`pushing ${name}`);
    try {
      const wanted = wantedOf(settings);
      const pushed = await pushRows(wanted, config, invocation, journal, {
        standing: true,
        agree: () => Promise.resolve(false),
        show: () => undefined,
      });
      outcomes.push({
        step: `push ${name}`,
        failed: false,
        sentence: `${name}: ${sentenceOn(wanted, pushed)}`,
      });
    } catch (error) {
      if (error instanceof InterruptedError) throw error;
      const hint = error instanceof DawnloadError ? ` ${error.hint ?? ''}` : '';
      const sentence = `The push ${name} failed: ${messageOf(error)}${hint}`.trim();
      outcomes.push({ step: `push ${name}`, failed: true, sentence });
    }
  }
  return outcomes;
}
