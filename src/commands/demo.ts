/** `dawnload demo` and `dawnload sandbox`: the embedded sandbox, with or without the nightly job. */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { startSandbox } from '../../sandbox/index.js';
import { groupsCsv, ordersCsv, ordersOf } from '../../sandbox/world/orders.js';
import { faultForDuckdb, loadConfig } from '../config/config.js';
import { readText } from '../config/files.js';
import { STREAMS } from '../streams/index.js';
import { dayOf, daysOf, lastCompleteDay, shiftDay } from '../ground/calendar.js';
import { codeOf, ConfigError, EXIT, messageOf, UsageError } from '../ground/errors.js';
import { dataFiles } from '../disk/paths.js';
import { answerAndSentences } from '../readers/queries/ask.js';
import { fromTemplate } from '../readers/queries/contracts.js';
import { questionNamed } from '../readers/queries/catalogue.js';
import type { Said } from '../readers/queries/sentences.js';
import { Wording } from '../readers/queries/wording.js';
import { formatCount, type Terminal } from '../terminal/terminal.js';
import { quoteShell } from '../ground/text.js';
import { Reader } from '../warehouse/reader.js';
import { runCommand } from './run.js';
import type { Command } from './shared.js';

const FOLDER = 'demo';
/** Four weeks of free data, so that you can compare weeks, and one week of billed data. */
const DAYS = 28;
const EVENT_DAYS = 7;
const EVENTS_PER_DAY = 20_000;
/** A tenth of the shop's members gets no messages; `othersPerEvent` are orders that people make without a message. */
const SHOP = { eventsPerDay: EVENTS_PER_DAY, heldOut: 2222, othersPerEvent: 1 / 80 };

const KEYS = { accessKey: 'sandbox-access-key', secretKey: 'sandbox-secret-key' };
const PROJECT = '0123456789abcdef0123456789abcdef';
const ENVIRONMENT = { DAWNLOAD_ACCESS_KEY: KEYS.accessKey, DAWNLOAD_SECRET_KEY: KEYS.secretKey };

interface SandboxFlags extends Record<'port' | 'eventsPerDay' | 'exportSeconds', number> {
  readonly billingJournal?: string;
}

export const sandboxCommand: Command<SandboxFlags> = async (flags, invocation) => {
  const { terminal, effects, signal } = invocation;
  const settings = { ...flags, projectId: PROJECT, ...KEYS, now: () => effects.now() };
  const sandbox = await startSandbox(settings).catch((cause: unknown) => {
    if (codeOf(cause) === undefined) throw cause;
    throw new UsageError(`The sandbox cannot start (${messageOf(cause)}).`, {
      hint: 'Choose another --port, such as 0 for any free one, or another --billing-journal.',
      cause,
    });
  });
  // The environment of a job that uses the sandbox, for `eval "$(…)"` or for a program that reads the lines.
  const variables = { DAWNLOAD_BASE_URL: sandbox.url, DAWNLOAD_PROJECT_ID: PROJECT, ...ENVIRONMENT };
  for (const [name, value] of Object.entries(variables)) terminal.out(`${name}=${value}`);
  const size = `about ${formatCount(flags.eventsPerDay)} events a day`;
  terminal.note(`The sandbox answers on ${sandbox.url} with ${size}. Press Ctrl-C to stop it.`);
  if (!signal.aborted) await once(signal, 'abort');
  await sandbox.close();
  return EXIT.done;
};

