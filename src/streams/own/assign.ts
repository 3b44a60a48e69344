/**
 * Assigns the people of an audience to the arms of its holdouts, once per person. A keyed digest of the person and the holdout's name
 * decides the arm, so a changed share applies to new people only. All assignments land as the copy of an own table, so that erasure,
 * rebuild and removal treat them alike.
 */
import { z } from 'zod';
import type { Config } from '../../config/config.js';
import { dayOf } from '../../ground/calendar.js';
import { ConfigError, DamageError } from '../../ground/errors.js';
import { ID_COLUMNS } from '../../ground/fields.js';
import { ASSIGNMENTS, ownStream } from '../../ground/streams.js';
import { escaped } from '../../disk/duckdb.js';
import type { LandedPull } from '../../landing/landing-zone.js';
import type { ServiceClient } from '../../service/client.js';
import { ownTables, rowsIn } from '../../warehouse/describe.js';
import { privacyMark, storedKeys, type KeyColumn } from '../../warehouse/privacy.js';
import { asPattern } from '../../warehouse/pages.js';
import { count, selectIn, statement, type Session } from '../../warehouse/session.js';
import type { PullParts } from '../stream.js';
import { orGap } from './pull.js';

type Audience = Config['audiences'][number];

/** Assigns new people after the own tables were copied. A failure is reported as a gap; earlier assignments stay. */
export const assignNewPeople = (service: ServiceClient, parts: PullParts): Promise<void> =>
  orGap(
    ASSIGNMENTS,
    () => assignHoldouts(service, parts),
    (kind) => `No new people were assigned to holdouts: ${kind}. The next run tries again.`,
    parts,
  );

/**
 * Lands and loads the assignments if there are new people or the privacy settings have changed.
 *
 * @throws ConfigError when an audience has no column of its person
 * @throws DamageError when the landed assignments cannot be read: then nobody is assigned
 */
async function assignHoldouts(service: ServiceClient, parts: PullParts): Promise<void> {
  const { config, landing, load, warehouse, erasures, invocation } = parts;
  const wanted = config.holdouts.flatMap((one) => {
    const audience = config.audiences.find(({ name }) => name === one.audience);
    return audience === undefined || one.share === undefined ? [] : [{ ...one, share: one.share, audience }];
  });
  const stream = ownStream(ASSIGNMENTS);
  const [earlier] = await landing.newest([stream]);
  const mark = privacyMark(warehouse.options.privacy);
  const isSameMark = earlier === undefined || earlier.facts.own?.privacy === mark;
  if (wanted.length === 0 && isSameMark) return;
  const session = await erasures.session();
  const pulledAt = landing.instant(service.clocks.landingTime());
  const day = dayOf(pulledAt);
  const tables = await ownTables(session);
  const has = ({ table, person }: Audience): boolean =>
    tables.some(({ name, columns }) => name === table && columns.some((one) => one.name === person));
  const isLoaded = ({ table }: Audience): boolean => tables.some(({ name }) => name === table);
  // Hashed ids are matched with the audience's ids. While the table is missing, nothing can be matched, and everybody would lose their arm.
  if (!isSameMark && !config.audiences.every(isLoaded)) return;
  const keys = storedKeys(ID_COLUMNS, config.privacy);
  await session.run('streams/own/assign/none');
  if (earlier !== undefined) await readEarlier(session, earlier, keys, config.audiences.filter(has));
  const before = await counted(session);
  for (const { name, audience, share, start = day, end = day } of wanted) {
    // If the table was never copied, the run reports that.
    if (day < start || day > end || !isLoaded(audience)) continue;
    if (!has(audience))
      throw new ConfigError(
        `The holdout ${name} assigns nobody: own.${audience.table} has no column ${audience.person}.`,
        { hint: `Name the column of the person under tables.${audience.table}.keys.` },
      );
    const { table, person } = audience;
    await session.run('streams/own/assign/add', { holdout: name, table, person, share: String(share), day });
  }
  const all = await counted(session);
  if (all === before && isSameMark) return;
  invocation.terminal.progress('assigning new people to holdouts');
  const writer = landing.begin(stream, { start: day, end: day }, pulledAt);
  const page = await writer.landTable(async (to) => {
    await session.run('streams/own/assign/copy', { to: escaped(to) });
    return rowsIn(session, to);
  });
  await load([await writer.finish([page], { own: { table: ASSIGNMENTS, keys, privacy: mark } })]);
}

/** Reads the landed assignments; ids are stored as the current privacy settings require. */
async function readEarlier(
  session: Session,
  { files: [page], facts: { own } }: LandedPull,
  keys: readonly KeyColumn[],
  audiences: readonly Audience[],
): Promise<void> {
  if (page === undefined) return;
  const ruleIn = (all: readonly KeyColumn[], kind: string) => all.find((one) => one.kind === kind)?.rule;
  const replaced = ID_COLUMNS.map((kind) => {
    const now = ruleIn(keys, kind);
    const then = ruleIn(own?.keys ?? [], kind);
    const unhashed = audiences
      .filter(({ person }) => person === kind)
      .map(({ table, person }) => selectIn(statement('streams/own/assign/unhashed', { table, person })));
    const value =
      now === undefined
        ? 'null::varchar'
        : now === then
          ? kind
          : now === 'hash'
            ? `_ruled('${kind}', ${kind})`
            : `coalesce(${['null', ...unhashed].join(', ')})`;
    return `${value} as ${kind}`;
  });
  try {
    await session.run('streams/own/assign/earlier', {
      file: escaped(asPattern(page.file)),
      replaced: replaced.join(', '),
    });
  } catch (cause) {
    throw new DamageError(`No new people were assigned to holdouts: ${page.file} is incomplete or damaged.`, {
      hint: 'Restore it from a backup. Without one, remove its folder: the next run gives people the same arms, from that day on.',
      cause,
    });
  }
  await session.run('streams/own/assign/unknown');
}

const rows = z.object({ rows: count });

const counted = async (session: Session): Promise<number> =>
  (await session.row('streams/own/assign/count', rows)).rows;
