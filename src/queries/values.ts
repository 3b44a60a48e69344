/**
 * How a value of DuckDB is written down: as text for cells, as JSON for programs. Nothing is rounded on the way: numbers
 * that JavaScript cannot hold stay text. Instants are given in KST.
 */
import {
  DuckDBArrayType,
  DuckDBArrayValue,
  DuckDBDecimalValue,
  DuckDBListType,
  DuckDBListValue,
  DuckDBMapType,
  DuckDBMapValue,
  DuckDBStructType,
  DuckDBStructValue,
  DuckDBTimestampMillisecondsValue,
  DuckDBTimestampNanosecondsValue,
  DuckDBTimestampSecondsValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  DuckDBTypeId,
  DuckDBUnionValue,
  DuckDBVariantValue,
  type DuckDBType,
  type DuckDBValue,
} from '@duckdb/node-api';

/** Korea is nine hours ahead of UTC all year. */
const KST_OFFSET_MICROS = 9n * 3_600_000_000n;

/** Timestamps without a zone: JSON separates day and time with a T. */
const TIMESTAMPS: ReadonlySet<unknown> = new Set([
  DuckDBTimestampValue,
  DuckDBTimestampSecondsValue,
  DuckDBTimestampMillisecondsValue,
  DuckDBTimestampNanosecondsValue,
]);

/** How many significant digits every number of JavaScript keeps. */
const EXACT_DIGITS = 15;

const NUMERIC: ReadonlySet<DuckDBTypeId> = new Set([
  DuckDBTypeId.TINYINT,
  DuckDBTypeId.SMALLINT,
  DuckDBTypeId.INTEGER,
  DuckDBTypeId.BIGINT,
  DuckDBTypeId.HUGEINT,
  DuckDBTypeId.UTINYINT,
  DuckDBTypeId.USMALLINT,
  DuckDBTypeId.UINTEGER,
  DuckDBTypeId.UBIGINT,
  DuckDBTypeId.UHUGEINT,
  DuckDBTypeId.BIGNUM,
  DuckDBTypeId.FLOAT,
  DuckDBTypeId.DOUBLE,
  DuckDBTypeId.DECIMAL,
]);

export function isNumeric(type: DuckDBType): boolean {
  return NUMERIC.has(type.typeId);
}

/** Whether the column holds JSON documents, which DuckDB keeps as text. */
export function isJson(type: DuckDBType | undefined): boolean {
  return type?.alias === 'JSON';
}

/** An instant in KST, with microseconds where it has any: `2026-11-21 07:00:00+09:00`. Infinity stays a word. */
function instantText({ micros }: DuckDBTimestampTZValue): string {
  const { PosInf, NegInf } = DuckDBTimestampTZValue;
  if (micros === PosInf.micros) return 'infinity';
  if (micros === NegInf.micros) return '-infinity';
  return `${new DuckDBTimestampValue(micros + KST_OFFSET_MICROS).toString()}+09:00`;
}

/** The value as the text of one cell; null is for the caller to decide. */
export function cellText(value: Exclude<DuckDBValue, null>, type: DuckDBType): string {
  if (value instanceof DuckDBTimestampTZValue) return instantText(value);
  return isNested(value) ? jsonText(value, type) : String(value);
}

function isNested(value: DuckDBValue): boolean {
  return (
    value instanceof DuckDBListValue ||
    value instanceof DuckDBArrayValue ||
    value instanceof DuckDBStructValue ||
    value instanceof DuckDBMapValue
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
  if (value instanceof DuckDBListValue || value instanceof DuckDBArrayValue) {
    const inner =
      type instanceof DuckDBListType || type instanceof DuckDBArrayType ? type.valueType : undefined;
    return `[${value.items.map((item) => jsonText(item, inner)).join(',')}]`;
  }
  if (value instanceof DuckDBStructValue) {
    const types = type instanceof DuckDBStructType ? type : undefined;
    return objectOf(
      Object.entries(value.entries).map(([key, entry]) => [key, jsonText(entry, types?.typeForEntry(key))]),
    );
  }
  if (value instanceof DuckDBMapValue) {
    const inner = type instanceof DuckDBMapType ? type.valueType : undefined;
    return objectOf(value.entries.map(({ key, value: entry }) => [String(key), jsonText(entry, inner)]));
  }
  if (value instanceof DuckDBUnionValue || value instanceof DuckDBVariantValue) return jsonText(value.value);
  if (value instanceof DuckDBDecimalValue) return decimalText(value.toString());
  if (value instanceof DuckDBTimestampTZValue) return JSON.stringify(instantText(value).replace(' ', 'T'));
  return JSON.stringify(TIMESTAMPS.has(value.constructor) ? String(value).replace(' ', 'T') : String(value));
}

function objectOf(entries: readonly (readonly [string, string])[]): string {
  return `{${entries.map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(',')}}`;
}

/** A number where that is exact, else text. */
function decimalText(text: string): string {
  return text.replace(/\D/g, '').replace(/^0+/, '').length <= EXACT_DIGITS ? text : JSON.stringify(text);
}
