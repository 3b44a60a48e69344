/** `dawnload completion SHELL`: the shell script for Tab completion of commands and of the names of queries. */
import type { Command } from 'commander';
import { EXIT, UsageError, type ExitCode } from '../ground/errors.js';
import { loadCatalogue } from '../readers/queries/catalogue.js';
import { oneOf } from './shared.js';
import type { Invocation } from '../config/invocation.js';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;

export function completionCommand(shell: string, program: Command, invocation: Invocation): ExitCode {
  const known = SHELLS.find((name) => name === shell);
  if (known === undefined) {
    throw new UsageError(`There is no completion for "${shell}".`, { hint: oneOf(shell, SHELLS) });
  }
  const offers = offersOf(program, invocation.loadConfig().queries);
  invocation.terminal.draw(known === 'fish' ? forFish(offers) : forBash(offers, known));
  return EXIT.done;
}

/** The words that follow a command, by the command; '' for `dawnload` itself. */
function offersOf(program: Command, queries: string | undefined): Map<string, string[]> {
  const named = (command: Command): string[] => command.commands.map((sub) => sub.name());
  const offers = new Map<string, string[]>([['', named(program)]]);
  for (const command of program.commands)
    if (command.commands.length > 0) offers.set(command.name(), named(command));
  offers.set(
    'query',
    loadCatalogue(queries).map(({ name }) => name),
  );
  offers.set('completion', [...SHELLS]);
  return offers;
}

function forBash(offers: ReadonlyMap<string, readonly string[]>, shell: 'bash' | 'zsh'): string {
  return [
    // zsh runs completions for bash after `bashcompinit`.
    ...(shell === 'zsh' ? ['autoload -U +X bashcompinit && bashcompinit'] : []),
    '_dawnload() {',
    '  local offers=',
    '  case "$COMP_CWORD ${COMP_WORDS[1]}" in',
    `    1\\ *) offers='${offers.get('')?.join(' ') ?? ''}' ;;`,
    ...[...offers].flatMap(([command, words]) =>
      command === '' ? [] : [`    2\\ ${command}) offers='${words.join(' ')}' ;;`],
    ),
    '  esac',
    '  COMPREPLY=($(compgen -W "$offers" -- "${COMP_WORDS[COMP_CWORD]}"))',
    '}',
    'complete -o default -F _dawnload dawnload',
  ].join('\n');
}

function forFish(offers: ReadonlyMap<string, readonly string[]>): string {
  return [...offers]
    .map(([command, words]) => {
      const condition = command === '' ? '__fish_use_subcommand' : `__fish_seen_subcommand_from ${command}`;
      return `complete -c dawnload -n '${condition}' -a '${words.join(' ')}'`;
    })
    .join('\n');
}
