/** The questions of `init`, the rules for the answers, and the two files that are written. */
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { stringify } from 'yaml';
import type { z } from 'zod';
import { lookAtConnection, unreachable } from '../api/transport.js';
import { dayOf, daysOf, isDay, lastCompleteDay, shiftDay, type Day } from '../calendar.js';
import { isUnencrypted } from '../config.js';
import { settingsSchema } from '../config/schema.js';
import { codeOf, ServiceError, StorageError, UsageError } from '../errors.js';
import { formatPrice, priceOf } from '../price.js';
import type { Invocation } from '../invocation.js';
import type { Questions } from '../terminal/questions.js';
import { formatCount, plural, type Terminal } from '../terminal/terminal.js';
import { contactService, NOTABLE_SKEW_MS, skewInWords, type Doubt, type Night } from './contact.js';

interface InterviewOptions {
  /** Answers that are already given, so that their questions are skipped. */
  readonly given: Given;
  /** Answers in an earlier file, offered as defaults. */
  readonly earlier: Given;
  readonly allowHttp: boolean;
  readonly skipChecks: boolean;
}

/** Maximum number of refused answers to one question; more of them mean that a file was pasted by mistake. */
const MOST_WRONG = 10;

/** Number of days that the first run loads: enough data to look at, in a short time. */
const FIRST_DAYS = 7;

/** Number of nights in a month, for the suggested budget and the monthly cost. */
const MONTH = 30;

/**
 * Asks the questions at a terminal; each answer is checked before the next question.
 *
 * @throws UsageError after too many refused answers
 * @throws InterruptedError on Ctrl-C or the end of the input
 */
