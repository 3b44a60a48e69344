/** What the lake must bear, step by step; each returns what was seen, in a few words. */
import { lastCompleteDay, shiftDay } from '../../src/ground/calendar.js';
import { LAKE_POINTS } from '../support/points.js';
import { Chance } from '../torture/chance.js';
import { DAY_MS } from '../torture/trial.js';
import { askAll, type Asked, type Compared, isEqual } from './compare.js';
import { isCommit, type LakeTrial, NAMESPACE, RESTATED } from './trial.js';
import { type Spark, upkeep } from './spark.js';

export interface Extent {
  readonly seed: number;
  /** Days of the backfill. */
  readonly days: number;
  /** Kills of the push of these days, at random moments. */
  readonly kills: number;
  /** Whether everything is compared after each step, and not only in the end. */
  readonly thorough: boolean;
}

/** An analyst on Spark who looks at the lake all the time: a day of events is there whole, as its coverage says, or not at all. */
class LakeReader {
  readonly #spark: Spark;
  readonly #namespace: string;
  #stopped = false;
  #loop: Promise<void> | undefined;
  looks = 0;
  /** The most days that were new between two looks. */
  readonly found: string[] = [];

  constructor(spark: Spark, namespace: string) {
    this.#spark = spark;
    this.#namespace = namespace;
  }

  start(): void {
    this.#stopped = false;
    this.#loop = (async () => {
      while (!this.#stopped) await this.look();
    })();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#loop;
  }

  /**
   * An engine resolves tables one by one, so commits may come between: what is told of a day before or after is right for
   * its events in between. Of a day that nothing is told of, there are none.
   */
  async look(): Promise<void> {
    const before = await this.#coverage();
    const events = await this.#count(
      `select export_date as date, count(*) as rows from lake.${this.#namespace}.events group by export_date`,
    );
    const after = await this.#coverage();
    this.looks++;
    for (const day of new Set([...before.keys(), ...events.keys(), ...after.keys()])) {
      const rows = events.get(day) ?? 0;
      const told = [before.get(day) ?? 0, after.get(day) ?? 0];
      if (!told.includes(rows))
        this.found.push(`${day} has ${rows} events, and should have ${told.join(' or ')}`);
    }
  }

  #coverage(): Promise<Map<string, number>> {
    return this.#count(`select date, rows from lake.${this.#namespace}_ops.coverage where stream = 'events'`);
  }

  async #count(sql: string): Promise<Map<string, number>> {
    const rows = await this.#spark.ask(sql);
    return new Map(rows.map((row) => [String(row['date']), Number(row['rows'])]));
  }
}

type Step = (lake: LakeTrial, extent: Extent) => Promise<string>;

const PUSH = ['lake', 'push'];
/** Points of a push that it passes before it asks the catalog to commit. */
const BEFORE = LAKE_POINTS.slice(0, LAKE_POINTS.indexOf('lake/before-commit') + 1);
const AFTER = LAKE_POINTS.slice(BEFORE.length);

const firstNight: Step = async (lake) => {
  await lake.configure();
  await lake.expect(0, ['run']);
  await lake.configure({});
  const early = await lake.expect(2, PUSH);
  lake.assert(early.stderr.includes('dawnload lake setup'), 'nobody is told of the set-up', early);
  const { stderr } = await lake.expect(0, ['lake', 'setup']);
  await lake.examine(/lacks \d+ days of the published file/);
  await lake.expect(0, PUSH);
  await lake.examine(/has all days of the published file/);
  await lake.expect(0, ['lake', 'verify']);
  return /\d[\d,]* tables? created/.exec(stderr)?.[0] ?? '';
};

/** As `run` pushes by itself. The service gives other counts of a day than the night before. */
const secondNight: Step = async (lake, { thorough }) => {
  const before = (await lake.commits()).length;
  lake.trial.clock.shift(DAY_MS);
  await lake.expect(0, ['run']);
  if (thorough) await lake.expect(0, ['lake', 'verify']);
  const commits = (await lake.commits()).length - before;
  lake.assert(commits === 1, `a night is ${commits} commits`);
  const [row] = await lake.spark.ask(
    `select count(*) as counters, max(date) as date from lake.${NAMESPACE}_marts.restated_days`,
  );
  lake.assert(row?.['date'] === RESTATED, 'no restatement has come to the lake');
  return `one commit; Spark sees ${String(row?.['counters'])} counters of ${RESTATED} restated`;
};

