/** Prices of records: sums and texts without superfluous digits. */

/** Maximum number of decimal places of a price. */
const DIGITS = 12;

/** The digits of a sum of binary fractions that are surely right. */
const SOUND_DIGITS = 14;

interface Priced {
  readonly records: number;
  readonly pricePerRecord: number;
}

/**
 * Returns the sum of records times price, in the currency of the prices. The records of each price are added first, which
 * is exact, so that only the last digits of a few products may be wrong.
 */
export function priceOf(some: Iterable<Priced>): number {
  const records = new Map<number, number>();
  for (const { records: more, pricePerRecord: price } of some)
    records.set(price, (records.get(price) ?? 0) + Math.round(more));
  const sum = [...records].reduce((total, [price, count]) => total + price * count, 0);
  return Number(sum.toPrecision(SOUND_DIGITS));
}

/** Formats `13,918.5 KRW`; without a currency, the number alone. */
export function formatPrice(amount: number, currency: string | undefined, language = 'en'): string {
  const number = new Intl.NumberFormat(language, { maximumFractionDigits: DIGITS }).format(amount);
  return currency === undefined ? number : `${number}\u00a0${currency}`;
}

/** The clause `, price about 13,918.5 KRW`; nothing where the price is not known, or 0, as where none is set. */
export function pricePart(amount: number | null | undefined, currency?: string | null, about = ''): string {
  const isKnown = amount !== undefined && amount !== null && amount !== 0;
  return isKnown ? `, price ${about}${formatPrice(amount, currency ?? undefined)}` : '';
}
