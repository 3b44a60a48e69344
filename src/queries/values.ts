/**
 * How a value of DuckDB is written down: as text for cells, as JSON for programs. Nothing is rounded on the way: numbers
 * that JavaScript cannot hold stay text. Instants are given in KST.
 */
import duckdb = require('@duckdb/node-api');
import type { DuckDBType, DuckDBValue } from '@duckdb/node-api';

/** Korea is nine hours ahead of UTC all year. */
const KST_OFFSET_MICROS = 9n * 3_600_000_000n;

/** Timestamps without a zone: JSON separates day and time with a T. */
const TIMESTAMPS: ReadonlySet<unknown> = new Set([
  duckdb.DuckDBTimestampValue,
  duckdb.DuckDBTimestampSecondsValue,
  duckdb.DuckDBTimestampMillisecondsValue,
  duckdb.DuckDBTimestampNanosecondsValue,
]);

/** How many significant digits every number of JavaScript keeps. */
const EXACT_DIGITS = 15;

const NUMERIC: ReadonlySet<duckdb.DuckDBTypeId> = new Set([
  duckdb.DuckDBTypeId.TINYINT,
  duckdb.DuckDBTypeId.SMALLINT,
  duckdb.DuckDBTypeId.INTEGER,
  duckdb.DuckDBTypeId.BIGINT,
  duckdb.DuckDBTypeId.HUGEINT,
  duckdb.DuckDBTypeId.UTINYINT,
  duckdb.DuckDBTypeId.USMALLINT,
  duckdb.DuckDBTypeId.UINTEGER,
  duckdb.DuckDBTypeId.UBIGINT,
  duckdb.DuckDBTypeId.UHUGEINT,
  duckdb.DuckDBTypeId.BIGNUM,
  duckdb.DuckDBTypeId.FLOAT,
  duckdb.DuckDBTypeId.DOUBLE,
  duckdb.DuckDBTypeId.DECIMAL,
]);

export function isNumeric(type: DuckDBType): boolean {
  return NUMERIC.has(type.typeId);
}

/** Whether the column holds JSON documents, which DuckDB keeps as text. */
export function isJson(type: DuckDBType | undefined): boolean {
  return type?.alias === 'JSON';
}

/** An instant in KST, with microseconds where it has any: `2026-11-21 07:00:00+09:00`. Infinity stays a word. */
function instantText({ micros }: duckdb.DuckDBTimestampTZValue): string {
  const { PosInf, NegInf } = duckdb.DuckDBTimestampTZValue;
  if (micros === PosInf.micros) return 'infinity';
  if (micros === NegInf.micros) return '-infinity';
  return `${new duckdb.DuckDBTimestampValue(micros + KST_OFFSET_MICROS).toString()}+09:00`;
}

/** The value as the text of one cell; null is for the caller to decide. */
export function cellText(value: Exclude<DuckDBValue, null>, type: DuckDBType): string {
  if (value instanceof duckdb.DuckDBTimestampTZValue) return instantText(value);
  return isNested(value) ? jsonText(value, type) : String(value);
}

function isNested(value: DuckDBValue): boolean {
  return (
    value instanceof duckdb.DuckDBListValue ||
    value instanceof duckdb.DuckDBArrayValue ||
    value instanceof duckdb.DuckDBStructValue ||
    value instanceof duckdb.DuckDBMapValue
  );
}

/** The value as JSON text. The type is known for columns and what they nest, not inside a variant. */
export function jsonText(value: DuckDBValue, type?: DuckDBType): string {
  if (value === null) return 'null';
  switch (typeof value) {
    case 'boolean':
      return String(value);
    case 'number':
      // JSON has no NaN and no infinity.
      return Number.isFinite(value) ? JSON.stringify(value) : JSON.stringify(String(value));
    case 'bigint':
      return Number.isSafeInteger(Number(value)) ? String(value) : `"${value}"`;
    case 'string':
      return isJson(type) ? documentText(value) : JSON.stringify(value);
    default:
      return objectText(value, type);
  }
}

/** A JSON column's document, word for word, so that its long numbers stay what they are. */
function documentText(text: string): string {
  try {
    JSON.parse(text);
    return text;
  } catch {
    return JSON.stringify(text);
  }
}

function objectText(value: DuckDBValue & object, type: DuckDBType | undefined): string {
  if (value instanceof duckdb.DuckDBListValue || value instanceof duckdb.DuckDBArrayValue) {
    const inner =
      type instanceof duckdb.DuckDBListType || type instanceof duckdb.DuckDBArrayType
        ? type.valueType
        : undefined;
    return `[${value.items.map((item) => jsonText(item, inner)).join(',')}]`;
  }
  if (value instanceof duckdb.DuckDBStructValue) {
    const types = type instanceof duckdb.DuckDBStructType ? type : undefined;
    return objectOf(
      Object.entries(value.entries).map(([key, entry]) => [key, jsonText(entry, types?.typeForEntry(key))]),
    );
  }
  if (value instanceof duckdb.DuckDBMapValue) {
    const inner = type instanceof duckdb.DuckDBMapType ? type.valueType : undefined;
    return objectOf(value.entries.map(({ key, value: entry }) => [String(key), jsonText(entry, inner)]));
  }
  if (value instanceof duckdb.DuckDBUnionValue || value instanceof duckdb.DuckDBVariantValue)
    return jsonText(value.value);
  if (value instanceof duckdb.DuckDBDecimalValue) return decimalText(value.toString());
  if (value instanceof duckdb.DuckDBTimestampTZValue)
    return JSON.stringify(instantText(value).replace(' ', 'T'));
  return JSON.stringify(TIMESTAMPS.has(value.constructor) ? String(value).replace(' ', 'T') : String(value));
}

function objectOf(entries: readonly (readonly [string, string])[]): string {
  return `{${entries.map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(',')}}`;
}

/** A number where that is exact, else text. */
function decimalText(text: string): string {
  return text.replace(/\D/g, '').replace(/^0+/, '').length <= EXACT_DIGITS ? text : JSON.stringify(text);
}
