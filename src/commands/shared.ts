/** What several commands of the table share. */
import type { Command } from 'commander';
import type { ExitCode } from '../errors.js';
import type { Invocation } from '../run/invocation.js';

/** What a command does; its exit code. */
export type Action = (invocation: Invocation) => Promise<ExitCode>;

export interface JsonOptions {
  readonly json?: boolean;
}

export const JSON_OPTION = ['--json', 'print JSON on stdout, for programs'] as const;

/** Each help begins with examples. */
export function withExamples(command: Command, examples: readonly string[]): Command {
  return command.addHelpText(
    'before',
    `Examples:\n${examples.map((example) => `  ${example}`).join('\n')}\n`,
  );
}
