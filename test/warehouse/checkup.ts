/** A sound warehouse of five days, made once, and what checks say of copies of it that were damaged. */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { daysOf } from '../../src/calendar.js';
import { runChecks } from '../../src/warehouse/checks.js';
import { openInstance } from '../../src/storage/duckdb.js';
import { fieldsFor, specificationOf } from '../../src/warehouse/fields.js';
import { refreshModels } from '../../src/warehouse/model.js';
import { Session } from '../../src/warehouse/session.js';
import { findingsIn, micros, NOW, record, statistic, Workshop, type Finding, type Row } from './support.js';

export const DAYS = daysOf({ start: '2026-11-16', end: '2026-11-20' });

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
export const CHANNELS = Object.keys(MESSAGES);

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
  const range = { start: '2026-11-16', end: '2026-11-20' };
  await workshop.with(async (warehouse) => {
    await warehouse.loader.load(
      workshop.statistics(
        range,
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
    await warehouse.loader.load(
      workshop.campaigns(range, Object.fromEntries(CHANNELS.map((channel) => [`c-${channel}`, answer]))),
    );
    for (const day of DAYS) {
      const rows = CHANNELS.map((channel) => ({
        date: day,
        resource_id: `c-${channel}`,
        conversion: conversion('전체 전환 수'),
        ...counters(channel),
      }));
      await warehouse.loader.load(workshop.subchannels(day, rows));
      await warehouse.loader.load(workshop.events(day, [eventsOf(day)]));
    }
    await warehouse.model();
    await warehouse.check();
  });
  return workshop;
}

const folder = mkdtempSync(join(tmpdir(), 'dawnload-checks-'));
// Several files share it in one process.
process.on('exit', () => {
  rmSync(folder, { recursive: true, force: true });
});

let prepared: Promise<string> | undefined;
let copies = 0;

/** The sound file; it must be asked for within a test. */
function sound(): Promise<string> {
  prepared ??= makeSound().then(async (workshop) => {
    const kept = join(folder, 'sound.duckdb');
    await workshop.close();
    copyFileSync(workshop.path, kept);
    return kept;
  });
  return prepared;
}

/**
 * What checks say of a file, once it was damaged behind the job's back. The file itself stays as it is.
 *
 * @param damage what was done before the models were brought forward
 * @param later what was done to the models themselves
 */
export async function findingsOf(file: string, damage: string, later = 'select 1'): Promise<Finding[]> {
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
    await session.set({ specification: JSON.stringify(specificationOf(fieldsFor('service'))) });
    await session.run('session/2_fields');
    await session.transaction(() => refreshModels(session));
    await connection.run(later);
    await runChecks(session, NOW, () => undefined);
    return await findingsIn(async (sql) => (await connection.runAndReadAll(sql)).getRowObjectsJson());
  } finally {
    session.close();
  }
}

/** As if no check had ever looked. */
export const FORGET_VERSIONS = 'delete from ops.check_versions;';

/** What the damage is to models: a change of all days that there are. */
const TOUCH = `
  insert into ops.touched_days
  select stream, date from ops.coverage
  union
  select 'events', date from events where date is not null;`;

/** What all checks find on all days of the sound file, once it was damaged. */
export async function findingsAfter(damage: string): Promise<Finding[]> {
  return findingsOf(await sound(), `${TOUCH};${damage};${TOUCH};${FORGET_VERSIONS}`);
}

/** The same where the models themselves were damaged; what they are made of is sound, so they need not be made before. */
export async function findingsAfterModels(damage: string): Promise<Finding[]> {
  return findingsOf(await sound(), FORGET_VERSIONS, `${damage};${TOUCH}`);
}

/** What a night finds on the sound file: it looks at what changed, and nothing says that the damage did. */
export async function findingsOfNight(damage: string): Promise<Finding[]> {
  return findingsOf(await sound(), damage);
}
