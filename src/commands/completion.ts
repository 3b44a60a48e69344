/** `dawnload completion SHELL`: the shell script for Tab completion of commands and of the names of queries. */
import type { Command } from 'commander';
import type { Invocation } from '../config/invocation.js';
import { EXIT, type ExitCode } from '../ground/errors.js';
import { loadCatalogue } from '../readers/queries/catalogue.js';

export function completionCommand(shell: string, program: Command, invocation: Invocation): ExitCode {
  /** For each command, the words that may follow it; '' means `dawnload` itself. */
  const offers = new Map(
    [program, ...program.commands].map((command) => [
      command === program ? '' : command.name(),
      [
        ...command.commands.map((sub) => sub.name()),
        ...command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
      ],
    ]),
  );
  const queries = loadCatalogue(invocation.loadConfig().queries);
  offers.set(
    'query',
    queries.map(({ name }) => name),
  );
  const lines = [...offers].flatMap(([command, words]) => {
    if (words.length === 0) return [];
    const isFirst = command === '';
    const condition = isFirst ? '__fish_use_subcommand' : `__fish_seen_subcommand_from ${command}`;
    return shell === 'fish'
      ? `complete -c dawnload -n '${condition}' -a '${words.join(' ')}'`
      : `    ${isFirst ? '1\\ *' : `2\\ ${command}`}) offers='${words.join(' ')}' ;;`;
  });
  const script = [
    // After `bashcompinit`, zsh runs completions written for bash.
    ...(shell === 'zsh' ? ['autoload -U +X bashcompinit && bashcompinit'] : []),
    '_dawnload() {',
    '  local offers=',
    '  case "$COMP_CWORD ${COMP_WORDS[1]}" in',
    ...lines,
    '  esac',
    '  COMPREPLY=($(compgen -W "$offers" -- "${COMP_WORDS[COMP_CWORD]}"))',
    '}',
    'complete -o default -F _dawnload dawnload',
  ];
  invocation.terminal.draw((shell === 'fish' ? lines : script).join('\n'));
  return EXIT.done;
}
