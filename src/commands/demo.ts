/** `dawnload demo`: runs the nightly job against the embedded sandbox and shows the content of the warehouse. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { lastCompleteDay, shiftDay, type Day } from '../calendar.js';
import { loadConfig } from '../config.js';
import { EXIT, type ExitCode } from '../errors.js';
import { dataFiles } from '../storage/paths.js';
import { startSandbox } from '../../sandbox/index.js';
import { formatCount } from '../terminal/terminal.js';
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
    await showTables(published, terminal);
    for (const name of SHOWN) await queryCommand({ name, limit: 12 }, demo);
    terminal.out(`The warehouse is ${published}; open it with any DuckDB client, or:`);
    terminal.out(`  npx dawnload query --config ${file}`);
    terminal.out(`The report on it is ${report}; open it in a browser.`);
    return EXIT.done;
  } finally {
    await sandbox.close();
  }
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
