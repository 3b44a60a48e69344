/** Numbers and addresses become stars wherever they stand in a text, and nothing else does. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Finder, searchFolder } from '../../src/erasure/erase.js';
import { blanked } from '../../src/erasure/spelling.js';
import { temporaryFolder } from '../warehouse/support.js';

const NUMBER = '01012345678';
const ADDRESS = 'gildong.hong@mail.example';
const isTheirs = (plain: string): boolean => plain === NUMBER || plain === ADDRESS;

test.each([
  ['010-1234-5678', '문의 {}'],
  ['010-1234-5678', '141,750원 문의 {} 151'],
  ['+82 10 1234 5678', '12 {} 34 56'],
  ['82-(0)10-1234-5678', '주문 20261119 {}'],
  ['０１０－１２３４－５６７８', '{}번'],
  ['010%2D1234%2D5678', 'https://shop.test/?to=%20{}%20'],
  ['0\u200b1\u200b0\u200b1234\u200b5678', '({})'],
  [ADDRESS, '메일은{}입니다. 또는 logo@2x.png'],
  ['GilDong.Hong%40mail.example', 'https://shop.test/?email={}&x=1'],
  ['gildong.hong&#64;mail.example', '<a href="mailto:{}">'],
  ['010-&#8203;1234-<b>5678', '문의 {}</b>'],
  ['010=2D1234=2D5678', 'TEL:{}'],
  ['gildong.hong=40mail.example', 'EMAIL:{}'],
  ['gildong.hong @ mail.example', '메일은 {} 입니다'],
])('%s in %s', (spelled, text) => {
  const whole = text.replace('{}', spelled);
  expect(blanked(whole, isTheirs)).toBe(text.replace('{}', '*'.repeat(spelled.length)));
  expect(new Finder([NUMBER, ADDRESS]).holds(whole)).toBe(true);
});

test.each(['0101234567', '10101234567890', '010-1234-56789', 'x.gildong@mail.example', 'hong@mail.example'])(
  '%s stays',
  (text) => {
    expect(blanked(text, isTheirs)).toBe(text);
    expect(new Finder([NUMBER, ADDRESS]).holds(`a ${text} b`)).toBe(false);
  },
);

test.each(['가입한 user_0000138님', '/user_0000138.jpg', '"user_0000138"', 'a3-b4-c5d6e7f8.', '아이디-한글'])(
  'the ids are found in %s',
  (text) => {
    const finder = new Finder(['user_0000138', 'a3-b4-c5d6e7f8', '아이디-한글']);
    expect(finder.holds(text)).toBe(true);
    expect(finder.holds(text.replace(/8|글/g, '9'))).toBe(false);
  },
);

test('an id with other signs is not found in a longer one', () => {
  const finder = new Finder(['chatapp:1234567', 'shop/가나다라마바/7']);
  for (const text of [
    '"chatapp:1234567"',
    'x\\nchatapp:1234567.',
    '\\u003cchatapp:1234567',
    'shop/가나다라마바/7,',
  ])
    expect(finder.holds(text), text).toBe(true);
  for (const text of ['chatapp:12345678', 'mychatapp:1234567', 'chatapp:1234567a', 'shop/가나다라마바/70'])
    expect(finder.holds(text), text).toBe(false);
});

test('a short id is not looked for in texts, and counted; a file that holds another one is named', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'list.json'), '{"owner":"vip-1","other":"customer-00012345"}');
  expect(await searchFolder(folder, ['vip-1'])).toMatchObject({ files: 1, left: [], short_ids: 1 });
  expect(await searchFolder(folder, ['vip-1', 'customer-00012345'])).toMatchObject({
    left: ['list.json'],
    short_ids: 1,
  });
});