export const demoCommand: Command = async (_, invocation) => {
  const { terminal, effects, flags } = invocation;
  if ((flags.settingsFile ?? flags.dataDir) !== undefined)
    throw new UsageError('The demo uses its own settings and data folder, in ./demo.', {
      hint: 'Leave out --config and --data-dir, or start it in another folder.',
    });
  const folder = resolve(FOLDER);
  const unusable = faultForDuckdb(folder);
  if (unusable !== undefined) throw unusable;
  const now = effects.now();
  await assertOfDemo(folder);
  await rm(resolve(folder, 'data'), { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const own = { projectId: PROJECT, eventsPerDay: EVENTS_PER_DAY, ...KEYS };
  const sandbox = await startSandbox({ ...own, now: () => effects.now() });
  try {
    const size = `about ${formatCount(EVENTS_PER_DAY)} events a day`;
    terminal.note(`The sandbox answers on ${sandbox.url} with ${size}.`);
    const file = resolve(folder, 'dawnload.yaml');
    const last = lastCompleteDay(now);
    const values = {
      base_url: sandbox.url,
      project_id: PROJECT,
      start_date: shiftDay(last, 1 - DAYS),
      first_export: shiftDay(last, 1 - EVENT_DAYS),
    };
    await writeFile(file, fromTemplate('examples/demo.yaml', values));
    const days = daysOf({ start: values.start_date, end: last });
    const orders = ordersOf(SHOP, days).filter(({ orderedAt }) => dayOf(orderedAt) <= last);
    await writeFile(resolve(folder, 'groups.csv'), groupsCsv(SHOP.heldOut, values.start_date));
    await writeFile(resolve(folder, 'orders.csv'), ordersCsv(orders));
    const config = loadConfig(STREAMS, { settingsFile: file }, ENVIRONMENT, folder);
    const demo = { ...invocation, flags: { settingsFile: file }, loadConfig: () => config };
    const exitCode = await runCommand({}, demo);
    if (exitCode !== EXIT.done) return exitCode;
    const billed = sandbox.bills().reduce((sum, { records }) => sum + records, 0);
    terminal.note(`The sandbox billed ${sandbox.bills().length} exports, ${formatCount(billed)} records.`);

    const { published, report } = dataFiles(config.dataDir);
    await Reader.using(published, (reader) => showResults(reader, terminal, now));
    const place = `--config ${quoteShell(relative('', file))}`;
    terminal.out('');
    terminal.out(`The report, for a browser: ${report}`);
    terminal.out('Try next:');
    terminal.out(`  npx dawnload explore --open ${place}   # questions and charts in a browser`);
    terminal.out(`  npx dawnload query campaigns-to-watch ${place}`);
    terminal.out(`  npx dawnload query attribution ${place}   # purchases after messages`);
    terminal.out(`  npx dawnload query uplift ${place}   # what messages earned`);
    terminal.out(`  npx dawnload query ${place}   # lists all questions`);
    terminal.out('  npx dawnload init   # sets up your own account');
    return EXIT.done;
  } finally {
    await sandbox.close();
  }
};

/** Throws ConfigError if the folder has anything that is not from an earlier demo. */
async function assertOfDemo(folder: string): Promise<void> {
  const entries = await readdir(folder).catch((error: unknown) =>
    codeOf(error) === 'ENOENT' ? [] : [FOLDER],
  );
  const settings = resolve(folder, 'dawnload.yaml');
  const text = existsSync(settings) ? readText(settings) : '';
  const isOurs = /^# The demo's settings: .*\nbase_url: http:\/\/127\.0\.0\.1:\d+\nproject_id: (\w+)\n/.exec(
    text,
  );
  if (entries.length > 0 && isOurs?.[1] !== PROJECT)
    throw new ConfigError(`${folder} contains files that are not from a demo. Nothing was changed.`, {
      hint: 'Move it away, or start `dawnload demo` in another folder.',
    });
}

const RESULTS = [
  'uplift',
  'key-figures',
  'campaigns-to-watch',
  'ab-tests',
  'opt-outs-after-messages',
  'refused-templates',
];

export async function showResults(reader: Reader, terminal: Pick<Terminal, 'out'>, now: Date): Promise<void> {
  const wording = new Wording('en');
  const said: Said[] = [];
  for (const name of RESULTS) {
    const answer = await answerAndSentences(reader, questionNamed(name, { lang: 'en' }, now), wording);
    said.push(...answer.said);
  }
  const texts = (...roles: readonly Said['as'][]): string[] =>
    said.filter(({ as }) => roles.includes(as)).map(({ text }) => text);
  terminal.out('');
  terminal.out(texts('sentence').join(' '));
  for (const text of texts('finding')) terminal.out(`- ${text}`);
  const toDo = texts('to do');
  if (toDo.length > 0) terminal.out('What to do:');
  for (const text of toDo) terminal.out(`- ${text}`);
}
