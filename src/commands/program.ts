/** The parser of the command line: builds the commands of entries.ts, and converts the parser's errors to ours. */
import { Command, type CommanderError } from 'commander';
import type { Flags } from '../config/config.js';
import type { Invocation } from '../config/invocation.js';
import { UsageError, type ExitCode } from '../ground/errors.js';
import { didYouMean } from '../ground/text.js';
import { choice, ENTRIES, type Entry } from './entries.js';
import { asksKorean, inKorean, koreanHelp } from './korean.js';

/** A typed command. */
export interface Typed {
  readonly flags: Flags;
  readonly perform: (invocation: Invocation) => Promise<ExitCode>;
}

/** @param say writes a text in the language of the help */
function withExamples(
  command: Command,
  examples: readonly string[],
  say = (text: string): string => text,
): Command {
  return command.addHelpText('before', () => say(`Examples:\n  ${examples.join('\n  ')}\n`));
}

/**
 * Converts an error of the parser, such as `error: unknown option '--jsn'\n(Did you mean --json?)`, to one of ours. Undefined if the parser
 * only printed help or the version.
 *
 * @param command the typed command; empty if there was none
 */
export function mistakeOf(
  { code, exitCode, message }: CommanderError,
  command: string,
): UsageError | undefined {
  if (exitCode === 0 || code === 'commander.help') return undefined;
  const [first = '', near = ''] = message
    .replace(/^error: /, '')
    .replace(/^required option '(.*)' not specified$/, '$1 is missing')
    .replace(/^command-argument value '(.*)' is invalid for argument '(.*)'\./, "'$1' is not a valid $2.")
    .replace('Allowed choices are', 'It must be one of')
    .replace(/^option '.*?(--[a-z-]+).*' argument '(.*)' is invalid\./, '$1 $2 is invalid.')
    .split('\n');
  const sentence = `${first.charAt(0).toUpperCase()}${first.slice(1).replace(/[.]?$/, '.')}`;
  const help =
    command === ''
      ? '`dawnload help` lists the commands.'
      : `\`dawnload help ${command}\` shows its options.`;
  // For example `query channel-summary --start 2026-11-01`.
  const isParameter = command === 'query' && code === 'commander.unknownOption' && near === '';
  const other = isParameter
    ? 'Write NAME=VALUE for parameters of a query. '
    : near.replace(/^\((.*)\)$/, '$1 ');
  return new UsageError(sentence, { hint: `${other}${help}` });
}

/** The command-line parser. `parse` returns the typed command; undefined if the parser did everything itself, such as printing help. */
export function commandLine(version: string): {
  readonly program: Command;
  readonly parse: (argv: readonly string[]) => Typed | undefined;
} {
  let typed: Typed | undefined;
  let isKorean = false;
  const program = new Command('dawnload')
    .description(
      "Loads a messaging service's statistics and paid event exports into one DuckDB file for SQL.",
    )
    .version(version, '-V, --version', 'the version of dawnload')
    // `main` prints these errors, like all others.
    .configureOutput({ outputError: () => undefined })
    .exitOverride()
    // Global options may be anywhere on the line.
    .option('--config <file>', 'the settings file (default: dawnload.yaml in this folder)')
    .option('--data-dir <folder>', 'the data folder, with landing zone, ledger and warehouse')
    .addOption(
      choice(
        '--log-format <format>',
        'how to write notes on stderr; timed adds timestamps',
        'text',
        'timed',
        'json',
      ).env('DAWNLOAD_LOG_FORMAT'),
    )
    .option('--quiet', 'write only warnings and errors to stderr, for cron')
    .option('--verbose', 'show the causes of an error, too');
  const start = ['dawnload demo', 'dawnload run', 'dawnload status', 'dawnload query channel-summary'];
  withExamples(program, [...start, 'dawnload help backfill']);

  const add = ({ name, about, examples, options, args, hasOwnHelp, perform }: Entry): void => {
    const [first = '', ...rest] = name.split(/ (?![<[])/);
    const parent = program.commands.find((one) => one.name() === first);
    const command = (parent ?? program).command(parent === undefined ? first : rest.join(' '));
    const say = (text: string): string => (isKorean ? inKorean(command, text) : text);
    withExamples(command.description(about), examples, say);
    if (perform === undefined) return;
    command.addHelpText('after', () => say('\nThe options of all commands: `dawnload --help`.'));
    for (const option of options) command.addOption(option);
    for (const argument of args) command.addArgument(argument);
    if (hasOwnHelp) command.helpOption(false);
    command.action(() => {
      const { config: settingsFile, ...flags } = command.optsWithGlobals<
        Flags & { readonly config?: string }
      >();
      typed = {
        flags: { ...flags, settingsFile },
        perform: (invocation) => perform(command, { changed: keepStatus, ...invocation }),
      };
    });
  };
  for (const one of ENTRIES) add(one);
  // Commander's own `help` command would answer a mistyped name with the complete help.
  program
    .helpCommand(false)
    .command('help [command...]')
    .description('display help for a command')
    .action((names: readonly string[]) => {
      let command = program;
      for (const name of names) {
        const inner = command.commands.find((one) => one.name() === name);
        const others = command.commands.map((one) => one.name());
        const hint = `${didYouMean(name, others)}\`dawnload help\` lists the commands.`;
        if (inner === undefined) throw new UsageError(`Unknown command: ${names.join(' ')}.`, { hint });
        command = inner;
      }
      command.help();
    });

  return {
    program,
    parse: (argv) => {
      isKorean = asksKorean(argv);
      if (isKorean) for (const command of program.commands) command.configureHelp(koreanHelp(command));
      program.parse(argv);
      return typed;
    },
  };
}

const keepStatus: NonNullable<Invocation['changed']> = async (now, journal) =>
  (await import('./status.js')).keepStatus(now, journal);
