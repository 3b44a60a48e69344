/** A paid export is whole, or says what it lacks: its pages are read again at no cost, and nothing is paid twice. */
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Reply } from '../../sandbox/answer.js';
import { contents } from '../support/contents.js';
import type { Place } from '../support/dawnload.js';
import { NOW, type Ended } from '../support/dawnload.js';
import { ends, makePlace } from '../support/place.js';
import type { Fault } from '../support/faults/index.js';
import { invocationOf, performCommand } from '../support/in-process.js';
import { extended, long } from '../support/tags.js';

const DAY = '2026-11-20';
const KEY = `${DAY}.1`;
const YAML =
  `start_date: ${DAY}\nlookback_days: 1\nretries: 0\n` +
  'exports:\n  budget: { records_per_run: 100000, records_per_month: 1000000 }\n  max_wait_minutes: 0\n';

interface Page {
  status: string;
  data: Record<string, unknown>[];
  total_page_count: number;
}

/** The service's clock. */
let instant = NOW;

/** A place whose pages of exports are changed, once for each answer; `nth` counts the answers for a page. */
async function make(
  change: (page: Page, number: number, nth: number) => void,
  yaml = YAML,
  eventsPerDay = 1_900,
): Promise<Place> {
  instant = NOW;
  const place = await makePlace(yaml, { eventsPerDay, now: () => new Date(instant) });
  bend(place, change);
  return place;
}

function bend(place: Place, change: (page: Page, number: number, nth: number) => void): void {
  const asked = new Map<number, number>();
  place.sandbox.bend((endpoint, answer, query): Reply => {
    if (endpoint !== 'E21') return answer;
    const number = Number(query.get('page') ?? 0);
    const nth = asked.get(number) ?? 0;
    asked.set(number, nth + 1);
    const page = JSON.parse(answer.body.toString()) as Page;
    if (page.status === 'success') change(page, number, nth);
    return { ...answer, body: Buffer.from(JSON.stringify(page)) };
  });
}

/** The command on the n-th night after the first. */
function night(place: Place, n: number, command = 'run'): Promise<Ended> {
  instant = `2026-11-${20 + n}T22:30:00Z`;
  return place.run(command.split(' '), { DAWNLOAD_NOW: instant });
}

/** A job that wants no other day. */
const AGAIN = `backfill --start ${DAY} --end ${DAY}`;

const held = async (place: Place): Promise<unknown> =>
  (await place.rows(`select count(*)::int as n from events where export_date = '${DAY}'`))[0]?.['n'];
const billed = (place: Place): number => place.sandbox.bills()[0]?.records ?? 0;
const lack = async (place: Place): Promise<unknown> =>
  (
    await place.rows(`select if(coverage.incomplete, coalesce(coverage.short, 0), null)::int as day,
        if(exports.incomplete, coalesce(exports.short, 0), null)::int as export
      from ops.coverage join ops.exports using (date) where stream = 'events' and date = '${DAY}'`)
  )[0];

describe('records that come twice in one export', { tags: ['long'], timeout: 120_000 }, () => {
  /** The first record of page 1 comes in the place of the last of page 0, which is lost. */
  let first: Record<string, unknown> | undefined;
  const swapped = (times: number) => (page: Page, number: number, nth: number) => {
    if (number === 0 && nth < times) first = page.data[0];
    // Of a send, which the daily statistics count.
    const lost = page.data.findIndex(({ event_name }) => event_name === 'send_success');
    if (number === 1 && nth < times && first !== undefined) page.data[lost] = first;
  };

  extended('mean that its pages are read again, and what another answer brings is kept beside', async () => {
    const place = await make(swapped(1));
    const run = await place.run(['run']);
    expect([run.code, run.stderr]).toEqual([0, expect.not.stringMatching(/repeated|missing/i)]);
    expect(await held(place)).toBe(billed(place));
    expect(await lack(place)).toEqual({ day: null, export: null });
    const before = await contents(place.published);
    expect((await place.run(['rebuild'])).code).toBe(0);
    expect(await contents(place.published)).toEqual(before);
    expect(await place.rows('select records::int as records, pages::int as pages from ops.exports')).toEqual([
      { records: billed(place), pages: 3 },
    ]);
    expect((await place.run(['doctor', '--deep'])).stdout).toMatch(/ok +landing zone/);
    expect(place.sandbox.requests().E20).toBe(1);
  });

  extended(
    'and go on to do so are said with their number, on three nights, until a person decides',
    async () => {
      const place = await make(swapped(Infinity));
      const said = /2026-11-20\.1 of 2026-11-20 may lack 1 record\. Reason: 1 record came twice/;
      for (const n of [0, 1, 3, 4]) {
        const asked = place.sandbox.requests().E21;
        const run = await night(place, n, n === 0 ? 'run' : AGAIN);
        expect([n, run.code, run.stderr]).toEqual([n, 1, expect.stringMatching(said)]);
        expect(place.sandbox.requests().E21 > asked, String(n)).toBe(n <= 3);
      }
      expect(await held(place)).toBe(billed(place) - 1);
      expect(await lack(place)).toEqual({ day: 1, export: 1 });
      for (const command of ['exports list', 'status']) await ends(night(place, 4, command), 1, said);
      expect((await night(place, 4, `exports decide ${KEY} --accept-incomplete`)).code).toBe(0);
      expect((await night(place, 5, AGAIN)).code).toBe(0);
      expect(await lack(place)).toEqual({ day: null, export: null });
      expect(place.sandbox.requests().E20).toBe(1);
    },
  );
});

