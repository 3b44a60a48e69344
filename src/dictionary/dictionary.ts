/** The words of `sql/dictionary.yaml`: what every schema, table, view and column means, in English and Korean. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { DamageError } from '../errors.js';
import { PACKAGE_ROOT } from '../package.js';

/** The languages of the dictionary. */
export const LANGUAGES = ['en', 'ko'] as const;

export type Language = (typeof LANGUAGES)[number];

const word = z.string().trim().min(1);
const words = z.strictObject({ en: word, ko: word });
const columnWords = words.extend({
  /** The short Korean name of a column, for the head of a report. */
  label: word,
});
const relationWords = words.extend({
  /** What one row is: a phrase that can follow "One row per". */
  grain: words,
  /** What differs from `columns`, which says what a column means by its name alone. */
  columns: z.record(z.string(), columnWords.partial()).default({}),
});
const documentShape = z.strictObject({
  schemas: z.record(z.string(), words),
  columns: z.record(z.string(), columnWords),
  relations: z.record(z.string(), relationWords),
  /** Columns of answers to queries that are columns of no table: only a label for the head. */
  heads: z.record(z.string(), word).default({}),
  /** By the name of the query. */
  heads_of_queries: z.record(z.string(), z.record(z.string(), word)).default({}),
  /** What values are called, by the name of their column. */
  values: z.record(z.string(), z.record(z.string(), words)).default({}),
  /** Sentences of checks: the English one, with {} for what differs, and the Korean one with {1}, {2}. */
  sentences: z.record(z.string(), word).default({}),
});

export type Words = z.infer<typeof words>;
export type ColumnWords = z.infer<typeof columnWords>;
export type RelationWords = z.infer<typeof relationWords>;
export type DictionaryDocument = z.infer<typeof documentShape>;

const FILE = join(PACKAGE_ROOT, 'sql', 'dictionary.yaml');

let loaded: Dictionary | undefined;

/** The name of a table or view as people write it: `events`, `marts.channel_days`. */
export function relationName(schema: string, name: string): string {
  return schema === 'main' ? name : `${schema}.${name}`;
}

export class Dictionary {
  readonly document: DictionaryDocument;

  constructor(document: DictionaryDocument) {
    this.document = document;
  }

  /**
   * The dictionary of this package, read once.
   *
   * @throws DamageError when the file is not as this program wrote it
   */
  static load(): Dictionary {
    loaded ??= Dictionary.read(FILE);
    return loaded;
  }

  static read(file: string): Dictionary {
    try {
      return new Dictionary(documentShape.parse(parse(readFileSync(file, 'utf8'))));
    } catch (cause) {
      throw new DamageError(`The dictionary ${file} cannot be read.`, {
        hint: 'Install dawnload again.',
        cause,
      });
    }
  }

  /** Of the text of the file, which takes a thousandth of the time of reading it. */
  static fingerprint(file: string = FILE): string {
    return createHash('sha256').update(readFileSync(file)).digest('hex').slice(0, 16);
  }

  schema(name: string): Words | undefined {
    return own(this.document.schemas, name);
  }

  /** `relation` by its name as `relationName` gives it. */
  relation(relation: string): RelationWords | undefined {
    return own(this.document.relations, relation);
  }

  /** What a column of a table or view means: its own words over those of its name. */
  column(relation: string, column: string): ColumnWords | undefined {
    const ofName = own(this.document.columns, column);
    const ofRelation = own(own(this.document.relations, relation)?.columns ?? {}, column);
    const merged = columnWords.safeParse({ ...ofName, ...ofRelation });
    return merged.data;
  }

  /**
   * The Korean head of a column of an answer; undefined for a name that the dictionary does not know.
   *
   * @param query the bundled query that answers; the `name` in an answer of `checks` is not that of a conversion
   */
  label(column: string, query = ''): string | undefined {
    const { heads, columns, relations } = this.document;
    return (
      own(own(this.document.heads_of_queries, query) ?? {}, column) ??
      own(heads, column) ??
      own(columns, column)?.label ??
      Object.values(relations)
        .map((relation) => own(relation.columns, column)?.label)
        .find((label) => label !== undefined)
    );
  }

  /** What a value of a column is called, such as `rising` of `trend`. */
  value(column: string, value: string): Words | undefined {
    return own(own(this.document.values, column) ?? {}, value);
  }

  /** A cell of an answer in Korean, where its column has values or sentences that the dictionary knows. */
  inKorean(column: string, cell: string): string {
    if (column === 'finding' || column === 'meaning') return this.korean(cell);
    return this.value(column, cell)?.ko ?? cell;
  }

  /** A sentence of a check in Korean, its numbers, days and names as they are; the English one where there is none. */
  korean(sentence: string): string {
    for (const [english, korean] of Object.entries(this.document.sentences)) {
      const found = patternOf(english).exec(sentence);
      if (found !== null) return korean.replace(/\{(\d)\}/g, (_, n: string) => found[Number(n)] ?? '');
    }
    return sentence;
  }

  /** What a table or view is and what one row of it is, as one text for its comment. */
  static commentOf({ en, ko, grain }: RelationWords): Words {
    return { en: `${en} One row per ${grain.en}.`, ko: `${ko}. 행 단위: ${grain.ko}` };
  }
}

const patterns = new Map<string, RegExp>();

/** What a sentence with {} in it matches, as a whole. */
function patternOf(english: string): RegExp {
  const known = patterns.get(english);
  if (known !== undefined) return known;
  const source = english
    .split('{}')
    .map((piece) => piece.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('(.+)');
  const pattern = new RegExp(`^${source}$`, 's');
  patterns.set(english, pattern);
  return pattern;
}

/** The value of a key that the record itself has: `constructor` is a possible name of a column. */
function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
