/** A word that is none of a list: which of them it may have been meant to be. */
import { InvalidArgumentError, Option } from 'commander';
import { closest } from 'fastest-levenshtein';

/** `Did you mean json? Choose one of text, json.` */
export function oneOf(word: string, known: readonly string[]): string {
  return `Did you mean ${closest(word, known)}? Choose one of ${known.join(', ')}.`;
}

/** An option that takes one of some words. */
export function choice(flags: string, description: string, words: readonly string[]): Option {
  return new Option(flags, description).choices(words).argParser((word) => {
    if (words.includes(word)) return word;
    throw new InvalidArgumentError(oneOf(word, words));
  });
}
