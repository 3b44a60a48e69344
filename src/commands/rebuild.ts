/** `dawnload rebuild`: rebuilds the warehouse from the landing zone and the ledger, without any request. */
import type { ExitCode } from '../ground/errors.js';
import { dataFiles } from '../landing/paths.js';
import { rebuild } from '../job/run.js';
import type { Invocation } from '../config/invocation.js';
import { outcomeJson, summarise } from './summary.js';

export interface RebuildOptions {
  readonly json?: boolean;
}

export async function rebuildCommand(options: RebuildOptions, invocation: Invocation): Promise<ExitCode> {
  const { terminal, effects } = invocation;
  const config = invocation.loadConfig();
  terminal.note('Rebuilding from everything that has landed, oldest first. No request is sent.');
  const outcome = await rebuild(config, invocation);
  const exitCode = summarise(outcome, terminal, dataFiles(config.dataDir).published, effects.now());
  if (options.json === true) terminal.out(outcomeJson('rebuild', null, outcome));
  return exitCode;
}
