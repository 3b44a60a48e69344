/** `dawnload demo`: runs the nightly job against the embedded sandbox and shows what a newcomer can take in of it. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { z } from 'zod';
import { lastCompleteDay, shiftDay, type Day } from '../calendar.js';
import { loadConfig } from '../config.js';
import { EXIT, type ExitCode } from '../errors.js';
import { dataFiles } from '../storage/paths.js';
import { startSandbox } from '../../sandbox/index.js';
import { bundledQuery } from '../queries/catalogue.js';
import { rowsOf } from '../queries/ask.js';
import { Page } from '../report/page.js';
import { count, number, rows, sum, text } from '../report/part.js';
import { drawTable } from '../terminal/table.js';
import { formatCount, plural, type Terminal } from '../terminal/terminal.js';
import { quoteShell } from '../terminal/text.js';
import { Reader } from '../warehouse/reader.js';
import type { Invocation } from '../run/invocation.js';
import { queryCommand } from './query.js';
import { runCommand } from './run.js';
import { showTables } from './published.js';

const FOLDER = 'demo';
/** Four weeks of free data, so that weeks can be compared, and one week of billed data. */
const DAYS = 28;
const EVENT_DAYS = 7;
const EVENTS_PER_DAY = 20_000;
const SHOWN = ['channel-summary', 'campaign-performance', 'ab-tests'];

/** Keys of the embedded sandbox, which exists only in this process. */
const KEYS = { accessKey: 'demo-access-key', secretKey: 'demo-secret-key' };
const PROJECT = '0123456789abcdef0123456789abcdef';

