import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EnvelopeScanner, partValue, readEnvelope, textOf } from '../../src/ground/envelope.js';
import { elementsIn, OutsideReader } from '../../src/ground/large-body.js';
import { long } from '../support/tags.js';

const spaced = fc.tuple(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(0, 1, 3));

describe('the outside of a JSON answer', () => {
  test('has the keys, the values and the list lengths that parsing finds', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), spaced), (record) => {
        const object = Object.fromEntries(Object.entries(record).map(([key, [value]]) => [key, value]));
        const body = Buffer.from(JSON.stringify(object, null, 2));
        const envelope = readEnvelope(body);
        if (envelope?.kind !== 'object') throw new Error('not an object');
        const parsed = JSON.parse(body.toString()) as Record<string, unknown>;
        expect([...envelope.parts.keys()].sort()).toEqual(Object.keys(parsed).sort());
        for (const [key, part] of envelope.parts) {
          const value = parsed[key];
          expect(partValue(body, part)).toEqual(value);
          expect(part.elements).toBe(Array.isArray(value) ? value.length : undefined);
        }
      }),
    );
  });

  test('counts the elements of a list', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue({ maxDepth: 3 })), fc.constantFrom(0, 2), (list, indent) => {
        expect(readEnvelope(Buffer.from(JSON.stringify(list, null, indent)))).toEqual({
          kind: 'array',
          elements: list.length,
        });
      }),
    );
  });

  test('of an answer cut short anywhere there is none', () => {
    const body = Buffer.from(
      JSON.stringify({
        status: 'success',
        data: [{ id: 'a"\\', name: '주말 특가 {[' }, { id: 2 }],
        total_page_count: 1,
      }),
    );
    expect(readEnvelope(body)?.kind).toBe('object');
    for (let length = 0; length < body.length; length++) {
      expect(readEnvelope(body.subarray(0, length)), `cut at ${length}`).toBeUndefined();
    }
  });

  test('a key that is given twice is told, and its last value counts', () => {
    const body = Buffer.from('{"a":1,"b":[],"\\u0061":2,"A":3,}');
    const envelope = readEnvelope(body);
    if (envelope?.kind !== 'object') throw new Error('not an object');
    expect([...envelope.twice]).toEqual(['a']);
    expect(partValue(body, envelope.parts.get('a'))).toBe(2);
    expect([...envelope.parts.keys()]).toEqual(['a', 'b', 'A']);
  });

  test.each([
    ...['[{]}', '[{"a":1]}', '{"a":[1}', '{"a":,}', '{,:1}', ',[1]', '[1],'],
    ...'[NaN] | [01] | [1.] | [.5] | [+1] | [1e] | [-] | [None] | [TRUE] | [nul] | [1 2] | [{"a":1} {}]'.split(
      ' | ',
    ),
    ...['{"a" "b"}', '[{a:1}]', '[{"a":{"b":-Infinity}}]', '{"n":01,"data":[]}'],
  ])('of %j there is none: what the load could not take apart either', (text) => {
    expect(readEnvelope(Buffer.from(text))).toBeUndefined();
  });

  test.each([
    ['[1,2,]', 2],
    ['[,1]', 1],
    ['[ , 1,,2]', 2],
    ['[,]', 0],
    ['[{,},{,"a":1,,}]', 2],
    ['[ ]', 0],
    ['[null,-0.1,1e400,true]', 4],
    ['[{"a":1,},[[],],{}]', 3],
  ])('%j has %d elements', (text, elements) => {
    expect(readEnvelope(Buffer.from(text))).toEqual({ kind: 'array', elements });
  });

  test.each(['<html>502</html>', '', '   ', 'null', '"text"', '{} {}', '[1] x', '{"a" 1}', '{"a":}'])(
    'of %j there is none',
    (text) => {
      expect(readEnvelope(Buffer.from(text))).toBeUndefined();
    },
  );

  test.each<[string, Buffer]>([
    [
      'bytes that are not UTF-8',
      Buffer.concat([Buffer.from('["'), Buffer.from([0xff, 0xfe]), Buffer.from('"]')]),
    ],
    ['a byte order mark', Buffer.from('\ufeff["a"]')],
    ['control characters', Buffer.from('["a\u0001\n\t\u0000b"]')],
    ['depth', Buffer.from('['.repeat(100_000) + ']'.repeat(100_000))],
  ])('%s inside do not cost the answer', (_, body) => {
    expect(readEnvelope(body)).toEqual({ kind: 'array', elements: 1 });
    const page = Buffer.concat([
      Buffer.from('{"status":"success","odd\u0001key":-1,"data":'),
      body.subarray(body.indexOf('[')),
      Buffer.from(',"total_page_count":1}'),
    ]);
    const envelope = readEnvelope(page);
    expect(envelope?.kind === 'object' && [...envelope.parts.keys()]).toEqual([
      'status',
      'data',
      'total_page_count',
    ]);
    expect(envelope?.kind === 'object' && envelope.parts.get('data')?.elements).toBe(1);
  });
});

