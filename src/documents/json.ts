/**
 * Finds the position of each value in a JSON text, so that one value can be replaced while the rest stays unchanged. Parsing and rewriting
 * would change numbers (9007199254740993) and merge repeated keys.
 */
import { jsonOf } from '../ground/envelope.js';

export interface Node {
  readonly kind: 'text' | 'number' | 'word' | 'object' | 'list';
  readonly start: number;
  end: number;
  /** The object or list around the value; undefined for the outermost one. */
  readonly parent: Node | undefined;
  readonly children: Node[];
  /** The decoded key of the value, and the position of the key with its quotes; undefined in a list. */
  readonly key: string | undefined;
  readonly keyStart: number;
  readonly keyEnd: number;
}

/** A piece of a text. `end` is excluded. */
export interface Piece {
  readonly start: number;
  readonly end: number;
}

export interface Edit extends Piece {
  readonly text: string;
}

const NONE: Node[] = [];

/**
 * Returns the values of a valid JSON text in the order in which they begin, outermost first. Checks only brackets, quotes and keys. If these
 * don't match, the result is empty. Other invalid text still gives nodes: `[1 2]` gives three.
 */
export function nodesOf(json: string): Node[] {
  const nodes: Node[] = [];
  let open: Node | undefined;
  let key: string | undefined;
  let [keyStart, keyEnd, expectsKey, at] = [0, 0, false, 0];
  while (at < json.length) {
    const sign = json.charAt(at);
    if (sign <= ' ' || sign === ':') {
      at++;
    } else if (sign === ',') {
      expectsKey = open?.kind === 'object';
      at++;
    } else if (sign === '}' || sign === ']') {
      at++;
      if (open === undefined) return [];
      open.end = at;
      open = open.parent;
      expectsKey = false;
    } else {
      const kind = kindOf(sign);
      const isOpening = kind === 'object' || kind === 'list';
      const end = isOpening ? at + 1 : kind === 'text' ? endOfText(json, at) : endOfScalar(json, at);
      if (end === -1 || (expectsKey && kind !== 'text')) return [];
      if (expectsKey) {
        key = decoded(json.slice(at, end));
        [keyStart, keyEnd, expectsKey] = [at, end, false];
      } else {
        const children = isOpening ? [] : NONE;
        const node: Node = { kind, start: at, end, parent: open, children, key, keyStart, keyEnd };
        nodes.push(node);
        open?.children.push(node);
        key = undefined;
        if (isOpening) [open, expectsKey] = [node, kind === 'object'];
      }
      at = end;
    }
  }
  return open === undefined ? nodes : [];
}

function kindOf(sign: string): Node['kind'] {
  if (sign === '"') return 'text';
  if (sign === '{') return 'object';
  if (sign === '[') return 'list';
  return sign === '-' || (sign >= '0' && sign <= '9') ? 'number' : 'word';
}

function endOfText(json: string, at: number): number {
  for (let end = json.indexOf('"', at + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let first = end;
    while (json.charAt(first - 1) === '\\') first--;
    if ((end - first) % 2 === 0) return end + 1;
  }
  return -1;
}

function endOfScalar(json: string, at: number): number {
  let end = at + 1;
  while (end < json.length && !' \t\r\n,]}'.includes(json.charAt(end))) end++;
  return end;
}

export function textAt(json: string, { kind, start, end }: Node): string {
  const quoted = json.slice(start, end);
  return kind === 'text' ? decoded(quoted) : quoted;
}

function decoded(quoted: string): string {
  const parsed = quoted.includes('\\') ? jsonOf(quoted) : undefined;
  return typeof parsed === 'string' ? parsed : quoted.slice(1, -1);
}

/** Writes a text, or null, as JSON. Half a surrogate pair becomes U+FFFD, because DuckDB refuses it. */
export function encoded(text: string | null): string {
  return JSON.stringify(text?.toWellFormed() ?? null);
}

/** True if the text is the JSON of an object, a list or a text. */
export function isJson(text: string): boolean {
  return /^\s*[[{"]/.test(text) && jsonOf(text) !== undefined;
}

/**
 * Replaces values in JSON: `change` returns the JSON of a new value, or undefined to keep the old one. Values inside a replaced value are
 * not visited.
 */
export function changed(json: string, change: (node: Node) => string | undefined): string {
  const edits: Edit[] = [];
  for (const node of nodesOf(json)) {
    const text = node.start < (edits.at(-1)?.end ?? 0) ? undefined : change(node);
    if (text !== undefined) edits.push({ start: node.start, end: node.end, text });
  }
  return edited(json, edits, ({ text }) => text);
}

export function edited<P extends Piece>(
  text: string,
  pieces: readonly P[],
  replace: (piece: P) => string,
): string {
  let [result, at] = ['', 0];
  for (const piece of pieces) {
    result += text.slice(at, piece.start) + replace(piece);
    at = piece.end;
  }
  return pieces.length === 0 ? text : result + text.slice(at);
}
