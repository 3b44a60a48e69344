/**
 * Finds the position of each value in a JSON text, so that one value can be replaced and all other text stays as
 * received. The text is never parsed and rewritten, which would change numbers (9007199254740993) and merge repeated
 * keys.
 */

export type NodeKind = 'text' | 'number' | 'word' | 'object' | 'list';

/** A value in a JSON text. `end` is excluded. */
export interface Node {
  readonly kind: NodeKind;
  readonly start: number;
  end: number;
  /** The object or list around the value; undefined for the outermost value. */
  readonly parent: Node | undefined;
  /** The key of the value, decoded, and its position with its quotes; undefined in a list. */
  readonly key: string | undefined;
  readonly keyStart: number;
  readonly keyEnd: number;
}

/** A piece of a text and what replaces it. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** The values of a valid JSON text in the order in which they begin, the outermost first; empty if the text is not JSON. */
export function nodesOf(json: string): Node[] {
  const nodes: Node[] = [];
  let open: Node | undefined;
  let key: string | undefined;
  let keyStart = 0;
  let keyEnd = 0;
  let expectsKey = false;
  let at = 0;
  while (at < json.length) {
    const code = json.charCodeAt(at);
    if (code <= 0x20 || code === COLON) {
      at++;
    } else if (code === COMMA) {
      expectsKey = open?.kind === 'object';
      at++;
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) {
      at++;
      if (open === undefined) return [];
      open.end = at;
      open = open.parent;
      expectsKey = false;
    } else if (expectsKey) {
      const end = endOfText(json, at);
      if (code !== QUOTE || end === -1) return [];
      key = decoded(json, at, end);
      keyStart = at;
      keyEnd = at = end;
      expectsKey = false;
    } else {
      const kind = kindOf(code);
      const isOpening = kind === 'object' || kind === 'list';
      const end = isOpening ? at + 1 : kind === 'text' ? endOfText(json, at) : endOfScalar(json, at);
      if (end === -1) return [];
      const node: Node = { kind, start: at, end, parent: open, key, keyStart, keyEnd };
      nodes.push(node);
      key = undefined;
      at = end;
      if (isOpening) {
        open = node;
        expectsKey = kind === 'object';
      }
    }
  }
  return open === undefined ? nodes : [];
}

/** The values directly inside an object or list. */
export function childrenOf(nodes: readonly Node[], parent: Node | undefined): Node[] {
  return nodes.filter((node) => node.parent === parent);
}

function kindOf(code: number): NodeKind {
  if (code === QUOTE) return 'text';
  if (code === OPEN_OBJECT) return 'object';
  if (code === OPEN_LIST) return 'list';
  return code === 0x2d || (code >= 0x30 && code <= 0x39) ? 'number' : 'word';
}

/** The position after the closing quote of the text that begins at `at`; -1 if it does not end. */
function endOfText(json: string, at: number): number {
  for (let next = at + 1; next < json.length; next++) {
    const code = json.charCodeAt(next);
    if (code === BACKSLASH) next++;
    else if (code === QUOTE) return next + 1;
  }
  return -1;
}

function endOfScalar(json: string, at: number): number {
  let end = at + 1;
  while (end < json.length) {
    const code = json.charCodeAt(end);
    if (code <= 0x20 || code === COMMA || code === CLOSE_LIST || code === CLOSE_OBJECT) break;
    end++;
  }
  return end;
}

/** The characters of the JSON text between two positions, which include its quotes. */
export function decoded(json: string, start: number, end: number): string {
  const inner = json.slice(start + 1, end - 1);
  if (!inner.includes('\\')) return inner;
  try {
    return String(JSON.parse(json.slice(start, end)));
  } catch {
    return inner;
  }
}

/** The characters of a text; of any other value its JSON. */
export function textAt(json: string, { kind, start, end }: Node): string {
  return kind === 'text' ? decoded(json, start, end) : json.slice(start, end);
}

/** The JSON of a text; of null, the word. Half a surrogate pair is written as U+FFFD, because DuckDB refuses it. */
export function encoded(text: string | null): string {
  return JSON.stringify(text?.toWellFormed() ?? null);
}

/** True if a text may be JSON of an object, a list or a text, and is. */
export function isJson(text: string): boolean {
  if (!/^\s*[[{"]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A text with the edits, which are in order and do not overlap. */
export function edited(text: string, edits: readonly Edit[]): string {
  if (edits.length === 0) return text;
  let made = '';
  let at = 0;
  for (const edit of edits) {
    made += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return made + text.slice(at);
}
