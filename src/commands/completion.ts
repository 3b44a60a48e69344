/** `dawnload completion SHELL`: what the Tab key offers, generated from the table of commands. */
import type { Command } from 'commander';
import { EXIT, UsageError, type ExitCode } from '../errors.js';
import { loadCatalogue } from '../queries/catalogue.js';
import { oneOf } from './shared.js';
import type { Terminal } from '../terminal/terminal.js';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;

export function completionCommand(shell: string, program: Command, terminal: Terminal): ExitCode {
  const known = SHELLS.find((name) => name === shell);
  if (known === undefined) {
    throw new UsageError(`There is no completion for "${shell}".`, {
      hint: oneOf(shell, SHELLS),
    });
  }
  const places = placesIn(program);
  terminal.draw(known === 'fish' ? forFish(places) : forBash(places, known));
  return EXIT.done;
}

interface Offer {
  readonly word: string;
  readonly description: string;
}

/** The words that may follow other words, such as `exports`. */
interface Place {
  /** The words before, the empty text for `dawnload` alone. */
  readonly path: string;
  readonly words: readonly Offer[];
  readonly options: readonly Offer[];
}

function placesIn(command: Command, path: readonly string[] = []): Place[] {
  const names = command.commands.map((sub) => ({ word: sub.name(), description: sub.description() }));
  const options = command.options.flatMap(({ long, description }) =>
    typeof long === 'string' ? [{ word: long, description }] : [],
  );
  const here = { path: path.join(' '), words: [...names, ...argumentsOf(path.join(' '))], options };
  return [here, ...command.commands.flatMap((sub) => placesIn(sub, [...path, sub.name()]))];
}

/** Arguments that are one of a list. */
function argumentsOf(path: string): Offer[] {
  if (path === 'query') return loadCatalogue().map(({ name, title }) => ({ word: name, description: title }));
  if (path === 'completion') return SHELLS.map((word) => ({ word, description: `completion for ${word}` }));
  return [];
}

function forBash(places: readonly Place[], shell: 'bash' | 'zsh'): string {
  const cases = places.map(({ path, words, options }) => {
    const offers = [...words, ...options].map(({ word }) => word).join(' ');
    return `    '${path}') offers='${offers}' ;;`;
  });
  const known = places.map(({ path }) => `'${path}'`).join(' | ');
  return [
    // zsh takes bash's completions once it is told to.
    ...(shell === 'zsh' ? ['autoload -U +X bashcompinit && bashcompinit'] : []),
    '_dawnload() {',
    // In zsh, path is the search path for commands.
    '  local words_before= word offers=',
    '  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
    '    case "${words_before:+$words_before }$word" in',
    `      ${known}) words_before="\${words_before:+$words_before }$word" ;;`,
    '    esac',
    '  done',
    '  case "$words_before" in',
    ...cases,
    '  esac',
    '  COMPREPLY=($(compgen -W "$offers" -- "${COMP_WORDS[COMP_CWORD]}"))',
    '}',
    'complete -o default -F _dawnload dawnload',
  ].join('\n');
}

function forFish(places: readonly Place[]): string {
  return places
    .flatMap(({ path, words, options }) => {
      const [first, second] = path.split(' ');
      const seen = [first, second].filter((word) => word !== undefined && word !== '');
      const condition =
        seen.length === 0
          ? '__fish_use_subcommand'
          : seen.map((word) => `__fish_seen_subcommand_from ${word}`).join('; and ');
      return [
        ...words.map(
          ({ word, description }) =>
            `complete -c dawnload -n '${condition}' -a ${word} -d ${quoted(description)}`,
        ),
        ...options.map(
          ({ word, description }) =>
            `complete -c dawnload -n '${condition}' -l ${word.slice(2)} -d ${quoted(description)}`,
        ),
      ];
    })
    .join('\n');
}

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
