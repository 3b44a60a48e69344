/** Ids that are nobody's: what programs write when they have no id. As ids they would make one person of very many. */

const zeros = Array.from({ length: 20 }, (_, nth) => '0'.repeat(nth + 1));

/** In small letters; the setting `placeholder_ids` adds more. */
export const PLACEHOLDERS: readonly string[] = [
  ...[
    'undefined',
    'null',
    '(null)',
    '<null>',
    'none',
    'nil',
    'nan',
    'n/a',
    'na',
    'unknown',
    'anonymous',
    'guest',
  ],
  ...['false', '[object object]', '-', '--', '-1', '00000000-0000-0000-0000-000000000000', '0'.repeat(32)],
  ...zeros,
];

const known = new Set(['', ...PLACEHOLDERS]);

/** Whether an id is nobody's in every project. It has no digest: it names no person, and stays recognizable. */
export const isPlaceholder = (id: string): boolean => known.has(id.toLowerCase());
