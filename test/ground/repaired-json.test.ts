import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readEnvelope, repairedJson } from '../../src/ground/envelope.js';

describe('a text that is not JSON', () => {
  test.each<[string, string, unknown]>([
    ['a byte order mark goes', '\ufeff[1]', [1]],
    ['a line break, a tab and a zero byte are kept', '["a\n\t\u0000b"]', ['a\n\t\u0000b']],
    ['half a pair becomes U+FFFD', '["\\ud83d!", "\\uDE00"]', ['\ufffd!', '\ufffd']],
    ['a pair stays', '["\\ud83d\\ude00"]', ['😀']],
    ['an escaped backslash before a u is no escape', '["\\\\ud83d"]', ['\\ud83d']],
    ['an escape that means nothing is text', '["a\\x b\\u12G4"]', ['a\\x b\\u12G4']],
    ['a backslash before a line break is text', '["a\\\nb"]', ['a\\\nb']],
    ['needless commas go', '[ ,{"a":1 , },, [,2,\n], ]', [{ a: 1 }, [2]]],
    ['commas in texts stay', '["a,,b", ",]", "[,"]', ['a,,b', ',]', '[,']],
  ])('%s', (_, text, expected) => {
    expect(JSON.parse(repairedJson(text) ?? 'undefined')).toEqual(expected);
  });

  test.each(['<html>', '', '{"data":[1,2', '[1] x', '{"data" [1]}', '[NaN]', '[{"a":01}]'])(
    '%j stays none',
    (text) => {
      expect(repairedJson(text)).toBeUndefined();
    },
  );
});

const SOUND =
  '{"status":"success","odd":{"a":[1,{"b":"\\u00e9\\ud83d"}]},"data":[{"id":1},[2],"x"],"n":-1e5}';

test('whatever is read of an answer that was changed becomes JSON with as many elements', () => {
  const piece = fc.constantFrom(
    ...'{ } [ ] " , : \\ 01 nul } ],"data":[ } ,] ,} {, \u0000 \ufeff \u00a0 \f \ud83d'.split(' '),
    ' ',
    '\n',
    '",',
  );
  const change = fc.tuple(fc.nat(SOUND.length), fc.nat(4), piece);
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 5 }), (changes) => {
      let text = SOUND;
      for (const [at, removed, by] of changes) text = text.slice(0, at) + by + text.slice(at + removed);
      const given = Buffer.from(text);
      const read = readEnvelope(given);
      if (read === undefined) return;
      const repaired = repairedJson(given.toString());
      if (repaired === undefined) throw new Error(`read, and not repaired: ${text}`);
      const again = readEnvelope(Buffer.from(repaired));
      if (read.kind === 'array') expect(again).toEqual(read);
      // A key that cannot be read is not among the parts, and is once it was repaired.
      else
        for (const [key, { elements }] of read.parts)
          expect(again?.kind === 'object' && again.parts.get(key)?.elements).toBe(elements);
    }),
    { numRuns: 1_000 },
  );
});

test('a text that is JSON stays what it is', () => {
  fc.assert(
    fc.property(fc.json({ depthSize: 'small' }), (text) => {
      expect(JSON.parse(repairedJson(text) ?? 'undefined')).toEqual(JSON.parse(text));
    }),
  );
});
