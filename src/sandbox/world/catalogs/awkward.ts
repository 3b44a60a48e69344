/** A catalog of names and values that the rules allow and that are easily got wrong. */
import { type CatalogSource, type Field, ID_FIELD, listed, valuesOf } from './source.js';

export function awkward(): CatalogSource {
  // Two fields differ in case alone; others are words of SQL or begin with a digit or a dash.
  const columns: readonly Field[] = [
    ID_FIELD,
    { name: 'select', type: 'string' },
    { name: 'order-by', type: 'number' },
    { name: 'name', type: 'string' },
    { name: 'Name', type: 'string' },
    { name: '2nd', type: 'boolean' },
    { name: 'constructor', type: 'object' },
    { name: '-', type: 'array' },
    { name: 'time', type: 'time' },
    { name: 'at', type: 'geo' },
  ];
  return {
    name: 'a-b_C',
    descriptionOn: () => `'Quoted', "twice" and -- not a comment`,
    fieldsOn: () => columns,
    items: listed(() => [
      ['A', valuesOf({ select: 'upper', name: 'small letter', Name: 'capital letter', 'order-by': 1 })],
      ['a', valuesOf({ select: 'lower', '2nd': true, 'order-by': -0.5, '-': ["it's", '"', '\\', ''] })],
      ['-', valuesOf({ select: '\u0000\u001b[31m\n\t', 'order-by': 1e300, constructor: {}, '-': [] })],
      [
        '_',
        valuesOf({ select: `'; drop table items; --`, constructor: { __typename: null, nested: [1, [2]] } }),
      ],
      ['0', valuesOf({ select: '', time: '0001-01-01T00:00:00.000Z', at: [-180, -90] })],
      ['00', valuesOf({ select: '😀가나다', time: '9999-12-31T23:59:59.999Z', at: [180, 90] })],
      ['__proto__', valuesOf({ select: 'a name that objects know' })],
      ['null', valuesOf({})],
    ]),
  };
}
