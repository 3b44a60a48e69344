/** Describes the dictionary and the questions as a skill for agents. The fixed part is in `sql/exports`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Language, SchemaEntry, Words } from '../../warehouse/dictionary.js';
import { PACKAGE_ROOT } from '../../ground/effects.js';
import { loadCatalogue } from './catalogue.js';

export function skill(schemas: readonly SchemaEntry[], traps: readonly Words[], language: Language): string {
  const questions = loadCatalogue().map(({ name, question, params }) => {
    const names = params.map((parameter) => parameter.name).join(', ');
    return `- \`${name}\`: ${question}${names === '' ? '' : ` (${names})`}`;
  });
  const tables = shown(schemas).flatMap(({ relations }) =>
    relations.map(({ name, grain, description }) => `- \`${name}\` (${grain}): ${description}`),
  );
  return fromTemplate('sql/exports/skill.md', {
    traps: traps.map((trap) => `- ${trap[language]}`).join('\n'),
    questions: questions.join('\n'),
    tables: tables.join('\n'),
  }).trimEnd();
}

function shown(schemas: readonly SchemaEntry[]): SchemaEntry[] {
  return schemas.filter(({ name }) => ['main', 'marts', 'ops'].includes(name));
}

/** Fills the placeholders `$name` in a file of this package. A line with an undefined value is left out. */
export function fromTemplate(file: string, values: Readonly<Record<string, unknown>>): string {
  const lines = readFileSync(join(PACKAGE_ROOT, file), 'utf8').split('\n');
  const filled = lines.flatMap((line) => {
    const isUnknown = [...line.matchAll(/\$(\w+)/g)].some(([, name = '']) => values[name] === undefined);
    return isUnknown ? [] : line.replaceAll(/\$(\w+)/g, (_, name: string) => String(values[name]));
  });
  return filled.join('\n');
}
