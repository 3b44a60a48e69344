/** `dawnload init`: asks for the settings, tests them against the service, and writes `dawnload.yaml` and `.env`. */
import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import type { Config } from '../config.js';
import { readDotEnv } from '../config/files.js';
import { CredentialsError, DawnloadError, EXIT, ServiceError, UsageError, type ExitCode } from '../errors.js';
import type { Invocation } from '../invocation.js';
import { quoteShell } from '../terminal/text.js';
import {
  type Answers,
  type Keys,
  interview,
  envFile,
  assertRight,
  readGiven,
  requireAnswers,
  type Given,
  type GivenTexts,
  tellMoney,
  tellNight,
  settingsFile,
  tryAnswers,
  tryConnection,
  assertWritable,
  writeFiles,
  type NewFile,
} from '../operations/init.js';

export interface InitOptions extends Omit<GivenTexts, 'accessKey' | 'secretKey'> {
  readonly force?: boolean;
  readonly skipChecks?: boolean;
}

/** The paths of the files, and the existing files at these paths. */
interface Place {
  readonly yaml: string;
  readonly env: string;
  /** The keys in the existing `.env`. */
  readonly written: { readonly accessKey: string | undefined; readonly secretKey: string | undefined };
}

export async function initCommand(
  folder: string,
  options: InitOptions,
  invocation: Invocation,
): Promise<ExitCode> {
  const { terminal, environment } = invocation;
  const place = look(folder, options, invocation);
  const keys = {
    accessKey: set(environment['DAWNLOAD_ACCESS_KEY']) ?? place.written.accessKey,
    secretKey: set(environment['DAWNLOAD_SECRET_KEY']) ?? place.written.secretKey,
  };
  const texts = {
    baseUrl: options.baseUrl ?? set(environment['DAWNLOAD_BASE_URL']),
    projectId: options.projectId ?? set(environment['DAWNLOAD_PROJECT_ID']),
  };
  const answers = await answersOf({ ...options, ...texts, ...keys }, invocation, place);

  const kept = write(place, folder, answers, invocation);
  for (const copy of kept) terminal.note(`Kept the previous file as ${copy}.`);
  tellNext(invocation);
  return EXIT.done;
}

const NEXT = [
  ['doctor', 'checks everything that a night depends on'],
  ['plan', 'shows what a run would request, and its price; sends nothing'],
  ['run', 'runs the nightly job once'],
  ['schedule', 'runs it every night; for systemd, cron, Kubernetes: docs/operations.md'],
] as const;

function tellNext({ flags, terminal }: Invocation): void {
  const { config } = flags;
  const given = config === undefined ? '' : ` --config ${quoteShell(config)}`;
  const lines = NEXT.map(([command, what]) => ({
    command: `dawnload ${command}${given}`,
    what,
  }));
  const width = Math.max(...lines.map(({ command }) => command.length));
  terminal.note('Next:');
  for (const { command, what } of lines) terminal.note(`  ${command.padEnd(width)}  ${what}`);
}

/**
 * Checks the target folder before any question is asked.
 *
 * @throws UsageError if a file would be overwritten
 * @throws StorageError if the folder is not writable
 */
function look(folder: string, { force }: InitOptions, { flags, environment }: Invocation): Place {
  const yaml = resolve(folder, flags.config ?? 'dawnload.yaml');
  // The .env must be in the folder of the settings file; no other .env is read.
  const env = resolve(dirname(yaml), '.env');
  if (existsSync(yaml) && force !== true) {
    throw new UsageError(`${yaml} exists already.`, {
      hint: 'Edit it, or replace it with --force, which keeps the old one as a copy.',
    });
  }
  assertWritable(dirname(yaml));
  const there = readDotEnv(dirname(yaml));
  const written = {
    accessKey: set(there['DAWNLOAD_ACCESS_KEY']),
    secretKey: set(there['DAWNLOAD_SECRET_KEY']),
  };
  const other = (name: 'DAWNLOAD_ACCESS_KEY' | 'DAWNLOAD_SECRET_KEY', now: string | undefined): boolean =>
    now === undefined || (set(environment[name]) ?? now) !== now;
  if (
    existsSync(env) &&
    force !== true &&
    (other('DAWNLOAD_ACCESS_KEY', written.accessKey) || other('DAWNLOAD_SECRET_KEY', written.secretKey))
  ) {
    throw new UsageError(`${env} exists already and does not hold these keys.`, {
      hint: 'Edit it, or let --force put the keys into it, which keeps its other lines and a copy of the old file.',
    });
  }
  return { yaml, env, written };
}

