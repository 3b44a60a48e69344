/** `dawnload init`: collects address, project and keys, tests them with the service, and writes `dawnload.yaml` and `.env`. */
import { existsSync } from 'node:fs';
import { chmod, rename, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { stringify } from 'yaml';
import { z } from 'zod';
import { faultForDuckdb, isUnencrypted } from '../config/config.js';
import { readDotEnv, readText } from '../config/files.js';
import type { Invocation } from '../config/invocation.js';
import { COMMON } from '../config/schema.js';
import { dayOf, lastCompleteDay, shiftDay } from '../ground/calendar.js';
import { EXIT, UsageError } from '../ground/errors.js';
import { contactService } from '../operations/contact.js';
import { fromTemplate } from '../readers/queries/contracts.js';
import { writeFileWhole } from '../readers/queries/output.js';
import { NOTABLE_SKEW_MS, skewInWords } from '../service/clocks.js';
import { quoteShell } from '../ground/text.js';
import { plural, type Terminal } from '../terminal/terminal.js';
import type { Command, Options } from './shared.js';

type InitOptions = Options<'baseUrl' | 'projectId' | 'startDate', 'allowHttp' | 'skipChecks' | 'force'>;

const { base_url, project_id, start_date } = COMMON;
const key = z.string().regex(/^\P{Cc}*$/u, 'has control characters');

const QUESTIONS = [
  { name: 'baseUrl', what: 'base URL', source: '--base-url', rule: base_url },
  { name: 'projectId', what: 'project ID', source: '--project-id', rule: project_id },
  { name: 'accessKey', what: 'access key', source: 'DAWNLOAD_ACCESS_KEY', rule: key },
  { name: 'secretKey', what: 'secret key', source: 'DAWNLOAD_SECRET_KEY', rule: key },
] as const;
type Question = (typeof QUESTIONS)[number];
type Answers = Record<Question['name'], string>;

export const initCommand: Command<InitOptions> = async (options, invocation) => {
  const { terminal, flags, environment, effects } = invocation;
  const yaml = resolve(flags.settingsFile ?? 'dawnload.yaml');
  // `.env` belongs next to the settings file; no other `.env` is read.
  const env = resolve(dirname(yaml), '.env');
  if (existsSync(yaml) && options.force !== true)
    throw new UsageError(`${yaml} exists already.`, {
      hint: 'Edit it, or replace it with --force, which keeps the old one as a copy.',
    });
  const dataDir = flags.dataDir === undefined ? './data' : resolve(flags.dataDir);
  const unusable = faultForDuckdb(resolve(dirname(yaml), dataDir));
  if (unusable !== undefined) throw unusable;
  const written = readDotEnv(dirname(yaml)) ?? {};
  const variables = { ...written, ...environment };
  const initial = {
    baseUrl: (options.baseUrl ?? variables['DAWNLOAD_BASE_URL'] ?? '').trim(),
    projectId: (options.projectId ?? variables['DAWNLOAD_PROJECT_ID'] ?? '').trim(),
    accessKey: (variables['DAWNLOAD_ACCESS_KEY'] ?? '').trim(),
    secretKey: (variables['DAWNLOAD_SECRET_KEY'] ?? '').trim(),
  };
  const { answers, records } = await complete(initial, options, invocation);
  // The first run loads a week unless you choose another first day.
  const startDate = options.startDate ?? shiftDay(lastCompleteDay(effects.now()), -6);
  if (startDate > dayOf(effects.now()))
    throw new UsageError(`The first day ${startDate} is in the future.`, {
      hint: 'Give --start-date a day up to today. Nothing was written.',
    });
  await writeKept(yaml, settingsFile({ ...answers, ...options, startDate, dataDir, records }), terminal);
  const { accessKey, secretKey } = answers;
  if (written['DAWNLOAD_ACCESS_KEY'] === accessKey && written['DAWNLOAD_SECRET_KEY'] === secretKey) {
    await chmod(env, 0o600);
    terminal.note(`Kept ${env}, readable only by you.`);
  } else await writeKept(env, envFile(answers, existsSync(env) ? readText(env) : ''), terminal, 0o600);
  const option = flags.settingsFile === undefined ? '' : ` --config ${quoteShell(flags.settingsFile)}`;
  terminal.note('Next:');
  for (const [command, what] of NEXT)
    terminal.note(`  ${`dawnload ${command}${option}`.padEnd(18)}  ${what}`);
  terminal.note(`The history begins on ${startDate}: start_date in the file sets the first day.`);
  terminal.note('Events cost money and are off: exports.budget in the file turns them on.');
  return EXIT.done;
};

const NEXT = [
  ['doctor', 'checks everything a run needs'],
  ['plan', 'shows what a run would request and cost; sends nothing'],
  ['run', 'runs the nightly job once'],
  ['schedule', 'runs it every night; for systemd, cron, Kubernetes: docs/schedule.md'],
] as const;

/** Prompts for missing answers (''), and tests all answers until the service accepts them. */
async function complete(
  initial: Answers,
  options: InitOptions,
  { terminal, signal, ...invocation }: Invocation,
): Promise<{ answers: Answers; records?: number | undefined }> {
  const typed = { ...initial };
  const [faultOfDay] = start_date.safeParse(options.startDate).error?.issues ?? [];
  const wrong = QUESTIONS.flatMap((one) =>
    typed[one.name] === '' ? [] : (faultOf(one, typed[one.name], options) ?? []),
  );
  if (faultOfDay !== undefined) wrong.push(`--start-date ${faultOfDay.message}.`);
  if (wrong.length > 0)
    throw new UsageError(wrong.join(' '), { hint: 'Correct it and try again. Nothing was written.' });
  for (;;) {
    const missing = QUESTIONS.filter(({ name }) => typed[name] === '');
    if (missing.length > 0 && terminal.ask === undefined) {
      const sources = missing.map(({ source }) => source).join(', ');
      throw new UsageError(`Without a terminal, init needs these settings: ${sources}.`, {
        hint: 'Give options and set the two keys in the environment, or run `dawnload init` at a terminal. Nothing was written.',
      });
    }
    for (const one of missing) {
      const isSecret = one.rule === key;
      const message = `${one.what.charAt(0).toUpperCase()}${one.what.slice(1)}${isSecret ? ' (not shown)' : ''}`;
      const refuse = (text: string): string | undefined => faultOf(one, text, options);
      typed[one.name] = (await terminal.ask?.({ message, isSecret, refuse }, signal)) ?? '';
    }
    const { accessKey, secretKey } = typed;
    const answers = { ...typed, baseUrl: typed.baseUrl.replace(/\/+$/, '') };
    if (options.skipChecks === true) return { answers };
    terminal.progress('asking the service');
    const access = { ...answers, credentials: { reveal: () => ({ accessKey, secretKey }) } };
    const contact = await contactService({ ...access, requestTimeoutSeconds: 30 }, { signal, ...invocation });
    const { error, skewMs } = contact;
    if (error === undefined) {
      terminal.note('The service accepts the keys and the project.');
      if (skewMs !== undefined && Math.abs(skewMs) > NOTABLE_SKEW_MS)
        terminal.warn(`${skewInWords(skewMs)}. Correct it before the first run.`);
      return { answers, records: contact.night.records };
    }
    if (terminal.ask === undefined) {
      terminal.note('Nothing was written. `--skip-checks` writes the files without testing them.');
      throw error;
    }
    terminal.warn(error.sentences);
    if (contact.about === 'keys') typed.accessKey = typed.secretKey = '';
    else typed[contact.about] = '';
  }
}

function faultOf({ what, rule }: Question, text: string, { allowHttp }: InitOptions): string | undefined {
  const [fault] = rule.safeParse(text).error?.issues ?? [];
  if (text === '' || fault !== undefined) return `The ${what} ${fault?.message ?? 'is missing'}.`;
  if (rule !== base_url || allowHttp === true || !isUnencrypted(text)) return undefined;
  return `${text} uses http, so keys and data would travel unencrypted: use https, or pass --allow-http if you trust the network.`;
}

/** Writes a complete file, and keeps an existing one under a name that ends with `.bak`. */
async function writeKept(path: string, text: string, terminal: Terminal, secretMode?: number): Promise<void> {
  const mode = secretMode ?? 0o666;
  await writeFileWhole(path, async (next) => {
    await writeFile(next, text, { mode, flush: true });
    if (secretMode !== undefined) await chmod(next, mode);
    if (!existsSync(path)) return;
    let copy = `${path}.bak`;
    for (let n = 2; existsSync(copy); n++) copy = `${path}.bak${n}`;
    if (secretMode !== undefined) await chmod(path, mode);
    await rename(path, copy);
    terminal.note(`Kept the previous file as ${copy}.`);
  });
  const secret = ', readable only by you. Keep it out of version control';
  terminal.note(`Wrote ${path}${secretMode === undefined ? '' : secret}.`);
}

const HEAD = "# The keys of the service's API. Keep this file out of version control.";

/** The content of `.env`: the keys, followed by the other variables of an earlier file. */
export function envFile(keys: Readonly<Record<'accessKey' | 'secretKey', string>>, earlier = ''): string {
  const own = /^\s*(?:export\s+)?DAWNLOAD_(?:ACCESS|SECRET)_KEY\s*=/;
  const rest = earlier.split(/\r?\n/).filter((line) => !own.test(line) && line !== HEAD);
  const values = { DAWNLOAD_ACCESS_KEY: keys.accessKey, DAWNLOAD_SECRET_KEY: keys.secretKey };
  const lines = Object.entries(values).map(([name, value]) => {
    const quote = ["'", '`', '"'].find((mark) => !value.includes(mark)) ?? "'";
    return `${name}=${/^[\w./+=:@%-]+$/.test(value) ? value : quote + value + quote}`;
  });
  const text = `${[HEAD, ...lines, '', rest.join('\n').trim()].join('\n').trim()}\n`;
  const read = parseEnv(text);
  if (Object.entries(values).every(([name, value]) => read[name] === value)) return text;
  throw new UsageError('The keys have characters that cannot be written to .env.', {
    hint: 'Set DAWNLOAD_ACCESS_KEY and DAWNLOAD_SECRET_KEY in the environment of the job instead.',
  });
}

interface Settings extends Readonly<Record<'baseUrl' | 'projectId' | 'startDate' | 'dataDir', string>> {
  readonly allowHttp?: boolean;
  /** The number of records of a night, as the service reported; undefined if unknown. */
  readonly records?: number | undefined;
}

export function settingsFile(settings: Settings): string {
  const { baseUrl, allowHttp, projectId, dataDir, startDate, records } = settings;
  // Quoted if YAML would otherwise read the text as another type.
  const scalar = (text: string): string => stringify(text, { lineWidth: 0 }).trimEnd();
  // The suggested budget is one and a half nights per run, so it leaves no room for a backlog, and a month of such nights.
  const budget = Math.ceil(((records ?? 1_000) * 1.5) / 100) * 100;
  return fromTemplate('examples/init.yaml', {
    base_url: scalar(baseUrl),
    allow_http: allowHttp === true && isUnencrypted(baseUrl) ? true : undefined,
    project_id: scalar(projectId),
    data_dir: scalar(dataDir),
    start_date: startDate,
    night: records
      ? `a night is about ${plural(records, 'record')}`
      : 'a night of yours, see `dawnload plan`',
    records_per_run: budget,
    records_per_month: budget * 31,
  });
}
