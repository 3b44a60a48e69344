/** The lake: whether its extensions, its catalog and its storage can be used, and whether it holds what the file does. */
import { requireLake } from '../config/require-lake.js';
import type { Config } from '../config.js';
import { changesOf } from '../lake/changes.js';
import { latestCommits } from '../lake/commits.js';
import { LakeState } from '../lake/state.js';
import type { Invocation } from '../run/invocation.js';
import { withLake } from '../run/lake.js';
import { plural } from '../terminal/terminal.js';
import { ok, warn, type Finding } from './check.js';

/** Throws, as a finding, what a push would throw. */
export async function lake(settings: Config, invocation: Invocation): Promise<Finding> {
  const config = requireLake(settings);
  return withLake(config, invocation, async (opened) => {
    const [newest] = await latestCommits(opened, 1);
    (await LakeState.open(config, invocation.effects)).assertOurs(newest);
    const { streams } = await changesOf(opened);
    const days = new Set([...streams.values()].flat()).size;
    const where = `${config.lake.namespace} at ${new URL(config.lake.catalog.uri).host}`;
    return days === 0
      ? ok(`${where} holds the days of the published file`)
      : warn(`${where} lacks ${plural(days, 'day')} of the published file`, 'Run `dawnload lake push`.');
  });
}
