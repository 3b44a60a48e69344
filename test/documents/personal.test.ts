/** Numbers and addresses of people in texts and documents: every spelling of the table, and what only looks like one. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Redaction, type DocumentKind } from '../../src/documents/personal.js';
import { PATTERNS } from '../../src/documents/functions.js';
import { openInstance } from '../../src/disk/duckdb.js';

const KEY = Buffer.from('0123456789abcdef0123456789abcdef', 'hex');
const redaction = new Redaction(KEY);
const NUMBER = redaction.digest('01055517772');
const ADDRESS = redaction.digest('kim@example.com');

const spellings = (...lines: string[]): string[] => lines.flatMap((line) => line.split(' | '));

const NUMBERS = spellings(
  '01055517772 | 010-5551-7772 | 010.5551.7772 | 010 5551 7772 | 010/5551/7772 | 010,5551,7772',
  '010_5551_7772 | 010~5551~7772 | 010ㅡ5551ㅡ7772 | 010−5551−7772 | 010–5551—7772 | 010·5551·7772',
  '010 - 5551 - 7772 | +821055517772 | +82 10 5551 7772 | 82-10-5551-7772 | 0082 10 5551 7772',
  '+82 (0)10 5551 7772 | ０１０５５５１７７７２ | 010\u200b5551\u00ad7772 | 010\n5551\t7772',
  '010\u20035551\u30007772 | 010&nbsp;5551&nbsp;7772 | 010-&#8203;5551-7772',
  '010&zwnj;5551&#x200d;7772 | 010&#45;5551&#45;7772 | 010&#46;5551&#46;7772 | &#48;&#49;&#48;55517772',
  '010%205551%207772 | 010%2D5551%252D7772 | 010=2D5551=2D7772 | 010-5551\r\n -7772',
  '010-<b>5551</b>-7772 | 010<wbr>5551<wbr/>7772 | <span style="x">010</span>-5551-7772',
  '010\\u002d5551\\u002d7772',
);

const ADDRESSES = spellings(
  'kim@example.com | Kim@Example.COM | kim%40example.com | kim%2540example.com | kim&#64;example.com',
  'kim&#x40;example.com | kim&commat;example.com | kim=40example.com | kim＠example.com',
  'ｋｉｍ＠ｅｘａｍｐｌｅ．ｃｏｍ | kim\\u0040example.com | kim @ example.com | kim@ example.com',
  'kim&#8203;@example.com | k\u200bim@example.com | kim&zwj;@example&#46;com | <b>kim</b>@example.com',
  '<a href="mailto:kim%40example.com"> | kim@<span>example</span>.com | kim<wbr>@example.com',
  'kim@exam\r\n ple.com | kim@example=2Ecom',
);

/** What is no number and no address of a person. */
const NEITHER = spellings(
  '37.01055517772 | 127.01055517772 | 010555177721 | 201055517772 | 1588-1234 | 080-123-4567',
  '02-555-1234 | 2026-11-20 | 3f2b01055517772a | 01055517-7720-4aaa-8aaa-010555177720 | kim@localhost',
  'logo@2x.png | @kim | kim@@example.com | <td>20</td><td>1055517772</td> | a@b | 주문번호 202611270001',
  '공일공-5551-7772',
);

describe('a text', () => {
  test.each(NUMBERS)('loses the number %j', (number) => {
    expect(redaction.text(`안녕 ${number}님`, 'hash')).toContain(NUMBER);
    expect(redaction.text(`안녕 ${number}님`, 'drop')?.replace(/<[^>]*>/g, '')).toMatch(/^안녕 \+?님$/);
    expect(redaction.recipient(number, 'hash')).toBe(NUMBER);
  });

  test.each(ADDRESSES)('loses the address %j', (address) => {
    expect(redaction.text(`안녕 ${address} 님`, 'hash')).toContain(ADDRESS);
    expect(redaction.text(`안녕 ${address} 님`, 'drop')?.replace(/<[^>]*>/g, '')).toMatch(/^안녕 +님$/);
  });

  test.each(NEITHER)('keeps %j', (text) => {
    expect(redaction.text(`안녕 ${text} 님`, 'hash')).toBe(`안녕 ${text} 님`);
  });

  test('loses a number beside tags of a table, whose cells are no digits of it', () => {
    const text = redaction.text('<td>5</td><td>01055517772</td><td>7</td>', 'hash');
    expect(text).toBe(`<td>5</td><td>${NUMBER}</td><td>7</td>`);
  });

  test('stays under keep', () => {
    expect(redaction.text('010-5551-7772', 'keep')).toBe('010-5551-7772');
  });
});

