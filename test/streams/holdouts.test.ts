// @module-tag long
/** Holdouts: each person gets an arm once, on the day of assignment, and keeps it through later nights, kills, rebuilds and erasures. */
import { copyFileSync, readdirSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/config.js';
import { messageOf } from '../../src/ground/errors.js';
import { loadCatalogue } from '../../src/readers/queries/catalogue.js';
import { STREAMS } from '../../src/streams/index.js';
import { filesWith } from '../support/contents.js';
import { change, reading, type Place } from '../support/dawnload.js';
import { ends, makePlace, Nights } from '../support/place.js';
import { answeringHere } from '../support/here.js';
import { extended } from '../support/tags.js';

answeringHere();

const YAML = `start_date: 2026-11-19
lookback_days: 1
tables:
  members: { from: ./members.csv, keys: { user_id: member } }
audiences:
  members: { table: members, person: user_id, segments: [tier] }
`;

const holdouts = (share: string): string => `holdouts: { c1: { audience: members, share: ${share} } }\n`;

const members = (from: number, to: number): string =>
  ['member,tier', ...Array.from({ length: to - from }, (_, n) => `m-${from + n},gold`)].join('\n') + '\n';

const firstNight = (): Promise<Nights> =>
  Nights.begun(YAML + holdouts('20%'), { 'members.csv': `${members(0, 1000)}NULL,nobody\n0,nobody\n` });

const ARMS = 'select user_id, arm, share, assigned_on::varchar as day from own.holdouts order by all';
const COUNTS = `select assigned_on::varchar as day, share, count(*)::integer as people, count(*) filter (arm = 'holdout')::integer as held_out
  from own.holdouts group by all order by all`;

const landed = (place: Place): string[] =>
  readdirSync(join(place.folder, 'data', 'landing', 'own_assignments'), { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.parquet'));

test('every person gets an arm once, also when the share changes or the person leaves', async () => {
  const nights = await firstNight();
  const { place } = nights;
  const first = await place.rows(ARMS);
  const [{ held_out: heldOut } = {}] = await place.rows(COUNTS);
  // 200 of 1,000 are expected, with a standard deviation of 12.6.
  expect(Number(heldOut)).toBeGreaterThan(140);
  expect(Number(heldOut)).toBeLessThan(260);
  const [before] = landed(place);

  nights.night = 1;
  await ends(nights.run(), 0);
  expect(await place.rows(ARMS)).toEqual(first);
  expect(landed(place)).toEqual([before]);

  // Half of them leave, others come, and the share rises.
  await place.configure(YAML + holdouts('50%'));
  await writeFile(join(place.folder, 'members.csv'), members(500, 1400));
  nights.night = 2;
  await ends(nights.run(), 0);
  const second = await place.rows(ARMS);
  expect(second).toHaveLength(1400);
  expect(second).toEqual(expect.arrayContaining(first));
  const [old, young] = await place.rows(COUNTS);
  expect(old).toMatchObject({ people: 1000, share: 0.2, held_out: heldOut });
  expect(young).toMatchObject({ people: 400, share: 0.5 });
  expect(Number(young?.['held_out'])).toBeGreaterThan(150);
  expect(landed(place)).toHaveLength(1);

  await rm(join(place.folder, 'members.csv'));
  await ends(place.run(['rebuild']), 0);
  expect(await place.rows(ARMS)).toEqual(second);

  // Taken out of the settings, the people stay assigned; put back, they have the same arms.
  await place.configure(YAML);
  await writeFile(join(place.folder, 'members.csv'), members(500, 1400));
  nights.night = 3;
  await ends(nights.run(), 0);
  expect(await place.rows(ARMS)).toEqual([]);
  await place.configure(YAML + holdouts('10%'));
  nights.night = 4;
  await ends(nights.run(), 0);
  expect(await place.rows(ARMS)).toEqual(second);
}, 180_000);

// The other steps of files and manifests are those of all streams.
extended('a night that dies when its assignments have landed assigns nobody twice', async () => {
  const nights = await firstNight();
  const { place } = nights;
  const first = await place.rows(ARMS);
  await writeFile(join(place.folder, 'members.csv'), members(0, 1200));
  nights.night = 1;
  const now = { DAWNLOAD_NOW: nights.now.toISOString() };
  const point = { DAWNLOAD_CRASH_AT: 'land/own_assignments-manifest/durable' };
  expect((await place.dying(['run'], { ...now, ...point })).signal).toBe('SIGKILL');
  nights.night = 2;
  await ends(nights.run(), 0);
  const all = await place.rows(ARMS);
  expect(all).toHaveLength(1200);
  expect(all).toEqual(expect.arrayContaining(first));
  expect(landed(place)).toHaveLength(1);
});

/** What `uplift` answers up to a day, of any file. */
const upliftOf = (file: string, end: string): Promise<Record<string, unknown>[]> =>
  reading(file, async (ask) => {
    await ask(`set variable "end" = '${end}'`);
    return ask(loadCatalogue().find(({ name }) => name === 'uplift')?.sql ?? '');
  });

test('an erased person leaves assignments and results, which are the same for all others', async () => {
  const person = 'erase-me-7';
  const yaml = `${YAML.replace('tables:', 'tables:\n  orders: { from: ./orders.csv, keys: { user_id: member } }')}${holdouts('40%')}conversions: { table: orders, person: user_id, at: at, value: amount }
`;
  const nights = await Nights.make(yaml);
  const { place } = nights;
  await writeFile(join(place.folder, 'members.csv'), `${members(0, 400)}${person},gold\n`);
  const orders = Array.from({ length: 400 }, (_, n) => [
    `m-${n},${1000 + n},2026-11-${n % 2 === 0 ? '21' : '11'} 10:00`,
  ]);
  const own = ['2026-11-11', '2026-11-21'].map((day) => `${person},50000,${day} 11:00`);
  await writeFile(join(place.folder, 'orders.csv'), ['member,amount,at', ...orders, ...own, ''].join('\n'));
  await ends(nights.run(), 0);
  const first = await place.rows(ARMS);
  const before = await upliftOf(place.published, '2026-11-21');
  expect(before.map(({ metric }) => metric)).toEqual(['revenue', 'buyers']);
  // The latest purchase, after which there are no days.
  expect(await upliftOf(place.published, '2030-01-01')).toEqual(before);
  const unknown = await place.run(['query', 'uplift', '--param', 'holdout=c9']);
  expect(unknown.stderr).toMatch(/The warehouse has no holdout "c9"\..* c1/s);

  // What the others show: the same file, without the rows of this person.
  const copy = join(place.folder, 'copy.duckdb');
  copyFileSync(place.published, copy);
  await change(
    copy,
    ['assignments', 'members', 'orders']
      .map((table) => `delete from own.${table} where user_id = '${person}'`)
      .join(';'),
  );
  const others = await upliftOf(copy, '2026-11-21');
  expect(others).not.toEqual(before);
  await rm(copy);

  await ends(nights.run([], ['forget', '--user-id', person, '--yes']), 0);
  const without = first.filter((row) => row['user_id'] !== person);
  expect(without).toHaveLength(400);
  const isAsOthers = async (): Promise<void> => {
    expect(await place.rows(ARMS)).toEqual(without);
    expect(await upliftOf(place.published, '2026-11-21')).toEqual(others);
    expect(await filesWith(join(place.folder, 'data'), [person])).toEqual([]);
  };
  await isAsOthers();
  await ends(nights.run([], ['rebuild']), 0);
  await isAsOthers();
  // The sources still have the person.
  nights.night = 1;
  await ends(nights.run(), 0);
  await isAsOthers();
});

extended(
  'arms stay when privacy hashes the ids, and when it keeps them again',
  async () => {
    const nights = await firstNight();
    const { place } = nights;
    const arms = (): Promise<unknown> =>
      place.rows('select arm, count(*)::integer as n from own.holdouts group by all order by all');
    const first = await place.rows(ARMS);
    const counts = await arms();
    await place.configure(`${YAML}${holdouts('20%')}privacy: { columns: { user_id: hash } }\n`);
    await ends(nights.run([], ['rebuild']), 1);
    nights.night = 1;
    await ends(nights.run(), 0);
    expect(await arms()).toEqual(counts);
    expect(await filesWith(join(place.folder, 'data', 'landing', 'own_assignments'), ['m-77'])).toEqual([]);
    await place.configure(YAML + holdouts('20%'));
    await ends(nights.run([], ['rebuild']), 1);
    // Without the audience no id can be translated: the assignments wait.
    await rm(join(place.folder, 'members.csv'));
    nights.night = 2;
    await ends(nights.run(), 1, 'members.csv cannot be read');
    await writeFile(join(place.folder, 'members.csv'), members(0, 1000));
    nights.night = 3;
    await ends(nights.run(), 0);
    expect(await place.rows(ARMS)).toEqual(first);
    // The assignments follow the settings also while these name no holdout.
    await place.configure(`${YAML}privacy: { columns: { user_id: hash } }\n`);
    await ends(nights.run([], ['rebuild']), 1);
    nights.night = 4;
    await ends(nights.run(), 0);
  },
  180_000,
);

test('a table of assignments, and a variant of a campaign, are holdouts too', async () => {
  const place = await makePlace(`start_date: 2026-11-19
exports: { budget: { records_per_run: 1000000 } }
tables:
  groups: { from: ./groups.csv, keys: { user_id: member } }
holdouts:
  own: { table: groups, person: user_id, arm: grp, holdout: C, assigned: since, share: 33% }
  variant: { campaign: CAMPAIGN, variant: A }
`);
  await writeFile(
    join(place.folder, 'groups.csv'),
    'member,grp,since\nm-1, C,2026-11-01\nm-2,T,2026-11-02\nm-3,,2026-11-02\n,C,2026-11-02\n',
  );
  await ends(place.run(['run']), 0);
  expect(await place.rows(ARMS.replace('order', "where holdout = 'own' order"))).toEqual([
    { user_id: 'm-1', arm: 'holdout', share: 0.33, day: '2026-11-01' },
    { user_id: 'm-2', arm: 'messages', share: 0.33, day: '2026-11-02' },
  ]);
  const [campaign] = await place.rows(
    'select campaign_id, min(experiment_group_name) as variant from events where experiment_group_name is not null group by all order by count(*) desc limit 1',
  );
  const { campaign_id: id, variant } = campaign ?? {};
  // A table without a day under `assigned` is left out, and the other holdout is not.
  await place.configure(`start_date: 2026-11-19
tables:
  groups: { from: ./groups.csv, keys: { user_id: member } }
holdouts:
  own: { table: groups, person: user_id, arm: grp, holdout: C, assigned: grp }
  variant: { campaign: "${String(id)}", variant: "${String(variant).toLowerCase()}" }
`);
  await ends(
    place.run(['run']),
    0,
    'The holdout own is left out: the column grp of own.groups is VARCHAR, and holdouts.own.assigned must be a day',
  );
  const counted = await place.rows(
    `select arm, count(distinct user_id)::integer as people from own.holdouts where user_id is not null group by all order by all`,
  );
  const expected = await place.rows(
    `select if(experiment_group_name = '${String(variant)}', 'holdout', 'messages') as arm, count(distinct user_id)::integer as people
     from events where campaign_id = '${String(id)}' and experiment_group_name is not null and user_id is not null group by all order by all`,
  );
  expect(expected.length).toBeGreaterThan(1);
  expect(counted).toEqual(expected);
});

extended(
  'an audience whose table was never copied, and landed assignments that are damaged, assign nobody',
  async () => {
    const nights = await firstNight();
    const { place } = nights;
    const first = await place.rows(ARMS);
    const [file = ''] = landed(place);
    await writeFile(join(place.folder, 'data', 'landing', 'own_assignments', file), 'damaged');
    await writeFile(join(place.folder, 'members.csv'), members(0, 1200));
    nights.night = 1;
    await ends(
      nights.run(),
      1,
      /No new people were assigned to holdouts: .* is incomplete or damaged. .*remove its folder/,
    );
    expect(await place.rows(ARMS)).toEqual(first);
    await rm(join(place.folder, 'data', 'landing', 'own_assignments', file));
    await ends(
      place.run(['rebuild']),
      1,
      /table\.parquet is missing\. Restore it from a backup/,
      'Published',
    );
  },
);

describe('the settings', () => {
  const c1 = (options: string): string => `holdouts: { c1: { ${options} } }\n`;
  const ofTable = (table: string, person: string): string =>
    c1(`table: ${table}, person: ${person}, arm: a, holdout: b, assigned: c`);
  const OF_MEMBERS = 'audience: members, share: 10%';
  const DROPPED = `${holdouts('10%')}privacy: { columns: { user_id: drop } }\n`;
  const ENDED = c1(`${OF_MEMBERS}, start: 2026-11-02, end: 2026-11-01`);

  test.each<[what: string, lines: string, message: string]>([
    ['a share of 0', holdouts('0%'), 'must be a share above 0%'],
    ['a share above a half', holdouts('51%'), 'must be a share above 0%'],
    ['a share without percent', holdouts('0.1'), 'must be a share above 0%'],
    ['no share', c1('audience: members'), 'must set share besides audience'],
    ['an unknown audience', c1('audience: others, share: 10%'), 'has no others'],
    ['nothing', c1('share: 10%'), 'must set one of audience, table and campaign'],
    ['an unknown table', ofTable('none', 'user_id'), 'has no none'],
    ['another person', ofTable('members', 'device_id'), 'among the keys of tables.members'],
    ['a column too many', c1(`${OF_MEMBERS}, variant: B`), 'must not set variant beside audience'],
    ['an end before the start', ENDED, 'must not end before it starts'],
    ['a dropped person', DROPPED, 'privacy.columns drops user_id'],
    ['a name with capitals', `holdouts: { C1: { ${OF_MEMBERS} } }\n`, 'must have holdouts such as c1'],
  ])('refuse %s', async (_, lines, message) => {
    const { folder } = await makePlace('');
    await writeFile(join(folder, 'dawnload.yaml'), YAML + lines);
    let said = 'nothing';
    try {
      loadConfig(STREAMS, {}, {}, folder);
    } catch (error) {
      said = messageOf(error);
    }
    expect(said).toContain(message);
  });
});