describe('records that come twice, and no record is missing', { tags: ['long'], timeout: 120_000 }, () => {
  /** The last three records of page 0 come again at the beginning of page 1. */
  let border: Record<string, unknown>[] = [];
  const overlapping = (page: Page, number: number): void => {
    if (number === 0) border = page.data.slice(-3);
    if (number === 1) page.data.unshift(...border);
  };
  const complete = async (place: Place): Promise<unknown> => {
    const [entry] = JSON.parse((await place.run(['exports', 'list', '--json'])).stdout) as object[];
    return entry;
  };

  test('is complete where the daily statistics agree, at once', async () => {
    const place = await make(overlapping);
    await ends(place.run(['run']), 0);
    expect(await complete(place)).toMatchObject({ state: 'loaded', complete_by: 'statistics', advice: null });
    expect(place.sandbox.requests().E21).toBe(3);
    await ends(night(place, 1, AGAIN), 0);
    expect(place.sandbox.requests().E21).toBe(3);
  });

  extended('is named where the daily statistics count one more', async () => {
    const place = await make((page, number) => {
      const lost = page.data.findIndex(({ event_name }) => event_name === 'send_success');
      if (number === 2) page.data.splice(lost, 1);
      overlapping(page, number);
    });
    await ends(place.run(['run']), 1, /may lack 3 records. Reason: 3 records came twice/);
  });

  extended('is complete without statistics if three readings are equal, and not if they differ', async () => {
    const alone = `backfill --start ${DAY} --end ${DAY} --streams events --yes-paid`;
    const place = await make(overlapping);
    await ends(place.run(alone.split(' ')), 0);
    expect(await complete(place)).toMatchObject({ state: 'loaded', complete_by: 'readings', advice: null });
    expect(place.sandbox.requests().E21).toBe(9);

    const other = await make((page, number, nth) => {
      const [kept] = page.data;
      if (number === 2 && kept !== undefined) page.data[1] = { ...kept, id: `new-${nth}` };
      overlapping(page, number);
    });
    await ends(other.run(alone.split(' ')), 1, /may lack \d+ records?/);
  });
});

describe('people who were deleted at the service', { tags: ['long'], timeout: 120_000 }, () => {
  /** One in forty persons is gone when the export is made. */
  const withoutSome = (page: Page): void => {
    page.data = page.data.filter(({ user_id }) => Number(`0x${digest(String(user_id))}`) % 40 > 0);
  };
  const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8);

  extended(
    'are the likely cause that is named, unless the share is tolerated, which is recorded',
    async () => {
      const place = await make(withoutSome);
      await ends(
        place.run(['run']),
        1,
        /are spread over \d+ campaigns and journeys: the likely cause is that people were deleted at the service \(E15\)/,
      );
      const tolerant = await make(withoutSome, `${YAML}  tolerate_missing: 10%\n`);
      await ends(tolerant.run(['run']), 0);
      const [entry] = JSON.parse((await tolerant.run(['exports', 'list', '--json'])).stdout) as {
        tolerated: number;
      }[];
      expect(entry?.tolerated).toBeGreaterThan(0);
      const noted = `select records::int as records from ops.load_notes where note = 'tolerated'`;
      expect(await tolerant.rows(noted)).toEqual([{ records: entry?.tolerated }]);
      const found = `select count(*)::int as n from ops.checks where name = 'events_agree'`;
      expect(await tolerant.rows(found)).toEqual([{ n: 0 }]);
    },
  );

  test('explain no channel that lacks entirely', async () => {
    const place = await make((page) => {
      page.data = page.data.filter(({ channel }) => channel !== 'email');
    }, `${YAML}  tolerate_missing: 90%\n`);
    const { stderr } = await ends(place.run(['run']), 1, 'successful sends fewer');
    expect(stderr).not.toContain('are spread over');
  });
});