const killedAtEachPoint: Step = async (lake, { thorough }) => {
  const killAt = async (point: string): Promise<void> => {
    const result = await lake.run(PUSH, { DAWNLOAD_CRASH_AT: point });
    lake.assert(result.signal === 'SIGKILL', `the push does not come by ${point}`, result);
  };
  const before = (await lake.commits()).length;
  await lake.night();
  for (const point of BEFORE) await killAt(point);
  lake.assert((await lake.commits()).length === before, 'a push killed before its commit has committed');
  for (const [i, point] of AFTER.entries()) {
    if (i > 0) await lake.night();
    await killAt(point);
    lake.assert((await lake.commits()).length === before + i + 1, `killed at ${point} it has not committed`);
    // Finds its commit and goes on from there.
    await lake.expect(0, PUSH);
  }
  if (thorough) await lake.expect(0, ['lake', 'verify']);
  const commits = (await lake.commits()).length - before;
  lake.assert(commits === AFTER.length, `${AFTER.length} nights are ${commits} commits`);
  return `${LAKE_POINTS.length} kills, ${commits} nights, each one commit`;
};

const backfill: Step = async (lake, { seed, days, kills, thorough }) => {
  await lake.configure();
  const end = '2026-11-17';
  const range = ['--start', shiftDay(end, 1 - days), '--end', end];
  await lake.expect(0, ['backfill', ...range, '--streams', 'events', '--yes-paid']);
  await lake.configure({});
  const before = (await lake.commits()).length;
  const chance = new Chance(seed);
  const reader = new LakeReader(lake.spark, NAMESPACE);
  reader.start();
  let killed = 0;
  try {
    for (let left = kills; left > 0; left--) {
      const result = await lake.runUntil(1_000 + chance.below(4_000), PUSH);
      if (result.signal === 'SIGKILL') killed++;
    }
    await lake.expect(0, PUSH);
  } finally {
    await reader.stop();
  }
  lake.assert(reader.found.length === 0, `a reader on Spark: ${reader.found.join('; ')}`);
  if (thorough) await lake.expect(0, ['lake', 'verify']);
  const commits = (await lake.commits()).length - before;
  lake.assert(commits === days, `${days} days are ${commits} commits`);
  return `${days} days, ${commits} commits, ${killed} kills at random; ${reader.looks} looks by Spark meanwhile, no day half`;
};

/** Somebody else commits to the same tables between the push's reading and its commit. */
const conflict: Step = async (lake) => {
  await lake.night();
  const before = (await lake.commits()).length;
  const coverage = `lake.${NAMESPACE}_ops.coverage`;
  const statuses: number[] = [];
  lake.proxy.interfere = async (request, pass) => {
    if (!isCommit(request)) return pass();
    if (statuses.length === 0) {
      await lake.spark.ask(
        `insert into ${coverage} (stream, date, rows) values ('somebody', date '2026-01-01', 0)`,
      );
    }
    const answer = await pass();
    statuses.push(answer.status);
    return answer;
  };
  const refused = await lake.expect(75, PUSH);
  lake.proxy.interfere = undefined;
  lake.assert(statuses.includes(409), `the catalog answered ${statuses.join(', ')}, not 409`, refused);
  lake.assert((await lake.commits()).length === before, 'a refused commit is there');
  await lake.spark.ask(`delete from ${coverage} where stream = 'somebody'`);
  return 'answered 409, exit 75, nothing changed';
};

