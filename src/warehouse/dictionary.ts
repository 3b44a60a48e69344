/**
 * The dictionary: descriptions of every schema, table, view and column in English and Korean, from YAML files in `sql/schema` and
 * `sql/streams`. The build combines them into one JSON file, because parsing YAML takes as long as a small run.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { DamageError } from '../ground/errors.js';
import { PACKAGE_ROOT } from '../ground/effects.js';
import { withParticles } from '../ground/text.js';

const LANGUAGES = ['en', 'ko'] as const;

export type Language = (typeof LANGUAGES)[number];

const word = z.string().trim().min(1);
const words = z.strictObject({ en: word, ko: word });
const valueWords = words.extend({
  also: z.array(word).default([]),
});
const columnWords = words.extend({
  label: word,
});
const relationWords = words.extend({
  grain: words,
  /** Descriptions of columns that differ from the general one for their name, which is under `columns` of the dictionary. */
  columns: z.record(z.string(), columnWords.partial()).default({}),
});
/** All sections; each YAML file has some of them. */
export const documentShape = z.strictObject({
  schemas: z.record(z.string(), words),
  columns: z.record(z.string(), columnWords),
  relations: z.record(z.string(), relationWords),
  /** Korean headers of columns that only answers of queries have. For rates, also the meaning. */
  heads: z.record(z.string(), z.union([word, columnWords])).default({}),
  /** Headers by query, for columns whose meaning differs in that query's answer. */
  heads_of_queries: z.record(z.string(), z.record(z.string(), z.union([word, columnWords]))).default({}),
  values: z.record(z.string(), z.record(z.string(), valueWords)).default({}),
  /** Sentences of checks and errors: the English one with {} for the variable parts, the Korean one with {1}, {2}. */
  sentences: z.record(z.string(), word).default({}),
  traps: z.array(words).default([]),
  /** What the data cannot answer: its question in docs/limits.md, and the words by which it is searched. */
  limits: z.array(words.extend({ question: word, words: word })).default([]),
});

export type Words = z.infer<typeof words>;
type ColumnWords = z.infer<typeof columnWords>;
type RelationWords = z.infer<typeof relationWords>;
type DictionaryDocument = z.infer<typeof documentShape>;

const FILE = join(PACKAGE_ROOT, 'dist', 'dictionary.json');

let loaded: Dictionary | undefined;

export function relationName(schema: string, name: string): string {
  return schema === 'main' ? name : `${schema}.${name}`;
}

export class Dictionary {
  readonly #document: DictionaryDocument;
  #sentences: readonly { readonly pattern: RegExp; readonly korean: string }[] | undefined;

  /** @throws DamageError if the file was altered */
  constructor(file: string) {
    try {
      this.#document = documentShape.parse(JSON.parse(readFileSync(file, 'utf8')));
    } catch (cause) {
      throw new DamageError(`The dictionary ${file} cannot be read.`, {
        hint: 'Install dawnload again; in its repository, run `npm run build`.',
        cause,
      });
    }
  }

  static load(): Dictionary {
    loaded ??= new Dictionary(FILE);
    return loaded;
  }

  of<K extends keyof DictionaryDocument>(section: K): DictionaryDocument[K] {
    return this.#document[section];
  }

  static fingerprint(): string {
    return createHash('sha256').update(readFileSync(FILE)).digest('hex').slice(0, 16);
  }

  schema(name: string): Words | undefined {
    return own(this.of('schemas'), name);
  }

  /** The words of a table or view. A mart's view in main has the mart's words; all own tables share one entry. */
  relation(relation: string): RelationWords | undefined {
    const all = this.of('relations');
    const entry = own(all, relation) ?? own(all, `marts.${relation}`);
    return entry ?? (relation.startsWith('own.') ? own(all, 'own.*') : undefined);
  }

  /** A catalog declares its own fields, so its view's columns have no words. */
  column(relation: string, column: string): ColumnWords | undefined {
    const entry = this.relation(relation);
    const ofName = entry && own(this.of('columns'), column);
    const { en, ko, label } = { ...ofName, ...own(entry?.columns ?? {}, column) };
    if (en && ko && label) return { en, ko, label };
    const ofOwn = relation.startsWith('own.') ? own(entry?.columns ?? {}, '*') : undefined;
    return ofOwn?.en && ofOwn.ko ? { en: ofOwn.en, ko: ofOwn.ko, label: column } : undefined;
  }

