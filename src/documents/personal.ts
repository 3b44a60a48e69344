/**
 * Personal data in texts and documents under the settings of privacy: numbers and addresses of people, and the values
 * of named keys. Pure except for a cache of hashes. Redacting twice changes nothing.
 */
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { decoded, edited, encoded, isJson, nodesOf, textAt, type Edit, type Node } from './json.js';
import {
  findingsIn,
  IS_RECIPIENT_KEY,
  IS_TELEPHONE_KEY,
  isId,
  isLoneAddress,
  isTelephone,
  mayHoldAny,
  merged,
  placesOf,
  plainAddress,
  plainNumber,
  plainRecipient,
  seen,
  type Finding,
} from './spelling.js';
import { isPlaceholder } from './placeholders.js';

/** What happens to numbers and addresses: they stay, become a keyed hash, or are left out. */
export type Treatment = 'keep' | 'hash' | 'drop';

/** What a document is: whose number is the recipient's own (`message`, `other`), and whose the sender's (`message`, `record`). */
export type DocumentKind = 'message' | 'other' | 'record' | 'document';

/** The rule of a column or key: `key` as documents write it, `name` as the settings do. */
export interface ColumnRule {
  readonly key: string;
  readonly name: string;
  readonly rule: 'hash' | 'drop';
}

const TAGS = /<\/?[a-z][a-z0-9]*(?:[\s/][^<>]*)?>/gi;
const HASH = /^[0-9a-f]{64}$/;
const MOST_REMEMBERED = 2_000;

export class Redaction {
  readonly #key: KeyObject;
  readonly #remembered = new Map<string, string>();
  readonly #rules: ReadonlyMap<string, ColumnRule>;

  constructor(key: Uint8Array, rules: readonly ColumnRule[] = []) {
    this.#key = createSecretKey(key);
    this.#rules = new Map(rules.map((rule) => [rule.key, rule]));
  }

