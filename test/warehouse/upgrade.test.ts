// @module-tag long
/** A warehouse of an older schema, and one of a newer: what a run makes of it, and what is left when it fails. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterEach, describe, expect, test } from 'vitest';
import { UPGRADE_POINTS } from '../../src/warehouse/publish.js';
import { statement, statementsIn } from '../../src/warehouse/session.js';
import { Place, rowsOf } from '../support/dawnload.js';

const YAML = 'start_date: 2026-11-20\nlookback_days: 1\nretries: 0\nprivacy: { recipients: keep }\n';

const NEWEST = statementsIn('schema').length;
const OLDER = NEWEST - 1;

let place: Place | undefined;
afterEach(async () => {
  await place?.remove();
  place = undefined;
});

const workingOf = (made: Place): string => join(made.folder, 'data/private/warehouse.duckdb');
const copyOf = (made: Place): string => `${workingOf(made)}.before-upgrade-${OLDER}`;

async function change(file: string, ...sql: string[]): Promise<void> {
  const instance = await DuckDBInstance.create(file);
  const connection = await instance.connect();
  for (const one of sql) await connection.run(one);
  connection.closeSync();
  instance.closeSync();
}

/** A folder whose private warehouse lacks the last migration and holds a table that no landed file brings. */
async function makeOlder(): Promise<Place> {
  const made = await Place.make(YAML);
  place = made;
  mkdirSync(dirname(workingOf(made)), { recursive: true, mode: 0o700 });
  await change(
    workingOf(made),
    ...statementsIn('schema')
      .slice(0, OLDER)
      .map((name) => statement(name)),
    `insert into ops.migrations select unnest(range(1, ${NEWEST})), 'older', now()`,
    "insert into ops.privacy (recipients) values ('keep')",
    'create table marker as select 7 as held',
  );
  return made;
}

async function schemaOf(file: string): Promise<number> {
  const [row] = await rowsOf(file, 'select max(number) as number from ops.migrations');
  return Number(row?.['number']);
}

describe('a warehouse of an older schema', () => {
  test('is upgraded after a copy was made, which stays until a run succeeds', async () => {
    const made = await makeOlder();
    made.sandbox.setFaults([{ kind: 'status', endpoint: '*', status: 500 }]);
    const failed = await made.run(['run']);
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain(
      `The warehouse as it was before the upgrade is kept in ${copyOf(made)} until a run succeeds.`,
    );
    expect(await schemaOf(workingOf(made))).toBe(NEWEST);
    expect(await schemaOf(copyOf(made))).toBe(OLDER);
    expect(await made.rows('from marker', copyOf(made))).toEqual([{ held: 7 }]);

    // A run that publishes and leaves something open has not succeeded either.
    made.sandbox.setFaults([{ kind: 'status', endpoint: 'E19', status: 500 }]);
    const incomplete = await made.run(['run']);
    expect(incomplete.code).toBe(1);
    expect(incomplete.stderr).toContain(copyOf(made));
    expect(existsSync(made.published)).toBe(true);
    expect(existsSync(copyOf(made))).toBe(true);

    made.sandbox.setFaults([]);
    const done = await made.run(['run']);
    expect(done.code, done.stderr).toBe(0);
    expect(done.stderr).not.toContain('before the upgrade');
    expect(readdirSync(dirname(workingOf(made))).filter((name) => name.includes('before-upgrade'))).toEqual(
      [],
    );
    expect(await made.rows('from marker')).toEqual([{ held: 7 }]);
  });

  test.each(UPGRADE_POINTS)(
    'is older or upgraded, and nothing between, after a kill at %s',
    async (point) => {
      const made = await makeOlder();
      const killed = await made.execute(['run'], { DAWNLOAD_CRASH_AT: point });
      expect(killed.signal).toBe('SIGKILL');
      const isCopied = UPGRADE_POINTS.indexOf(point) >= UPGRADE_POINTS.indexOf('upgrade/copied');
      expect(existsSync(copyOf(made))).toBe(isCopied);
      if (isCopied) expect(await schemaOf(copyOf(made))).toBe(OLDER);
      expect(await schemaOf(workingOf(made))).toBe(point === 'upgrade/migrated' ? NEWEST : OLDER);

      const done = await made.run(['run']);
      expect(done.code, done.stderr).toBe(0);
      expect(readdirSync(dirname(workingOf(made))).filter((name) => name.includes('before-upgrade'))).toEqual(
        [],
      );
      expect(await schemaOf(workingOf(made))).toBe(NEWEST);
    },
  );

  test('is put back by renaming the copy', async () => {
    const made = await makeOlder();
    made.sandbox.setFaults([{ kind: 'status', endpoint: '*', status: 500 }]);
    await made.run(['run']);
    renameSync(copyOf(made), workingOf(made));
    expect(await schemaOf(workingOf(made))).toBe(OLDER);
    made.sandbox.setFaults([]);
    expect((await made.run(['run'])).code).toBe(0);
  });
});

describe('a warehouse of a newer schema', () => {
  const SENTENCE = `The warehouse has schema 9999; this version of dawnload knows up to ${NEWEST}.`;

  test('is refused with one sentence by every command, and changed by none but rebuild', async () => {
    const made = await Place.make(YAML);
    place = made;
    expect((await made.run(['run'])).code).toBe(0);
    for (const file of [workingOf(made), made.published])
      await change(file, "insert into ops.migrations values (9999, 'future', now())");
    const { E1 } = made.sandbox.requests();
    for (const command of [
      'run',
      'backfill --start 2026-11-20 --end 2026-11-20',
      'backfill --start 2026-11-20 --end 2026-11-20 --dry-run',
      'plan',
      'status',
      'status --json',
      'query channel-summary',
      'query --sql select',
    ]) {
      const result = await made.run(command.split(' '));
      expect(result.code, command).toBe(2);
      expect(result.stderr, command).toContain(SENTENCE);
      expect(result.stderr, command).toContain('dawnload rebuild');
    }
    const doctor = await made.run(['doctor']);
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toContain(SENTENCE);
    expect(made.sandbox.requests().E1).toBeLessThanOrEqual(E1 + 2);
    expect(await schemaOf(made.published)).toBe(9999);

    // An older version must not replace what readers have either, when its own file is gone.
    rmSync(workingOf(made));
    const replaced = await made.run(['run']);
    expect(replaced.code).toBe(2);
    expect(replaced.stderr).toContain(SENTENCE);
    expect(await schemaOf(made.published)).toBe(9999);

    expect((await made.run(['rebuild'])).code).toBe(0);
    expect(await schemaOf(made.published)).toBe(NEWEST);
    expect((await made.run(['run'])).code).toBe(0);
  });
});
