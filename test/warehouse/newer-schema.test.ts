// @module-tag long
/** A warehouse that a newer version of the program has migrated. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newestSchema } from '../../src/warehouse/opening.js';
import { change, rowsOf, type Place } from '../support/dawnload.js';
import { makePlace } from '../support/place.js';

const YAML = 'start_date: 2026-11-20\nlookback_days: 1\nretries: 0\nprivacy: { recipients: keep }\n';

const NEWEST = newestSchema();

const workingOf = (made: Place): string => join(made.folder, 'data/private/warehouse.duckdb');

async function schemaOf(file: string): Promise<number> {
  const [row] = await rowsOf(file, 'select max(number) as number from ops.migrations');
  return Number(row?.['number']);
}

const SENTENCE = `The warehouse has schema 9999; this version of dawnload reads schemas up to ${NEWEST}.`;

test('a warehouse of a newer schema is refused with one sentence by every command, and changed by none but rebuild', async () => {
  const made = await makePlace(YAML);
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
