/**
 * Answers the questions of a view and lists the values for its forms, in a separate process (queries/child.ts). If one question fails, the
 * others are still answered.
 */
import type { DuckDBValue } from '@duckdb/node-api';
import pLimit from 'p-limit';
import { z } from 'zod';
import { dayCount, shiftDay, type DayRange } from '../../ground/calendar.js';
import { DawnloadError, messageOf } from '../../ground/errors.js';
import { columnRow, type Language } from '../../warehouse/dictionary.js';
import { streamDay, type Reader } from '../../warehouse/reader.js';
import { contextOf } from '../queries/agent.js';
import { ask, knownValue, LOOKED_UP, type Known as KnownValue } from '../queries/ask.js';
import { asking, questionOf, type Asking, type Chart, type Question } from '../queries/catalogue.js';
import { isNumeric, isRepetitive, jsonText } from '../queries/formats.js';
import type { Said } from '../queries/sentences.js';
import type { Row, Value } from '../queries/wording.js';

const part = z.object({
  asking,
  by: z.object({ column: z.string(), isDown: z.boolean() }).optional(),
  /** Which rows the table shows: how many to skip, and how many at most. */
  from: z.number().default(0),
  rows: z.number().default(100),
  /** True to add the days, the missing days, and the meanings of the columns. */
  isAbout: z.boolean().default(false),
});

const form = z.object({
  language: z.enum(['en', 'ko']),
  now: z.date(),
  parts: z.array(part).default([]),
  /** True to ask the first question again for the previous period. */
  isBefore: z.boolean().default(false),
  isKnown: z.boolean().default(false),
});

export type Part = z.input<typeof part>;
export type Wish = Omit<z.input<typeof form>, 'now'>;

export interface Sheet {
  readonly columns: readonly { readonly name: string; readonly isNumber: boolean }[];
  readonly rows: readonly Row[];
  readonly total: number;
  /** The columns that have the same value in all rows. The first one, which names rows, counts only for a heatmap, whose rows are hours. */
  readonly same: readonly string[];
  readonly charts: readonly Chart[];
  readonly drawn: readonly Row[];
  readonly said: readonly Said[];
  readonly values: readonly (readonly [string, string])[];
  readonly about?: {
    readonly days?: DayRange | undefined;
    readonly notHeld?: string | undefined;
    readonly coverage: readonly Readonly<Record<string, string | number>>[];
    readonly findings: readonly Finding[];
    readonly meanings: readonly (readonly [string, string])[];
  };
}

export interface Failure {
  readonly failure: string;
  readonly hint?: string | undefined;
}

export type Outcome = { readonly sheet: Sheet } | Failure;

export const failureOf = (error: unknown): Failure => ({
  failure: messageOf(error),
  hint: error instanceof DawnloadError ? error.hint : undefined,
});

export interface Known {
  /** The values that each lookup parameter may have, with their names. */
  readonly values: Readonly<Record<string, readonly KnownValue[]>>;
  readonly days?: DayRange | undefined;
  /** The first and the last day of each stream. */
  readonly streams: Readonly<Record<string, DayRange>>;
  readonly columns: readonly z.infer<typeof columnRow>[];
  readonly macros: readonly { readonly name: string; readonly takes: string }[];
}

export interface Answers {
  readonly outcomes: readonly Outcome[];
  readonly known?: Known | undefined;
}

export async function answer(_: Question, reader: Reader, how: unknown): Promise<Answers> {
  const { language, now, parts, isBefore, isKnown } = form.parse(how);
  // Two questions at a time, because a small one does not use both cores.
  const inTurn = pLimit(2);
  const outcomes = await Promise.all(parts.map((one) => inTurn(() => outcomeOf(one, reader, now, language))));
  const [first] = outcomes;
  const days = first !== undefined && 'sheet' in first ? first.sheet.about?.days : undefined;
  const before =
    isBefore && parts[0] !== undefined && days !== undefined ? earlier(parts[0], days) : undefined;
  if (before !== undefined) outcomes.push(await outcomeOf(before, reader, now, language));
  return { outcomes, known: isKnown ? await knownIn(reader) : undefined };
}

function earlier(one: z.output<typeof part>, days: DayRange): z.output<typeof part> {
  const back = Math.max(dayCount(days), WEEK);
  const [start, end] = [shiftDay(days.start, -back), shiftDay(days.end, -back)];
  const others = (one.asking.param ?? []).filter((text) => !/^\s*(start|end|days)\s*=/.test(text));
  const earlierAsking: Asking = { ...one.asking, param: [...others, `start=${start}`, `end=${end}`] };
  return { ...one, asking: earlierAsking, from: 0, rows: MOST_DRAWN };
}

export const WEEK = 7;

const MOST_DRAWN = 20_000;

/** Columns with the unit and qualifications of a chart; the chart itself does not draw them. */
const QUALIFYING = ['currency', 'currencies', 'sent', 'verdict_code'];

