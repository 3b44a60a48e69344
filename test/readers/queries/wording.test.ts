import { expect, test } from 'vitest';
import { withParticles } from '../../../src/ground/text.js';
import { questionNamed } from '../../../src/readers/queries/catalogue.js';
import { Wording } from '../../../src/readers/queries/wording.js';

test.each([
  [83_962_491, 'KRW', '84 million KRW', '8,400만원'],
  [31_317_378, 'KRW', '31.3 million KRW', '3,130만원'],
  [136_607_604, 'KRW', '137 million KRW', '1억 3,700만원'],
  [-2_345_678_901, 'KRW', '−2.35 billion KRW', '−23억 5,000만원'],
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

test.each([
  [
    'start=2026-02-30',
    '파라미터 start: 2026-11-01처럼 실제로 있는 날짜만 입력할 수 있습니다(입력값: 2026-02-30).',
  ],
  ['by=x', '파라미터 by: 다음 값(resource, variant_or_node)만 입력할 수 있습니다(입력값: x).'],
  [
    'strt=1',
    '‘campaign-days’ 질문에는 strt 파라미터가 없습니다.',
    '혹시 start인가요? 사용할 수 있는 파라미터: start (date)',
  ],
  ['start', '‘start’는 파라미터가 아닙니다.', '`이름=값` 형식으로 입력하세요'],
])(
  'the error of --param %s is in Korean, with what to do',
  (param, message, hint = '‘campaign-days’ 질문의 파라미터: ') => {
    const failed = (): unknown => {
      try {
        return questionNamed('campaign-days', { param: [param] }, new Date(0));
      } catch (error) {
        return new Wording('ko').error(error);
      }
    };
    expect(failed()).toMatchObject({
      message,
      lines: [message],
      hint: expect.stringContaining(hint) as string,
    });
  },
);

test.each([
  ['VIP', 'VIP가 VIP로'],
  ['KM', 'KM이 KM으로'],
  ['coupon', 'coupon이 coupon으로'],
  ['letter', 'letter가 letter로'],
  ['SALE', 'SALE이 SALE로'],
  ['lookbook', 'lookbook이 lookbook으로'],
  ['3', '3이 3으로'],
  ['7', '7이 7로'],
  ['5.2%', '5.2%가 5.2%로'],
  ['1,000원', '1,000원이 1,000원으로'],
  ['메일', '메일이 메일로'],
  ['‘할인 쿠폰’(푸시)', '‘할인 쿠폰’(푸시)이 ‘할인 쿠폰’(푸시)으로'],
  ['단문(SMS)', '단문(SMS)이 단문(SMS)으로'],
  ['‘뉴스레터’(email)', '‘뉴스레터’(email)가 ‘뉴스레터’(email)로'],
])('particles follow %s as it is spoken', (text, written) => {
  expect(withParticles(`${text}{이/가} ${text}{으로/로}`)).toBe(written);
});
