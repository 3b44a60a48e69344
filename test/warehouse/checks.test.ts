/** What the checks find of faults in a sound warehouse of five days, and which days a night looks at. */
import { FIELDS } from '../../src/streams/index.js';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { daysOf } from '../../src/ground/calendar.js';
import { openInstance } from '../../src/disk/duckdb.js';
import { fieldsFor, specificationOf } from '../../src/ground/fields.js';
import { Session, statementsIn } from '../../src/warehouse/session.js';
import { anyPull, pullsOf } from './pulls.js';
import {
  KEY,
  dayAfter,
  findingsIn,
  lineOf,
  loadOne,
  micros,
  NOW,
  record,
  statistic,
  Workshop,
  type Finding,
  type Row,
} from './support.js';
import { refreshAll, refreshModels } from '../../src/warehouse/models.js';
import { checkAll, readCheck, runChecks } from '../../src/warehouse/checks.js';
import { extended, long } from '../support/tags.js';
import { kept, MODELLED } from '../support/template.js';

const RANGE = { start: '2026-11-16', end: '2026-11-20' };
const DAYS = daysOf(RANGE);
const DAY = RANGE.end;

/** A message of each channel, and what makes parts of it. */
const MESSAGES: Record<string, Row> = {
  'text-message': { body: '안내', attachFileList: [{ fileId: 1, fileName: 'a.jpg' }] },
  email: { title: '안내', body: { html: '<p>안내</p>', text: '안내' } },
  'chatapp-friendtalk': { content: '안내', buttons: [{ ordering: 1, type: 'WL', name: '보기' }] },
  'chatapp-alimtalk': { templateCode: 'T1', content: '안내' },
  'chatapp-brand-message': { templateName: '기획전' },
  'in-app-message': { content: '안내' },
  'in-web-message': { content: '안내' },
  'push-notification': { title: '안내', body: '본문', link: 'app://' },
  'web-push-notification': { service: { ti: '안내' } },
  webhook: { url: 'https://example.com', method: 'POST', headers: {}, data: {} },
};
const CHANNELS = Object.keys(MESSAGES);
const SENT = 5;
const FAILED = 2;

/** Each channel has a campaign, which sends the same every day; push is clicked once. */
function eventsOf(day: string): Row[] {
  const make = (channel: string, event_name: string, count: number): Row[] =>
    Array.from({ length: count }, (_, i) =>
      record({
        id: `${day} ${channel} ${event_name} ${i}`,
        channel,
        event_name,
        campaign_id: `c-${channel}`,
        time: micros(day, 3600 * (9 + i)),
        message_data: MESSAGES[channel],
      }),
    );
  return CHANNELS.flatMap((channel) => [
    ...make(channel, 'send_success', SENT - FAILED),
    ...make(channel, 'send_failure', FAILED),
    ...(channel === 'push-notification' ? make(channel, 'push_click', 1) : []),
    ...(channel === 'in-app-message' ? make(channel, 'close_button_click', 4) : []),
  ]);
}

function counters(channel: string): Row {
  const push = channel === 'push-notification';
  return {
    channel,
    message_sent: SENT,
    message_failed: FAILED,
    delivered: push ? 2 : null,
    click: push ? 1 : null,
  };
}

const conversion = (type: string): Row[] => [{ name: '구매', type, count: 1 }];

async function makeSound(): Promise<Workshop> {
  const workshop = new Workshop();
  const metric = {
    metricType: 'standard',
    metricName: 'send_success',
    totalCount: (SENT - FAILED) * DAYS.length,
    dailyCounts: DAYS.map((date) => ({
      date,
      count: SENT - FAILED,
      dimensionCounts: [{ dimensionKey: 'channel', dimensionValue: 'all', count: SENT - FAILED }],
    })),
  };
  const answer = { data: { lastCollectedAt: '2026-11-21 07:00:00', stats: [metric] }, error: null };
  await workshop.with(async (warehouse) => {
    await loadOne(
      warehouse,
      workshop.statistics(
        RANGE,
        DAYS.flatMap((date) =>
          CHANNELS.map((channel) =>
            statistic({
              date,
              campaign_id: `c-${channel}`,
              conversion: conversion('total_count_conversion'),
              ...counters(channel),
            }),
          ),
        ),
      ),
    );
    await loadOne(
      warehouse,
      workshop.campaigns(RANGE, Object.fromEntries(CHANNELS.map((channel) => [`c-${channel}`, answer]))),
    );
    for (const day of DAYS) {
      const rows = CHANNELS.map((channel) => ({
        date: day,
        resource_id: `c-${channel}`,
        conversion: conversion('전체 전환 수'),
        ...counters(channel),
      }));
      await loadOne(warehouse, workshop.subchannels(day, rows));
      await loadOne(warehouse, workshop.events(day, [eventsOf(day)]));
    }
    await refreshModels(warehouse);
    await runChecks(warehouse);
  });
  return workshop;
}

