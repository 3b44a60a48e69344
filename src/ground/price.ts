/** Prices of records: exact decimal sums, formatted without superfluous digits. */

/** Maximum number of decimal places of a price. */
const DIGITS = 12;

interface Priced {
  readonly records: number;
  readonly pricePerRecord: number;
}

/**
 * Returns the sum of records times price, in the currency of the prices. Records are whole numbers, so the sum has no
 * more decimal places than the prices.
 */
export function priceOf(some: Iterable<Priced>): number {
  let sum = 0n;
  for (const { records, pricePerRecord } of some) {
    sum += BigInt(Math.round(records)) * BigInt(plainDecimal(pricePerRecord, DIGITS).replace('.', ''));
  }
  const digits = sum.toString().padStart(DIGITS + 1, '0');
  return Number(`${digits.slice(0, -DIGITS)}.${digits.slice(-DIGITS)}`);
}

/** Formats `13,918.5 KRW`; without a currency, the number alone. */
export function formatPrice(amount: number, currency: string | undefined, language = 'en'): string {
  const number = new Intl.NumberFormat(language, { maximumFractionDigits: DIGITS }).format(amount);
  return currency === undefined ? number : `${number}\u00a0${currency}`;
}

/**
 * Returns a number without an exponent and with `digits` decimal places. It uses the shortest decimal text of the
 * number, not its binary value: 0.1 becomes 0.100000000000.
 */
function plainDecimal(value: number, digits: number): string {
  const [mantissa = '0', exponent = '0'] = String(value).split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  const point = whole.length + Number(exponent);
  const all = `${whole}${fraction}`;
  const padded = point > 0 ? all.padEnd(point, '0') : `${'0'.repeat(1 - point)}${all}`;
  const at = Math.max(1, point);
  return `${padded.slice(0, at)}.${padded.slice(at).padEnd(digits, '0').slice(0, digits)}`;
}