  /**
   * The Korean header of an answer's column; undefined if the dictionary lacks it.
   *
   * @param query name of the bundled query; the same column name may differ between queries, such as `name` in `checks`
   */
  label(column: string, query = ''): string | undefined {
    return (
      labelOf(own(own(this.of('heads_of_queries'), query) ?? {}, column)) ??
      labelOf(own(this.of('heads'), column)) ??
      own(this.of('columns'), column)?.label ??
      Object.values(this.of('relations'))
        .map((relation) => own(relation.columns, column)?.label)
        .find((label) => label !== undefined)
    );
  }

  value(column: string, value: string): z.infer<typeof valueWords> | undefined {
    return own(own(this.of('values'), column) ?? {}, value);
  }

  /** Every name by which people may call a value: the code itself, and its words in both languages. */
  namesOf(column: string, value: string): string[] {
    const words = this.value(column, value);
    return words === undefined ? [value] : [value, words.en, words.ko, ...words.also];
  }

  /** Translates a cell of an answer: a code, a list of codes, or a sentence of a check. Undefined if the dictionary lacks it. */
  word(column: string, cell: string, language: Language): string | undefined {
    const entry = this.value(column, cell);
    if (entry !== undefined) return entry[language];
    if (SENTENCES.has(column)) return language === 'ko' ? this.korean(cell) : undefined;
    const [one, between] = LISTS[column] ?? [column];
    const inPattern = (code: string): string | undefined =>
      PATTERNS.find(({ columns, pattern }) => columns.includes(column) && pattern.test(code))?.words(code)[
        language
      ];
    if (between === undefined) return inPattern(cell);
    return cell
      .split(between)
      .map((code) => this.value(one, code)?.[language] ?? inPattern(code) ?? code)
      .join(between);
  }

  /** Translates a cell into Korean if the dictionary has it; otherwise returns it unchanged. */
  inKorean(column: string, cell: string): string {
    return this.word(column, cell, 'ko') ?? cell;
  }

