import { expect, test } from 'vitest';
import { Wording } from '../../../src/readers/queries/wording.js';

test.each([
  [83_962_491, 'KRW', '84 million KRW', '8,400만원'],
  [31_317_378, 'KRW', '31.3 million KRW', '3,130만원'],
  [136_607_604, 'KRW', '137 million KRW', '1억 3,700만원'],
  [-2_345_678_901, 'KRW', '-2.35 billion KRW', '-23억 5,000만원'],
  [12_345, 'KRW', '12,300 KRW', '1.23만원'],
  [999_999, 'KRW', '1 million KRW', '100만원'],
  [123.456, 'USD', '123 USD', '123 USD'],
  [1234.5, null, '1,230', '1,230'],
  [0, 'KRW', '0 KRW', '0원'],
])('an estimate of %s %s is %s and %s', (amount, currency, english, korean) => {
  const plain = (text: string): string => text.replaceAll('\u00a0', ' ');
  expect(plain(new Wording('en').estimate(amount, currency))).toBe(english);
  expect(plain(new Wording('ko').estimate(amount, currency))).toBe(korean);
});
