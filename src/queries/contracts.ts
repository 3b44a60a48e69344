/**
 * The dictionary, the questions and the checks for other tools: a skill for agents, sources for dbt, a data contract. What
 * never changes in them is written in `sql/exports`.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Language, SchemaEntry, Words } from '../dictionary/dictionary.js';
import { PACKAGE_ROOT } from '../package.js';
import { readCheck } from '../warehouse/checks.js';
import { MESSAGE_ROWS } from '../warehouse/messages.js';
import { isIncremental, mentions, models } from '../warehouse/model.js';
import { statement, statementsIn } from '../warehouse/session.js';
import { loadCatalogue } from './catalogue.js';

/** `SKILL.md`: how to ask, the traps, the questions and the tables. */
export function skill(schemas: readonly SchemaEntry[], traps: readonly Words[], language: Language): string {
  const questions = loadCatalogue().map(({ name, question, params }) => {
    const names = params.map((parameter) => parameter.name).join(', ');
    return `- \`${name}\`: ${question}${names === '' ? '' : ` (${names})`}`;
  });
  const tables = shown(schemas).flatMap(({ relations }) =>
    relations.map(({ name, grain, description }) => `- \`${name}\` (${grain}): ${description}`),
  );
  return filled('skill.md', {
    traps: traps.map((trap) => `- ${trap[language]}`).join('\n'),
    questions: questions.join('\n'),
    tables: tables.join('\n'),
  });
}

/** `sources.yml` of dbt, with tests of required columns and keys. */
export function dbtSources(schemas: readonly SchemaEntry[]): string {
  const required = requiredColumns();
  const keys = new Set(
    models()
      .filter(isIncremental)
      .map(({ relation, incremental }) => `${relation}.${incremental.uniqueKey}`),
  );
  const sources = shown(schemas).map(({ name: schema, description, relations }) => ({
    name: schema === 'main' ? 'dawnload' : `dawnload_${schema}`,
    description,
    database: 'dawnload',
    schema,
    tables: relations.map((relation) => ({
      name: relation.name.replace(/^\w+\./, ''),
      description: `${relation.description} One row per ${relation.grain}.`,
      columns: relation.columns.map(({ name, type, description: meaning }) => {
        const column = { name, data_type: type, description: meaning };
        if (keys.has(`${relation.name}.${name}`)) return { ...column, data_tests: ['not_null', 'unique'] };
        const data_tests = [{ not_null: { config: { severity: 'warn' } } }];
        return required.has(`${relation.name}.${name}`) ? { ...column, data_tests } : column;
      }),
    })),
  }));
  const indented = stringify(sources, { lineWidth: 0 }).replace(/^(?=.)/gm, '  ');
  return `${filled('sources.yml', {})}
${indented}`.trimEnd();
}

/** DuckDB types by the logical types of a contract; the first that fits counts. */
const LOGICAL = {
  array: /\[\]$/,
  object: /^(struct|map|json)/,
  integer: /int/,
  number: /^(double|float|decimal)/,
  boolean: /^boolean/,
  date: /^date$/,
  timestamp: /^timestamp/,
  string: /^/,
};

/** An Open Data Contract (ODCS 3.1.0); each check is a quality rule of the tables that it reads. */
export function openDataContract(
  schemas: readonly SchemaEntry[],
  traps: readonly Words[],
  version: string,
): string {
  const checks = statementsIn('checks').map(readCheck);
  const required = requiredColumns();
  const relations = shown(schemas).flatMap((entry) => entry.relations);
  const schema = relations.map(({ name: relation, kind, description, grain, columns }) => ({
    name: relation,
    physicalType: kind,
    description,
    dataGranularityDescription: `One row per ${grain}.`,
    properties: columns.map(({ name, type, description: meaning, label }) => ({
      name,
      businessName: label,
      logicalType: Object.entries(LOGICAL).find(([, pattern]) => pattern.test(type))?.[0],
      physicalType: type,
      description: meaning,
      ...(required.has(`${relation}.${name}`) ? { required: true } : {}),
    })),
    quality: checks
      .filter(({ text }) => mentions(text.replaceAll('from message_rows', MESSAGE_ROWS), relation))
      .map(({ name, meaning, severity }) => ({
        id: name,
        type: 'sql',
        description: meaning,
        query: `select count(*) from ops.checks where name = '${name}'`,
        mustBe: 0,
        severity: severity === 'stop' ? 'error' : 'warning',
      })),
  }));
  const head = filled('contract.yaml', { version, traps: traps.map(({ en }) => en).join(' ') });
  return `${head}\n${stringify({ schema }, { lineWidth: 0 })}`.trimEnd();
}

/** The schemas that analysts read. */
function shown(schemas: readonly SchemaEntry[]): SchemaEntry[] {
  return schemas.filter(({ name }) => ['main', 'marts', 'ops'].includes(name));
}

/** Columns that every row should have, as `sql/checks/required_values.sql` lists them: `events.channel`. */
function requiredColumns(): Set<string> {
  const parts = statement('checks/required_values').split('union all');
  return new Set(
    parts.flatMap((part) => {
      const place = /'(\w+)' as place/.exec(part)?.[1] ?? '';
      return [...part.matchAll(/filter \((\w+) is null\) as \1/g)].map(
        ([, column = '']) => `${place}.${column}`,
      );
    }),
  );
}

function filled(file: string, parts: Readonly<Record<string, string>>): string {
  const text = readFileSync(join(PACKAGE_ROOT, 'sql', 'exports', file), 'utf8');
  return text.replace(/\{(\w+)\}/g, (_, key: string) => parts[key] ?? '').trimEnd();
}
