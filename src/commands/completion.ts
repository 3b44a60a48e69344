/** `dawnload completion SHELL`: prints the shell script for Tab completion, generated from the table of commands. */
import type { Command, Option } from 'commander';
import { EXIT, UsageError, type ExitCode } from '../errors.js';
import { loadCatalogue } from '../queries/catalogue.js';
import { oneOf } from './shared.js';
import type { Terminal } from '../terminal/terminal.js';
import { JOB_STREAMS } from '../streams.js';

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

interface OptionOffer extends Offer {
  readonly short: string | undefined;
  /** The value after the option: known words, a file, or any text; undefined for a flag without a value. */
  readonly value: readonly string[] | 'file' | 'any' | undefined;
}

/** The words that are offered after other words, such as after `exports`. */
interface Place {
  /** The preceding words; empty for `dawnload` alone. */
  readonly path: string;
  readonly words: readonly Offer[];
  readonly options: readonly OptionOffer[];
}

function placesIn(command: Command, path: readonly string[] = []): Place[] {
  const here = path.join(' ');
  const names = command.commands.map((sub) => ({ word: sub.name(), description: sub.description() }));
  const options = command.options.flatMap((option) => {
    const { long, short, description } = option;
    return typeof long === 'string' ? [{ word: long, short, description, value: valueOf(option) }] : [];
  });
  const place = { path: here, words: [...names, ...argumentsOf(here)], options };
  const below = here === 'query' ? queryPlaces(options) : [];
  return [place, ...below, ...command.commands.flatMap((sub) => placesIn(sub, [...path, sub.name()]))];
}

function valueOf({ argChoices, flags }: Option): OptionOffer['value'] {
  if (argChoices !== undefined) return argChoices;
  if (flags.startsWith('--streams')) return JOB_STREAMS;
  if (/<(?:file|folder)>/.test(flags)) return 'file';
  return flags.includes('<') ? 'any' : undefined;
}

/** Arguments that are restricted to a list of words. */
function argumentsOf(path: string): Offer[] {
  if (path === 'query') return loadCatalogue().map(({ name, title }) => ({ word: name, description: title }));
  if (path === 'completion') return SHELLS.map((word) => ({ word, description: `completion for ${word}` }));
  return [];
}

/** After the name of a bundled query, `--param` offers the parameters of that query. */
function queryPlaces(options: readonly OptionOffer[]): Place[] {
  return loadCatalogue().map(({ name, params }) => ({
    path: `query ${name}`,
    words: [],
    options: options.map((option) =>
      option.word === '--param' ? { ...option, value: params.map((param) => `${param.name}=`) } : option,
    ),
  }));
}

function forBash(places: readonly Place[], shell: 'bash' | 'zsh'): string {
  const known = places.map(({ path }) => `'${path}'`).join(' | ');
  const offers = places.map(({ path, words, options }): [string, string] => [
    path,
    [...words, ...options].map(({ word }) => word).join(' '),
  ]);
  const values = places.flatMap(({ path, options }) =>
    options.flatMap(({ word, short, value }) =>
      value === undefined
        ? []
        : [word, ...(short === undefined ? [] : [short])].map((flag): [string, string] => [
            `${path} ${flag}`,
            typeof value === 'string' ? '' : value.join(' '),
          ]),
    ),
  );
  return [
    // zsh runs completions for bash after `bashcompinit`.
    ...(shell === 'zsh' ? ['autoload -U +X bashcompinit && bashcompinit'] : []),
    '_dawnload() {',
    // In zsh the variable path is the search path for commands, so the script must not use that name.
    '  local words_before= word offers= list=',
    '  local current="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}"',
    '  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
    '    case "${words_before:+$words_before }$word" in',
    `      ${known}) words_before="\${words_before:+$words_before }$word" ;;`,
    '    esac',
    '  done',
    // bash splits --format=csv into three words.
    '  [ "$before" = = ] && before="${COMP_WORDS[COMP_CWORD-2]}"',
    '  [ "$current" = = ] && current=',
    '  case "$words_before" in',
    ...casesOf(offers),
    '  esac',
    '  case "$words_before $before" in',
    ...casesOf(values),
    '  esac',
    // Completes the last name of a list, as in statistics,campaigns
    '  case "$current" in *,*) list="${current%,*}," ;; esac',
    '  COMPREPLY=($(compgen -P "$list" -W "$offers" -- "${current##*,}"))',
    '  case "${COMPREPLY[0]}" in *=) compopt -o nospace 2>/dev/null ;; esac',
    '}',
    'complete -o default -F _dawnload dawnload',
  ].join('\n');
}

/** Groups words with identical offers into one branch of the case statement. */
function casesOf(pairs: readonly (readonly [words: string, offers: string])[]): string[] {
  const alike = new Map<string, string[]>();
  for (const [words, offers] of pairs) alike.set(offers, [...(alike.get(offers) ?? []), `'${words}'`]);
  return [...alike].map(([offers, words]) => `    ${words.join(' | ')}) offers='${offers}' ;;`);
}

function forFish(places: readonly Place[]): string {
  return places
    .flatMap(({ path, words, options }) => {
      const seen = path.split(' ').filter((word) => word !== '');
      const condition =
        seen.length === 0
          ? '__fish_use_subcommand'
          : seen.map((word) => `__fish_seen_subcommand_from ${word}`).join('; and ');
      const start = `complete -c dawnload -n '${condition}'`;
      // A bundled query has the same other options as `query`.
      const own = path.startsWith('query ') ? options.filter(({ word }) => word === '--param') : options;
      return [
        ...words.map(({ word, description }) => `${start} -a ${word} -d ${quoted(description)}`),
        ...own.map(
          ({ word, short, description, value }) =>
            `${start} -l ${word.slice(2)}${short === undefined ? '' : ` -s ${short.slice(1)}`}${fishValue(value)} -d ${quoted(description)}`,
        ),
      ];
    })
    .join('\n');
}

function fishValue(value: OptionOffer['value']): string {
  if (value === undefined) return '';
  if (value === 'file') return ' -r';
  return value === 'any' ? ' -x' : ` -x -a ${quoted(value.join(' '))}`;
}

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
