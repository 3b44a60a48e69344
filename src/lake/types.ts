/** Types that Iceberg lacks, and what they become in the lake. Pure. */

const MAPPED: Readonly<Record<string, string>> = {
  JSON: 'VARCHAR',
  UBIGINT: 'DECIMAL(20,0)',
  UINTEGER: 'BIGINT',
  USMALLINT: 'INTEGER',
  UTINYINT: 'INTEGER',
  SMALLINT: 'INTEGER',
  TINYINT: 'INTEGER',
  HUGEINT: 'DECIMAL(38,0)',
};

/** The type in the lake of a type of the file, lists and maps by their elements: `JSON[]` is `VARCHAR[]`. */
export function lakeType(type: string): string {
  return type.replaceAll(/[A-Z]+/g, (word) => MAPPED[word] ?? word);
}

/** Whether sums of such a column are exact, so that two sides of it can be compared. */
export function isExactNumber(type: string): boolean {
  return /^(?:INTEGER|BIGINT|DECIMAL\(\d+,\d+\))$/.test(type);
}
