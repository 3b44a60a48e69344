/**
 * The part of a question that the published file can answer: whether the last complete day and every named day are there, and
 * the days and findings that an answer states.
 */
import { z } from 'zod';
import { dayCount, daysOf, isDay, listDays, type Day, type DayRange } from '../../ground/calendar.js';
import { Dictionary, type Language } from '../../warehouse/dictionary.js';
import { DAILY_STREAMS, STREAMS, type Stream } from '../../ground/streams.js';
import { readCheck } from '../../warehouse/model.js';
import { isIncremental, models } from '../../warehouse/model.js';
import type { Reader } from '../../warehouse/reader.js';
import { statementsIn } from '../../warehouse/session.js';
import { type QueryFile, type Question, withoutComments } from './catalogue.js';

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
  const covered = await reader.rows('status/coverage', coveredDay);
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
  const behind = streamsOf(relations);
  const days = dayCount(asked) > MOST_DAYS ? named : daysOf(asked);
  // The statistics always, after what the query reads. Snapshots are of one day each; no other day is missing.
  const streams = DAILY_STREAMS.toReversed().filter((name) => name === 'statistics' || behind.has(name));
  for (const stream of streams) {
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

/** The tables of single events and messages, which leave the file by retention; what is computed of them stays. */
const EVENTS = /^(\w*message\w*|events|\w*emails)$/;
const readsEvents = (relations: ReadonlySet<string>): boolean =>
  [...relations].some((name) => EVENTS.test(name) || name === 'marts.event_people');

/** The streams that are loaded into tables, by the names of the tables; the first that matches counts. */
const TABLES: readonly (readonly [RegExp, Stream])[] = [
  [/^daily_.*_by_subchannel$/, 'statistics_by_subchannel'],
  [/^daily_/, 'statistics'],
  [/^campaign_(metric|collection)/, 'campaigns'],
  [/^catalog/, 'catalogs'],
  [/^brand_template/, 'brand_templates'],
  [/^alimtalk_template/, 'alimtalk_templates'],
  [/^opt_outs/, 'opt_outs'],
  [EVENTS, 'events'],
];

/** The streams behind tables: those that are loaded into them, and those from which models compute them. */
function streamsOf(relations: ReadonlySet<string>): Set<Stream> {
  const computed = models()
    .filter(isIncremental)
    .filter(({ relation }) => relations.has(relation))
    .flatMap(({ incremental }) => incremental.streams);
  const loaded = [...relations].flatMap((name) => TABLES.find(([form]) => form.test(name))?.[1] ?? []);
  return new Set([...computed, ...loaded]);
}

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

/** A sentence on the days that retention removed from tables that SQL reads. */
export async function removedFrom(reader: Reader, sql: string, language: Language): Promise<string[]> {
  const isRead = readsEvents(relationsIn(reader, sql).relations);
  const removed = isRead ? await reader.rows('status/removed', coveredDay.pick({ date: true })) : [];
  if (removed.length === 0) return [];
  const days = listDays(removed.map(({ date }) => date));
  return language === 'en'
    ? [`The events of ${days} were removed by retention and are not in these tables.`]
    : [`${days}의 이벤트는 보존 기간이 지나 삭제되어 이 표에 없습니다.`];
}

const period = z.tuple([z.object({ start: z.string(), end: z.string() })]);

/** The call of `marts.period` that chooses the days of a bundled query, and its stream. */
function periodIn({ sql, params }: QueryFile): { call: string; stream: string } | undefined {
  const [call, stream] = /marts\.period\('(\w+)'.*?\)/.exec(sql) ?? [];
  const hasStart = call?.includes('days :=') === true || params.some(({ name }) => name === 'start');
  return call === undefined || stream === undefined || !hasStart ? undefined : { call, stream };
}

/** The days that a bundled question is about: those of its `marts.period`; undefined if that has no first day. */
export async function daysAsked(reader: Reader, query: QueryFile): Promise<DayRange | undefined> {
  const found = periodIn(query);
  if (found === undefined) return undefined;
  // The connection still has the variables of the question.
  const days = 'first_date::varchar as start, last_date::varchar as "end"';
  return period.safeParse(await reader.objects(`select ${days} from ${found.call}`)).data?.[0];
}

/**
 * The stream of a bundled question of which the file holds no day that is asked for.
 *
 * @param isTold whether the question's own sentences say something, as they may where the file holds no day of it at all
 */
export async function streamNotHeld(reader: Reader, query: QueryFile, isTold: boolean) {
  const stream = periodIn(query)?.stream;
  const covered = await reader.rows('status/coverage', coveredDay);
  const held = covered.filter((day) => day.stream === stream);
  if (held.length === 0) return isTold ? undefined : stream;
  const asked = await daysAsked(reader, query);
  if (asked === undefined) return undefined;
  // A list of opt-outs holds those of the days before it.
  const isHeld = held.some(({ date }) => date >= asked.start && (date <= asked.end || stream === 'opt_outs'));
  return isHeld ? undefined : stream;
}

const json = z.string().transform((text): unknown => JSON.parse(text));
const about = z.object({ coverage: json, findings: json, checks_with_findings: z.number() });

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
  const [found] = await reader.rows('agents/about', about, {
    streams: JSON.stringify(isSure ? [...streamsOf(tables)] : STREAMS),
    checks: JSON.stringify(statementsIn('checks').map(readCheck), ['name', 'streams']),
    reads_events: !isSure || readsEvents(tables),
    first_day: range?.start ?? null,
    last_day: range?.end ?? null,
  });
  return found;
}