export async function interview(
  { given, earlier, allowHttp, skipChecks }: InterviewOptions,
  questions: Questions,
  { terminal, effects, version }: Pick<Invocation, 'terminal' | 'effects' | 'version'>,
): Promise<Answers> {
  const world = { effects, version, signal: questions.signal };
  const now = effects.now();
  const refused = new Map<string, number>();
  let checking = !skipChecks;
  /** True after a check has failed; the user may then continue without the check. */
  let maySkip = false;

  function countRefusal(question: string): void {
    const count = (refused.get(question) ?? 0) + 1;
    refused.set(question, count);
    if (count < MOST_WRONG) return;
    questions.fail(
      new UsageError(`${MOST_WRONG} answers to one question were not accepted.`, {
        hint: 'Nothing was written. Start `dawnload init` again, with --skip-checks where the service cannot be reached.',
      }),
    );
  }

  function tell({ about, error }: Doubt): void {
    maySkip = true;
    const { hint = '' } = error;
    const skip =
      about === 'keys' ? '' : ' Answer again, press Enter for the same, or type skip to check nothing.';
    terminal.warn(`${error.message}${hint === '' ? '' : ` ${hint}`}${skip}`);
    countRefusal(about);
  }

  /**
   * Repeats the question until the answer is valid. Enter accepts the default; `skip` accepts it too and ends the checks.
   */
  async function ask<T>(
    message: string,
    read: (text: string) => Read<T>,
    offered?: string,
    isSecret = false,
  ): Promise<T> {
    const isSkip = (text: string): boolean =>
      maySkip && offered !== undefined && text.toLowerCase() === 'skip';
    const meant = (text: string): Read<T> => read(text === '' || isSkip(text) ? (offered ?? text) : text);
    const refuse = (text: string): string | undefined => {
      const result = meant(text);
      if ('value' in result) return undefined;
      countRefusal(message);
      return result.wrong;
    };
    const text = await questions.ask({ message, offered, isSecret, refuse });
    if (isSkip(text)) checking = false;
    const result = meant(text);
    if ('value' in result) return result.value;
    throw new UsageError(result.wrong);
  }

  /** Asks for address, project and keys until the service accepts all of them or the user skips the checks. */
  async function askService(): Promise<
    Pick<Answers, 'baseUrl' | 'allowHttp' | 'projectId' | 'keys' | 'recordsPerDay'>
  > {
    let { baseUrl, projectId, accessKey, secretKey } = given;
    let [offeredUrl, offeredProject] = [earlier.baseUrl, earlier.projectId];
    for (;;) {
      baseUrl ??= await ask('Base URL of the service', (text) => readBaseUrl(text, allowHttp), offeredUrl);
      offeredUrl = baseUrl;
      const unreached = checking ? await tryConnection(baseUrl, questions.signal) : undefined;
      if (unreached !== undefined) {
        tell(unreached);
        baseUrl = undefined;
        continue;
      }
      projectId ??= await ask('Project ID', readProjectId, offeredProject);
      offeredProject = projectId;
      accessKey ??= await ask('Access key (not shown)', readAccessKey, undefined, true);
      secretKey ??= await ask('Secret key (not shown)', readSecretKey, undefined, true);
      const keys = { accessKey, secretKey };
      const service = { baseUrl, projectId, keys, allowHttp: allowHttp && isUnencrypted(baseUrl) };
      if (!checking) return service;

      terminal.progress('asking the service');
      const { result, skewMs } = await tryAnswers(service, world);
      terminal.progress('');
      if ('night' in result) {
        tellNight(result.night, skewMs, terminal);
        return { ...service, recordsPerDay: result.night.records };
      }
      tell(result.doubt);
      if (result.doubt.about === 'baseUrl') baseUrl = undefined;
      if (result.doubt.about === 'projectId') projectId = undefined;
      if (result.doubt.about === 'keys') accessKey = secretKey = undefined;
    }
  }

  async function askBudget(records: number | undefined): Promise<Budget | undefined> {
    if (given.recordsPerRun !== undefined || given.recordsPerMonth !== undefined) return budgetOf(given);
    terminal.note('Event exports are billed per record. Without a budget no paid request is ever sent.');
    const size = records === undefined ? '' : `; one night is about ${formatCount(records)}`;
    const recordsPerRun = await ask(
      `Records per run, or none${size}`,
      unless(/^(none|no|n|-)$/i, readRecordsPerRun),
      String(earlier.recordsPerRun ?? 'none'),
    );
    if (recordsPerRun === undefined) return undefined;
    const offered = earlier.recordsPerMonth ?? Math.min(recordsPerRun * (MONTH + 1), 1e12);
    const recordsPerMonth = await ask('Records per month', readRecordsPerMonth, String(offered));
    return { recordsPerRun, recordsPerMonth };
  }

  const service = await askService();
  const first = earlier.startDate ?? shiftDay(lastCompleteDay(now), 1 - FIRST_DAYS);
  const startDate =
    given.startDate ?? (await ask('First day to load (KST)', (text) => readStartDate(text, now), first));
  const budget = await askBudget(service.recordsPerDay);
  let { pricePerRecord } = given;
  if (pricePerRecord === undefined && budget === undefined) pricePerRecord = earlier.pricePerRecord;
  else
    pricePerRecord ??= await ask(
      'Price per record, or unknown',
      unless(/^(unknown|none|no|n|-)$/i, readPrice),
      String(earlier.pricePerRecord ?? 'unknown'),
    );
  const answers = { ...service, startDate, budget, pricePerRecord };
  tellMoney(answers, now, terminal);
  return answers;
}

/** A rule that also accepts a word for "none". */
function unless<T>(nothing: RegExp, read: (text: string) => Read<T>): (text: string) => Read<T | undefined> {
  return (text) => (nothing.test(text) ? { value: undefined } : read(text));
}

export interface Keys {
  readonly accessKey: string;
  readonly secretKey: string;
}

interface Budget {
  readonly recordsPerRun: number;
  readonly recordsPerMonth: number;
}

export interface Answers {
  readonly baseUrl: string;
  /** True if keys may be sent unencrypted to another machine. */
  readonly allowHttp: boolean;
  readonly projectId: string;
  readonly keys: Keys;
  readonly startDate: Day;
  /** Undefined if no paid request may ever be sent. */
  readonly budget: Budget | undefined;
  /** Undefined if the price is unknown. */
  readonly pricePerRecord: number | undefined;
  /** The number of records of a night as reported by the service. */
  readonly recordsPerDay?: number | undefined;
}