const folder = mkdtempSync(join(tmpdir(), 'dawnload-checks-'));
// Several files share it in one process.
process.on('exit', () => {
  rmSync(folder, { recursive: true, force: true });
});

let copies = 0;

/** The sound file; it must be asked for within a test. */
const sound = (): Promise<string> =>
  kept('sound', [...MODELLED, 'test/warehouse/checks.test.ts', 'test/warehouse/support.ts'], async (path) => {
    const workshop = await makeSound();
    await workshop.close();
    copyFileSync(workshop.path, path);
  });

/**
 * What checks say of a file, once it was damaged behind the job's back. The file itself stays as it is.
 *
 * @param damage what was done before the models were brought forward
 * @param later what was done to the models themselves
 */
async function findingsOf(file: string, damage: string, later = 'select 1'): Promise<Finding[]> {
  const copy = join(folder, `copy-${copies++}.duckdb`);
  copyFileSync(file, copy);
  try {
    return await checkDamaged(copy, damage, later);
  } finally {
    rmSync(copy, { force: true });
  }
}

async function checkDamaged(file: string, damage: string, later: string): Promise<Finding[]> {
  const instance = await openInstance(file, { threads: '1' });
  const session = await Session.open(instance);
  try {
    const connection = await instance.connect();
    await connection.run(damage);
    await session.run('session/1_settings');
    session.register({ fields: fieldsFor('service', FIELDS), key: KEY, rules: [] });
    await session.set({ specification: JSON.stringify(specificationOf(fieldsFor('service', FIELDS))) });
    await session.run('session/2_fields');
    await session.transaction(() => refreshAll(session));
    await connection.run(later);
    await checkAll(session, { now: () => NOW, reach: () => undefined });
    return await findingsIn(async (sql) => (await connection.runAndReadAll(sql)).getRowObjectsJson());
  } finally {
    session.close();
  }
}

/** As if no check had ever looked. */
const FORGET_VERSIONS = 'delete from ops.check_versions;';

/** What the damage is to models: a change of all days that there are. */
const TOUCH = `
  insert into ops.touched_days
  select stream, date from ops.coverage
  union
  select 'events', date from events where date is not null;`;

/** What all checks find on all days of the sound file, once it was damaged. */
async function findingsAfter(damage: string): Promise<Finding[]> {
  return findingsOf(await sound(), `${TOUCH};${damage};${TOUCH};${FORGET_VERSIONS}`);
}

/** The same where the models themselves were damaged; what they are made of is sound, so they need not be made before. */
async function findingsAfterModels(damage: string): Promise<Finding[]> {
  return findingsOf(await sound(), FORGET_VERSIONS, `${damage};${TOUCH}`);
}

/** What a night finds on the sound file: it looks at what changed, and nothing says that the damage did. */
async function findingsOfNight(damage: string): Promise<Finding[]> {
  return findingsOf(await sound(), damage);
}

/** One check of each kind is tried by `npm test`: keys, values, days, rows, sums, volumes. Those of models are long tests. */
const QUICK = [
  'events_key',
  'required_values',
  'days_missing',
  'coverage_rows',
  'events_agree',
  'volume_unusual',
];

interface Plant {
  readonly check: string;
  /** Whether the models are damaged, and not what they are made of. */
  readonly inModels: boolean;
  readonly damage: string;
  readonly found: readonly string[];
}

const GOLDEN = join(import.meta.dirname, 'plants.sql');
const [ABOUT = '', ...BLOCKS] = readFileSync(GOLDEN, 'utf8').trimEnd().split('\n\n');
const PLANTS = BLOCKS.map((block): Plant => {
  const [, check = '', where] = /^-- (\w+)( in the models)?/.exec(block) ?? [];
  const found = block.split('\n').filter((line) => line.startsWith('--> '));
  return { check, inModels: where !== undefined, damage: block.split('\n-->')[0] ?? '', found };
});

long('a sound warehouse gives no finding', async () => {
  expect(await findingsAfter('select 1')).toEqual([]);
});

describe('finds what was planted, and nothing else:', () => {
  const found = PLANTS.map((plant) => plant.found);
  for (const [at, { check, inModels, damage, found: expected }] of PLANTS.entries()) {
    const nth = PLANTS.slice(0, at).filter((other) => other.check === check).length;
    const tags = nth === 0 && QUICK.includes(check) ? [] : [inModels ? 'long' : 'extended'];
    test(`${check} (${nth + 1})`, { tags }, async () => {
      const findings = await (inModels ? findingsAfterModels : findingsAfter)(damage);
      found[at] = findings.map(
        ({ name, date = null, subject = null, finding, expected = null, actual = null }) =>
          `--> ${lineOf({ name, date, subject, finding, expected, actual })}`,
      );
      if (process.env['UPDATE_GOLDEN'] !== '1') expect(found[at]).toEqual(expected);
    });
  }
  afterAll(() => {
    const blocks = PLANTS.map(({ damage }, at) => [damage, ...(found[at] ?? [])].join('\n'));
    if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(GOLDEN, `${[ABOUT, ...blocks].join('\n\n')}\n`);
  });
});

