/**
 * Redacts personal data in texts and documents: people's numbers and addresses, and the values of configured keys. Pure except for two
 * caches, of hashes and of the meanings of keys. Redacting twice changes nothing.
 */
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { changed, edited, encoded, isJson, nodesOf, textAt, type Edit, type Node } from './json.js';
import {
  findingsIn,
  IS_RECIPIENT_KEY,
  IS_TELEPHONE_KEY,
  isId,
  isLoneAddress,
  isNumberOfSomebody,
  mayHoldAny,
  placesOf,
  plainAddress,
  plainNumber,
  plainRecipient,
  seen,
  type Finding,
} from './contacts.js';

/** How to treat numbers and addresses: keep them, replace them by a keyed hash, or leave them out. */
export type Treatment = 'keep' | 'hash' | 'drop';

/**
 * The kind of a document. The recipient's number is found anywhere in a `message` or `other`; the sender's number stays in a `message` or
 * `record`.
 */
export type DocumentKind = 'message' | 'other' | 'record' | 'document';

/** The rule of a column or key: `key` as documents write it, `name` as the settings do. */
export interface ColumnRule {
  readonly key: string;
  readonly name: string;
  readonly rule: 'hash' | 'drop';
}

const TAGS = /<\/?[a-z][a-z0-9]*(?:[\s/][^<>]*)?>/gi;
const HASH = /^[0-9a-f]{64}$/;

/**
 * Ids that belong to nobody, in lower case. Programs write them when they have no id, so they would merge many people into one. The setting
 * `placeholder_ids` adds more.
 */
export const PLACEHOLDERS: readonly string[] = [
  ...'undefined null (null) <null> none nil nan n/a na unknown anonymous guest false - -- -1'.split(' '),
  ...['[object object]', '00000000-0000-0000-0000-000000000000', '0'.repeat(32)],
  ...Array.from({ length: 20 }, (_, nth) => '0'.repeat(nth + 1)),
];
const NOBODY = new Set(['', ...PLACEHOLDERS]);

export class Redaction {
  readonly #key: KeyObject;
  readonly #remembered = new Map<string, string>();
  readonly #rules: ReadonlyMap<string, ColumnRule>;

  constructor(key: Uint8Array, rules: readonly ColumnRule[] = []) {
    this.#key = createSecretKey(key);
    this.#rules = new Map(rules.map((rule) => [rule.key, rule]));
  }