/** The parsed value, or a sentence that describes the fault of the text. */
type Read<T> = { readonly value: T } | { readonly wrong: string };

const settings = settingsSchema.shape;
const exportsSettings = settings.exports.unwrap().shape;
const budgetSettings = exportsSettings.budget.unwrap().in.shape;

function readBaseUrl(text: string, allowHttp: boolean): Read<string> {
  const read = by(settings.base_url, text, 'The base URL');
  if ('wrong' in read || allowHttp || !isUnencrypted(read.value)) return read;
  return {
    wrong: `${read.value} uses http, so keys and data would travel unencrypted: use https, or pass --allow-http if you trust the network.`,
  };
}

function readProjectId(text: string): Read<string> {
  return by(settings.project_id, text, 'The project ID');
}

const readAccessKey = (text: string): Read<string> => readKey(text, 'access key');
const readSecretKey = (text: string): Read<string> => readKey(text, 'secret key');

function readKey(text: string, what: string): Read<string> {
  if (text === '') return { wrong: `The ${what} is empty.` };
  return /\p{Cc}/u.test(text) ? { wrong: `The ${what} holds control characters.` } : { value: text };
}

/** Parses a day that has begun in Korea; a later day is most likely a mistake. */
function readStartDate(text: string, now: Date): Read<Day> {
  if (!isDay(text)) return { wrong: 'The first day must be a day that exists, such as 2026-11-01.' };
  return text > dayOf(now) ? { wrong: `The first day ${text} is in the future.` } : { value: text };
}

const readRecordsPerRun = (text: string): Read<number> => readRecords(text, 'run');
const readRecordsPerMonth = (text: string): Read<number> => readRecords(text, 'month');

/** Parses a count with separators or unit letters: `1,000,000`, `50k`, `1.5M`. */
function readRecords(text: string, what: string): Read<number> {
  const [, count = '', letter] = /^(\d+(?:\.\d{1,6})?) ?(k|m|bn?)$/i.exec(text) ?? [];
  const grouped = /^\d{1,3}([,_ ]\d{3})+$/.test(text) ? text.replace(/[,_ ]/g, '') : text;
  const plain =
    letter === undefined ? grouped : String(Math.round(Number(count) * unitOf(letter) * 1e6) / 1e6);
  return by(budgetSettings.records_per_run, plain, `The budget of records per ${what}`);
}

function unitOf(letter: string): number {
  return { k: 1e3, m: 1e6 }[letter.toLowerCase()] ?? 1e9;
}

function readPrice(text: string): Read<number> {
  return by(exportsSettings.price_per_record, text, 'The price per record');
}

function by<T>(rule: z.ZodType<T | undefined>, text: string, what: string): Read<T> {
  const parsed = rule.safeParse(text);
  if (parsed.success && parsed.data !== undefined) return { value: parsed.data };
  return { wrong: `${what} ${parsed.error?.issues[0]?.message ?? 'is missing'}.` };
}

const HEAD = "# The keys of the service's API. Keep this file out of version control.\n";

/**
 * The content of `.env`: the keys, followed by the other variables of an earlier file.
 *
 * @throws UsageError if a key cannot be written in a way that is read back unchanged
 */
export function envFile({ accessKey, secretKey }: Keys, earlier = ''): string {
  const rest = earlier
    .split(/\r?\n/)
    .filter((line) => !/^\s*(?:export\s+)?DAWNLOAD_(?:ACCESS|SECRET)_KEY\s*=/.test(line))
    .filter((line) => `${line}\n` !== HEAD)
    .join('\n')
    .trim();
  const text = `${HEAD}DAWNLOAD_ACCESS_KEY=${quoted(accessKey)}\nDAWNLOAD_SECRET_KEY=${quoted(secretKey)}\n${rest === '' ? '' : `\n${rest}\n`}`;
  const read = parseEnv(text);
  if (read['DAWNLOAD_ACCESS_KEY'] === accessKey && read['DAWNLOAD_SECRET_KEY'] === secretKey) return text;
  throw new UsageError('The keys hold characters that cannot be written to .env.', {
    hint: 'Set DAWNLOAD_ACCESS_KEY and DAWNLOAD_SECRET_KEY in the environment of the job instead.',
  });
}

