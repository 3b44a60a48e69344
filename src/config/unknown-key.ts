/** What to say of a key that no setting has: the nearest one, or that secrets do not belong in the file. */
import { closest } from 'fastest-levenshtein';
import { z } from 'zod';
import { ConfigError } from '../errors.js';
import { settingsSchema } from './schema.js';

/** @param source the file, or what else holds the key */
export function unknownKey(source: string, path: readonly PropertyKey[], key: string): ConfigError {
  const full = [...path, key].join('.');
  if (/(access|secret)_?key/i.test(key)) {
    return new ConfigError(`${source}: secrets do not belong in the file (${full}).`, {
      hint: 'Remove it, and set DAWNLOAD_ACCESS_KEY and DAWNLOAD_SECRET_KEY in the environment or in .env.',
    });
  }
  const known = knownKeys(settingsSchema);
  const siblings = known.filter((name) => name.split('.').length === path.length + 1);
  const candidates = siblings.some((name) => name.startsWith(path.join('.'))) ? known : siblings;
  return new ConfigError(`${source}: unknown key "${full}".`, {
    hint: `Did you mean "${closest(full, candidates)}"?`,
  });
}

/** Every key of the file with its path, such as `exports.budget.records_per_run`. */
function knownKeys(schema: z.ZodType, path: readonly string[] = []): string[] {
  const inner = innermost(schema);
  const own = path.length === 0 ? [] : [path.join('.')];
  if (!(inner instanceof z.ZodObject)) return own;
  return [
    ...own,
    ...Object.entries(inner.shape).flatMap(([key, value]) =>
      value instanceof z.ZodType ? knownKeys(value, [...path, key]) : [],
    ),
  ];
}

/** What a setting is apart from its default, and from what is done to it before it is checked. */
function innermost(schema: z.ZodType): z.ZodType {
  const inner =
    schema instanceof z.ZodOptional || schema instanceof z.ZodPrefault
      ? schema.unwrap()
      : schema instanceof z.ZodPipe
        ? schema.out
        : undefined;
  return inner instanceof z.ZodType ? innermost(inner) : schema;
}