async function outcomeOf(
  { asking: asked, by, from, rows: most, isAbout }: z.output<typeof part>,
  reader: Reader,
  now: Date,
  language: Language,
): Promise<Outcome> {
  const session = await reader.beside();
  try {
    const question = questionOf(asked, now);
    if (question === undefined) throw new Error('The question is missing.');
    const found = await ask(session, question, language, by, isAbout);
    const columns = found.columns.map(({ name, type }) => ({ name, isNumber: isNumeric(type) }));
    const charts =
      question.query?.charts ?? guessed(found.columns.map(({ name, type }) => [name, String(type)]));
    const wanted = new Set([
      ...charts.flatMap(({ columns: names, by: name }) => [...names, name]),
      ...QUALIFYING,
    ]);
    const isWhole = charts.some(({ kind }) => kind === 'tiles' || kind === 'heatmap');
    const [rows, drawn]: [Row[], Row[]] = [[], []];
    let nth = 0;
    let top: readonly DuckDBValue[] | undefined;
    let same = [...columns.keys()].slice(charts.some(({ kind }) => kind === 'heatmap') ? 0 : 1);
    for await (const chunk of found.chunks) {
      for (const cells of chunk.getRows()) {
        const first = (top ??= cells);
        same = same.filter((i) => String(cells[i]) === String(first[i]));
        const isShown = nth >= from && nth < from + most;
        if (isShown || nth < MOST_DRAWN) {
          const row: Record<string, Value> = {};
          for (const [i, { name, type }] of found.columns.entries())
            if (isShown || isWhole || wanted.has(name)) row[name] = valueOf(jsonText(cells[i] ?? null, type));
          if (isShown) rows.push(row);
          if (nth < MOST_DRAWN) drawn.push(row);
        }
        nth++;
      }
      if (nth >= MOST_DRAWN && nth >= from + most) break;
    }
    const context = isAbout
      ? await contextOf(
          session,
          question,
          columns.map(({ name }) => name),
          language,
        )
      : undefined;
    return {
      sheet: {
        columns,
        rows,
        total: found.rows,
        // Empty if not all rows were read, because the others may differ.
        same:
          nth === found.rows && isRepetitive(nth, columns.length)
            ? same.flatMap((i) => columns[i]?.name ?? [])
            : [],
        charts,
        drawn,
        said: found.said,
        values: [...found.values],
        // Without the days if it is free SQL, because SQL may mean more days than it names.
        ...(context && { about: { ...aboutOf(context), ...(question.query ? {} : { days: undefined }) } }),
      },
    };
  } catch (error) {
    return failureOf(error);
  } finally {
    await session.close();
  }
}

const entry = z.record(z.string(), z.union([z.string(), z.number()]));
const finding = z.object({
  name: z.string(),
  severity: z.string(),
  /** `subject: finding`, or only the finding. */
  example: z.string(),
  meaning: z.string().nullable(),
});
export type Finding = Readonly<z.infer<typeof finding>>;

function aboutOf({ days, notHeld, coverage, meanings }: Awaited<ReturnType<typeof contextOf>>) {
  return {
    days,
    notHeld,
    coverage: z.array(entry).catch([]).parse(coverage?.coverage),
    findings: z.array(finding).catch([]).parse(coverage?.findings),
    meanings: meanings.flatMap(([column, text]) => (text === undefined ? [] : [[column, text] as const])),
  };
}

/** Parses JSON into a value. Documents and lists of documents stay texts. */
function valueOf(json: string): Value {
  const parsed: unknown = JSON.parse(json);
  const { data } = scalar.or(z.array(scalar)).safeParse(parsed);
  return data === undefined ? json : data;
}
const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** Possible charts for free SQL: its first number by day, or by its first text. */
function guessed(columns: readonly (readonly [name: string, type: string])[]): Chart[] {
  const first = (pattern: RegExp, ...not: (string | undefined)[]): string | undefined =>
    columns.find(([name, type]) => pattern.test(type) && !not.includes(name))?.[0];
  const [day, text] = [first(/^(DATE|TIMESTAMP)/), first(/^(VARCHAR|ENUM)/)];
  const number = first(/^(\w*INT|U?INTEGER|FLOAT|DOUBLE|DECIMAL)/);
  if (number === undefined) return [];
  return [
    ...(day === undefined ? [] : [{ kind: 'line' as const, columns: [day, number], by: text }]),
    ...(text === undefined ? [] : [{ kind: 'bar' as const, columns: [text, number] }]),
  ];
}

async function knownIn(reader: Reader): Promise<Known> {
  const values = [];
  for (const parameter of LOOKED_UP)
    values.push([parameter, await reader.rows('ask/known', knownValue, { parameter })] as const);
  const covered = await reader.rows('status/coverage', streamDay);
  const streams: Record<string, DayRange> = {};
  for (const { stream, date } of covered)
    streams[stream] = { start: streams[stream]?.start ?? date, end: date };
  return {
    values: Object.fromEntries(values),
    days: streams['statistics'],
    streams,
    columns: await reader.rows('describe/columns', columnRow),
    macros: await reader.rows('explore/macros', z.object({ name: z.string(), takes: z.string() })),
  };
}
