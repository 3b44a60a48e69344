/**
 * The part of a question that the published file can answer: whether the last complete day and every named day are there, and
 * the days and findings that an answer states.
 */
import { z } from 'zod';
import { dayCount, daysOf, isDay, listDays, type Day, type DayRange } from '../../ground/calendar.js';
import { Dictionary } from '../../warehouse/dictionary.js';
import { STREAMS } from '../../ground/streams.js';
import { readCheck } from '../../warehouse/checks.js';
import { EVENT_TABLES } from '../../warehouse/messages.js';
import { isIncremental, models } from '../../warehouse/model.js';
import type { Reader } from '../../warehouse/reader.js';
import { statement, statementsIn } from '../../warehouse/session.js';
import { withoutComments, type Question } from './question.js';

const coveredDay = z.object({ stream: z.string(), date: z.string() });

/** The longest range of days that are compared one by one. */
const MOST_DAYS = 4_000;

/** Returns the reason why the file does not answer the question, as a sentence; undefined if it does. */
export async function missingFor(
  reader: Reader,
  question: Question,
  lastComplete: Day,
): Promise<string | undefined> {
  const holds = await heldIn(reader);
  if (!holds('statistics', lastComplete))
    return `The published file was not made by a run of ${lastComplete}, the last complete day.`;
  return namedDays(question, relationsIn(reader, question.sql).relations, holds).notHeld;
}

type Holds = (stream: string, day: Day) => boolean;

/** Tells whether the file holds a day of a stream. */
export async function heldIn(reader: Reader): Promise<Holds> {
  const covered = z.array(coveredDay).parse(await reader.objects(statement('status/coverage')));
  const held = new Set(covered.map(({ stream, date }) => `${stream} ${date}`));
  return (stream, day) => held.has(`${stream} ${day}`);
}

/** The days from the first to the last one that a query names, and a sentence about those that the file does not hold. */
export function namedDays(
  question: Pick<Question, 'sql' | 'values'>,
  relations: ReadonlySet<string>,
  holds: Holds,
): { asked?: DayRange; notHeld?: string } {
  const named = daysNamed(question);
  const [start, end] = [named.at(0), named.at(-1)];
  if (start === undefined || end === undefined) return {};
  const asked = { start, end };
  const days = dayCount(asked) > MOST_DAYS ? named : daysOf(asked);
  for (const stream of streamsOf(relations)) {
    const missing = days.filter((day) => !holds(stream, day));
    if (missing.length === 0) continue;
    const which = missing.length === 1 ? 'that day' : 'these days';
    const notHeld = `The query names ${listDays(missing)}, and the published file does not hold the ${stream} of ${which}.`;
    return { asked, notHeld };
  }
  return { asked };
}

/** The days that a query names in its text or its parameters, in order. */
function daysNamed({ sql, values }: Pick<Question, 'sql' | 'values'>): Day[] {
  const all = [withoutComments(sql), ...values].flatMap((one) =>
    typeof one === 'string' ? one : one[0] === 'now' ? [] : one[1],
  );
  const days = all.flatMap((one) => one.match(/(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)/g) ?? []);
  return [...new Set(days)].filter(isDay).sort();
}

const EVENTS = new Set<string>(EVENT_TABLES.map(({ name }) => name));

/** The streams that a query reads, through views and models: the statistics always, the events and campaigns if it does. */
function streamsOf(relations: ReadonlySet<string>): Set<string> {
  const streams = new Set(computedFrom(relations));
  for (const name of relations) {
    if (EVENTS.has(name)) streams.add('events');
    if (name.startsWith('campaign_metric')) streams.add('campaigns');
  }
  streams.add('statistics');
  return streams;
}

/** The streams from which models compute the tables. */
const computedFrom = (tables: ReadonlySet<string>): string[] =>
  models()
    .filter(isIncremental)
    .filter(({ relation }) => tables.has(relation))
    .flatMap(({ incremental }) => [...incremental.streams]);

/**
 * The tables and views that a statement reads, by their names in SQL; views with what they are made of. DuckDB cannot tell them
 * (`isSure`) in several statements, of which one may make a view, and behind a name that is put together.
 */
export function relationsIn(
  reader: Reader,
  sql: string,
): { relations: ReadonlySet<string>; isSure: boolean } {
  const known = new Set(Object.keys(Dictionary.load().of('relations')));
  const namesIn = (text: string): string[] =>
    reader.connection.getTableNames(text, true).map((name) =>
      name
        .replace(/ AS .*$/s, '')
        .replaceAll('"', '')
        .replace(/^(warehouse\.)?(main\.)?/i, '')
        .toLowerCase(),
    );
  // A view of a mart in main is named as the mart.
  const text = withoutComments(sql)
    .replaceAll('"', '')
    .toLowerCase()
    .replace(/\b(from|join|pivot|describe|summarize)\s+(?:main\.)?(\w+)\b(?!\.)/g, (all, word, name) =>
      known.has(`marts.${name}`) && models().some(({ relation }) => relation === name)
        ? `${word} marts.${name}`
        : all,
    );
  const told = namesIn(sql);
  const readsNothing = !/\b(from|join|pivot|unpivot|describe|summarize|table)\b/.test(text);
  const isPutTogether = /\bquery(_table)?\s*\(|;\s*\S/.test(text);
  // A view is named by no table. A name that is only mentioned counts too.
  const mentioned = [...known].filter((name) => {
    const before = name.includes('.') ? '' : '\\b(from|join|pivot|describe|summarize)\\s+(main\\.)?';
    return new RegExp(`${before}\\b${name.replace('.', '\\.')}\\b(?!\\.)`).test(text);
  });
  const all = [...told, ...mentioned, ...mentioned.flatMap((name) => namesIn(`from ${name}`))];
  return {
    relations: new Set(all.filter((name) => known.has(name))),
    isSure: !isPutTogether && (told.length > 0 || readsNothing),
  };
}

const aboutRow = z.tuple([
  z.object({ coverage: z.string(), findings: z.string(), checks_with_findings: z.number() }),
]);

/**
 * The days of each stream behind the tables, or of all streams where it is not sure which tables are read, and the findings of
 * checks of these streams and days.
 */
export async function coverageOf(
  reader: Reader,
  tables: ReadonlySet<string>,
  isSure: boolean,
  range: DayRange | undefined,
) {
  const found = await reader.objects(statement('agents/about'), {
    tables: JSON.stringify([...tables]),
    streams: JSON.stringify(isSure ? computedFrom(tables) : STREAMS),
    checks: JSON.stringify(
      statementsIn('checks')
        .map(readCheck)
        .map(({ name, streams }) => ({ name, streams })),
    ),
    first_day: range?.start ?? null,
    last_day: range?.end ?? null,
  });
  const [{ coverage, findings, checks_with_findings }] = aboutRow.parse(found);
  return {
    coverage: z.json().parse(JSON.parse(coverage)),
    findings: z.json().parse(JSON.parse(findings)),
    checks_with_findings,
  };
}