describe('a text that comes in pieces', () => {
  const awkward = [' ', ...'가 😀 " \\ \\u0041 { [ , : -1.5e3 true null \ufeff'.split(' ')];
  const text = fc.oneof(
    spaced.map(([value, indent]) => JSON.stringify(value, null, indent)),
    fc.array(fc.constantFrom(...awkward)).map((parts) => `{"data":["${parts.join('')}"],"a":1}`),
    fc.array(fc.constantFrom(...awkward, '}', ']')).map((parts) => parts.join('')),
    fc.dictionary(fc.string(), fc.array(fc.jsonValue())).map((record) => `\ufeff${JSON.stringify(record)},`),
  );

  long('has the same envelope, however it is divided', () => {
    fc.assert(
      fc.property(text, fc.array(fc.nat(), { maxLength: 6 }), (given, cuts) => {
        const body = Buffer.from(given);
        const whole = readEnvelope(body);
        const pieces = dividedAt(body, cuts);
        for (const some of [pieces, [...body].map((byte) => Buffer.from([byte]))]) {
          const scanner = new EnvelopeScanner();
          for (const piece of some) scanner.push(piece);
          expect(scanner.end()).toEqual(whole);
        }
      }),
      { numRuns: 2000 },
    );
  });

  test('has the same values outside, and the same elements', async () => {
    const records = fc.array(fc.jsonValue({ maxDepth: 2 }), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(
        records,
        fc.jsonValue(),
        fc.array(fc.nat(), { maxLength: 6 }),
        async (data, other, cuts) => {
          const body = Buffer.from(JSON.stringify({ status: 'success', data, other }, null, 1));
          const outside = new OutsideReader();
          for (const piece of dividedAt(body, cuts)) outside.push(piece);
          const large = outside.end('file');
          const envelope = readEnvelope(large);
          if (envelope?.kind !== 'object') throw new Error('not an object');
          expect(textOf(envelope, large, 'status')).toBe('success');
          expect(partValue(large, envelope.parts.get('other'))).toEqual(JSON.parse(JSON.stringify(other)));
          expect(envelope.parts.get('data')?.elements).toBe(data.length);
          const found: unknown[] = [];
          const around: Buffer[] = [];
          for await (const pieces of elementsIn(Readable.from(dividedAt(body, cuts)), 'data'))
            for (const { isElement, bytes } of pieces)
              if (isElement) found.push(JSON.parse(bytes.toString()));
              else around.push(bytes);
          expect(found).toEqual(JSON.parse(JSON.stringify(data)));
          expect(JSON.parse(Buffer.concat(around).toString())).toEqual(
            JSON.parse(JSON.stringify({ status: 'success', data: [], other })),
          );
        },
      ),
    );
  });
});

function dividedAt(body: Buffer, cuts: readonly number[]): Buffer[] {
  const at = [0, ...cuts.map((cut) => cut % (body.length + 1)).sort((a, b) => a - b), body.length];
  return at.slice(1).map((end, nth) => body.subarray(at[nth], end));
}