/** The answer to a commit never comes: once it is only lost, once nothing can be asked after it either. */
const lostAnswer: Step = async (lake, { thorough }) => {
  const before = (await lake.commits()).length;
  let lost = 0;
  lake.proxy.interfere = async (request, pass) => {
    const answer = await pass();
    return isCommit(request) && lost++ === 0 ? undefined : answer;
  };
  // What the conflict left.
  await lake.expect(0, PUSH);
  lake.assert(lost > 0, 'no answer was lost');
  await lake.night();
  let isGone = false;
  lake.proxy.interfere = async (request, pass) => {
    if (isGone) return undefined;
    const answer = await pass();
    isGone = isCommit(request);
    return isGone ? undefined : answer;
  };
  const unknown = await lake.run(PUSH);
  lake.proxy.interfere = undefined;
  lake.assert(
    unknown.code !== 0 && unknown.stderr.includes('it is unknown'),
    'nobody is told that the outcome is unknown',
    unknown,
  );
  await lake.expect(0, PUSH);
  if (thorough) await lake.expect(0, ['lake', 'verify']);
  const commits = (await lake.commits()).length - before;
  lake.assert(commits === 2, `2 nights are ${commits} commits`);
  return `found in lake_commits at once, and by the next push (after exit ${unknown.code}); 2 nights, ${commits} commits`;
};

/** A day that was replaced leaves rows that are marked as deleted; after the upkeep no file has any, and pushes go on. */
const weeklyUpkeep: Step = async (lake, { thorough }) => {
  if (!thorough) return 'left to the long form';
  await lake.spark.ask(
    `delete from lake.${NAMESPACE}_ops.coverage where stream = 'events' and date = date '${RESTATED}'`,
  );
  await lake.expect(0, PUSH);
  const marks = async (): Promise<number> => {
    const [row] = await lake.spark.ask(`select count(*) as files from lake.${NAMESPACE}.events.delete_files`);
    return Number(row?.['files']);
  };
  lake.assert((await marks()) > 0, 'a replaced day has left no marks');
  const said = await upkeep(lake.parts, lake.stack, NAMESPACE);
  lake.assert((await marks()) === 0, 'marks are left');
  await lake.night();
  await lake.expect(0, PUSH);
  await lake.expect(0, ['lake', 'verify']);
  return `${said}; no marks are left, the next night is equal`;
};

/** After compaction, expiry and the removal of orphans no data file holds an erased person, as the data files themselves say. */
const erasedPerson: Step = async (lake, { thorough }) => {
  const { place } = lake.trial;
  const [row] = await place.rows(
    'select user_id from events where user_id is not null group by all order by count(*) desc limit 1',
  );
  const { stdout } = await lake.expect(0, ['forget', '--user-id', String(row?.['user_id']), '--yes']);
  lake.assert(stdout.includes('object lock keeps deleted files'), 'the receipt says nothing of buckets');
  const verify = ['lake', 'verify', '--erased'];
  const before = await lake.expect(1, verify);
  const held = /\d+ of \d+ data files/.exec(before.stderr)?.[0] ?? '';
  if (!thorough) return `${held} hold the person`;
  // Nessie's tables refuse expiry by default, and orphans stay for three days.
  await lake.collectGarbage();
  await upkeep(lake.parts, lake.stack, NAMESPACE, ['--days', '0']);
  await lake.backdate();
  const said = await upkeep(lake.parts, lake.stack, NAMESPACE, ['--days', '0']);
  const after = await lake.expect(0, verify);
  await lake.expect(0, ['lake', 'verify']);
  return `${held} held the person; ${said}; ${/none found in .* tables?/.exec(after.stderr)?.[0] ?? ''}`;
};

const inWords = ({ table, problem, onlyHere, onlyThere }: Compared): string =>
  `${table} ${problem ?? `has ${onlyHere} rows only in the file and ${onlyThere} only in the lake`}`;

const everyTable: Step = async (lake) => {
  const compared = await lake.compare();
  const differing = compared.filter((one) => !isEqual(one));
  lake.assert(differing.length === 0, differing.map(inWords).join('\n'));
  const rows = compared.reduce((sum, one) => sum + one.rows, 0);
  const filled = compared.filter((one) => one.rows > 0).length;
  return `${compared.length} tables (${filled} of them with rows), ${rows} rows: all equal`;
};

