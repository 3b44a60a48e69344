/** Looks up parameter values in the warehouse, so that other spellings and names are understood. */
import { distance } from 'fastest-levenshtein';
import { z } from 'zod';
import { UsageError } from '../../ground/errors.js';
import type { Reader } from '../../warehouse/reader.js';
import type { ParameterValues } from './catalogue.js';
import type { Question } from './question.js';

/** The parameters with looked-up values; the statement in sql/ask.sql is the plural of each. */
const LOOKED_UP = ['channel', 'goal', 'campaign', 'journey', 'tag', 'template', 'number'];

/** A value and its display name; the name is null if it equals the value. */
const knownValue = z.object({ value: z.string(), name: z.string().nullable() });
type Known = z.infer<typeof knownValue>;

/** Maximum number of similar values in an error message. */
const NAMED = 3;

/**
 * Returns the values of a question as the warehouse spells them: `PUSH_NOTIFICATION` becomes `push-notification`, and a
 * campaign's name becomes its id.
 *
 * @throws UsageError for a value that matches nothing or several values; the message names the nearest ones
 */
export async function knownValues({ query, values }: Question, reader: Reader): Promise<ParameterValues> {
  const found = new Map(values);
  for (const [parameter, value] of values) {
    const taken = query?.params.find(({ name }) => name === parameter);
    if (!LOOKED_UP.includes(parameter) || taken === undefined || taken.choices.length > 0) continue;
    const known = await reader.rows(`ask/${parameter}s`, knownValue);
    // An empty warehouse has no values to check against.
    if (known.length > 0) found.set(parameter, match(parameter, value, known));
  }
  return found;
}

function match(parameter: string, value: string, known: readonly Known[]): string {
  if (known.some((one) => one.value === value)) return value;
  const wanted = plain(value);
  const alike = new Set(
    known.flatMap((one) => ([one.value, one.name ?? ''].map(plain).includes(wanted) ? [one.value] : [])),
  );
  const [only] = alike;
  if (only !== undefined && alike.size === 1) return only;
  if (alike.size > 1) {
    throw new UsageError(`The ${parameter} "${value}" is the name of ${alike.size}.`, {
      hint: `Give one of ${[...alike].sort().join(', ')}.`,
    });
  }
  const far = (text: string): number => distance(wanted, plain(text));
  const nearest = known
    .map((one) => ({ ...one, far: Math.min(far(one.value), far(one.name ?? one.value)) }))
    .sort((a, b) => a.far - b.far || (a.value < b.value ? -1 : 1))
    .slice(0, NAMED)
    .map((one) => (one.name === null ? one.value : `${one.value} (${one.name})`));
  throw new UsageError(`The warehouse has no ${parameter} "${value}".`, {
    hint: `Did you mean ${nearest.join(', or ')}?`,
  });
}

/** Normalises a value, so that different spellings become equal. */
function plain(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, '');
}
