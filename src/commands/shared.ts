/** Helpers of several commands. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { UsageError, type ExitCode } from '../ground/errors.js';
import { formatCount } from '../terminal/text.js';
import type { Invocation } from '../config/invocation.js';
import { closest } from 'fastest-levenshtein';
import { resolve } from 'node:path';
import type { Flags } from '../config/config.js';
import { PACKAGE_ROOT } from '../ground/package.js';

/** Runs a command and resolves to its exit code. */
export type Action = (invocation: Invocation) => Promise<ExitCode>;

export interface JsonOptions {
  readonly json?: boolean;
}

/** Adds examples to the beginning of the help. */
export function withExamples(command: Command, examples: readonly string[]): Command {
  return command.addHelpText(
    'before',
    `Examples:\n${examples.map((example) => `  ${example}`).join('\n')}\n`,
  );
}

/** A hint such as `Did you mean json? Choose one of text, json.` */
export function oneOf(word: string, known: readonly string[]): string {
  return `Did you mean ${closest(word, known)}? Choose one of ${known.join(', ')}.`;
}

/** An option whose value must be one of the given words. */
export function choice(flags: string, description: string, words: readonly string[]): Option {
  return new Option(flags, description).choices(words).argParser((word) => {
    if (words.includes(word)) return word;
    throw new InvalidArgumentError(oneOf(word, words));
  });
}

/** Program and arguments with absolute paths, because a scheduler starts in another folder and with another PATH. */
export function ownCommand(command: string, flags: Flags): [string, ...string[]] {
  return [
    process.execPath,
    resolve(PACKAGE_ROOT, 'dist/src/cli.js'),
    command,
    ...(flags.config === undefined ? [] : ['--config', resolve(flags.config)]),
    ...(flags.logFormat === undefined ? [] : ['--log-format', flags.logFormat]),
    ...(flags.dataDir === undefined ? [] : ['--data-dir', resolve(flags.dataDir)]),
  ];
}

export function numberIn(flag: string, text: string, low: number, high: number): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value < low || value > high) {
    throw new UsageError(`${flag} must be a number from ${low} to ${formatCount(high)}, not "${text}".`);
  }
  return value;
}