  /** HMAC-SHA-256 in hex. */
  digest(text: string): string {
    const known = this.#remembered.get(text);
    if (known !== undefined) return known;
    const made = createHmac('sha256', this.#key).update(text).digest('hex');
    if (this.#remembered.size >= MOST_REMEMBERED) this.#remembered.clear();
    this.#remembered.set(text, made);
    return made;
  }

  /** A recipient's number or address; null if it is empty or left out. A value that is already a hash stays. */
  recipient(given: string, how: Treatment): string | null {
    if (how === 'keep') return given;
    if (how === 'drop') return null;
    if (HASH.test(given)) return given;
    const plain = plainRecipient(given);
    return plain === undefined ? null : this.digest(plain);
  }

  /** A text without numbers and addresses of people; null if nothing remains. */
  text(given: string, how: Treatment): string | null {
    return how === 'keep' ? given : this.#redacted(given, how);
  }

  /** The value of a column that may be an id: ids consist largely of digits, so they are excepted. */
  field(given: string, how: Treatment): string | null {
    return isId(given) ? given : this.text(given, how);
  }

  #redacted(given: string, how: Treatment, own?: string): string | null {
    if (!mayHoldAny(given)) return given;
    const hidden = (plain: string): string => (how === 'hash' ? this.digest(plain) : '');
    if (isLoneAddress(given)) return hidden(plainAddress(given)) || null;
    const without = (text: string, findings: readonly Finding[]): string =>
      edited(
        text,
        findings.map(({ start, end, plain }) => ({
          start,
          end,
          // Tags inside a number stay, so that none is left open; one may have an address, too.
          text: [plain, ...(text.slice(start, end).match(TAGS) ?? [])]
            .map((part, nth) => (nth === 0 ? hidden(part) : this.#redacted(part, how)))
            .join(''),
        })),
      );
    const findings = findingsIn(given);
    const redacted = findings.length === 0 ? given : without(given, findings);
    if (own === undefined) return redacted === '' && given !== '' ? null : redacted;
    const places = placesOf(own, redacted);
    const rest = places.length === 0 ? redacted : without(redacted, merged(places));
    return rest === '' && given !== '' ? null : rest;
  }

  /**
   * A document without numbers and addresses of people, in any text, number or key. Under the key of a recipient's number every
   * scalar is one; under other keys of telephones, and under no key, what looks like one. The recipient's own number is found
   * anywhere in its message, and the sender's stays.
   */
  document(json: string, kind: DocumentKind, how: Treatment): string {
    if (how === 'keep') return json;
    const nodes = nodesOf(json);
    const { own, sender } = partiesOf(json, nodes, kind);
    const senderHash = sender === undefined ? undefined : this.digest(plainNumber(sender));
    const written = (result: string | null): string =>
      encoded(
        senderHash === undefined || sender === undefined
          ? result
          : (result?.replaceAll(senderHash, sender) ?? null),
      );
    const edits: Edit[] = [];
    const isUnderTelephone = new Set<Node>();
    for (const node of nodes) {
      const { key, keyStart, keyEnd, kind: type, parent, start, end } = node;
      if (key !== undefined) {
        const result = this.#redacted(key, how, own);
        if (result !== key) edits.push({ start: keyStart, end: keyEnd, text: written(result ?? '') });
      }
      const { isSure, isTelephone: isOne } = key === undefined ? NO_TELEPHONE : meaningOf(key);
      if (isSure || isOne || (parent !== undefined && isUnderTelephone.has(parent)))
        isUnderTelephone.add(node);
      if (type !== 'text' && type !== 'number') continue;
      if (key === 'sendNo' && sender !== undefined && type === 'text') continue;
      const text = textAt(json, node);
      const result =
        (isUnderTelephone.has(node) || hasNoKey(node)) && (isSure || isNumberOfSomebody(text, type))
          ? this.recipient(text, how)
          : type === 'number' && !/^[0-9]+$/.test(text)
            ? text
            : this.#redacted(text, how, own);
      if (result !== text) edits.push({ start, end, text: written(result) });
    }
    return edited(json, edits);
  }

  /** A value under the rule of its column or key: unchanged, hashed (unless it is nobody's), or null. */
  ruled(key: string, given: string): string | null {
    const rule = this.#rules.get(key);
    if (rule === undefined || (rule.rule === 'hash' && isPlaceholder(given))) return given;
    return rule.rule === 'drop' ? null : this.idDigest(rule.name, given);
  }

  /** The digest of an id, which differs between kinds, as `forget` looks for it. */
  idDigest(kind: string, given: string): string {
    return this.digest(`${kind} ${this.field(given, 'hash') ?? ''}`);
  }

  /** A document whose members with named keys are under their rules, at any depth, also in texts that are JSON. */
  ruledDocument(json: string): string {
    const edits: Edit[] = [];
    let until = 0;
    for (const node of nodesOf(json)) {
      const { key, kind, start, end } = node;
      if (start < until) continue;
      const text = kind === 'word' && json.startsWith('null', start) ? null : textAt(json, node);
      if (key !== undefined && this.#rules.has(key)) {
        until = end;
        const result = text === null ? null : this.ruled(key, text);
        if (result !== text || kind !== 'text') edits.push({ start, end, text: encoded(result) });
      } else if (kind === 'text' && text !== null && isJson(text)) {
        const result = this.ruledDocument(text);
        if (result !== text) edits.push({ start, end, text: encoded(result) });
      }
    }
    return edited(json, edits);
  }
}

interface Meaning {
  /** The key of a recipient's number. */
  readonly isSure: boolean;
  readonly isTelephone: boolean;
}

const NO_TELEPHONE: Meaning = { isSure: false, isTelephone: false };
const MOST_KEYS = 1_000;
const meanings = new Map<string, Meaning>();

/** The meaning of a key for its value. Remembered because documents share their keys. */
function meaningOf(key: string): Meaning {
  const known = meanings.get(key);
  if (known !== undefined) return known;
  const made = { isSure: IS_RECIPIENT_KEY.test(key), isTelephone: IS_TELEPHONE_KEY.test(key) };
  if (meanings.size >= MOST_KEYS) meanings.clear();
  meanings.set(key, made);
  return made;
}

/** True for a value outside of any object, such as a message that is only a number: no key shows what it is. */
function hasNoKey({ key, parent }: Node): boolean {
  if (key !== undefined) return key === 'message_data';
  return parent === undefined || (parent.kind === 'list' && hasNoKey(parent));
}

function isNumberOfSomebody(text: string, type: 'text' | 'number'): boolean {
  return isTelephone(seen(text).trim()) && (type === 'text' || /^(?:82)?10[0-9]{8}$/.test(text));
}

/** The number that a message went to, if it has enough digits to be found in any text, and the one that it came from. */
function partiesOf(
  json: string,
  nodes: readonly Node[],
  kind: DocumentKind,
): { own?: string | undefined; sender?: string | undefined } {
  if (kind === 'document') return {};
  const ownNode = nodes.find(
    ({ key, kind: type }) =>
      key !== undefined && meaningOf(key).isSure && (type === 'text' || type === 'number'),
  );
  const given = ownNode === undefined || kind === 'record' ? '' : seen(textAt(json, ownNode)).trim();
  const number = plainNumber(given);
  const own = /^[0-9]{8,15}$/.test(number) ? number : undefined;
  const senderNode = nodes.find(({ key, kind: type }) => key === 'sendNo' && type === 'text');
  // On an unknown channel, `sendNo` may be another number than the sender's.
  if (senderNode === undefined || kind === 'other') return { own };
  const sender = decoded(json, senderNode.start, senderNode.end);
  // A sender's number that equals the own number is the recipient's.
  const isSender = /^[0-9+][0-9 ().-]*$/.test(sender) && (own === undefined || plainNumber(sender) !== own);
  return { own, sender: isSender ? sender : undefined };
}