  /** Translates a sentence into Korean, keeping numbers, days and names. Sentences and clauses inside it are translated too. */
  korean(sentence: string): string {
    this.#sentences ??= Object.entries(this.of('sentences')).map(([english, korean]) => ({
      pattern: patternOf(english),
      korean,
    }));
    for (const { pattern, korean } of this.#sentences) {
      const match = pattern.exec(sentence);
      if (match !== null)
        return withParticles(
          korean.replace(/\{(\d)(?::(\w+))?\}/g, (_, n: string, column?: string) => {
            const part = match[Number(n)] ?? '';
            const codes = column === undefined ? [this.korean(part)] : part.split(', ');
            return codes.map((code) => this.value(column ?? '', code)?.ko ?? code).join(', ');
          }),
        );
    }
    return sentence;
  }

  /** Translates each sentence of an error or a hint into Korean, if the dictionary has it. */
  koreanText(text: string): string {
    const whole = this.korean(text);
    const sentences = text.split(/(?<=[.?]) (?=[A-Z`-])/);
    return whole === text ? sentences.map((one) => this.korean(one)).join(' ') : whole;
  }

  /**
   * The meaning of an answer's column. Sources in this order: the query; the relations that it reads, if they agree; the column's name. A
   * derived column, such as the end of an interval, has the meaning of its base column.
   *
   * @param query name of the bundled query
   */
  meaning(
    column: string,
    relations: ReadonlySet<string>,
    language: Language,
    query = '',
  ): string | undefined {
    const [all, general, heads] = [this.of('relations'), this.of('columns'), this.of('heads')];
    const textOf = (words: Partial<Record<Language, string | undefined>> | string | undefined) =>
      typeof words === 'object' ? words[language] : undefined;
    const find = (name: string): string | undefined => {
      const read = new Set([...relations].flatMap((relation) => textOf(all[relation]?.columns[name]) ?? []));
      const [first] = read;
      return (read.size === 1 ? first : undefined) ?? textOf(general[name]) ?? textOf(heads[name]) ?? first;
    };
    const [, before = '', stem = column, after = ''] =
      /^(previous_|week_|shrunk_)?(\w+?)(_low|_high|_of_others|_of_all)?$/.exec(column) ?? [];
    return (
      textOf(own(own(this.of('heads_of_queries'), query) ?? {}, column)) ??
      find(column) ??
      (before + after === '' ? undefined : find(stem))
    );
  }

  /** The comment of a table or view in the database: its description and its grain. */
  static commentOf({ en, ko, grain }: RelationWords): Words {
    return { en: `${en} One row per ${grain.en}.`, ko: `${ko}. 행 단위: ${grain.ko}` };
  }
}

/** Columns whose cells are sentences. */
const SENTENCES = new Set(['finding', 'meaning', 'example']);

/** Columns whose cells are lists of codes, with the column that describes a single code. */
const LISTS: Readonly<Record<string, readonly [column: string, between: string]>> = {
  channels: ['channel', ', '],
  failure_reason: ['failure_reason', ' · '],
};

/** Codes that follow a pattern instead of a fixed list. */
const PATTERNS: readonly {
  readonly columns: readonly string[];
  readonly pattern: RegExp;
  readonly words: (code: string) => Words;
}[] = [
  {
    columns: ['failure_reason'],
    pattern: /^\d+$/,
    words: (code) => ({ en: `code ${code}`, ko: `코드 ${code}` }),
  },
  {
    columns: ['stream'],
    pattern: /^own_/,
    words: (code) => ({ en: code, ko: `우리 데이터: ${code.slice('own_'.length)}` }),
  },
  {
    columns: ['counter'],
    pattern: /^conversion:\w+:/,
    words: (code) => ({ en: code, ko: `전환 ‘${code.replace(/^conversion:\w+:/, '')}’` }),
  },
  {
    columns: ['days_without_events'],
    pattern: /^\d{4}-\d\d-\d\d\.\./,
    words: (code) => ({ en: code, ko: code.replaceAll('..', '~') }),
  },
];

/** A pattern that matches a complete sentence; {} matches any text. */
function patternOf(english: string): RegExp {
  const source = english
    .split('{}')
    .map((piece) => piece.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('(.+)');
  return new RegExp(`^${source}$`, 's');
}

function labelOf(head: string | ColumnWords | undefined): string | undefined {
  return typeof head === 'string' ? head : head?.label;
}

function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

export const columnRow = z.object({
  schema_name: z.string(),
  relation_name: z.string(),
  kind: z.enum(['table', 'view']),
  column_name: z.string(),
  data_type: z.string(),
});

export type RelationEntry = ReturnType<typeof relationEntry>;

export type SchemaEntry = ReturnType<typeof entriesOf>[number];

type ColumnRow = z.infer<typeof columnRow>;

/** The schemas in the order of the dictionary, with their tables and views sorted by name. Leaves out views in main that repeat a mart. */
export function entriesOf(all: readonly ColumnRow[], dictionary: Dictionary, language: Language) {
  const marts = new Set(all.filter((row) => row.schema_name === 'marts').map((row) => row.relation_name));
  return Object.keys(dictionary.of('schemas')).map((schema) => {
    const rows = all.filter(
      (row) => row.schema_name === schema && (schema !== 'main' || !marts.has(row.relation_name)),
    );
    const columnsOf = (relation: string) => rows.filter((row) => row.relation_name === relation);
    return {
      name: schema,
      description: dictionary.schema(schema)?.[language] ?? '',
      relations: [...new Set(rows.map((row) => row.relation_name))].map((relation) =>
        relationEntry(schema, relation, columnsOf(relation), dictionary, language),
      ),
    };
  });
}

function relationEntry(
  schema: string,
  relation: string,
  rows: readonly ColumnRow[],
  dictionary: Dictionary,
  language: Language,
) {
  const name = relationName(schema, relation);
  const entry = dictionary.relation(name);
  return {
    name,
    schema,
    kind: rows[0]?.kind ?? 'table',
    description: entry?.[language] ?? '',
    grain: entry?.grain[language] ?? '',
    columns: rows.map(({ column_name, data_type }) => {
      const column = dictionary.column(name, column_name);
      return {
        name: column_name,
        type: data_type.toLowerCase().replaceAll('timestamp with time zone', 'timestamptz'),
        description: column?.[language] ?? '',
        label: column?.label ?? '',
      };
    }),
  };
}
