/** Your decisions about paid exports: any id that the service may give. */
import { describe, expect, test } from 'vitest';
import { ended, type Place } from '../support/dawnload.js';
import { ends, makePlace } from '../support/place.js';
import { extended } from '../support/tags.js';

const DAY = '2026-11-20';
const KEY = `${DAY}.1`;
const exports =
  'exports:\n  budget: { records_per_run: 100000, records_per_month: 1000000 }\n  max_wait_minutes: 0\n';
const yaml = (start: string): string => `start_date: ${start}\nlookback_days: 1\nretries: 0\n${exports}`;

/** A place whose requests for the days from `start` are billed, and their answers lost. */
async function lost(start: string): Promise<Place> {
  const faults = [{ endpoint: 'E20', kind: 'reset-after' }] as const;
  const place = await makePlace(yaml(start), { faults, eventsPerDay: 100 });
  const days = 1 + Number(DAY.slice(8)) - Number(start.slice(8));
  for (let night = 0; night < days; night++) expect((await place.run(['run'])).code).toBe(1);
  expect(place.sandbox.bills()).toHaveLength(days);
  return place;
}

const states = async (place: Place): Promise<string[]> =>
  (JSON.parse((await place.run(['exports', 'list', '--json'])).stdout) as { state: string }[]).map(
    ({ state }) => state,
  );

describe('an export id', { tags: ['long'], timeout: 120_000 }, () => {
  test.each([`-a/b/../c  내보내기?b#c%2F it's ${'x'.repeat(300)}`])(
    'may be %j: it is attached, downloaded and rebuilt',
    async (id) => {
      const place = await lost(DAY);
      const asked: string[] = [];
      place.sandbox.bend((endpoint, answer, query) => {
        if (endpoint !== 'E21') return answer;
        asked.push(query.get('page') ?? '');
        const record = {
          id: 'one',
          event_name: 'send_success',
          time: String(Date.parse(`${DAY}T03:00:00Z`) * 1_000),
        };
        const body = JSON.stringify({ status: 'success', data: [record], total_page_count: 1 });
        return { ...answer, status: 200, body: Buffer.from(body) };
      });
      await ends(place.run(['exports', 'decide', KEY, '--attach', id]), 0);
      await ends(place.run(['exports', 'decide', KEY, `--attach=${id}`]), 0);
      const [entry] = JSON.parse((await place.run(['exports', 'list', '--json'])).stdout) as {
        export_id: string;
      }[];
      expect(entry?.export_id).toBe(id);
      await place.run(['run']);
      expect(await place.rows('select event_id from events')).toEqual([{ event_id: 'one' }]);
      await place.run(['rebuild']);
      expect(await place.rows('select event_id from events')).toEqual([{ event_id: 'one' }]);
      expect(place.sandbox.bills()).toHaveLength(1);
    },
  );
});

test('an id that nobody could look up is explained by its cause, and an unknown key comes before missing keys', async () => {
  const place = await makePlace(yaml(DAY));
  const noKeys = { DAWNLOAD_ACCESS_KEY: '', DAWNLOAD_SECRET_KEY: '' };
  const attached = await place.run(['exports', 'decide', KEY, '--attach', 'x'], noKeys);
  expect(attached.stderr).toContain(
    `It is unknown whether the service has export x. The access keys are not set. The ledger does not list ${KEY}. Nothing was changed.`,
  );
  expect(attached.stderr).toMatch(/Set DAWNLOAD_ACCESS_KEY .* Add `--yes` to enter the id anyway[.]/);
  for (const command of [
    ['resume', KEY],
    ['decide', KEY, '--pay-again'],
  ])
    await ends(place.run(['exports', ...command], noKeys), 2, `The ledger has no export ${KEY}.`);
});

extended(
  'Ctrl-C ends the wait for several exports within seconds, and the next run resumes them',
  async () => {
    const faults = [{ endpoint: 'E21', kind: 'error-body-200', refusal: 'timeout' }] as const;
    const settings = yaml('2026-11-19').replace('max_wait_minutes: 0', 'max_wait_minutes: 60');
    const place = await makePlace(settings, { faults, eventsPerDay: 100 });
    const child = place.start(['run']);
    const end = ended(child);
    while (place.sandbox.requests().E21 < 4) await new Promise((resolve) => setTimeout(resolve, 100));
    const stopped = Date.now();
    child.kill('SIGINT');
    expect((await end).code).toBe(130);
    expect(Date.now() - stopped).toBeLessThan(10_000);
    place.sandbox.setFaults([]);
    await ends(place.run(['run']), 0);
    expect(await states(place)).toEqual(['loaded', 'loaded']);
    expect(place.sandbox.bills()).toHaveLength(2);
  },
  120_000,
);
