/** What `init` has to know, and the rule of each answer: the one that the settings file has. */
import { isUnencrypted } from '../config.js';
import { settingsSchema } from '../config/schema.js';
import { dayOf, isDay, type Day } from '../calendar.js';
import type { z } from 'zod';

export interface Keys {
  readonly accessKey: string;
  readonly secretKey: string;
}

export interface Budget {
  readonly recordsPerRun: number;
  readonly recordsPerMonth: number;
}

export interface Answers {
  readonly baseUrl: string;
  /** Whether keys may leave this machine unencrypted. */
  readonly allowHttp: boolean;
  readonly projectId: string;
  readonly keys: Keys;
  readonly startDate: Day;
  /** Undefined: no paid request is ever sent. */
  readonly budget: Budget | undefined;
  /** Undefined: not known. */
  readonly pricePerRecord: number | undefined;
}

/** A value, or one sentence that says what is wrong with the text. */
export type Read<T> = { readonly value: T } | { readonly wrong: string };

const settings = settingsSchema.shape;
const exportsSettings = settings.exports.unwrap().shape;
const budgetSettings = exportsSettings.budget.unwrap().shape;

export function readBaseUrl(text: string, allowHttp: boolean): Read<string> {
  const read = by(settings.base_url, text, 'The base URL');
  if ('wrong' in read || allowHttp || !isUnencrypted(read.value)) return read;
  return {
    wrong: `${read.value} uses http, so keys and data would travel unencrypted: use https, or pass --allow-http if you trust the network.`,
  };
}

export function readProjectId(text: string): Read<string> {
  return by(settings.project_id, text, 'The project ID');
}

export function readKey(text: string, what: string): Read<string> {
  if (text === '') return { wrong: `The ${what} is empty.` };
  return /\p{Cc}/u.test(text) ? { wrong: `The ${what} holds control characters.` } : { value: text };
}

/** A day that has begun in Korea: a later one is a slip more often than a wish. */
export function readStartDate(text: string, now: Date): Read<Day> {
  if (!isDay(text)) return { wrong: 'The first day must be a day that exists, such as 2026-11-01.' };
  return text > dayOf(now) ? { wrong: `The first day ${text} is in the future.` } : { value: text };
}

/** People write large counts with separators: `1,000,000`. */
export function readRecords(text: string, what: string): Read<number> {
  const plain = /^\d{1,3}([,_ ]\d{3})+$/.test(text) ? text.replace(/[,_ ]/g, '') : text;
  return by(budgetSettings.records_per_run, plain, `The budget of records per ${what}`);
}

export function readPrice(text: string): Read<number> {
  return by(exportsSettings.price_per_record, text, 'The price per record');
}

function by<T>(rule: z.ZodType<T | undefined>, text: string, what: string): Read<T> {
  const parsed = rule.safeParse(text);
  if (parsed.success && parsed.data !== undefined) return { value: parsed.data };
  return { wrong: `${what} ${parsed.error?.issues[0]?.message ?? 'is missing'}.` };
}
