/** Whether the published file holds what a query asks about: the last complete day, and every day that the query names. */
import { z } from 'zod';
import { dayCount, daysOf, isDay, listDays, type Day } from '../calendar.js';
import { EVENT_TABLES } from '../warehouse/messages.js';
import type { Reader } from '../warehouse/reader.js';
import { statement, statementsIn } from '../warehouse/session.js';
import type { Question } from './question.js';

const coveredDay = z.object({ stream: z.string(), date: z.string() });
const view = z.object({ name: z.string(), sql: z.string() });

/** The longest range of days that are compared one by one. */
const MOST_DAYS = 4_000;

/** Returns the reason why the file does not answer the question, as a sentence; undefined if it does. */
export async function missingFor(
  reader: Reader,
  question: Question,
  lastComplete: Day,
): Promise<string | undefined> {
  const held = z.array(coveredDay).parse(await reader.objects(statement('status/coverage')));
  const holds = (stream: string, day: Day): boolean =>
    held.some((one) => one.stream === stream && one.date === day);
  if (!holds('statistics', lastComplete))
    return `The published file was not made by a run of ${lastComplete}, the last complete day.`;
  const named = daysNamed(question);
  const [start = '', end = ''] = [named.at(0), named.at(-1)];
  const days = dayCount({ start, end }) > MOST_DAYS ? named : daysOf({ start, end });
  for (const stream of named.length === 0 ? [] : await streamsOf(reader, question.sql)) {
    const missing = days.filter((day) => !holds(stream, day));
    if (missing.length > 0)
      return `The query names ${listDays(missing)}, and the published file does not hold the ${stream} of ${missing.length === 1 ? 'that day' : 'these days'}.`;
  }
  return undefined;
}

/** The days that a query names in its text or its parameters, in order. */
function daysNamed({ sql, values }: Question): Day[] {
  const text = sql.replace(/--.*$/gm, '').replace(/\/\*[\s\S]*?\*\//g, '');
  const all = [text, ...values].flatMap((one) =>
    typeof one === 'string' ? one : one[0] === 'now' ? [] : one[1],
  );
  const days = all.flatMap((one) => one.match(/(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)/g) ?? []);
  return [...new Set(days)].filter(isDay).sort();
}

const EVENTS = new Set(EVENT_TABLES.map(({ name }) => name));

/** The streams that a query reads, through views and models: the statistics always, the events and campaigns if it does. */
async function streamsOf(reader: Reader, sql: string): Promise<Set<string>> {
  const texts = new Map<string, string>();
  for (const folder of ['daily', 'dimensions', 'marts'])
    for (const name of statementsIn(`models/${folder}`))
      texts.set(name.split('/').at(-1) ?? '', statement(name));
  for (const { name, sql: text } of z.array(view).parse(await reader.objects(statement('push/views'))))
    texts.set(name, text);
  const streams = new Set(['statistics']);
  const seen = new Set<string>();
  const waiting = [sql];
  for (let text = waiting.pop(); text !== undefined; text = waiting.pop()) {
    for (const [, name = ''] of text.toLowerCase().matchAll(/\b(?:from|join)\s+(?:"?\w+"?\.)*"?(\w+)/g)) {
      if (seen.has(name)) continue;
      seen.add(name);
      if (EVENTS.has(name)) streams.add('events');
      if (name.startsWith('campaign_metric')) streams.add('campaigns');
      const inner = texts.get(name);
      if (inner !== undefined) waiting.push(inner);
    }
  }
  return streams;
}
