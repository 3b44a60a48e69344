/** Answers that are there before anybody is asked: from flags, the environment, and earlier files. */
import { isUnencrypted } from '../config.js';
import { UsageError } from '../errors.js';
import {
  readBaseUrl,
  readKey,
  readPrice,
  readProjectId,
  readRecords,
  readStartDate,
  type Answers,
  type Budget,
  type Read,
} from './answers.js';

/** As they stand on the command line and in the environment. */
export interface GivenTexts {
  readonly baseUrl?: string | undefined;
  readonly allowHttp?: boolean | undefined;
  readonly projectId?: string | undefined;
  readonly startDate?: string | undefined;
  readonly recordsPerRun?: string | undefined;
  readonly recordsPerMonth?: string | undefined;
  readonly pricePerRecord?: string | undefined;
  readonly accessKey?: string | undefined;
  readonly secretKey?: string | undefined;
}

export interface Given {
  readonly baseUrl?: string;
  readonly projectId?: string;
  readonly accessKey?: string;
  readonly secretKey?: string;
  readonly startDate?: string;
  readonly recordsPerRun?: number;
  readonly recordsPerMonth?: number;
  readonly pricePerRecord?: number;
}

/**
 * Reads what is given; `wrong` has a sentence for each text that is not an answer.
 */
export function readGiven(texts: GivenTexts, now: Date): { given: Given; wrong: readonly string[] } {
  const wrong: string[] = [];
  const read = <T>(text: string | undefined, rule: (text: string) => Read<T>): T | undefined => {
    if (text === undefined) return undefined;
    const result = rule(text.trim());
    if ('value' in result) return result.value;
    wrong.push(result.wrong);
    return undefined;
  };
  const allowHttp = texts.allowHttp === true;
  const given = {
    baseUrl: read(texts.baseUrl, (text) => readBaseUrl(text, allowHttp)),
    projectId: read(texts.projectId, readProjectId),
    accessKey: read(texts.accessKey, (text) => readKey(text, 'access key')),
    secretKey: read(texts.secretKey, (text) => readKey(text, 'secret key')),
    startDate: read(texts.startDate, (text) => readStartDate(text, now)),
    recordsPerRun: read(texts.recordsPerRun, (text) => readRecords(text, 'run')),
    recordsPerMonth: read(texts.recordsPerMonth, (text) => readRecords(text, 'month')),
    pricePerRecord: read(texts.pricePerRecord, readPrice),
  };
  return { given: defined(given), wrong };
}

/** @throws UsageError that lists everything that is wrong */
export function assertRight(wrong: readonly string[]): void {
  if (wrong.length === 0) return;
  throw new UsageError(wrong.join(' '), { hint: 'Correct it and try again. Nothing was written.' });
}

/**
 * The answers of somebody who cannot be asked.
 *
 * @throws UsageError that lists everything that is missing or wrong
 */
export function requireAnswers(given: Given, texts: GivenTexts, wrong: readonly string[]): Answers {
  const needed = {
    '--base-url': texts.baseUrl,
    '--project-id': texts.projectId,
    '--start-date': texts.startDate,
    DAWNLOAD_ACCESS_KEY: texts.accessKey,
    DAWNLOAD_SECRET_KEY: texts.secretKey,
  };
  const missing = Object.entries(needed).flatMap(([name, text]) => (text === undefined ? [name] : []));
  if (missing.length > 0) {
    const also = wrong.length === 0 ? '' : ` ${wrong.join(' ')}`;
    throw new UsageError(
      `Nobody can be asked without a terminal, and this is missing: ${missing.join(', ')}.${also}`,
      {
        hint: 'Give options on the command line and the two keys in the environment, or start `dawnload init` at a terminal. Nothing was written.',
      },
    );
  }
  assertRight(wrong);
  const { baseUrl = '', projectId = '', startDate = '', accessKey = '', secretKey = '' } = given;
  const { pricePerRecord } = given;
  return {
    baseUrl,
    allowHttp: texts.allowHttp === true && isUnencrypted(baseUrl),
    projectId,
    keys: { accessKey, secretKey },
    startDate,
    budget: budgetOf(given),
    pricePerRecord,
  };
}

/** One limit alone stands for both. */
export function budgetOf({
  recordsPerRun,
  recordsPerMonth,
}: Pick<Given, 'recordsPerRun' | 'recordsPerMonth'>): Budget | undefined {
  const perRun = recordsPerRun ?? recordsPerMonth;
  const perMonth = recordsPerMonth ?? recordsPerRun;
  if (perRun === undefined || perMonth === undefined) return undefined;
  return { recordsPerRun: perRun, recordsPerMonth: perMonth };
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function defined<T extends object>(values: T): Defined<T>;
function defined(values: object): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
