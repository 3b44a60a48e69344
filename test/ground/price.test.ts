/** What records cost, to the last digit of the price. */
import { expect, test } from 'vitest';
import { formatPrice, priceOf } from '../../src/ground/text.js';

test('a sum of prices is exact', () => {
  // In binary fractions three times a tenth is more than 0.3, and the sum of many parts depends on their order.
  expect(priceOf([{ records: 3, pricePerRecord: 0.1 }])).toBe(0.3);
  const nights = Array.from({ length: 10 }, () => ({ records: 13_918, pricePerRecord: 0.1 }));
  expect(priceOf(nights)).toBe(13_918);
  expect(priceOf([{ records: 139_180, pricePerRecord: 0.1 }])).toBe(13_918);
  expect(
    priceOf([
      { records: 1, pricePerRecord: 0.1 },
      { records: 1, pricePerRecord: 0.2 },
    ]),
  ).toBe(0.3);
});

test('a price has the digits that it has, however small or large', () => {
  const shown = (records: number, pricePerRecord: number) =>
    formatPrice(priceOf([{ records, pricePerRecord }]), undefined);
  expect(shown(1000, 0.00002)).toBe('0.02');
  expect(shown(3, 1e-7)).toBe('0.0000003');
  expect(shown(139_185, 0.1)).toBe('13,918.5');
  expect(shown(1_000_000, 1e6)).toBe('1,000,000,000,000');
  expect(shown(1_000_000, 12.25)).toBe('12,250,000');
});

test('a currency follows the number', () => {
  expect(formatPrice(13_918.5, 'KRW')).toBe('13,918.5\u00a0KRW');
  expect(formatPrice(13_918.5, '원', 'ko')).toBe('13,918.5\u00a0원');
});
