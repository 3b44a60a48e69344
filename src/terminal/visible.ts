/**
 * Text from outside, made safe to print: what would move the cursor, change colours, reverse the line or begin another one
 * is escaped as in JSON (`\u001b`), so that a campaign's name cannot forge a line of output.
 */

/** C0, DEL and C1; marks of direction, embeddings, overrides and isolates; separators of lines and paragraphs. */
const UNSAFE = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** On one line. In JSON the escapes stand for the same characters, so a program reads the same text. */
export function visible(text: string): string {
  return text.replace(UNSAFE, escaped);
}

/** Keeps line breaks: for text whose lines are Dawnload's own, or for data. */
export function visibleLines(text: string): string {
  return text.replace(UNSAFE, (character) => (character === '\n' ? '\n' : escaped(character)));
}

function escaped(character: string): string {
  return NAMED[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
