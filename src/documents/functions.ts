/**
 * Registers the functions of this folder as DuckDB scalar functions, for loads and erasures. Call it before the first transaction, because
 * a rollback would remove them. Nothing stored in a database file may use them, because other programs lack them. They never throw and
 * return quickly, because DuckDB calls them on the main thread.
 */
import duckdb = require('@duckdb/node-api');
import type { Field } from '../ground/fields.js';
import { dayIn, Places } from './conform.js';
import { CREDENTIAL, masked } from './credentials.js';
import { KEYS, mobileWith, plainRecipient, RECIPIENT_KEY, SEPARATORS, UNSEEN } from './contacts.js';
import { Redaction, type ColumnRule, type DocumentKind, type Treatment } from './personal.js';

export interface DocumentSettings {
  readonly fields: readonly Field[];
  readonly key: Uint8Array;
  readonly rules: readonly ColumnRule[];
}

type Call = (...args: string[]) => string | null;

/** The functions by name. Each returns null if an argument is null. `how` is keep, hash or drop. */
function functionsOf({ fields, key, rules }: DocumentSettings): Readonly<Record<string, Call>> {
  const privacy = new Redaction(key, rules);
  const places = new Places(fields);
  return {
    // Returns the members without a column (`extra`) and the readable rest (`fitting`); null if the document conforms.
    _judged: (document, place, how) => {
      const parts = places.conform(document, place);
      if (parts === undefined) return null;
      const extra = privacy.document(masked(parts.extra, false), 'document', treatment(how));
      const whole = extra.startsWith('{') ? extra : `{"value":${extra}}`;
      return `{"extra":${whole}${parts.fitting === document ? '' : `,"fitting":${parts.fitting ?? 'null'}`}}`;
    },
    // The differences that an extra shows: a JSON list of {place, field, kind, type}.
    _oddities: (extra, place) => JSON.stringify(places.odditiesIn(extra, place)),
    _masked: (document, carries) => masked(document, carries === 'webhook' || carries === 'other'),
    _redacted_document: (document, kind, how) => privacy.document(document, kindOf(kind), treatment(how)),
    _redacted: (text, how) => privacy.text(text, treatment(how)),
    _redacted_field: (text, how) => privacy.field(text, treatment(how)),
    _recipient: (number, how) => privacy.recipient(number, treatment(how)),
    _plain_recipient: (number) => plainRecipient(number) ?? null,
    _ruled: (column, value) => privacy.ruled(column, value),
    _ruled_document: (document) => privacy.ruledDocument(document),
    _id_digest: (kind, value) => privacy.idDigest(kind, value),
    _digest: (text) => privacy.digest(text),
    _day: (text) => dayIn(text) ?? null,
  };
}

function treatment(how: string): Treatment {
  return how === 'keep' || how === 'drop' ? how : 'hash';
}

function kindOf(kind: string): DocumentKind {
  return kind === 'message' || kind === 'other' || kind === 'record' ? kind : 'document';
}

/** Call once for each DuckDB instance, outside a transaction, because a rollback would remove the functions. */
export function registerDocuments(connection: duckdb.DuckDBConnection, settings: DocumentSettings): void {
  for (const [name, call] of Object.entries(functionsOf(settings))) {
    const parameterTypes = Array.from({ length: call.length }, () => duckdb.VARCHAR);
    const mainFunction: duckdb.DuckDBScalarMainFunction = (_, input, output) => {
      const { rowCount } = input;
      const columns = parameterTypes.map((_type, nth) => input.getColumnVector(nth));
      for (let row = 0; row < rowCount; row++) {
        const args = columns
          .map((column) => column.getItem(row))
          .filter((value) => typeof value === 'string');
        output.setItem(row, args.length === columns.length ? call(...args) : null);
      }
      output.flush();
    };
    connection.registerScalarFunction(
      duckdb.DuckDBScalarFunction.create({ name, returnType: duckdb.VARCHAR, parameterTypes, mainFunction }),
    );
  }
}

// Regular expressions (RE2) that match every text that a function would change; personal.test.ts proves it. Statements test them first,
// because most texts need no function.

/** The characters of a class in the notation of RE2. */
const inRe2 = (characters: string): string => characters.replaceAll(/\\u([0-9A-F]{4})/g, '\\x{$1}');

/** A mobile number; its separators include line breaks and tabs, which JSON writes as two characters. */
const MOBILE = mobileWith(String.raw`(?:[${inRe2(SEPARATORS)}]|\\+[nrt/]){0,3}`);
/**
 * Spellings that hide a number or an address: entities, percent-encoding, escapes, tags, folded lines, full-width and invisible characters.
 */
const DISGUISE = String.raw`&(?:#|(?i:[a-z]{2,6};))|%[2-7]|=(?:40|2[deDE])|\\+u|[0-9@.]\s*<|>\s*[0-9@.]|=?(?:\n|\\n)[ \t]|=(?:\r|\n|\\r|\\n)|[\x{FF01}-\x{FF5E}${inRe2(UNSEEN)}]`;
const KEY = String.raw`"(?i:${KEYS})\\*"\s*:`;

const KEYLESS = String.raw`(?:^|"message_data"\s*:\s*)["\[0-9]`;

/** An @. Not at the beginning of a JSON text, because names of chat channels start with it. */
const ADDRESS = String.raw`(?:[^"]|[^:,{\[]")@`;

/** The session variable `patterns` of the statements. */
export const PATTERNS = {
  personal: `${ADDRESS}|${MOBILE}|${DISGUISE}|${KEY}|${KEYLESS}`,
  /** The key of a recipient's number, whose value is hashed at any depth. */
  recipient_key: `(?i:${RECIPIENT_KEY})`,
  credential: `(?i)${CREDENTIAL}`,
} as const;