async function answersOf(
  options: InitOptions & GivenTexts,
  invocation: Invocation,
  place: Place,
): Promise<Answers> {
  const { terminal, signal, effects } = invocation;
  const { given, wrong } = readGiven(options, effects.now());
  const allowHttp = options.allowHttp === true;
  const skipChecks = options.skipChecks === true;
  const questions = terminal.questions(signal);
  if (questions === undefined) {
    const answers = requireAnswers(given, options, wrong);
    return skipChecks ? answers : check(answers, invocation);
  }
  assertRight(wrong);
  terminal.note(
    `This writes ${place.yaml} and ${place.env}. Enter takes the grey answer; Ctrl-C writes nothing.`,
  );
  if (given.accessKey !== undefined || given.secretKey !== undefined)
    terminal.note('The keys of the environment or of .env are used.');
  const earlier = existsSync(place.yaml) ? earlierAnswers(invocation) : {};
  return await interview({ given, earlier, allowHttp, skipChecks }, questions, invocation);
}

/**
 * Tests the answers against the service.
 *
 * @returns the answers, with the size of a night if the service reports it
 * @throws CredentialsError, ServiceError if the service refuses the answers
 */
async function check(answers: Answers, invocation: Invocation): Promise<Answers> {
  const { terminal, signal, effects } = invocation;
  const doubt = await tryConnection(answers.baseUrl, signal);
  const { result, skewMs } =
    doubt === undefined ? await tryAnswers(answers, invocation) : { result: { doubt }, skewMs: undefined };
  if ('doubt' in result) {
    const { error } = result.doubt;
    const Same = error instanceof CredentialsError ? CredentialsError : ServiceError;
    throw new Same(error.message, {
      hint: `${error.hint ?? ''} Nothing was written; with --skip-checks the files are written without asking the service.`,
      cause: error,
    });
  }
  tellNight(result.night, skewMs, terminal);
  const complete = { ...answers, recordsPerDay: result.night.records };
  tellMoney(complete, effects.now(), terminal);
  return complete;
}

/** The answers in the existing settings, which will be replaced. */
function earlierAnswers(invocation: Invocation): Given {
  let config: Config;
  try {
    config = invocation.loadConfig();
  } catch (error) {
    // Unreadable settings do not stop `init`, which replaces them.
    if (error instanceof DawnloadError) return {};
    throw error;
  }
  const { baseUrl, projectId, startDate, exports } = config;
  const pricePerRecord = exports.pricePerRecord === 0 ? undefined : exports.pricePerRecord;
  return { baseUrl, projectId, startDate, ...exports.budget, pricePerRecord };
}

/**
 * Writes the files.
 *
 * @returns the names of the backup copies of the replaced files
 */
function write(
  { yaml, env, written }: Place,
  folder: string,
  answers: Answers,
  { flags, terminal }: Invocation,
): string[] {
  const dataDir = dataDirFor(yaml, folder, flags.dataDir);
  const files: NewFile[] = [{ path: yaml, text: settingsFile({ ...answers, dataDir }), mode: undefined }];
  const keep = existsSync(env) && sameKeys(written, answers.keys);
  if (!keep) {
    const earlier = existsSync(env) ? readFileSync(env, 'utf8') : '';
    // The keys are written first: settings without keys are useless, while keys without settings are harmless.
    files.unshift({ path: env, text: envFile(answers.keys, earlier), mode: 0o600 });
  }
  const copies = writeFiles(files);
  terminal.note(`Wrote ${yaml}.`);
  if (!keep) terminal.note(`Wrote ${env}, readable only by you. Keep it out of version control.`);
  else if ((statSync(env).mode & 0o077) === 0) terminal.note(`Kept ${env}.`);
  else {
    chmodSync(env, 0o600);
    terminal.note(`Kept ${env}, which others could read; now it is readable only by you.`);
  }
  return copies;
}

function sameKeys({ accessKey, secretKey }: Place['written'], keys: Keys): boolean {
  return accessKey === keys.accessKey && secretKey === keys.secretKey;
}

/**
 * The data folder for the settings file. A relative path in the file is relative to the file; on the command line it is
 * relative to the working folder.
 */
function dataDirFor(yaml: string, folder: string, flag: string | undefined): string {
  if (flag === undefined) return './data';
  const path = resolve(folder, flag);
  if (flag === path) return path;
  const inner = relative(dirname(yaml), path);
  return inner.startsWith('..') ? inner : `./${inner}`;
}

function set(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === '' ? undefined : value.trim();
}