/** Bundled questions, each with its first rows on both sides. */
const bundledQuestions: Step = async (lake) => {
  const { place, clock } = lake.trial;
  const end = lastCompleteDay(clock.now());
  const asked = await askAll(
    lake.spark,
    NAMESPACE,
    { start: shiftDay(end, -27), end },
    async (name, params) => {
      const args = ['query', name, '--format', 'json', ...params.flatMap((param) => ['--param', param])];
      const result = await place.execute(args, { DAWNLOAD_NOW: clock.now().toISOString() });
      lake.assert(result.code === 0, `${name} cannot be asked`, result);
      return JSON.parse(result.stdout) as Record<string, unknown>[];
    },
  );
  const texts = asked.map(inText).join('\n');
  const equal = asked.filter(({ isEqual }) => isEqual).length;
  lake.assert(equal === asked.length, `${asked.length - equal} answers differ:\n${texts}`);
  return `${equal} of ${asked.length} answers are the same\n${texts}`;
};

/** The first rows, or the first one that differs. */
function inText({ name, columns, spark, duckdb, isEqual }: Asked): string {
  const differing = spark.findIndex((row, i) => row !== duckdb[i]);
  const rows = isEqual ? [0, 1] : [Math.max(differing, 0)];
  return [
    `  ${name}: ${spark.length} rows on Spark, ${duckdb.length} on DuckDB, ${isEqual ? 'equal' : 'NOT EQUAL'}`,
    `            ${columns.join(' | ')}`,
    ...rows.flatMap((i) => [`    Spark   ${spark[i] ?? ''}`, `    DuckDB  ${duckdb[i] ?? ''}`]),
  ].join('\n');
}

/** Events older than `retention.events` leave the file after the lake was seen to hold them; there they stay. */
const oldDays: Step = async (lake, { thorough }) => {
  const { place, clock } = lake.trial;
  const perDay = (relation: string): Promise<Record<string, unknown>[]> =>
    lake.spark.ask(
      `select export_date, count(*) as rows, bit_xor(xxhash64(struct(*))) as sum
       from lake.${NAMESPACE}.${relation} where export_date < date '${kept}' group by all order by all`,
    );
  const sums = async (): Promise<string> =>
    JSON.stringify(await Promise.all(['events', 'push_messages', 'text_messages'].map(perDay)));
  clock.shift(DAY_MS);
  const kept = shiftDay(lastCompleteDay(clock.now()), -9);
  const before = await sums();
  await lake.configure({ retention: 10 });
  const run = await lake.expect(0, ['run']);
  if (thorough) await lake.expect(0, ['lake', 'verify']);
  lake.assert((await sums()) === before, 'what has left the file is not in the lake as it was', run);
  const [row] = await place.rows(
    'select min(export_date)::varchar as first, count(*)::int as rows from events',
  );
  lake.assert(row?.['first'] === kept, `the file begins with ${String(row?.['first'])}, not ${kept}`, run);
  const gone = /events: \d+ days/.exec(run.stderr)?.[0];
  lake.assert(gone !== undefined, 'nobody is told that days leave the file', run);
  return `${gone} leave the file, and Spark reads them as before${thorough ? await besides(lake) : ''}`;
};

/** The tables in which the lake has more than the file; in no table may it have less. */
async function besides(lake: LakeTrial): Promise<string> {
  const compared = await lake.compare();
  const wrong = compared.filter(({ problem, onlyHere }) => problem !== undefined || onlyHere > 0);
  lake.assert(wrong.length === 0, wrong.map(inWords).join('\n'));
  const longer = compared.filter(({ onlyThere }) => onlyThere > 0).map(({ table }) => table);
  return `; the lake has more rows in ${longer.join(', ')}, and in no other table`;
}

/** The steps in order, by what is said of them. */
export const STEPS: readonly (readonly [string, Step])[] = [
  ['set-up and the first night', firstNight],
  ['a second night with a restated day, pushed by run', secondNight],
  ['every table as Spark reads it beside the published file', everyTable],
  ['killed at each point of a push', killedAtEachPoint],
  ['a backfill, killed at random and read by Spark', backfill],
  ['somebody else commits in between', conflict],
  ['the answer to a commit is lost', lostAnswer],
  ['the weekly upkeep on Spark', weeklyUpkeep],
  ['an erased person', erasedPerson],
  ['every table again', everyTable],
  ['bundled questions, asked of both', bundledQuestions],
  ['old days leave the file', oldDays],
];
