import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Dictionary, relationName } from '../../src/warehouse/dictionary.js';
import { DamageError } from '../../src/ground/errors.js';
import { temporaryFolder, Workshop } from './support.js';
import { refreshModels } from '../../src/warehouse/models.js';

const dictionary = Dictionary.load();
const [schemas, columns] = [dictionary.of('schemas'), dictionary.of('columns')];
const [relations, heads] = [dictionary.of('relations'), dictionary.of('heads')];

const THINGS = `
  select schema_name, table_name, column_name, comment
  from duckdb_columns() where not internal and database_name = current_database()`;

/** What a real warehouse holds: its schemas, and its tables and views with their columns. Made by the first who asks. */
async function holdings(): Promise<{ heldSchemas: Set<string>; held: Map<string, string[]> }> {
  known ??= look();
  return known;
}

let known: ReturnType<typeof look> | undefined;

async function look(): Promise<{ heldSchemas: Set<string>; held: Map<string, string[]> }> {
  const held = new Map<string, string[]>();
  const heldSchemas = new Set<string>();
  const workshop = new Workshop();
  await workshop.with(refreshModels);
  for (const row of await workshop.look(THINGS)) {
    const relation = relationName(String(row['schema_name']), String(row['table_name']));
    held.set(relation, [...(held.get(relation) ?? []), String(row['column_name'])]);
  }
  const named = await workshop.look(
    `select schema_name from duckdb_schemas()
    where database_name = current_database() and (not internal or schema_name = 'main')`,
  );
  for (const row of named) heldSchemas.add(String(row['schema_name']));
  return { heldSchemas, held };
}

describe('the dictionary', () => {
  test('knows every schema, table, view and column of a warehouse, in English and Korean', async () => {
    const { held, heldSchemas } = await holdings();
    expect([...heldSchemas].filter((name) => dictionary.schema(name) === undefined)).toEqual([]);
    expect([...held.keys()].filter((name) => dictionary.relation(name) === undefined)).toEqual([]);
    const unknown = [...held].flatMap(([relation, names]) =>
      names
        .filter((column) => dictionary.column(relation, column) === undefined)
        .map((column) => `${relation}.${column}`),
    );
    expect(unknown).toEqual([]);
  });

  test('has no entry for nothing', async () => {
    const { held, heldSchemas } = await holdings();
    expect(Object.keys(schemas).filter((name) => !heldSchemas.has(name))).toEqual([]);
    // The settings name own tables.
    const { 'own.*': own, ...named } = relations;
    expect(own).toBeDefined();
    expect(Object.keys(named).filter((name) => !held.has(name))).toEqual([]);
    const strays = Object.entries(named).flatMap(([relation, entry]) =>
      Object.keys(entry.columns)
        .filter((column) => held.get(relation)?.includes(column) !== true)
        .map((column) => `${relation}.${column}`),
    );
    expect(strays).toEqual([]);
    const all = [...held.values()].flat();
    expect(Object.keys(columns).filter((name) => !all.includes(name))).toEqual([]);
  });

  test('says it in Korean, in whole English sentences, and shortly where it labels', async () => {
    const { held } = await holdings();
    const texts = [
      ...Object.values(schemas).map(({ ko }) => ko),
      ...Object.values(relations).flatMap(({ ko, grain }) => [ko, grain.ko]),
      ...[...held].flatMap(([relation, names]) =>
        names.map((column) => dictionary.column(relation, column)?.ko ?? ''),
      ),
    ];
    const english = [
      ...[...Object.values(schemas), ...Object.values(relations)].map(({ en }) => en),
      ...[...held].flatMap(([relation, names]) =>
        names.map((column) => dictionary.column(relation, column)?.en ?? ''),
      ),
    ];
    expect(english.filter((text) => !text.endsWith('.'))).toEqual([]);
    // Keys that the service shortens without explaining them stay as they are.
    expect(texts.filter((text) => !/[가-힣]/.test(text))).toEqual([]);
    const labels = [
      ...Object.values(heads).map((head) => (typeof head === 'string' ? head : head.label)),
      ...[...held].flatMap(([relation, names]) =>
        names.map((column) => dictionary.column(relation, column)?.label ?? ''),
      ),
    ];
    expect(labels.filter((label) => label.length > 16)).toEqual([]);
  });

  test('that is not whole is a damaged installation', () => {
    const file = join(temporaryFolder(), 'dictionary.json');
    expect(() => new Dictionary(file)).toThrow(DamageError);
    writeFileSync(file, '{"schemas":{"main":{"en":"Only English."}},"columns":{}}');
    expect(() => new Dictionary(file)).toThrow(DamageError);
  });
});

describe('the file', () => {
  test('carries the English texts as comments, and both languages in ops.dictionary', async () => {
    const { held, heldSchemas } = await holdings();
    const workshop = new Workshop();
    await workshop.with(refreshModels);
    for (const row of await workshop.look(THINGS)) {
      const relation = relationName(String(row['schema_name']), String(row['table_name']));
      const column = String(row['column_name']);
      expect(row['comment'], `${relation}.${column}`).toBe(dictionary.column(relation, column)?.en);
    }
    const [events] = await workshop.look(`select comment from duckdb_tables() where table_name = 'events'`);
    expect(events?.['comment']).toMatch(/^Campaign events .+ One row per export record/);
    const kinds = await workshop.look(`
      select
        count(*) filter (where relation_name is null)::integer as schemas,
        count(*) filter (where relation_name is not null and column_name is null)::integer as relations,
        count(column_name)::integer as columns,
        count(*) filter (where en is null or ko is null)::integer as silent
      from ops.dictionary`);
    expect(kinds).toEqual([
      {
        schemas: heldSchemas.size,
        relations: held.size,
        columns: [...held.values()].flat().length,
        silent: 0,
      },
    ]);
  });

  test('is left alone on a night on which it already says the right thing, and put right by another version', async () => {
    const { held } = await holdings();
    const workshop = new Workshop();
    const night = () => workshop.with(refreshModels);
    const rows = () =>
      workshop.look('select min(rowid)::integer as first, count(*)::integer as n from ops.dictionary');
    await night();
    const before = await rows();
    await night();
    expect(await rows()).toEqual(before);
    await workshop.change(`
      comment on column events.event_id is 'wrong';
      comment on table events is null;
      delete from ops.dictionary where relation_name = 'events';
      update ops.descriptions set fingerprint = 'of another version'`);
    await night();
    const [found] = await workshop.look(`
      select
        (select comment from duckdb_columns() where table_name = 'events' and column_name = 'event_id') as comment,
        (select count(*)::integer from ops.dictionary where relation_name = 'events') as n`);
    expect(found).toEqual({
      comment: dictionary.column('events', 'event_id')?.en,
      n: 1 + (held.get('events')?.length ?? 0),
    });
  });
});
