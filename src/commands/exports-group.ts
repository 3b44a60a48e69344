/** The commands under `dawnload exports`: the ledger of paid exports, and decisions about one. */
import type { Command } from 'commander';
import type { ResumeOptions } from '../run.js';
import type { AttachOptions } from './exports.js';
import type { RecoverOptions } from './exports-recover.js';
import { JSON_OPTION, withExamples, type Action, type JsonOptions } from './shared.js';

export function addExports(
  program: Command,
  add: (parent: Command, name: string, description: string, examples: readonly string[]) => Command,
  act: (action: Action) => Promise<void>,
): void {
  const load = () => import('./exports.js');
  const exports = withExamples(
    program.command('exports').description('list paid exports, and decide about one'),
    ['dawnload exports list', 'dawnload exports show 2026-11-20.1', 'dawnload exports resume 2026-11-20.1'],
  );
  add(exports, 'list', 'list all paid exports; exit code 1 while one needs action', ['dawnload exports list'])
    .option(...JSON_OPTION)
    .action((options: JsonOptions) =>
      act(async (invocation) => (await load()).exportsListCommand(options, invocation)),
    );
  add(exports, 'show <key>', 'show one paid export', ['dawnload exports show 2026-11-20.1']).action(
    (key: string) => act(async (invocation) => (await load()).exportsShowCommand(key, invocation)),
  );
  add(exports, 'resume <key>', 'resume one at no cost; with --pay-again, request its day again', [
    'dawnload exports resume 2026-11-20.1',
    'dawnload exports resume 2026-11-20.1 --pay-again',
  ])
    .option('--pay-again', 'consent to be billed again for this day')
    .option('--accept-incomplete', 'accept an incomplete export: no record, or only some of the pages')
    .action((key: string, options: ResumeOptions) =>
      act(async (invocation) => (await load()).exportsResumeCommand(key, options, invocation)),
    );
  add(exports, 'attach <key> <export-id>', 'give the id of an export whose answer was lost', [
    'dawnload exports attach 2026-11-20.1 8c1f0e2a',
  ])
    .option(
      '--yes',
      'replace the id of an export whose data has arrived, or exchange two ids, without asking',
    )
    .action((key: string, exportId: string, options: AttachOptions) =>
      act(async (invocation) => (await load()).exportsAttachCommand(key, exportId, options, invocation)),
    );
  add(exports, 'recover', 'show the paid exports that the ledger has lost, and enter them', [
    'dawnload exports recover',
    'dawnload exports recover --yes',
  ])
    .option('--yes', 'enter them without asking')
    .option(...JSON_OPTION)
    .action((options: RecoverOptions) =>
      act(async (invocation) =>
        (await import('./exports-recover.js')).exportsRecoverCommand(options, invocation),
      ),
    );
  add(exports, 'abandon <key>', 'give one up; no run requests its day again', [
    'dawnload exports abandon 2026-11-20.1',
  ]).action((key: string) =>
    act(async (invocation) => (await load()).exportsAbandonCommand(key, invocation)),
  );
}
