/** A part of the report: what it asks of the warehouse, and how it shows the answer. */
import { z } from 'zod';
import type { Html } from './html.js';
import type { Page, Text } from './page.js';

/** One bundled query with its parameters. */
export interface Asked {
  readonly query: string;
  readonly parameters?: Readonly<Record<string, string>>;
}

/** Something that a reader should do. */
export interface ToDo {
  /** Those of the smallest are shown first. */
  readonly urgency: Urgency;
  /** Why, as a sentence. */
  readonly reason: string;
  readonly command: string;
}

/** What comes first, when there is more to do than a page begins with. */
export const URGENCIES = [
  'run',
  'wrong_numbers',
  'missing_days',
  'failing_channel',
  'refused_template',
  'opt_outs',
  'decided_test',
  'budget',
  'campaign',
] as const;
type Urgency = (typeof URGENCIES)[number];

export interface Shown {
  /** One or two sentences that say what is seen. */
  readonly sentence: string;
  readonly body: Html;
  /** How to read it, in small print below. */
  readonly note?: string | undefined;
  readonly toDo?: readonly ToDo[];
}

interface Part<Answers = unknown> {
  /** The anchor in the page. */
  readonly id: string;
  readonly title: Text;
  /** The queries to ask. */
  asks(page: Page): readonly Asked[];
  /** The answers, one for each query, as the part reads them. */
  readonly answers: z.ZodType<Answers>;
  /** The content of the part; undefined where the answers hold nothing to show. */
  show(answers: Answers, page: Page): Shown | undefined;
  /** The sentence where there is nothing to show, and what would fill it; undefined where the part is left out then. */
  readonly empty: Text | undefined;
}

/** A part whose answers are read before they are shown. */
export interface ReadyPart {
  readonly id: string;
  readonly title: Text;
  readonly empty: Text | undefined;
  asks(page: Page): readonly Asked[];
  show(answers: unknown, page: Page): Shown | undefined;
}

export function part<Answers>(given: Part<Answers>): ReadyPart {
  return { ...given, show: (answers, page) => given.show(given.answers.parse(answers), page) };
}

/** Sentences in one paragraph, without those that do not apply. */
export function paragraph(...sentences: readonly (string | false | undefined)[]): string {
  return sentences.filter((sentence) => sentence !== false && sentence !== undefined).join(' ');
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** DuckDB gives large whole numbers as text. */
export const count = z.union([z.number(), z.string()]).transform(Number);
export const number = count.nullable();
export const text = z.string();
export const name = z
  .string()
  .nullable()
  .transform((given) => given ?? '–');
export const rows = <T extends z.ZodRawShape>(shape: T) => z.array(z.object(shape));