test.each<[what: string, kind: DocumentKind, given: string, made: string]>([
  [
    'a number under a recipient’s key',
    'document',
    '{"recipientNo":1055517772}',
    `{"recipientNo":"${NUMBER}"}`,
  ],
  [
    'under a key of telephones, in lists',
    'document',
    '{"phones":["010-5551-7772"]}',
    `{"phones":["${NUMBER}"]}`,
  ],
  [
    'under a Korean key of telephones',
    'document',
    '{"수신자 전화번호":"02-555-1234","휴대폰":1055517772,"전화상담":"02-555-1234"}',
    `{"수신자 전화번호":"${redaction.digest('025551234')}","휴대폰":"${NUMBER}","전화상담":"02-555-1234"}`,
  ],
  [
    'under a key of telephones in JSON in a text, once and twice',
    'document',
    JSON.stringify({ a: '{"phone":"02-555-1234","to":20261127}', b: '"{\\"tel\\":\\"02-555-1234\\"}"' }),
    JSON.stringify({
      a: `{"phone":"${redaction.digest('025551234')}","to":20261127}`,
      b: `"{\\"tel\\":\\"${redaction.digest('025551234')}\\"}"`,
    }),
  ],
  [
    'under a Korean key in decomposed letters',
    'document',
    `{"${'전화번호'.normalize('NFD')}":"02-555-1234"}`,
    `{"${'전화번호'.normalize('NFD')}":"${redaction.digest('025551234')}"}`,
  ],
  [
    'an address with a quoted name; a quotation before a blank stays',
    'document',
    String.raw`{"a":"to \"kim lee\"@example.com, see \"kim lee\" @example.com"}`,
    String.raw`{"a":"to ${redaction.digest('"kim lee"@example.com')}, see \"kim lee\" @example.com"}`,
  ],
  [
    'the beginning of a number before the hash of an address, which has digits',
    'document',
    `{"a":"010%205551%20${'8341'.padEnd(64, 'c')}"}`,
    `{"a":"010%205551%20${'8341'.padEnd(64, 'c')}"}`,
  ],
  ['a key', 'document', '{"01055517772": 1}', `{"${NUMBER}": 1}`],
  [
    'a tag inside what looks like one address has another',
    'document',
    '{"a":"01055517772<a href=\\"mailto:kim%40example.com\\">kim&#64;example.com"}',
    `{"a":"${redaction.digest('01055517772kim@example.com')}<a href=\\"mailto:${ADDRESS}\\">"}`,
  ],
  ['a decimal number stays', 'document', '{"lat":37.01055517772}', '{"lat":37.01055517772}'],
  [
    'digits of a large number stay',
    'document',
    '{"a":9007199254740993,"b":"kim@example.com"}',
    `{"a":9007199254740993,"b":"${ADDRESS}"}`,
  ],
  ['repeated keys stay', 'document', '{"a":1,"a":"kim@example.com"}', `{"a":1,"a":"${ADDRESS}"}`],
  [
    'the own number inside a longer one',
    'message',
    '{"recipientNo":"025551234","content":"x025551234x 02-555-1234"}',
    `{"recipientNo":"${redaction.digest('025551234')}","content":"x${redaction.digest('025551234')}x ${redaction.digest('025551234')}"}`,
  ],
  [
    'a number that is not a text is not believed to be the sender’s',
    'message',
    '{"sendNo":1055517772,"body":"010-5551-7772"}',
    `{"sendNo":1055517772,"body":"${NUMBER}"}`,
  ],
  [
    'the sender’s number stays',
    'message',
    '{"recipientNo":"01055517772","sendNo":"01099998888","body":"01099998888"}',
    `{"recipientNo":"${NUMBER}","sendNo":"01099998888","body":"01099998888"}`,
  ],
])('a document: %s', (_, kind, given, made) => {
  expect(redaction.document(given, kind, 'hash')).toBe(made);
});

const piece = fc.oneof(
  fc.constantFrom(...NUMBERS, ...ADDRESSES, ...NEITHER),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.constantFrom(' ', '님 ', '<br>', '&amp;', '"', '\\', ':', ', '),
);
const someText = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''));
const someDocument = fc
  .letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      someText,
      fc.constantFrom(0, 1055517772, 9007199254740991, 12.7, true, null),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(
        fc.oneof(fc.constantFrom('recipientNo', 'sendNo', 'phone', 'to', 'content'), someText),
        tie('value'),
        { maxKeys: 3 },
      ),
    ),
  }))
  .value.map((value) => JSON.stringify(value));

test('redacting twice changes nothing, and what comes out is JSON', () => {
  fc.assert(
    fc.property(
      someDocument,
      fc.constantFrom<DocumentKind[]>('message', 'other', 'record', 'document'),
      (json, kind) => {
        const once = redaction.document(json, kind, 'hash');
        expect(() => JSON.parse(once) as unknown).not.toThrow();
        expect(redaction.document(once, kind, 'hash')).toBe(once);
        expect(redaction.document(json, kind, 'keep')).toBe(json);
      },
    ),
    { numRuns: 400 },
  );
});

test('whatever is changed in a document is suspicious to the statements of the load', async () => {
  const changed: string[] = [];
  fc.assert(
    fc.property(someDocument, (json) => {
      if (redaction.document(json, 'document', 'hash') !== json) changed.push(json);
    }),
    { numRuns: 1_000 },
  );
  for (const spelling of [...NUMBERS, ...ADDRESSES]) changed.push(JSON.stringify({ a: spelling }), spelling);
  const connection = await (await openInstance(':memory:')).connect();
  const reader = await connection.runAndReadAll(
    `select json from (select unnest(from_json($1, '["VARCHAR"]')) as json) where not regexp_matches(json, $2)`,
    [JSON.stringify(changed), PATTERNS.personal],
  );
  expect(changed.length).toBeGreaterThan(100);
  expect(reader.getRowObjectsJson()).toEqual([]);
});

test('digits of two hashes in a row are no part of a number before them', () => {
  const text = '010–5551—7772201055517772kim&zwj;@example&#46;com01055517772';
  const once = redaction.text(text, 'hash') ?? '';
  expect(redaction.text(once, 'hash')).toBe(once);
});

test('no depth is too deep', () => {
  const nested = (text: string): string => `${'['.repeat(100_000)}"${text}"${']'.repeat(100_000)}`;
  expect(redaction.document(nested('010-5551-7772'), 'other', 'hash')).toBe(nested(NUMBER));
});

test('no text takes longer than its length', () => {
  for (const letter of ['a', '가', '1', '@', 'a@', '0', '<a ', '&', '010-', '%25', '\\']) {
    const began = performance.now();
    redaction.text(letter.repeat(200_000), 'hash');
    expect(performance.now() - began, letter).toBeLessThan(5_000);
  }
});