  digest(text: string): string {
    return remembered(this.#remembered, text, () =>
      createHmac('sha256', this.#key).update(text).digest('hex'),
    );
  }

  /** Redacts a recipient's number or address; null if it is empty or dropped. A value that is already a hash stays. */
  recipient(value: string, how: Treatment): string | null {
    if (how === 'keep') return value;
    if (how === 'drop') return null;
    if (HASH.test(value)) return value;
    const plain = plainRecipient(value);
    return plain === undefined ? null : this.digest(plain);
  }

  /** Removes people's numbers and addresses from a text; null if nothing remains. */
  text(text: string, how: Treatment): string | null {
    return how === 'keep' ? text : this.#redacted(text, how);
  }

  /** Redacts the value of a column that may have ids. Ids consist largely of digits, so they are not taken for numbers. */
  field(value: string, how: Treatment): string | null {
    return isId(value) ? value : this.text(value, how);
  }

  #redacted(text: string, how: Treatment, { own, sender }: Parties = {}): string | null {
    if (!mayHoldAny(text)) return text;
    const hidden = (plain: string): string => (how === 'hash' ? this.digest(plain) : '');
    if (isLoneAddress(text)) return hidden(plainAddress(text)) || null;
    const without = (from: string, findings: readonly Finding[]): string =>
      edited(from, findings, ({ start, end, plain }) => {
        const piece = from.slice(start, end);
        if (plain === sender) return piece;
        // Keep tags found inside a number, so that the HTML stays balanced. A tag may itself contain an address.
        return [hidden(plain), ...(piece.match(TAGS) ?? []).map((tag) => this.#redacted(tag, how))].join('');
      });
    const others = without(text, findingsIn(text));
    const result = own === undefined ? others : without(others, placesOf(own, others));
    return result === '' && text !== '' ? null : result;
  }

  /**
   * Redacts people's numbers and addresses in every text, number and key. Any scalar under a recipient's key counts as a number. The
   * recipient's own number is found anywhere in the message; the sender's number stays.
   */
  document(json: string, kind: DocumentKind, how: Treatment): string {
    if (how === 'keep') return json;
    const nodes = nodesOf(json);
    const parties = partiesOf(json, nodes, kind);
    const edits: Edit[] = [];
    const underTelephones = new Set<Node>();
    /** Values that are not inside an object, such as a message that is only a number. */
    const keyless = new Set<Node>();
    for (const node of nodes) {
      const { key, keyStart, keyEnd, kind: type, parent, start, end } = node;
      if (key !== undefined) {
        const result = this.#redacted(key, how, parties);
        if (result !== key) edits.push({ start: keyStart, end: keyEnd, text: encoded(result ?? '') });
      }
      const meaning = meaningOf(key);
      if (meaning !== 'other' || (parent !== undefined && underTelephones.has(parent)))
        underTelephones.add(node);
      const isInKeyless = parent === undefined || (parent.kind === 'list' && keyless.has(parent));
      if (key === undefined ? isInKeyless : key === 'message_data') keyless.add(node);
      if (type !== 'text' && type !== 'number') continue;
      const text = textAt(json, node);
      if (parties.sender !== undefined && plainNumber(text) === parties.sender) continue;
      const isRecipient =
        (underTelephones.has(node) || keyless.has(node)) &&
        (meaning === 'recipient' || isNumberOfSomebody(seen(text).trim(), type === 'text'));
      const isDecimal = type === 'number' && !/^[0-9]+$/.test(text);
      const redacted = (): string | null => (isDecimal ? text : this.#redacted(text, how, parties));
      const result = isRecipient ? this.recipient(text, how) : redacted();
      if (result !== text) edits.push({ start, end, text: encoded(result) });
    }
    return edited(json, edits, ({ text }) => text);
  }

  /** Applies the rule of a column or key to a value: returns it unchanged, hashed (unless it is a placeholder), or null. */
  ruled(key: string, value: string): string | null {
    const rule = this.#rules.get(key);
    if (rule === undefined || (rule.rule === 'hash' && NOBODY.has(value.toLowerCase()))) return value;
    return rule.rule === 'drop' ? null : this.idDigest(rule.name, value);
  }

  /** The digest of an id, which depends on the id's kind; `forget` searches for it. */
  idDigest(kind: string, value: string): string {
    return this.digest(`${kind} ${this.field(value, 'hash') ?? ''}`);
  }

  /** Applies the rules for keys to a document, at any depth, including JSON inside texts. */
  ruledDocument(json: string): string {
    return changed(json, (node) => {
      const { key, kind, start } = node;
      const text = kind === 'word' && json.startsWith('null', start) ? null : textAt(json, node);
      const isRuled = key !== undefined && this.#rules.has(key);
      if (!isRuled && !(kind === 'text' && text !== null && isJson(text))) return undefined;
      const result = text === null ? null : isRuled ? this.ruled(key, text) : this.ruledDocument(text);
      return result === text && kind === 'text' ? undefined : encoded(result);
    });
  }
}

const MOST_REMEMBERED = 2_000;

/** Memoizes `make` by text; empties itself at 2,000 entries. */
function remembered<V>(cache: Map<string, V>, text: string, make: () => V): V {
  const cached = cache.get(text);
  if (cached !== undefined) return cached;
  const value = make();
  if (cache.size >= MOST_REMEMBERED) cache.clear();
  cache.set(text, value);
  return value;
}

type Meaning = 'recipient' | 'telephone' | 'other';

const meanings = new Map<string, Meaning>();

/** What a key says about its value. Unicode composition of the key does not matter. Cached, because documents share their keys. */
export function meaningOf(key = ''): Meaning {
  return remembered(meanings, key, () => {
    const composed = key.normalize();
    if (IS_RECIPIENT_KEY.test(composed)) return 'recipient';
    return IS_TELEPHONE_KEY.test(composed) ? 'telephone' : 'other';
  });
}

/** The sender's number, and the recipient's if it is long enough to search for in any text. */
interface Parties {
  readonly own?: string | undefined;
  readonly sender?: string | undefined;
}

function partiesOf(json: string, nodes: readonly Node[], kind: DocumentKind): Parties {
  if (kind === 'document') return {};
  const textOf = (isSought: (node: Node) => boolean): string => {
    const node = nodes.find(isSought);
    return node === undefined ? '' : textAt(json, node);
  };
  const recipient = textOf(
    ({ key, kind: type }) => meaningOf(key) === 'recipient' && (type === 'text' || type === 'number'),
  );
  const number = kind === 'record' ? '' : plainNumber(seen(recipient).trim());
  const own = /^[0-9]{8,15}$/.test(number) ? number : undefined;
  // On an unknown channel, `sendNo` may not be the sender's number.
  const sendNo = kind === 'other' ? '' : textOf(({ key, kind: type }) => key === 'sendNo' && type === 'text');
  const sender = /^[0-9+][0-9 ().-]*$/.test(sendNo) ? plainNumber(sendNo) : undefined;
  // If the sender's number equals the recipient's, it is treated as the recipient's.
  return { own, sender: sender === own ? undefined : sender };
}
