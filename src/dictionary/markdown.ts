/** The dictionary as Markdown: whole, one table, or the overview; docs/tables.md holds both. */
import type { Language } from './dictionary.js';
import type { RelationEntry, SchemaEntry } from './entries.js';

const HEADS = {
  en: {
    relation: 'table',
    grain: 'one row per',
    description: 'what it holds',
    column: 'column',
    type: 'type',
    meaning: 'meaning',
    label: 'Korean head',
  },
  ko: {
    relation: '테이블',
    grain: '행 단위',
    description: '내용',
    column: '칼럼',
    type: '형식',
    meaning: '뜻',
    label: '머리글',
  },
} as const;

/** Each schema with a list of its tables and views. */
export function overviewMarkdown(schemas: readonly SchemaEntry[], language: Language): string {
  const heads = HEADS[language];
  return schemas
    .filter(({ relations }) => relations.length > 0)
    .map(({ name, description, relations }) =>
      [
        `**\`${name}\`**: ${description}`,
        '',
        table(
          [heads.relation, heads.grain, heads.description],
          relations.map((relation) => [`\`${relation.name}\``, relation.grain, relation.description]),
        ),
      ].join('\n'),
    )
    .join('\n\n');
}

/** Each schema with all that can be said of its tables and views. */
export function wholeMarkdown(schemas: readonly SchemaEntry[], language: Language): string {
  return schemas
    .filter(({ relations }) => relations.length > 0)
    .map(({ name, description, relations }) =>
      [
        `## \`${name}\``,
        description,
        ...relations.map((relation) => relationMarkdown(relation, language, '###')),
      ].join('\n\n'),
    )
    .join('\n\n');
}

export function relationMarkdown(
  { name, kind, description, grain, columns }: RelationEntry,
  language: Language,
  level = '#',
): string {
  const heads = HEADS[language];
  return [
    `${level} \`${name}\``,
    `${description}${/[.?!)]$/.test(description) ? '' : '.'} *${kind}, ${heads.grain}: ${grain}*`,
    table(
      [heads.column, heads.type, heads.meaning, heads.label],
      columns.map((column) => [`\`${column.name}\``, `\`${column.type}\``, column.description, column.label]),
    ),
  ].join('\n\n');
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('<', '&lt;')).join(' | ')} |`;
  return [line(heads), `|${heads.map(() => '---|').join('')}`, ...rows.map(line)].join('\n');
}