extended('an export that has no page is accepted by a person’s word', async () => {
  const place = await makePlace(YAML, { eventsPerDay: 1_900 });
  let status = 'processing';
  place.sandbox.bend((endpoint, answer) =>
    endpoint === 'E21' ? { ...answer, body: Buffer.from(JSON.stringify({ status, message: '' })) } : answer,
  );
  expect((await place.run(['run'])).code).toBe(1);
  status = 'invalid_page';
  await ends(
    place.run(['run']),
    1,
    `If the day had no events: \`dawnload exports decide ${KEY} --accept-incomplete\``,
  );
  await ends(place.run(['exports', 'decide', KEY, '--accept-incomplete']), 0, 'The export has no page 0');
  expect(await place.rows('select state, records::int as records from ops.exports')).toEqual([
    { state: 'loaded', records: 0 },
  ]);
});

long('the journal holds no text of the service about a page that does not come', async () => {
  const place = await makePlace(YAML, { eventsPerDay: 1_900 });
  place.sandbox.bend((endpoint, answer, query) =>
    endpoint === 'E21' && query.get('page') === '1'
      ? { ...answer, body: Buffer.from('{"status":"error","message":"no letter for Kim"}') }
      : answer,
  );
  await ends(place.run(['run']), 1, /Page 1 .*no letter for Kim/);
  expect((await place.run(['exports', 'show', KEY])).stdout).toMatch(
    /note +A page of the export cannot be downloaded\. Landed pages are kept/,
  );
  expect(await readFile(join(place.folder, 'data/ledger/journal.jsonl'), 'utf8')).not.toContain('Kim');
});

long('an answer to the paid request that breaks off is kept, and its file is named', async () => {
  const place = await makePlace(YAML, {
    faults: [{ endpoint: 'E20', kind: 'wrong-length', by: 10, times: 1 }],
  });
  expect((await place.run(['run'])).code).toBe(1);
  const id = place.sandbox.bills()[0]?.export_id ?? '';
  const { stderr } = await place.run(['exports', 'list']);
  expect(stderr).toContain('Reason: the answer was cut off: ');
  const [, file = ''] = /Its answer is in (landing\/rejected\/\S+\.gz)\./.exec(stderr) ?? [];
  expect(gunzipSync(await readFile(join(place.folder, 'data', file))).toString()).toContain(id);
  expect((await place.run(['exports', 'decide', `${DAY}.1`, '--attach', id])).code).toBe(0);
  expect((await place.run(['run'])).code).toBe(0);
  expect(place.sandbox.bills()).toHaveLength(1);
});

extended('an export whose manifest is damaged is whole once it is read again', async () => {
  const place = await makePlace(YAML);
  expect((await place.run(['run'])).code).toBe(0);
  const id = place.sandbox.bills()[0]?.export_id ?? '';
  await writeFile(join(place.folder, 'data/landing/events', DAY, KEY, id, 'pull.json'), '{');
  const landing = join(place.folder, 'data/landing');
  const [statistics = ''] = (await readdir(join(landing, 'statistics'), { recursive: true })).filter((name) =>
    name.endsWith('.gz'),
  );
  const page = join(landing, 'statistics', statistics);
  const sound = await readFile(page);
  await writeFile(page, sound.subarray(0, 40));
  // Each damaged file has its remedy.
  const { stdout } = await place.run(['doctor', '--deep']);
  expect(stdout).toMatch(/fail {2}landing zone[^]*exports resume 2026-11-20\.1[^]*Restore/);
  await writeFile(page, sound);
  const again = await place.run(['exports', 'resume', KEY]);
  expect([again.code, again.stderr]).toEqual([0, expect.not.stringContaining('incomplete')]);
  expect((await place.run(['doctor', '--deep'])).stdout).toMatch(/ok +landing zone/);
});

