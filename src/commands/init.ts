/** `dawnload init`: asks for address, project and keys, tries them on the service, and writes `dawnload.yaml` and `.env`. */
import { existsSync } from 'node:fs';
import { chmod, rename, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { stringify } from 'yaml';
import { isUnencrypted } from '../config/config.js';
import { readDotEnv, readText } from '../config/files.js';
import type { Invocation } from '../config/invocation.js';
import { settingsSchema } from '../config/schema.js';
import { dayOf, lastCompleteDay, shiftDay, type Day } from '../ground/calendar.js';
import { EXIT, UsageError } from '../ground/errors.js';
import { contactService, type Night } from '../operations/contact.js';
import { NOTABLE_SKEW_MS, skewInWords } from '../service/client.js';
import { writeFileWhole } from '../readers/queries/output.js';
import { plural } from '../terminal/terminal.js';
import { quoteShell } from '../terminal/text.js';
import type { Command, Options } from './shared.js';

type InitOptions = Options<'baseUrl' | 'projectId' | 'startDate', 'allowHttp' | 'skipChecks' | 'force'>;

/** What has to be known, where it comes from without a terminal, and the question. */
const QUESTIONS = [
  { name: 'baseUrl', source: '--base-url', message: 'Base URL of the service' },
  { name: 'projectId', source: '--project-id', message: 'Project ID' },
  { name: 'accessKey', source: 'DAWNLOAD_ACCESS_KEY', message: 'Access key (not shown)' },
  { name: 'secretKey', source: 'DAWNLOAD_SECRET_KEY', message: 'Secret key (not shown)' },
] as const;
type Name = (typeof QUESTIONS)[number]['name'];
type Answers = Record<Name, string>;

export const initCommand: Command<InitOptions> = async (options, invocation) => {
  const { terminal, flags, environment, effects } = invocation;
  const yaml = resolve(flags.config ?? 'dawnload.yaml');
  // The .env must be in the folder of the settings file; no other .env is read.
  const env = resolve(dirname(yaml), '.env');
  if (existsSync(yaml) && options.force !== true)
    throw new UsageError(`${yaml} exists already.`, {
      hint: 'Edit it, or replace it with --force, which keeps the old one as a copy.',
    });
  const written = readDotEnv(dirname(yaml));
  const variables = { ...written, ...environment };
  const textOf = (text: string | undefined): string => text?.trim() ?? '';
  const given: Answers = {
    baseUrl: textOf(options.baseUrl ?? variables['DAWNLOAD_BASE_URL']),
    projectId: textOf(options.projectId ?? variables['DAWNLOAD_PROJECT_ID']),
    accessKey: textOf(variables['DAWNLOAD_ACCESS_KEY']),
    secretKey: textOf(variables['DAWNLOAD_SECRET_KEY']),
  };
  const { answers, night } = await complete(given, options, invocation);
  // The first run loads a week, if nobody says another first day.
  const startDate = options.startDate ?? shiftDay(lastCompleteDay(effects.now()), -6);
  if (startDate > dayOf(effects.now())) throw new UsageError(`The first day ${startDate} is in the future.`);
  const dataDir = flags.dataDir === undefined ? './data' : resolve(flags.dataDir);
  const text = settingsFile({ ...answers, ...options, startDate, dataDir, records: night?.records });
  await write(yaml, text, invocation);
  const { accessKey, secretKey } = answers;
  if (written['DAWNLOAD_ACCESS_KEY'] === accessKey && written['DAWNLOAD_SECRET_KEY'] === secretKey) {
    await chmod(env, 0o600);
    terminal.note(`Kept ${env}, readable only by you.`);
  } else await write(env, envFile(answers, existsSync(env) ? readText(env) : ''), invocation, 0o600);
  const config = flags.config === undefined ? '' : ` --config ${quoteShell(flags.config)}`;
  terminal.note('Next:');
  for (const [command, what] of NEXT)
    terminal.note(`  ${`dawnload ${command}${config}`.padEnd(18)}  ${what}`);
  terminal.note(`The history begins on ${startDate}: start_date in the file says from when on.`);
  terminal.note('Events are paid for and are off: exports.budget in the file turns them on.');
  return EXIT.done;
};

const NEXT = [
  ['doctor', 'checks everything that a night depends on'],
  ['plan', 'shows what a run would request, and its price; sends nothing'],
  ['run', 'runs the nightly job once'],
  ['schedule', 'runs it every night; for systemd, cron, Kubernetes: docs/operations.md'],
] as const;

/** Asks for the answers that are not given (''), and tries all of them on the service until it accepts them. */
async function complete(
  given: Answers,
  options: InitOptions,
  invocation: Invocation,
): Promise<{ answers: Answers; night: Night | undefined }> {
  const { terminal, signal } = invocation;
  const found = { ...given };
  const faultOfDay = settingsSchema.shape.start_date.safeParse(options.startDate).error?.issues[0];
  const wrong = [
    ...QUESTIONS.flatMap(({ name }) =>
      found[name] === '' ? [] : (faultOf(name, found[name], options) ?? []),
    ),
    ...(faultOfDay === undefined ? [] : [`--start-date ${faultOfDay.message}.`]),
  ];
  if (wrong.length > 0)
    throw new UsageError(wrong.join(' '), { hint: 'Correct it and try again. Nothing was written.' });
  for (;;) {
    const missing = QUESTIONS.filter(({ name }) => found[name] === '');
    if (missing.length > 0 && terminal.ask === undefined) {
      const sources = missing.map(({ source }) => source).join(', ');
      throw new UsageError(`There is no terminal to ask on, and these are missing: ${sources}.`, {
        hint: 'Give options on the command line and the two keys in the environment, or start `dawnload init` at a terminal. Nothing was written.',
      });
    }
    for (const { name, message } of missing) {
      const question = {
        message,
        isSecret: name.endsWith('Key'),
        refuse: (text: string) => faultOf(name, text, options),
      };
      found[name] = (await terminal.ask?.(question, signal)) ?? '';
    }
    const { accessKey, secretKey } = found;
    const answers = { ...found, baseUrl: found.baseUrl.replace(/\/+$/, '') };
    if (options.skipChecks === true) return { answers, night: undefined };
    terminal.progress('asking the service');
    const access = { ...answers, credentials: { reveal: () => ({ accessKey, secretKey }) } };
    const contact = await contactService({ ...access, requestTimeoutSeconds: 30 }, invocation);
    const { error, skewMs } = contact;
    if (error === undefined) {
      terminal.note('The service accepts the keys and knows the project.');
      if (skewMs !== undefined && Math.abs(skewMs) > NOTABLE_SKEW_MS)
        terminal.warn(`${skewInWords(skewMs)}. Correct it before the first run.`);
      return { answers, night: contact.night };
    }
    if (terminal.ask === undefined) {
      terminal.note('Nothing was written. `--skip-checks` writes the files without asking the service.');
      throw error;
    }
    terminal.warn(error.sentences);
    const { about } = contact;
    if (about === 'keys') found.accessKey = found.secretKey = '';
    else found[about] = '';
  }
}

/** The fault of an answer, as a sentence. */
function faultOf(name: Name, text: string, { allowHttp }: InitOptions): string | undefined {
  if (name === 'accessKey' || name === 'secretKey') {
    const what = `The ${name === 'accessKey' ? 'access' : 'secret'} key`;
    if (text === '') return `${what} is empty.`;
    return /\p{Cc}/u.test(text) ? `${what} holds control characters.` : undefined;
  }
  const { base_url, project_id } = settingsSchema.shape;
  const [rule, what] = name === 'baseUrl' ? [base_url, 'base URL'] : [project_id, 'project ID'];
  const parsed = rule.safeParse(text);
  if (!parsed.success || text === '')
    return `The ${what} ${parsed.error?.issues[0]?.message ?? 'is missing'}.`;
  if (name === 'projectId' || allowHttp === true || !isUnencrypted(text)) return undefined;
  return `${text} uses http, so keys and data would travel unencrypted: use https, or pass --allow-http if you trust the network.`;
}

/** Writes a file as a whole; an existing one is kept under a name that ends with `.bak`. */
async function write(path: string, text: string, { terminal }: Invocation, mode = 0o666): Promise<void> {
  const isSecret = mode !== 0o666;
  await writeFileWhole(path, async (next) => {
    await writeFile(next, text, { mode, flush: true });
    if (isSecret) await chmod(next, mode);
    if (!existsSync(path)) return;
    let copy = `${path}.bak`;
    for (let n = 2; existsSync(copy); n++) copy = `${path}.bak${n}`;
    if (isSecret) await chmod(path, mode);
    await rename(path, copy);
    terminal.note(`Kept the previous file as ${copy}.`);
  });
  terminal.note(`Wrote ${path}${isSecret ? ', readable only by you. Keep it out of version control' : ''}.`);
}

const HEAD = "# The keys of the service's API. Keep this file out of version control.";

/**
 * The content of `.env`: the keys, followed by the other variables of an earlier file.
 *
 * @throws UsageError if a key cannot be written in a way that is read back unchanged
 */
export function envFile(
  { accessKey, secretKey }: Pick<Answers, 'accessKey' | 'secretKey'>,
  earlier = '',
): string {
  const own = /^\s*(?:export\s+)?DAWNLOAD_(?:ACCESS|SECRET)_KEY\s*=/;
  const rest = earlier.split(/\r?\n/).filter((line) => !own.test(line) && line !== HEAD);
  const keys = [`DAWNLOAD_ACCESS_KEY=${quoted(accessKey)}`, `DAWNLOAD_SECRET_KEY=${quoted(secretKey)}`];
  const text = `${[HEAD, ...keys, '', rest.join('\n').trim()].join('\n').trim()}\n`;
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

interface Settings extends Pick<InitOptions, 'allowHttp'>, Pick<Answers, 'baseUrl' | 'projectId'> {
  readonly startDate: Day;
  readonly dataDir: string;
  /** The number of records of the night that the service reported; undefined if it is unknown. */
  readonly records?: number | undefined;
}

/** The content of `dawnload.yaml`. */
export function settingsFile(settings: Settings): string {
  const { baseUrl, allowHttp, projectId, dataDir, startDate, records } = settings;
  const http = allowHttp === true && isUnencrypted(baseUrl);
  // The suggested budget is that of one night and a half, which buys no backlog, and of a month of such nights.
  const budget = Math.ceil(((records ?? 1_000) * 1.5) / 100) * 100;
  const night = records === undefined ? '' : `a night is about ${plural(records, 'record')}`;
  return `# Dawnload: where the data comes from, how much of it, and where it goes.
# docs/configuration.md explains every key. The access keys do not belong here: see .env.

base_url: ${scalar(baseUrl)}
${http ? 'allow_http: true                # keys and data travel unencrypted\n' : ''}project_id: ${scalar(projectId)}

# Words of your service: the one before _user_id and _device_id in export records, and the messenger's.
brand: service
messenger: chatapp

data_dir: ${scalar(dataDir)}
start_date: ${startDate}          # the first KST day the warehouse should hold
lookback_days: 7                # free streams: days pulled again each night, since counts may be restated

privacy:
  recipients: hash              # keep | hash | drop: phone numbers and e-mail addresses of people

# Event exports are billed per record. Without a budget no paid request is ever sent.
# exports:
#   budget:
#     records_per_run: ${budget}       # ${night || 'a night of yours, see `dawnload plan`'}; more buys days that are missing
#     records_per_month: ${budget * 31}
${(records ?? 0) === 0 ? '' : `#   expected_records_per_day: ${records}        # for \`plan\`, until there are statistics\n`}#   start_date: ${startDate}        # the first KST day to export

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

/** A YAML scalar, quoted if YAML would read an unquoted text as another value. */
function scalar(text: string): string {
  return stringify(text, { lineWidth: 0 }).trimEnd();
}
