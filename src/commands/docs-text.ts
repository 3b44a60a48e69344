/** The dictionary as text for a window of some width. */
import type { Language } from '../dictionary/dictionary.js';
import type { RelationEntry, SchemaEntry } from '../dictionary/entries.js';
import { listed, wrap } from '../terminal/paragraphs.js';

/** Each schema with its tables and views. */
export function overviewText(schemas: readonly SchemaEntry[], width: number): string {
  return schemas
    .filter(({ relations }) => relations.length > 0)
    .map(({ name, description, relations }) =>
      [
        ...wrap(`${name}: ${description}`, width),
        listed(
          relations.map((relation) => [`  ${relation.name}`, relation.description]),
          width,
        ),
      ].join('\n'),
    )
    .join('\n\n');
}

/** One table or view with its columns; in Korean also with their headers. */
export function relationText(
  { name, kind, description, grain, columns }: RelationEntry,
  language: Language,
  width: number,
): string {
  const per = language === 'ko' ? '행 단위:' : 'One row per';
  return [
    ...wrap(`${name} (${kind})`, width),
    ...wrap(description, width),
    ...wrap(`${per} ${grain}`, width),
    '',
    listed(
      columns.map(({ name: column, type, description: meaning, label }) =>
        language === 'ko' ? [`  ${column}`, label, type, meaning] : [`  ${column}`, type, meaning],
      ),
      width,
    ),
  ].join('\n');
}