long('no further export is paid for once an answer repeats the id of another export', async () => {
  const place = await makePlace(YAML.replace(DAY, '2026-11-17'));
  let first: Buffer | undefined;
  place.sandbox.bend((endpoint, answer) =>
    endpoint === 'E20' ? { ...answer, body: (first ??= answer.body) } : answer,
  );
  await ends(place.run(['run']), 1, /Export \S+ has the same id/);
  expect(place.sandbox.bills()).toHaveLength(2);
});

describe('two requests in a row', { tags: ['long'], timeout: 120_000 }, () => {
  const THREE = YAML.replace(DAY, '2026-11-18');
  const answer = (message: string) => ({ status: 402, body: { error: 'Rejected', message }, times: 1 });
  const unknown = (...faults: object[]): Fault[] =>
    faults.map((fault) => ({ endpoint: 'E20', kind: 'status', ...fault }) as Fault);

  extended('with the same unknown answer are the last until a person decides', async () => {
    const place = await makePlace(THREE, {
      faults: unknown({ ...answer('Export abc123 is off'), times: 9 }),
    });
    for (const asked of [1, 2, 2]) {
      const run = await place.run(['run']);
      expect([run.code, place.sandbox.requests().E20]).toEqual([1, asked]);
    }
    const plan = await place.run(['plan']);
    expect(plan.stdout + plan.stderr).toContain('the last two requests had the same answer');
    expect((await place.run(['exports', 'list'])).stderr).toContain(
      'If its answer, "Rejected: Export abc123 is off", means that nothing was made',
    );
    place.sandbox.setFaults([]);
    expect((await place.run(['exports', 'decide', '2026-11-19.1', '--abandon'])).code).toBe(0);
    await place.run(['run']);
    expect(place.sandbox.bills()).toHaveLength(1);
    // The day that was given up is named, and a person who asks for it is told so.
    expect((await place.run(['status'])).stdout).toContain('given up  events: 2026-11-19');
    const day = ['--start', '2026-11-19', '--end', '2026-11-19', '--streams', 'events', '--yes-paid'];
    await ends(place.run(['backfill', ...day]), 1, '2026-11-19.1 is given up');
  });
});

describe('what nights say of exports', { tags: ['long'] }, () => {
  extended('a day that waits for a person is told alike, also where no other day is held', async () => {
    const place = await makePlace(YAML, { faults: [{ endpoint: 'E20', kind: 'reset-after', times: 1 }] });
    await ends(place.run(['run']), 1, /days_missing .* need your decision.* only within `exports\.budget`/);
    const status = await place.run(['status']);
    expect(status.stdout).toMatch(/2026-11-20 .* waits +│/);
    expect(status.stdout).toMatch(/waits +events: 2026-11-20; your decision is needed/);
    expect(status.stdout).not.toMatch(/missing +events/);
    const fresh =
      "select days_missing::int as missing, days_behind_newest::int as behind from marts.freshness where stream = 'events'";
    expect(await place.rows(fresh)).toEqual([{ missing: 0, behind: 1 }]);
    const days = await place.run(['query', 'missing-days']);
    expect(days.stdout + days.stderr).toMatch(/decision is needed for 1\sday on Nov\s20/);
    expect(days.stdout + days.stderr).not.toMatch(/day missing/);
    await place.configure(YAML.replace(DAY, '2026-11-18'));
    await place.run(['run']);
    expect(await place.rows(fresh)).toEqual([{ missing: 0, behind: 1 }]);
    await place.run(['exports', 'decide', KEY, '--abandon']);
    const abandoned = await place.run(['status']);
    expect(abandoned.stdout).toMatch(/given up +events: 2026-11-20/);
    expect(abandoned.stdout).not.toMatch(/your decision is needed/);
    await place.run(['run']);
    expect(await place.rows(fresh)).toEqual([{ missing: 0, behind: 0 }]);
    const { stdout, stderr } = await place.run(['query', 'missing-days']);
    expect(stdout + stderr).toMatch(/You gave up the events of 1\sday on Nov\s20/);
    expect(stdout + stderr).not.toMatch(/day missing/);
  });

  extended(
    'late events, and counts that rise later, are told with what reads their day again at no cost',
    async () => {
      const days = ['2026-11-03', DAY];
      const asked = async (change: (page: Page, number: number) => void): Promise<[Place, string]> => {
        const place = await make(change, YAML, 300);
        let said = '';
        for (const day of days)
          said += (await place.run(`backfill --start ${day} --end ${day} --yes-paid`.split(' '))).stderr;
        return [place, said];
      };
      const late = (page: Page): void => {
        const micros = Number(page.data[0]?.['time']);
        if (micros < Date.parse(`${DAY}T00:00:00+09:00`) * 1_000) return;
        page.data.push({ ...page.data[0], id: 'late', time: String(micros - 17 * 86_400_000_000) });
      };
      const [, told] = await asked(late);
      expect(told).toContain(
        'the oldest of them on 2026-11-03; `dawnload exports resume 2026-11-03.1` reads the export of that day again at no cost.',
      );
      const [place, quiet] = await asked(() => undefined);
      expect(quiet).not.toContain('exports resume');
      const more = (by: number): Fault => ({ endpoint: 'E17', kind: 'restate', by });
      place.sandbox.setFaults([more(1)]);
      await place.run(['run']);
      await ends(
        place.run(['run']),
        0,
        /differs from the daily statistics; `dawnload exports resume 2026-11-20\.1` reads/,
      );
    },
    120_000,
  );
});

