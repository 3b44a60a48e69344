/**
 * The functions of this folder as scalar functions of DuckDB, for the statements of loads and erasures: the only file
 * that uses both. They are registered with an instance before its first transaction (a rollback would remove them), and
 * nothing that is stored in a file may name one, because other programs lack them. No input makes them throw,
 * and each returns quickly, because DuckDB calls them on the main thread.
 */
import duckdb = require('@duckdb/node-api');
import type { Field } from '../ground/fields.js';
import { dayIn, Places } from './conform.js';
import { CREDENTIAL, masked } from './credentials.js';
import { plainRecipient } from './spelling.js';
import { Redaction, type ColumnRule, type DocumentKind, type Treatment } from './personal.js';

export interface DocumentSettings {
  readonly fields: readonly Field[];
  readonly key: Uint8Array;
  readonly rules: readonly ColumnRule[];
}

type Call = (...given: string[]) => string | null;

/** The functions by name, each of texts, and null for null. `how` is a treatment: keep, hash or drop. */
function functionsOf({ fields, key, rules }: DocumentSettings): Readonly<Record<string, Call>> {
  const privacy = new Redaction(key, rules);
  const places = new Places(fields);
  return {
    // Returns the members without a column (`extra`) and the readable rest (`fitting`); null if the document conforms.
    _judged: (document, place, how) => {
      const found = places.conform(document, place);
      if (found === undefined) return null;
      const extra = privacy.document(masked(found.extra, false), 'document', treatment(how));
      const whole = extra.startsWith('{') ? extra : `{"value":${extra}}`;
      return `{"extra":${whole}${found.fitting === document ? '' : `,"fitting":${found.fitting ?? 'null'}`}}`;
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

/** Call once for each DuckDB instance, outside a transaction: a rollback would remove the functions. */
export function registerDocuments(connection: duckdb.DuckDBConnection, settings: DocumentSettings): void {
  for (const [name, call] of Object.entries(functionsOf(settings))) {
    const parameterTypes = Array.from({ length: call.length }, () => duckdb.VARCHAR);
    const mainFunction: duckdb.DuckDBScalarMainFunction = (_, input, output) => {
      const { rowCount } = input;
      const columns = parameterTypes.map((_type, nth) => input.getColumnVector(nth));
      for (let row = 0; row < rowCount; row++) {
        const given = columns
          .map((column) => column.getItem(row))
          .filter((value) => typeof value === 'string');
        output.setItem(row, given.length === columns.length ? call(...given) : null);
      }
      output.flush();
    };
    connection.registerScalarFunction(
      duckdb.DuckDBScalarFunction.create({ name, returnType: duckdb.VARCHAR, parameterTypes, mainFunction }),
    );
  }
}

// Expressions (RE2) that match every text that a function would change. Statements test each text with them first, because
// most texts need no function.

/** Characters allowed between two digits of a number. In JSON a line break and a tab are two characters. */
const GAP = String.raw`(?:[-.,/_\s()+~\x{A0}\x{B7}\x{1680}\x{2000}-\x{200A}\x{2010}-\x{2015}\x{2028}\x{2029}\x{202F}\x{205F}\x{2212}\x{3000}\x{301C}\x{3161}\x{FEFF}]|\\+[nrt/]){0,3}`;
const MOBILE = String.raw`(?:82${GAP}0?${GAP}|0)1[016789]${GAP}[0-9]{3,4}${GAP}[0-9]{4}`;
/** What hides a part of a number or address from a plain search: entities, percent-encoding, escapes, tags, folds, full-width and unseen characters. */
const DISGUISE = String.raw`&(?:#|(?i:[a-z]{2,6};))|%[2-7]|=(?:40|2[deDE])|\\+u|[0-9@.]\s*<|>\s*[0-9@.]|=?(?:\n|\\n)[ \t]|=(?:\r|\n|\\r|\\n)|[\x{FF01}-\x{FF5E}\p{Cf}\x{34F}\x{115F}\x{1160}\x{3164}\x{FFA0}]`;
const KEY = String.raw`"(?i:to|hp|msisdn|[-_ a-z]*(?:recipient|receiver|phone|mobile|cell|tel)[-_ a-z]*)\\*"\s*:`;

const KEYLESS = String.raw`(?:^|"message_data"\s*:\s*)["\[0-9]`;

/** The sign of an address. A text of JSON that begins with the sign, as names of chat channels do, has none at it. */
const ADDRESS = String.raw`(?:[^"]|[^:,{\[]")@`;

/** The session variable `patterns` of the statements. */
export const PATTERNS = {
  personal: `${ADDRESS}|${MOBILE}|${DISGUISE}|${KEY}|${KEYLESS}`,
  /** The key of a recipient's number, whose value is hashed at any depth. */
  recipient_key: '(?i:recipient[-_ ]?(?:no|num|phone|tel|mobile)[-_ a-z]*)',
  credential: `(?i)${CREDENTIAL}`,
} as const;