function quoted(value: string): string {
  if (/^[\w./+=:@%-]+$/.test(value)) return value;
  const quote = ["'", '`', '"'].find((mark) => !value.includes(mark)) ?? "'";
  return `${quote}${value}${quote}`;
}

type TextName = 'baseUrl' | 'projectId' | 'accessKey' | 'secretKey' | 'startDate';
type NumberName = 'recordsPerRun' | 'recordsPerMonth' | 'pricePerRecord';

/** The answers that were given or found in files. */
export type Given = Partial<
  Readonly<Record<TextName, string | undefined> & Record<NumberName, number | undefined>>
>;

/** The given answers as texts from the command line and the environment. */
export type GivenTexts = Partial<
  Readonly<Record<TextName | NumberName, string | undefined> & { readonly allowHttp: boolean | undefined }>
>;

/** Parses the given answers; `wrong` contains a sentence for each invalid text. */
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
    accessKey: read(texts.accessKey, readAccessKey),
    secretKey: read(texts.secretKey, readSecretKey),
    startDate: read(texts.startDate, (text) => readStartDate(text, now)),
    recordsPerRun: read(texts.recordsPerRun, readRecordsPerRun),
    recordsPerMonth: read(texts.recordsPerMonth, readRecordsPerMonth),
    pricePerRecord: read(texts.pricePerRecord, readPrice),
  };
  return { given, wrong };
}

/** @throws UsageError with a list of all faults */
export function assertRight(wrong: readonly string[]): void {
  if (wrong.length === 0) return;
  throw new UsageError(wrong.join(' '), { hint: 'Correct it and try again. Nothing was written.' });
}

/**
 * The answers of a run without a terminal.
 *
 * @throws UsageError with a list of all missing or invalid answers
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

/** The budget; a single limit applies to both the run and the month. */
function budgetOf({
  recordsPerRun,
  recordsPerMonth,
}: Pick<Given, 'recordsPerRun' | 'recordsPerMonth'>): Budget | undefined {
  const perRun = recordsPerRun ?? recordsPerMonth;
  const perMonth = recordsPerMonth ?? recordsPerRun;
  if (perRun === undefined || perMonth === undefined) return undefined;
  return { recordsPerRun: perRun, recordsPerMonth: perMonth };
}

export function tellNight(
  { day, messages, records }: Night,
  skewMs: number | undefined,
  terminal: Terminal,
): void {
  terminal.note('The service takes the keys and knows the project.');
  terminal.note(
    records === undefined
      ? `It counted no messages on ${day}, so the size of a night is not known yet.`
      : `It counted ${plural(messages, 'message')} on ${day}; the export of such a night holds about ${plural(records, 'record')}.`,
  );
  if (skewMs !== undefined && Math.abs(skewMs) > NOTABLE_SKEW_MS)
    terminal.warn(`${skewInWords(skewMs)}. Correct it before the first run.`);
}