describe('an export with records outside its window', { tags: ['long'], timeout: 120_000 }, () => {
  const shifted =
    (share: number, hours: number) =>
    (page: Page): void => {
      const micros = BigInt(hours * 3_600_000_000);
      for (const record of page.data.slice(0, Math.floor(page.data.length * share)))
        record['time'] = String(BigInt(String(record['time'])) + micros);
    };

  extended('more than a tenth of them is kept back each night, and loaded by a person’s word', async () => {
    const place = await make(shifted(1, 9), YAML, 960);
    for (let runs = 0; runs < 2; runs++) {
      const run = await place.run(['run']);
      expect(run.code).toBe(1);
      expect(run.stderr).toMatch(
        /2026-11-20\.1 of .* is downloaded, but not loaded until you decide. Reason: \d+ of its \d+ records happened on other days/,
      );
    }
    expect(await held(place)).toBe(0);
    const days = await place.rows(`select state from ops.days where stream = 'events'`);
    expect(days).toEqual([{ state: 'waits' }]);
    await ends(place.run(['status']), 1, 'not loaded until you decide');
    await place.run(['exports', 'decide', KEY, '--accept-incomplete']);
    expect(await held(place)).toBe(billed(place));
    const before = await contents(place.published);
    expect((await place.run(['rebuild'])).code).toBe(0);
    expect(await contents(place.published)).toEqual(before);
    expect((await place.run(['run'])).code).toBe(0);
    expect(place.sandbox.requests().E20).toBe(1);
  });

  extended(
    'of which a page is right when it is read again is loaded, and what came first is set aside',
    async () => {
      const move = shifted(1, 48);
      const place = await make((page, number, nth) => {
        if (number === 1 && nth === 0) move(page);
      });
      await ends(place.run(['run']), 1, 'not loaded until you decide', `\`dawnload exports resume ${KEY}\``);
      await ends(place.run(['exports', 'resume', KEY]), 0);
      expect(await held(place)).toBe(billed(place));
      const days = await place.rows('select distinct date::varchar as date from events');
      expect(days).toEqual([{ date: DAY }]);
      const aside = await readdir(join(place.folder, 'data/landing/rejected'), { recursive: true });
      expect(aside.some((name) => name.includes('replaced'))).toBe(true);
      expect((await place.run(['rebuild'])).code).toBe(0);
      expect(await held(place)).toBe(billed(place));
      expect(place.sandbox.requests().E20).toBe(1);
    },
  );
});

long(
  'a person who agrees to pay for days pays for no other day that the budget turns out to allow',
  async () => {
    const place = await make(
      (page) => page.data.splice(Math.ceil(page.data.length * 0.6)),
      YAML.replace(DAY, '2026-11-18').replace('records_per_run: 100000', 'records_per_run: 140'),
      60,
    );
    const questions: string[] = [];
    const terminal = {
      ...invocationOf().terminal,
      interactive: true,
      confirm: (question: string) => Promise.resolve(questions.push(question) > 0),
    };
    const clock = { now: () => new Date(NOW), moveTo: () => undefined };
    const range = ['backfill', '--start', '2026-11-18', '--end', DAY, '--streams', 'statistics,events'];
    await performCommand(range, place.folder, place.environment, clock, terminal);
    expect(questions).toEqual([expect.stringContaining('Request paid exports of 2 days,')]);
    expect(place.sandbox.bills()).toHaveLength(2);
  },
);