long('what loads noted is told, and stays with the day', async () => {
  const workshop = new Workshop();
  await workshop.load(
    workshop.events(DAY, [
      [
        record(),
        record(),
        record({ time: micros(DAY, 1) }),
        record({ id: 's', time: micros(dayAfter(DAY)) }),
        record({ novelty: 1, id: 'n' }),
      ],
    ]),
    workshop.events(dayAfter(DAY), [[record({ id: 's', time: micros(dayAfter(DAY)) })]]),
  );
  const findings = await workshop.findings();
  expect(findings.map(({ name, severity, date, finding }) => [name, severity, date, finding])).toEqual([
    ['load_notes', 'warn', DAY, expect.stringContaining('more than once')],
    ['load_notes', 'warn', DAY, expect.stringContaining('have one id')],
    ['load_notes', 'warn', DAY, expect.stringContaining('Another paid export')],
    ['schema_drift', 'warn', DAY, expect.stringContaining('does not describe this')],
  ]);
  expect(
    await workshop.lines(
      'select count(*)::integer as n, min(checked_at) = max(checked_at) as once from ops.checks',
    ),
  ).toEqual(['4 | true']);
  await workshop.load(workshop.events(DAY, [[record()]]));
  expect(await workshop.findings()).toEqual([]);
  expect(await workshop.look('from ops.checks')).toEqual([]);
});

test('every check has been seen to find something, and says what it means', () => {
  const checks = statementsIn('checks').map(readCheck);
  const planted = PLANTS.flatMap(({ check, found }) => (found.length > 0 ? [check] : []));
  const seen = new Set([...planted, 'load_notes', 'schema_drift']);
  expect(checks.map(({ name }) => name)).toEqual([...seen].sort());
  for (const { meaning, severity } of checks) {
    expect(meaning).toMatch(/^[A-Z].*[.]$/);
    if (severity === 'stop') expect(meaning).toContain('`dawnload rebuild`');
  }
  expect(checks.filter(({ severity }) => severity === 'stop').map(({ name }) => name)).toEqual([
    'calendar_key',
    'coverage_rows',
    'dates_present',
    'events_dated',
    'events_key',
    'marts_agree_events',
    'marts_agree_statistics',
    'marts_key',
    'messages_have_events',
    'messages_key',
    'parts_have_wholes',
    'statistics_key',
  ]);
});

describe('a night', { tags: ['long'] }, () => {
  const damage = `update daily_statistics_by_subchannel set click = 2 where channel = 'push-notification'`;
  const touch = (day: string): string =>
    `insert into ops.touched_days values ('statistics_by_subchannel', '${day}')`;

  test('looks at the days that changed, and leaves the findings of all others as they were', async () => {
    expect(await findingsOfNight(damage)).toEqual([]);
    expect((await findingsOfNight(`${damage};${touch(DAY)}`)).map(({ date }) => date)).toEqual([DAY]);
    const old = `insert into ops.checks by name
      select name, 'warn' as severity, date '2026-11-17' as date, 'as before' as finding, 'M.' as meaning
      from (values ('subchannels_agree'), ('no check any more')) as old(name)`;
    const findings = await findingsOfNight(`${old};${damage};${touch(DAY)}`);
    expect(findings.map(({ date, finding }) => [date, finding])).toEqual([
      ['2026-11-17', 'as before'],
      [DAY, 'The sub-channels do not add up to the channel.'],
    ]);
  });

  test('looks at all days with a check that is new or was changed', async () => {
    const changed = `update ops.check_versions set fingerprint = 'old' where name = 'subchannels_agree'`;
    const findings = await findingsOfNight(`${damage};${changed}`);
    expect(findings.map(({ date }) => date)).toEqual(DAYS);
  });
});

extended(
  'ops.checks holds after each load what checking all days would find',
  async () => {
    let found = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(anyPull, { minLength: 4, maxLength: 7 }), async (given) => {
        const workshop = new Workshop();
        for (const pull of pullsOf(workshop, given)) {
          await workshop.load(pull);
          const night = await workshop.findings();
          found += night.length;
          await workshop.close();
          expect(night).toEqual(await findingsOf(workshop.path, FORGET_VERSIONS));
        }
      }),
      { numRuns: 3, seed: 20261120 },
    );
    expect(found).toBeGreaterThan(30);
  },
  120_000,
);
