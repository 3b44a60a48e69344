// @module-tag long
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { change, Place } from '../support/dawnload.js';
import { ends } from '../support/place.js';
import { extended } from '../support/tags.js';

const TWO_DAYS =
  'start_date: 2026-11-19\nexports:\n  budget: { records_per_run: 100000, records_per_month: 1000000 }\n';

/** What is wrong with the working file from now on, and that no check of this version has seen it. */
function damage(place: Place, sql: string): Promise<void> {
  const file = join(place.folder, 'data', 'private', 'warehouse.duckdb');
  return change(file, `${sql}; delete from ops.check_versions`);
}

test('a finding that would mislead keeps the last good file published until a sound run', async () => {
  const place = await Place.make(TWO_DAYS);
  try {
    const first = await place.run(['run']);
    expect(first.stderr).not.toContain('Check ');
    expect(first.code).toBe(0);
    expect((await place.run(['status'])).code).toBe(0);
    const good = await readFile(place.published);

    await damage(place, 'insert into events from events');
    await ends(
      place.run(['run']),
      1,
      /Check events_key \(stop\): 2 findings, 2026-11-19 to 2026-11-20, such as events: Records are stored more than once\. .*Run `dawnload rebuild`/,
      /Not published: checks coverage_rows, events_key, marts_agree_events failed\. Readers still see the previous file, if there is one\./,
    );
    expect((await readFile(place.published)).equals(good)).toBe(true);

    await ends(
      place.run(['status']),
      1,
      /Not published: run of 2026-11-21 .*\. Readers still see the previous file, if there is one\./,
      /Check events_key \(stop\): 2 findings/,
    );
    const { withheld, findings } = JSON.parse((await place.run(['status', '--json'])).stdout) as {
      withheld: { command: string; findings: { name: string; severity: string; meaning: string }[] };
      findings: unknown[];
    };
    expect(withheld.command).toBe('run');
    expect(withheld.findings.map(({ name, severity }) => [name, severity])).toEqual([
      ['coverage_rows', 'stop'],
      ['events_key', 'stop'],
      ['marts_agree_events', 'stop'],
    ]);
    expect(findings).toEqual([]);

    // The working file is still the damaged one: nothing but what the finding advises mends it.
    expect((await place.run(['run'])).code).toBe(1);
    const rebuilt = await place.run(['rebuild']);
    expect(rebuilt.code).toBe(0);
    expect((await place.run(['status', '--json'])).stdout).toContain('"withheld":null');
    expect((await place.run(['status'])).code).toBe(0);
  } finally {
    await place.remove();
  }
}, 120_000);

extended(
  'a warning is published, and told in the summary, in status and by the query',
  async () => {
    const place = await Place.make(TWO_DAYS);
    try {
      expect((await place.run(['run'])).code).toBe(0);
      await damage(place, `update campaign_metrics set value = value + 1 where date = '2026-11-19'`);
      const run = await place.run(['backfill', '--start', '2026-11-20', '--end', '2026-11-20', '--json']);
      expect(run.code).toBe(0);
      const told = /campaigns_agree \(warn\): \d+ findings, 2026-11-19, .*ask the service/;
      expect(run.stderr).toMatch(told);
      expect(JSON.parse(run.stdout)).toMatchObject({
        findings: [
          { name: 'campaigns_agree', severity: 'warn', first_date: '2026-11-19', last_date: '2026-11-19' },
        ],
      });
      expect(await place.run(['status'])).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(told) as string,
      });
      const query = await place.execute(['query', 'checks', '--format', 'json']);
      expect(query.stdout).toContain('The detailed statistics count other successful sends');
    } finally {
      await place.remove();
    }
  },
  60_000,
);
