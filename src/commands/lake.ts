/** `dawnload lake`: sets up the lake, pushes to it, and compares it with the published file. */
import { requireLake, type Config } from '../config/config.js';
import type { Invocation } from '../config/invocation.js';
import { Register } from '../erasure/register.js';
import { listDays } from '../ground/calendar.js';
import { EXIT, type ExitCode } from '../ground/errors.js';
import { DataFolder } from '../night/data-folder.js';
import { Journal } from '../journal/journal.js';
import { LakeState } from '../lake/commits.js';
import { prepareErased, searchDataFiles } from '../lake/erased.js';
import { withLake } from '../lake/lake.js';
import { describePushed, pushLake, type Changes } from '../lake/replicate.js';
import { setUp } from '../lake/setup.js';
import { statusOf, verify } from '../lake/verify.js';
import { formatCount, plural } from '../terminal/terminal.js';
import { keyFingerprint, storedKey } from '../warehouse/privacy.js';
import { showTable, type Command, type JsonOptions, type Options } from './shared.js';

const SHOWN_COMMITS = 5;

/** Number of differences that `lake verify` shows; `--json` returns all of them. */
const SHOWN_DIFFERENCES = 20;

export const lakeSetupCommand: Command<Options<never, 'takeOver' | 'json'>> = async (
  { takeOver = false, json },
  invocation,
) => {
  const config = requireLake(invocation.loadConfig());
  const { effects, terminal, version } = invocation;
  const command = 'lake setup';
  await using folder = await DataFolder.open(config, invocation, { command, needs: 'nothing' });
  const { created, added } = await withLake(config, invocation, async (lake) => {
    terminal.progress('setting up the lake');
    const state = new LakeState(folder.journal, config.lake);
    return setUp({ lake, state, effects, command, version }, takeOver);
  });
  const changed = `${plural(created.length, 'table')} created, ${plural(added, 'column')} added`;
  terminal.note(`The lake ${placeOf(config.lake)} is set up: ${changed}.`);
  terminal.note(
    'Its catalog commits several tables in one step. Each run fills the lake; so does `dawnload lake push`.',
  );
  const { namespace } = config.lake;
  if (json === true) terminal.out(JSON.stringify({ namespace, created: created.length, added }));
  return EXIT.done;
};

function placeOf({ namespace, catalog }: NonNullable<Config['lake']>): string {
  return `${namespace} in warehouse ${catalog.warehouse} of ${catalog.uri}`;
}

export const lakePushCommand: Command<JsonOptions> = async ({ json }, invocation) => {
  const config = requireLake(invocation.loadConfig());
  const { terminal } = invocation;
  await using folder = await DataFolder.open(config, invocation, { command: 'lake push', needs: 'erasures' });
  const commits = await pushLake(config, invocation, folder.journal, 'lake push');
  terminal.note(describePushed(commits));
  if (json === true) terminal.out(JSON.stringify({ commits }));
  return EXIT.done;
};

const showing =
  (isWhole: boolean): Command<JsonOptions> =>
  async ({ json }, invocation) => {
    const config = requireLake(invocation.loadConfig());
    const { terminal } = invocation;
    const status = await withLake(config, invocation, (lake) => statusOf(lake, SHOWN_COMMITS));
    const { commits, coverage, removed, streams, models, onlyInLake } = status;
    if (json === true) {
      const [push, all, only_in_lake] = [streams, models, onlyInLake].map((days) => Object.fromEntries(days));
      const contents = isWhole ? { removed, coverage, commits } : {};
      terminal.out(JSON.stringify({ push, models: all, only_in_lake, ...contents }));
      return EXIT.done;
    }
    if (isWhole) {
      terminal.out(`Lake ${placeOf(config.lake)}`);
      showTable(terminal, coverage);
      if (removed.length > 0)
        terminal.out(`${plural(removed.length, 'day')} of events have left the file: ${listDays(removed)}.`);
    }
    for (const line of planLines(status)) terminal.out(line);
    if (isWhole) showTable(terminal, commits, 'commit_id committed_at command days rows');
    return EXIT.done;
  };