export async function demoCommand(invocation: Invocation): Promise<ExitCode> {
  const { terminal, effects } = invocation;
  const folder = resolve(FOLDER);
  const now = effects.now();
  await rm(resolve(folder, 'data'), { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const sandbox = await startSandbox({
    now: () => effects.now(),
    eventsPerDay: EVENTS_PER_DAY,
    projectId: PROJECT,
    ...KEYS,
  });
  try {
    terminal.note(
      `The sandbox answers on ${sandbox.url} with about ${formatCount(EVENTS_PER_DAY)} events a day.`,
    );
    const file = resolve(folder, 'dawnload.yaml');
    await writeFile(file, settings(sandbox.url, lastCompleteDay(now)));
    const environment = { DAWNLOAD_ACCESS_KEY: KEYS.accessKey, DAWNLOAD_SECRET_KEY: KEYS.secretKey };
    const flags = { config: file };
    const demo: Invocation = {
      ...invocation,
      flags,
      loadConfig: () => loadConfig(flags, environment, folder),
    };

    const exitCode = await runCommand({}, demo);
    if (exitCode !== EXIT.done) return exitCode;
    const billed = sandbox.bills().reduce((sum, { records }) => sum + records, 0);
    terminal.note(`The sandbox billed ${sandbox.bills().length} exports, ${formatCount(billed)} records.`);

    const { published, report } = dataFiles(demo.loadConfig().dataDir);
    if (invocation.flags.verbose === true) {
      await showTables(published, terminal);
      for (const name of SHOWN) await queryCommand({ name, limit: 12 }, demo);
    }
    const reader = await Reader.open(published);
    try {
      await showResults(reader, terminal);
    } finally {
      await reader.close();
    }
    const place = `--config ${quoteShell(relative('', file))}`;
    terminal.out('');
    terminal.out(`The report, for a browser: ${report}`);
    terminal.out('Try next (--verbose would have shown every table, and three whole answers):');
    terminal.out(`  npx dawnload query campaigns-to-watch ${place}`);
    terminal.out(`  npx dawnload query ${place}   # lists all questions`);
    terminal.out('  npx dawnload init   # sets up your own account');
    return EXIT.done;
  } finally {
    await sandbox.close();
  }
}

const answers = z.object({
  measures: rows({
    channel_or_campaign: text,
    measure: text,
    value: number,
    previous: number,
    days_missing: count,
    previous_days_missing: count,
  }),
  campaigns: rows({ campaign_name: text, sent: count, clicked: number, click_rate: number }),
  variants: rows({
    campaign_id: text,
    campaign_name: text,
    metric: text,
    variant_name: text,
    unit: text,
    size: count,
    rate: number,
    verdict_code: text,
    verdict: text,
  }),
});

/** The width of the widest table in columns, and the number of rows of the longest. */
const WIDEST = 100;
const LONGEST = 10;
const TOP = 5;

/** Prints three results, each as a sentence and a small table: the last week, the most clicked campaigns, the A/B tests. */
export async function showResults(
  reader: Reader,
  terminal: Pick<Terminal, 'out' | 'draw' | 'width' | 'color'>,
): Promise<void> {
  const { measures, campaigns, variants } = answers.parse({
    measures: await rowsOf(reader, bundledQuery('period-comparison')),
    campaigns: await rowsOf(reader, bundledQuery('top-campaigns')),
    variants: await rowsOf(reader, bundledQuery('ab-tests')),
  });
  const page = new Page('en', undefined, '');
  const show = async (sentence: string, heads: string[], cells: readonly string[][]): Promise<void> => {
    const columns = heads.map((name, i) => ({
      name,
      numeric: cells.every((row) => /^[\d–]/.test(row[i] ?? '')),
    }));
    const width = Math.min(terminal.width ?? WIDEST, WIDEST);
    terminal.out('');
    terminal.out(sentence);
    terminal.draw(await drawTable(columns, cells.slice(0, LONGEST), { width, color: terminal.color }));
  };

  const sent = measures.filter(({ measure }) => measure === 'sent');
  const total = sum(sent.map(({ value }) => value ?? 0));
  const before = sum(sent.map(({ previous }) => previous ?? 0));
  const isCompared = before > 0 && sent.every((row) => row.days_missing + row.previous_days_missing === 0);
  const change = Math.abs(total / before - 1);
  const compared = isCompared
    ? `, ${page.rate(change)} ${total < before ? 'fewer' : 'more'} than in the week before`
    : '';
  await show(
    `Sent ${page.count(total)} messages in the last seven days${compared}.`,
    ['channel', 'sent', 'week before', 'failed', 'clicked'],
    sent.map(({ channel_or_campaign: channel, value, previous }) => {
      const rate = (wanted: string): string =>
        page.rate(
          measures.find((row) => row.channel_or_campaign === channel && row.measure === wanted)?.value ??
            null,
        );
      return [channel, page.count(value), page.count(previous), rate('failure_rate'), rate('click_rate')];
    }),
  );

  const [best] = campaigns;
  const most =
    best &&
    `“${best.campaign_name}” was clicked most in the last 28 days: ${page.count(best.clicked)} clicks, ${page.rate(best.click_rate)} of its messages.`;
  await show(
    most ?? 'No campaign was clicked in the last 28 days.',
    ['campaign', 'sent', 'clicked', 'click rate'],
    campaigns
      .slice(0, TOP)
      .map((row) => [
        row.campaign_name,
        page.count(row.sent),
        page.count(row.clicked),
        page.rate(row.click_rate),
      ]),
  );

  // The baseline has no verdict of its own, and conversions have none without `conversions_per_person`.
  const compares = variants.filter(
    ({ metric, verdict_code }) => metric === 'click' && verdict_code !== 'baseline',
  );
  const isDecided = ({ verdict_code }: { verdict_code: string }): boolean =>
    /^(better|worse)$/.test(verdict_code);
  const decided = compares.filter(isDecided);
  const tests = (of: typeof variants): number => new Set(of.map((row) => row.campaign_id)).size;
  const [first] = decided;
  const example = first && `; in “${first.campaign_name}” ${first.verdict.replace(/(?<=%)\.(?: .*)?$/, '')}`;
  await show(
    `A/B tests of clicks: ${tests(decided)} of ${tests(compares)} decided${example ?? ''}.`,
    ['campaign', 'variant', 'in it', 'click rate', 'verdict'],
    [...decided, ...compares.filter((row) => !isDecided(row))].map((row) => [
      row.campaign_name,
      row.variant_name,
      plural(row.size, row.unit).replace('persons', 'people'),
      page.rate(row.rate),
      row.verdict_code.replaceAll('_', ' '),
    ]),
  );
}

function settings(baseUrl: string, last: Day): string {
  return `# The demo's settings: what \`dawnload init\` writes, pointed at the embedded sandbox.
base_url: ${baseUrl}
project_id: ${PROJECT}
data_dir: ./data
start_date: ${shiftDay(last, 1 - DAYS)}
requests_per_second: 500
reference:
  catalogs: true
  brand_templates:
    sender_keys: [9f2c4e6a8b0d1f3e5a7c, 4b7d9e1a2c5f80361d9e, c0ffee5e11e70000beef]
  alimtalk_templates: true
  opt_outs: true
exports:
  start_date: ${shiftDay(last, 1 - EVENT_DAYS)}
  budget:
    records_per_run: 1000000
    records_per_month: 1000000
  price_per_record: 0.1
`;
}
