/** The commands under `dawnload lake`: the same tables in Iceberg, for other engines. */
import type { Command } from 'commander';
import type { LakeSetupOptions } from './lake.js';
import { JSON_OPTION, withExamples, type Action, type JsonOptions } from './shared.js';

export function addLake(
  program: Command,
  add: (parent: Command, name: string, description: string, examples: readonly string[]) => Command,
  act: (action: Action) => Promise<void>,
): void {
  const load = () => import('./lake.js');
  const lake = withExamples(
    program.command('lake').description('the same tables in Iceberg, for other engines'),
    ['dawnload lake setup', 'dawnload lake push', 'dawnload lake verify'],
  );
  add(lake, 'setup', 'create the tables of the lake, and try its catalog', [
    'dawnload lake setup',
    'dawnload lake setup --take-over    # this data folder becomes the writer',
  ])
    .option('--take-over', 'become the writer of a lake that another data folder wrote')
    .option(...JSON_OPTION)
    .action((options: LakeSetupOptions) =>
      act(async (invocation) => (await load()).lakeSetupCommand(options, invocation)),
    );
  add(lake, 'plan', 'show which days and models a push would bring; changes nothing', [
    'dawnload lake plan',
    'dawnload lake plan --json',
  ])
    .option(...JSON_OPTION)
    .action((options: JsonOptions) =>
      act(async (invocation) => (await load()).lakePlanCommand(options, invocation)),
    );
  add(lake, 'push', 'bring the lake to what the published file holds', [
    'dawnload lake push',
    'dawnload lake push --json',
  ])
    .option(...JSON_OPTION)
    .action((options: JsonOptions) =>
      act(async (invocation) => (await load()).lakePushCommand(options, invocation)),
    );
  add(lake, 'status', 'show what the lake holds and its last commits', [
    'dawnload lake status',
    'dawnload lake status --json',
  ])
    .option(...JSON_OPTION)
    .action((options: JsonOptions) =>
      act(async (invocation) => (await load()).lakeStatusCommand(options, invocation)),
    );
  add(
    lake,
    'verify',
    'compare counts and sums of each day and table with the file; exit code 1 if any differs',
    ['dawnload lake verify', 'dawnload lake verify --json'],
  )
    .option(...JSON_OPTION)
    .action((options: JsonOptions) =>
      act(async (invocation) => (await load()).lakeVerifyCommand(options, invocation)),
    );
}
