/** What no column takes of a document, by the list of fields. */
import { FIELDS } from '../../src/streams/index.js';
import { describe, expect, test } from 'vitest';
import { dayIn, Places } from '../../src/documents/conform.js';
import { fieldsFor } from '../../src/ground/fields.js';

const places = new Places(fieldsFor('service', FIELDS));

test.each<[what: string, place: string, given: string, extra: string | undefined, fitting?: string | null]>([
  ['as the specification says', 'button', '{"type":"WL","ordering":1}', undefined],
  ['null and absent members', 'button', '{"type":null}', undefined],
  ['an unknown key', 'button', '{"type":"WL","x":{"y":[1]}}', '{"x":{"y":[1]}}'],
  ['digits of a number that JavaScript rounds', 'button', '{"x":9007199254740993}', '{"x":9007199254740993}'],
  ['a key that comes twice', 'button', '{"name":"a","name":"b"}', '{"name (2)":"b"}', '{"name":"a"}'],
  [
    'a key that comes twice, whose other name is taken',
    'button',
    '{"name":"a","name (2)":"b","name":"c"}',
    '{"name (2)":"b","name (2) (2)":"c"}',
    '{"name":"a"}',
  ],
  [
    'two keys that come twice, of which one has the other name',
    'button',
    '{"name":"a","name (2)":"b","name":"c","name (2)":"d"}',
    '{"name (2)":"b","name (2) (2)":"c","name (2) (2) (2)":"d"}',
    '{"name":"a"}',
  ],
  [
    'a value of another kind',
    'button',
    '{"name":[1],"type":"WL"}',
    '{"name":[1],"type":"WL"}',
    '{"type":"WL"}',
  ],
  ['a text that is a number', 'button', '{"name":7}', '{"name":7}'],
  [
    'a whole number with places',
    'button',
    '{"ordering":12.7,"name":"n"}',
    '{"ordering":12.7,"name":"n"}',
    '{"name":"n"}',
  ],
  ['no object', 'button', '[1]', '[1]', null],
  ['lists that have rows of their own', 'record', '{"id":5,"message_data":{"a":1}}', '{"id":5}'],
  [
    'an unknown key in an inner object',
    'message_data:email',
    '{"title":"t","body":{"text":"x","x":1}}',
    '{"body":{"x":1}}',
  ],
  [
    'both spellings of a node',
    'statistic_by_subchannel',
    '{"node_mane":"a","node_name":"b"}',
    '{"node_name (2)":"b"}',
    '{"node_mane":"a"}',
  ],
  ['the other spelling alone', 'statistic_by_subchannel', '{"node_name":"b"}', undefined],
  ['more than four places', 'metric', '{"totalSum":1.23456}', '{"totalSum":1.23456}'],
  ['four places and zeros', 'metric', '{"totalSum":1.234500}', undefined],
])('%s', (_, place, given, extra, fitting = given) => {
  const found = places.conform(given, place);
  expect(found?.extra).toBe(extra);
  if (found !== undefined) expect(found.fitting).toBe(fitting);
});

test('what an extra shows is drift: unknown keys and values of another kind, inside an object too', () => {
  expect(places.odditiesIn('{"name":7,"type":"WL","x":[1]}', 'button')).toEqual([
    { place: 'button', field: 'name', kind: 'type', type: 'UBIGINT' },
    { place: 'button', field: 'x', kind: 'unknown', type: 'ARRAY' },
  ]);
  expect(places.odditiesIn('{"body":{"x":1}}', 'message_data:email')).toEqual([
    { place: 'message_data:email.body', field: 'x', kind: 'unknown', type: 'UBIGINT' },
  ]);
});

describe('a day', () => {
  test.each([
    ['2026-11-27', '2026-11-27'],
    ['20261127', '2026-11-27'],
    ['2026. 11. 27.', '2026-11-27'],
    ['2026.1.7', '2026-01-07'],
    ['2026-11-27T00:00:00', '2026-11-27'],
    ['2026-11-27 23:59', '2026-11-27'],
    ['2026-02-30', undefined],
    ['2026-11', undefined],
    ['202611', undefined],
    ['2026111', undefined],
    ['2026-1127', undefined],
    ['2026-11-27 nonsense', undefined],
    ['27.11.2026', undefined],
    ['infinity', undefined],
    ['', undefined],
  ])('%j is %s', (text, day) => {
    expect(dayIn(text)).toBe(day);
  });
});

test('no document takes longer than its length, also with one key many times', () => {
  const document = `{${Array.from({ length: 100_000 }, () => '"name":"a"').join(',')}}`;
  const began = performance.now();
  places.conform(document, 'button');
  expect(performance.now() - began).toBeLessThan(5_000);
});
