/** `dawnload rebuild`: the warehouse again from landing zone and ledger, with no request at all. */
import type { ExitCode } from '../errors.js';
import { dataFiles } from '../house.js';
import { rebuild } from '../pipeline.js';
import type { CommandContext } from './context.js';
import { outcomeJson, summarise } from './summary.js';

export interface RebuildOptions {
  readonly json?: boolean;
}

export async function rebuildCommand(options: RebuildOptions, context: CommandContext): Promise<ExitCode> {
  const { terminal, effects } = context;
  const config = context.loadConfig();
  terminal.note('rebuild: everything that was landed, oldest first; no request is sent');
  const outcome = await rebuild(config, context);
  const exitCode = summarise(outcome, terminal, dataFiles(config.dataDir).published, effects.now());
  if (options.json === true) terminal.out(outcomeJson('rebuild', null, outcome));
  return exitCode;
}