/** Explains the budget, and the price of nights like the one reported by the service. */
export function tellMoney(
  { budget, pricePerRecord: price = 0, recordsPerDay: records, startDate }: Answers,
  now: Date,
  terminal: Terminal,
): void {
  const tell = (sentence: string): void => {
    terminal.note(sentence);
  };
  if (budget === undefined) tell('Without a budget no paid request is sent. Statistics are free.');
  if (budget === undefined || records === undefined) return;
  const { recordsPerRun, recordsPerMonth } = budget;
  const worth = (count: number): string =>
    `about ${plural(count, 'record')}${price === 0 ? '' : ` (${formatPrice(priceOf([{ records: count, pricePerRecord: price }]), undefined)})`}`;
  tell(`Such a night is ${worth(records)}, and ${MONTH} nights are ${worth(records * MONTH)}.`);
  if (records > recordsPerRun) {
    tell(
      `A budget of ${plural(recordsPerRun, 'record')} per run is too small for it: the night would not be requested.`,
    );
    return;
  }
  const nights = daysOf({ start: startDate, end: lastCompleteDay(now) }).length;
  if (nights > 1)
    tell(
      `The first run finds ${nights} nights, ${worth(records * nights)} if all are like that one, and requests the newest first, within the budget.`,
    );
  if (records * MONTH > recordsPerMonth)
    tell(
      `A budget of ${plural(recordsPerMonth, 'record')} per month lasts for about ${plural(Math.floor(recordsPerMonth / records), 'night')}.`,
    );
}

type Settings = Omit<Answers, 'keys'> & {
  /** The path as it is written to the file: relative to the file's folder, or absolute. */
  readonly dataDir: string;
};

export function settingsFile(settings: Settings): string {
  const { baseUrl, allowHttp, projectId, dataDir, startDate } = settings;
  return `# Dawnload: where the data comes from, how much of it, and where it goes.
# docs/configuration.md explains every key. The access keys do not belong here: see .env.

base_url: ${scalar(baseUrl)}
${allowHttp ? 'allow_http: true                # keys and data travel unencrypted\n' : ''}project_id: ${scalar(projectId)}

# Words of your service: the one before _user_id and _device_id in export records, and the messenger's.
brand: service
messenger: chatapp

data_dir: ${scalar(dataDir)}
start_date: ${startDate}          # the first KST day the warehouse should hold
lookback_days: 7                # free streams: days pulled again each night, since counts may be restated
requests_per_second: 50
concurrency: 64

privacy:
  recipients: hash              # keep | hash | drop: phone numbers and e-mail addresses of people
  # columns: { user_id: hash }    # keep | hash | drop: id columns of events, and keys of messages

# Event exports are billed per record. Without a budget no paid request is ever sent.
${exportsSection(settings)}
# What the ids in events mean: read each night at no cost, kept with its history.
# reference:
#   catalogs: true                # or some of them: [products]
#   brand_templates:
#     sender_keys: []
#   alimtalk_templates: true      # or channel_ids: [] below it
#   opt_outs: true

# Who is told when a night fails, recovers, or needs a person.
# alerts:
#   - url_env: ALERT_URL          # the address of a webhook, in .env
#     format: slack               # or json
`;
}

function exportsSection({ budget, pricePerRecord, recordsPerDay, startDate }: Settings): string {
  const lines = [
    'exports:',
    '  budget:',
    `    records_per_run: ${budget?.recordsPerRun ?? 1000000}`,
    `    records_per_month: ${budget?.recordsPerMonth ?? 10000000}`,
    `  price_per_record: ${decimal(pricePerRecord ?? 0)}       # for estimates and the spend report`,
    ...(recordsPerDay === undefined
      ? []
      : [`  expected_records_per_day: ${recordsPerDay} # for \`plan\`, until there are statistics`]),
    `  start_date: ${startDate}        # the first KST day to export`,
    '  include_message_data: true',
    '  page_parameter: page        # the query parameter that carries the page number',
    '  max_wait_minutes: 60        # after that, the next run resumes the same export',
  ];
  const price = lines[4] ?? '';
  if (budget !== undefined) return `${lines.join('\n')}\n`;
  // A given price is kept, so that it is available when a budget is added later.
  const kept = pricePerRecord === undefined ? [] : ['exports:', price];
  const commented = lines.filter((line) => !kept.includes(line)).map((line) => `# ${line}`);
  return `${[...kept, ...commented].join('\n')}\n`;
}

/** A YAML scalar, quoted if YAML would read an unquoted text as another value. */
function scalar(text: string): string {
  return stringify(text, { lineWidth: 0 }).trimEnd();
}

