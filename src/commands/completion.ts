/** `dawnload completion SHELL`: the shell script for Tab completion of commands and of the names of queries. */
import type { Command } from 'commander';
import type { Invocation } from '../config/invocation.js';
import { EXIT, type ExitCode } from '../ground/errors.js';
import { loadCatalogue } from '../readers/queries/catalogue.js';

export function completionCommand(shell: string, program: Command, invocation: Invocation): ExitCode {
  /** The words that follow a command, by the command; '' for `dawnload` itself. */
  const offers = new Map(
    [program, ...program.commands].flatMap((command) => {
      const words = [
        ...command.commands.map((sub) => sub.name()),
        ...command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
      ];
      return words.length === 0 ? [] : [[command === program ? '' : command.name(), words]];
    }),
  );
  const queries = loadCatalogue(invocation.loadConfig().queries);
  offers.set(
    'query',
    queries.map(({ name }) => name),
  );
  invocation.terminal.draw(shell === 'fish' ? forFish(offers) : forBash(offers, shell === 'zsh'));
  return EXIT.done;
}

function forBash(offers: ReadonlyMap<string, readonly string[]>, isZsh: boolean): string {
  return [
    // zsh runs completions for bash after `bashcompinit`.
    ...(isZsh ? ['autoload -U +X bashcompinit && bashcompinit'] : []),
    '_dawnload() {',
    '  local offers=',
    '  case "$COMP_CWORD ${COMP_WORDS[1]}" in',
    ...[...offers].map(([command, words]) =>
      command === ''
        ? `    1\\ *) offers='${words.join(' ')}' ;;`
        : `    2\\ ${command}) offers='${words.join(' ')}' ;;`,
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