export const lakePlanCommand = showing(false);
export const lakeStatusCommand = showing(true);

function planLines({ streams, models, onlyInLake }: Changes): string[] {
  const lines = [...streams].map(
    ([stream, days]) => `push ${stream} of ${plural(days.length, 'day')}: ${listDays(days)}`,
  );
  const modelDays = [...models.values()].flat().length;
  if (modelDays > 0) lines.push(`push ${plural(modelDays, 'day')} of ${plural(models.size, 'model')}`);
  const commits = plural(Math.max(streams.get('events')?.length ?? 0, 1), 'commit');
  lines.push(
    lines.length === 0
      ? 'All days are in the lake; small tables and marts are compared when pushing.'
      : `in ${commits}; small tables and marts that changed are part of the last one`,
  );
  const kept = [...onlyInLake].map(
    ([stream, days]) =>
      `${stream} of ${plural(days.length, 'day')} are in the lake and not in the file, and stay there: ${listDays(days)}`,
  );
  return [...lines, ...kept];
}

export const lakeVerifyCommand: Command<Options<never, 'erased' | 'json'>> = async (options, invocation) => {
  const config = requireLake(invocation.loadConfig());
  const { terminal } = invocation;
  if (options.erased === true) return verifyErased(config, options, invocation);
  const { tables, differences, unpushed } = await withLake(config, invocation, (lake) =>
    verify(lake, (table) => {
      terminal.progress(`comparing ${table}`);
    }),
  );
  if (options.json === true) terminal.out(JSON.stringify({ tables, differences, not_pushed: unpushed }));
  else {
    showTable(terminal, tables);
    showTable(terminal, differences.slice(0, SHOWN_DIFFERENCES), 'table date file_rows lake_rows');
  }
  const lacks = `The lake lacks ${plural(unpushed.length, 'day')} of the file: ${listDays(unpushed)}. Run \`dawnload lake push\` to add them.`;
  if (unpushed.length > 0) terminal.warn(lacks);
  const differ = `${plural(differences.length, 'day')} of tables differ. If the file is right, run \`dawnload lake push\`; if that finds nothing to push, see docs/scale.md.`;
  if (differences.length > 0) terminal.warn(differ);
  if (differences.length + unpushed.length > 0) return EXIT.incomplete;
  terminal.note(
    `The lake equals the published file: ${plural(tables.length, 'table')} compared, day by day.`,
  );
  return EXIT.done;
};

async function verifyErased(
  config: ReturnType<typeof requireLake>,
  { json }: JsonOptions,
  invocation: Invocation,
): Promise<ExitCode> {
  const { effects, terminal } = invocation;
  // Searching takes no lock, so it must not create a key.
  const key = await storedKey(config.dataDir);
  const { ids } = new Register(await Journal.read(config, effects), keyFingerprint(key));
  const { tables, files, holding } = await withLake(config, invocation, async (lake) => {
    await prepareErased(lake, config, { key, ids });
    return searchDataFiles(lake, (table) => {
      terminal.progress(`searching the data files of ${table}`);
    });
  });
  if (json === true) terminal.out(JSON.stringify({ tables, files, holding }));
  const searched = plural(files, 'data file');
  if (holding.length === 0) {
    terminal.note(
      `Erased persons: none found in ${searched} of ${plural(tables, 'table')}, including those without a snapshot.`,
    );
    return EXIT.done;
  }
  for (const { table, file, ids, current } of holding.slice(0, SHOWN_DIFFERENCES)) {
    const gone = 'no longer referenced; expiry and the removal of orphans delete it';
    const why = current ? 'compaction rewrites it' : gone;
    terminal.warn(`${file} of ${table} has ${plural(ids, 'id')} of erased persons (${why}).`);
  }
  terminal.warn(
    `${formatCount(holding.length)} of ${searched} still have erased persons. Run \`dawnload lake push\`, then the upkeep of docs/scale.md (compaction, expiry, removal of orphans), and this again.`,
  );
  return EXIT.incomplete;
}