/** A decimal number without the exponent that JavaScript uses for small numbers. */
function decimal(value: number): string {
  return value.toFixed(12).replace(/\.?0+$/, '');
}

const CONNECT_MS = 10_000;
const ANSWER_SECONDS = 30;

type World = Pick<Invocation, 'effects' | 'signal' | 'version'>;

/**
 * Checks that a connection can be made and its certificate is accepted.
 *
 * @throws InterruptedError
 */
export async function tryConnection(baseUrl: string, signal: AbortSignal): Promise<Doubt | undefined> {
  try {
    const { certificate } = await lookAtConnection(baseUrl, CONNECT_MS, signal);
    if (certificate?.refused === undefined) return undefined;
    throw unreachable(baseUrl, certificate.refused, undefined);
  } catch (error) {
    if (error instanceof ServiceError) return { about: 'baseUrl', error };
    throw error;
  }
}

/**
 * Checks that the service accepts the keys and knows the project, and reads the size of a night.
 *
 * @throws InterruptedError
 */
export function tryAnswers(
  { baseUrl, projectId, keys }: Pick<Answers, 'baseUrl' | 'projectId' | 'keys'>,
  world: World,
): ReturnType<typeof contactService> {
  const credentials = { body: () => ({ ...keys }) };
  return contactService({ baseUrl, projectId, credentials, requestTimeoutSeconds: ANSWER_SECONDS }, world);
}

export interface NewFile {
  readonly path: string;
  readonly text: string;
  /** The exact file mode, independent of the umask; undefined for the default mode. */
  readonly mode: number | undefined;
}

/**
 * Writes the files. An existing file is kept under a name that ends with `.bak`.
 *
 * @returns the names of the backup files
 * @throws StorageError; all files are unchanged in that case
 */
export function writeFiles(files: readonly NewFile[]): string[] {
  const next = ({ path }: NewFile): string => `${path}.new-${process.pid}`;
  const kept: string[] = [];
  let current = '';
  try {
    for (const file of files) {
      current = file.path;
      writeWhole(next(file), file);
    }
    for (const file of files) {
      current = file.path;
      if (existsSync(file.path)) kept.push(keep(file));
    }
    for (const file of files) {
      current = file.path;
      renameSync(next(file), file.path);
    }
    return kept;
  } catch (cause) {
    for (const file of files) rmSync(next(file), { force: true });
    throw cannotWrite(current, cause);
  }
}

/**
 * Checks before the first question that files can be created in the folder.
 *
 * @throws StorageError
 */
export function assertWritable(folder: string): void {
  const probe = join(folder, `.dawnload-${process.pid}`);
  try {
    // A probe file is needed: /proc grants write permission to root but refuses every file.
    closeSync(openSync(probe, 'wx'));
    rmSync(probe);
  } catch (cause) {
    throw cannotWrite(folder, cause);
  }
}

function writeWhole(path: string, { text, mode }: NewFile): void {
  rmSync(path, { force: true });
  const file = openSync(path, 'wx', mode ?? 0o666);
  try {
    if (mode !== undefined) chmodSync(path, mode);
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function keep({ path, mode }: NewFile): string {
  for (let n = 1; ; n++) {
    const copy = n === 1 ? `${path}.bak` : `${path}.bak${n}`;
    if (existsSync(copy)) continue;
    copyFileSync(path, copy, constants.COPYFILE_EXCL);
    if (mode !== undefined) chmodSync(copy, mode);
    return copy;
  }
}

function cannotWrite(path: string, cause: unknown): StorageError {
  const code = codeOf(cause) ?? 'unknown';
  const remedy = /^(ENOSPC|EDQUOT)$/.test(code)
    ? 'Free some disk space.'
    : 'Choose a folder that exists and that you may write to.';
  return new StorageError(`${path} cannot be written (${code}).`, {
    hint: `${remedy} Nothing was changed.`,
    cause,
  });
}
