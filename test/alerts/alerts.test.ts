/** What is worth an alert, and what receivers hear of whole runs. */
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import type { Fault } from '../support/faults/fault.js';
import type { FaultySandboxOptions } from '../support/faults/index.js';
import { bodyOf } from '../../src/operations/alert.js';
import { causesOf, NOTHING_TOLD, type Ended, type Memory } from '../../src/operations/alerts.js';
import { realEffects } from '../../src/ground/effects.js';
import { ClockError, TryLaterError } from '../../src/ground/errors.js';
import { listed } from '../../src/ground/text.js';
import { RunLock } from '../../src/disk/run-lock.js';
import { RunReport } from '../../src/night/report.js';
import type { Place } from '../support/dawnload.js';
import { Hook, ends, makePlace } from '../support/place.js';
import { extended, long } from '../support/tags.js';

function make(yaml: string, options: FaultySandboxOptions = {}): Promise<Place> {
  return makePlace(`start_date: 2026-11-20\nlookback_days: 1\n${yaml}`, { eventsPerDay: 200, ...options });
}

describe('alerts', { tags: ['long'] }, () => {
  test('and ledger, journal, warehouse and terminal repeat no key and no person that the service names', async () => {
    const receiver = await Hook.listen();
    const place = await make(
      `retries: 0\nexports: { budget: { records_per_run: 100000, records_per_month: 100000 } }\nalerts: [{ url: "${receiver.url}" }]\n`,
    );
    const told =
      'test%2Dsecret-key of test-\\u0061ccess-key, kim@example.com, 010.9753.8642, +82 10 9753 8642';
    const error = { error: told, message: told };
    const fault = (endpoint: 'E17' | 'E19' | 'E20' | 'E21', body: object, status = 400): Fault => ({
      endpoint,
      kind: 'status',
      status,
      body,
    });
    const seen: string[] = [];
    const run = async (faults: readonly Fault[]): Promise<void> => {
      place.sandbox.setFaults(faults);
      for (const args of [
        ['run', '--json'],
        ['exports', 'list', '--json'],
        ['status', '--json'],
      ]) {
        const { stdout, stderr } = await place.run(args);
        seen.push(stdout, stderr);
      }
      seen.push(JSON.stringify(receiver.take()));
    };
    await run([fault('E17', error), fault('E19', error)]);
    await run([fault('E21', { status: 'error', message: told }, 200)]);
    await run([fault('E20', { error: told, message: 'an upstream failed' }, 500)]);
    const journal = await readFile(join(place.folder, 'data/ledger/journal.jsonl'), 'utf8');
    expect(journal).not.toContain('… of …');
    seen.push(journal);
    for (const table of ['ops.exports', 'ops.runs'])
      seen.push(JSON.stringify(await place.rows(`from ${table}`)));
    for (const text of seen) expect(text).not.toMatch(/secret-key|ccess-key|kim@|9753\D?8642/);
    // All of it was told, but for that.
    expect(seen.filter((text) => text.includes('… of …, …, …, …')).length).toBeGreaterThan(5);
  });

  test('of settings that name another project change nothing in its folder', async () => {
    const receiver = await Hook.listen();
    const place = await make(`alerts: [{ url: "${receiver.url}" }]\n`);
    expect((await place.run(['run'])).code).toBe(0);
    const memory = (): Promise<string> => readFile(join(place.folder, 'data/alerts.json'), 'utf8');
    const before = await memory();
    expect((await place.run(['run'], { DAWNLOAD_PROJECT_ID: 'f'.repeat(32) })).code).toBe(2);
    expect(JSON.stringify(receiver.take())).toContain('has the data of project');
    expect(await memory()).toBe(before);
  });

  test.each([
    ['a mistyped value', 'concurrency: many', '', 'concurrency must be'],
    ['a mistyped key', 'retrys: 2', '', 'unknown key "retrys"'],
    ['another receiver', '', ', { url_env: X, on: [fire] }', 'alerts.1.on.0 must be among'],
  ])(
    'tell of settings that end a run before it begins, by what can be read of them: %s',
    async (_, line, other, said) => {
      const receiver = await Hook.listen();
      const place = await make('');
      await place.configure(
        `start_date: 2026-11-20\n${line}\nalerts: [{ url: "${receiver.url}" }${other}]\n`,
      );
      await ends(place.run(['run']), 2, said);
      expect(receiver.take()).toEqual([
        expect.objectContaining({
          cause: 'failure',
          message: expect.stringContaining(said) as string,
          numbers: { exit_code: 2 },
        }),
      ]);
      // The folder may be another project's, so nothing is noted there.
      expect(existsSync(join(place.folder, 'data/alerts.json'))).toBe(false);
    },
  );

  extended('tell of missing keys, and that the data is old while another run has the lock', async () => {
    const receiver = await Hook.listen();
    const place = await make(`alerts: [{ url: "${receiver.url}" }]\n`);
    expect((await place.run(['run'])).code).toBe(0);
    expect((await place.run(['run'], { DAWNLOAD_SECRET_KEY: '' })).code).toBe(2);
    expect(receiver.take()).toMatchObject([{ cause: 'failure', numbers: { exit_code: 2 } }]);
    const lock = await RunLock.take(join(place.folder, 'data'), 'dawnload backfill', realEffects({}));
    const later = { DAWNLOAD_NOW: '2026-11-24T22:30:00Z' };
    expect((await place.run(['run'], later)).code).toBe(75);
    await lock.release();
    expect(receiver.take()).toMatchObject([{ cause: 'stale', numbers: { days_behind: 4 } }]);
  });

  test('and the heartbeat hears of each run, also of one that could not start', async () => {
    const monitor = await Hook.listen();
    const place = await make('');
    const heartbeat = { DAWNLOAD_HEARTBEAT_URL: `${monitor.url}/ping/{exit_code}` };
    const heard = async (end: Promise<{ code: number | null }>) => {
      const { code } = await end;
      const [{ path } = { path: '' }] = monitor.received;
      const [body] = monitor.take();
      expect(body).toMatchObject({ tool: 'dawnload', command: 'run', exit_code: code });
      return [path, body?.['outcome'], body?.['error']];
    };
    expect(await heard(place.run(['run'], heartbeat))).toEqual(['/ping/0', 'done', null]);
    const lock = await RunLock.take(join(place.folder, 'data'), 'dawnload backfill', realEffects({}));
    expect(await heard(place.run(['run'], heartbeat))).toEqual(['/ping/75', 'try_later', 'TryLaterError']);
    await lock.release();
    for (const yaml of ['start_date: 2026-11-20\nconcurrency: many\n', 'a: [\n']) {
      await place.configure(yaml);
      const [path, outcome] = await heard(place.run(['run'], heartbeat));
      expect([path, outcome]).toEqual(['/ping/2', 'failed']);
    }
    // The setting serves as well, also beside a wrong one, and the monitor's own trouble changes no exit code.
    // A command line that is wrong: nobody reads what cron writes.
    const mistyped = heard(place.execute(['run', '--quite'], heartbeat));
    expect(await mistyped).toEqual(['/ping/2', 'failed', 'UsageError']);
    await place.configure(`concurrency: many\nheartbeat: ${monitor.url}\n`);
    monitor.status = 500;
    await ends(place.run(['run']), 2, 'The heartbeat was not accepted: HTTP 500.');
    expect(monitor.take()).toMatchObject([{ exit_code: 2, error: 'SettingsError' }]);
    await ends(place.run(['run'], { DAWNLOAD_HEARTBEAT_URL: 'hc-ping.com/x' }), 2, 'its address is not one');
  });

  extended('that one receiver accepted are sent again to another that did not', async () => {
    const [first, second] = [await Hook.listen(), await Hook.listen()];
    const place = await make(`retries: 0\nalerts: [{ url: "${first.url}" }, { url: "${second.url}" }]\n`);
    const wrong = { DAWNLOAD_SECRET_KEY: 'a-wrong-secret' };
    second.status = 500;
    expect((await place.run(['run'], wrong)).code).toBe(1);
    expect([first.take().length, second.take().length]).toEqual([1, 1]);
    second.status = 200;
    expect((await place.run(['run'], wrong)).code).toBe(1);
    expect([first.take().length, second.take().length]).toEqual([0, 1]);
    // The recovery too, on whichever night the other accepts it.
    const causes = (hook: Hook): unknown[] => hook.take().map(({ cause }) => cause);
    for (const [status, told, late] of [
      [500, ['recovery'], ['recovery']],
      [200, [], ['recovery']],
      [200, [], []],
    ] as const) {
      second.status = status;
      expect((await place.run(['run'])).code).toBe(0);
      expect([causes(first), causes(second)]).toEqual([told, late]);
    }
  });

  test('tell of a failure once a day, and of the recovery', async () => {
    const receiver = await Hook.listen();
    const place = await make(`retries: 0\nalerts: [{ url: "${receiver.url}/hook" }]\n`);
    const yaml = `start_date: 2026-11-20\nlookback_days: 1\nretries: 0\nalerts: [{ url: "${receiver.url}/hook" }]\n`;
    const wrong = { DAWNLOAD_SECRET_KEY: 'a-wrong-secret' };
    expect((await place.run(['run'], wrong)).code).toBe(1);
    expect((await place.run(['run'], wrong)).code).toBe(1);
    const failures = receiver.take();
    expect(failures).toEqual([
      expect.objectContaining({
        tool: 'dawnload',
        cause: 'failure',
        message: expect.stringMatching(/^The run failed\. /) as string,
        numbers: { exit_code: 1 },
        next: 'dawnload doctor',
        project_id: '0123456789abcdef0123456789abcdef',
        host: hostname(),
        folder: join(place.folder, 'data'),
        run_id: expect.stringMatching(/^2026-11-20T/) as string,
      }),
    ]);
    expect(JSON.stringify(failures)).not.toContain('a-wrong-secret');

    // The failure is over only when no day waits for budget.
    await place.configure(`${yaml}exports: { budget: { records_per_run: 1 } }\n`);
    expect((await place.run(['run'])).code).toBe(3);
    expect(receiver.take()).toMatchObject([{ cause: 'budget' }]);
    await place.configure(yaml);
    expect((await place.run(['run'])).code).toBe(0);
    expect(receiver.take()).toEqual([
      expect.objectContaining({
        cause: 'recovery',
        message: 'The run is complete again.',
        next: 'dawnload status',
      }),
    ]);
    // The next night has nothing to tell.
    expect((await place.run(['run'])).code).toBe(0);
    expect(receiver.take()).toEqual([]);
  });

  test('tell of a journal that was lost, and the command that finds what it held', async () => {
    const receiver = await Hook.listen();
    const place = await make(`alerts: [{ url: "${receiver.url}", on: [needs_action] }]\n`);
    expect((await place.run(['run'])).code).toBe(0);
    for (const folder of ['ledger', 'landing/ledger'])
      await rm(join(place.folder, 'data', folder), { recursive: true });
    expect((await place.run(['run'])).code).toBe(1);
    expect(receiver.take()).toMatchObject([{ cause: 'needs_action', next: 'dawnload recover' }]);
  });

  test('tell only what a receiver wants to hear, as Slack takes it, at an address from the environment', async () => {
    const [slack, deaf] = [await Hook.listen(), await Hook.listen()];
    const place = await make(
      `exports: { budget: { records_per_run: 1 } }
alerts:
  - { url_env: TEAM_HOOK, format: slack, on: [budget] }
  - { url: "${deaf.url}", on: [failure, recovery] }
`,
    );
    const result = await place.run(['run'], { TEAM_HOOK: `${slack.url}/T0/B0/secret` });
    expect(result.code).toBe(3);
    const [message, ...more] = slack.take();
    expect(more).toEqual([]);
    expect(message?.['text']).toMatch(
      /^\*Dawnload\* budget: Events were not requested because they are over the budget\.\ndays: 1, estimated records: \d+\nNext: `dawnload plan`\nProject 0123456789abcdef0123456789abcdef on \S+, \/\S+\/data, run 2026-11-20T\S+$/,
    );
    expect(deaf.take()).toEqual([]);
    expect(result.stderr).not.toContain('secret');
  });

  test('a receiver that refuses, redirects, is away or has no address costs a warning, not the night', async () => {
    const [refusing, redirecting, away] = [await Hook.listen(), await Hook.listen(), await Hook.listen()];
    refusing.status = 500;
    redirecting.status = 302;
    const gone = away.url;
    const place = await make(`exports: { budget: { records_per_run: 1 } }
alerts:
  - { url: "${refusing.url.replace('//', '//watch:p%40ss@')}/one", on: [budget] }
  - { url: "${redirecting.url}/two", on: [budget] }
  - { url: "${gone}/three", on: [budget] }
  - { url_env: NOT_SET, on: [budget] }
  - { url: "${redirecting.url.replace('http', 'https')}/five", on: [budget] }
`);
    away.close();
    const result = await ends(
      place.run(['run']),
      3,
      'warning: The alert "budget" was not accepted by alerts[0]: HTTP 500.',
      'warning: The alert "budget" was not accepted by alerts[1]: HTTP 302, a redirect, which is not followed.',
      /warning: The alert "budget" was not accepted by alerts\[2\]: .+/,
      'warning: The alert "budget" was not accepted by NOT_SET: the variable is not set, or is not an address.',
      'not accepted by alerts[4]: the address is https, and http answers there.',
    );
    // The library drops the name and the password of an address.
    const basic = `Basic ${Buffer.from('watch:p@ss').toString('base64')}`;
    expect(refusing.received[0]?.authorization).toBe(basic);
    expect(result.stderr).not.toContain(gone);
    expect(redirecting.received.map(({ path }) => path)).toEqual(['/two']);
    // What nobody took is told again.
    refusing.status = 200;
    refusing.take();
    await place.run(['run']);
    expect(refusing.take()).toHaveLength(1);
  });

  long(
    'a receiver that hangs is given up after ten seconds',
    async () => {
      const receiver = await Hook.listen();
      receiver.hangs = true;
      const place = await make(
        `exports: { budget: { records_per_run: 1 } }\nalerts: [{ url: "${receiver.url}" }]\n`,
      );
      // Ten seconds pass in half a second.
      const timeout = AbortSignal.timeout.bind(AbortSignal);
      const asked: number[] = [];
      vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
        asked.push(ms);
        return timeout(ms / 20);
      });
      await ends(
        place.run(['run']).finally(() => vi.restoreAllMocks()),
        3,
        'not accepted by alerts[0]: no answer within 10 seconds.',
      );
      expect(asked).toContain(10_000);
    },
    30_000,
  );

  test('a test alert shows whether receivers are reached', async () => {
    const receiver = await Hook.listen();
    const place = await make(`alerts: [{ url: "${receiver.url}", on: [] }]\n`);
    const sent = await place.run(['doctor', '--send-test-alert']);
    expect(sent.stdout).toMatch(/test alert +accepted by 1 receiver/);
    expect(receiver.take()).toEqual([expect.objectContaining({ cause: 'test' })]);
    receiver.status = 404;
    const refused = await place.run(['doctor', '--send-test-alert']);
    expect(refused.stdout).toMatch(/test alert +accepted by 0 of 1 receiver/);
    expect(refused.code).toBe(1);
  });

  test('settings that cannot be meant are refused', async () => {
    const place = await make('');
    for (const [alerts, message] of [
      ['[{ url: "https://a.example", url_env: X }]', 'alerts.0 must set url or url_env'],
      ['[{ on: [failure] }]', 'alerts.0 must set url or url_env'],
      ['[{ url: "ftp://a.example" }]', 'alerts.0.url must be an http or https address'],
      ['[{ url: "https://a.example", on: [fire] }]', 'alerts.0.on.0 must be among failure, recovery'],
      ['[{ url: "https://a.example", on: [question] }]', 'alerts.0 must have `question` if'],
      ['[{ url: "https://a.example", on: [stale], question: mine }]', 'alerts.0 must have `question` if'],
      ['[{ url: "https://a.example", format: fax }]', 'alerts.0.format must be one of slack, teams, json'],
    ] as const) {
      await place.configure(`start_date: 2026-11-20\nalerts: ${alerts}\n`);
      await ends(place.run(['run']), 2, message);
    }
  });
});

// What a run tells, without a run.
/** A run that ended before it could report. */
const over = (more: Partial<Ended>): Ended => ({
  report: new RunReport(() => new Date('2026-11-20T22:30:00Z')),
  failure: undefined,
  newest: '2026-11-19',
  complete: '2026-11-19',
  ...more,
});

/** The report of a complete run whose day of events is over the budget. */
function limited(): RunReport {
  const report = new RunReport(() => new Date('2026-11-20T22:30:00Z'));
  report.unpaidDays.push({ day: '2026-11-20', verdict: 'over_run_budget', estimate: 9 });
  return report;
}

test.each<[string, Partial<Ended>, Partial<Memory>, unknown[]]>([
  [
    'a run that fails before it could report tells its failure, and where to look',
    { failure: new Error('The disk is full.') },
    {},
    [{ cause: 'failure', message: 'The run failed. The disk is full.', next: 'dawnload doctor' }],
  ],
  ['what is well again is told once', {}, { failing: true }, [{ cause: 'recovery', numbers: { rows: 0 } }]],
  ['what was well is not', {}, {}, []],
  [
    'statistics that miss more than one night are stale',
    { newest: '2026-11-16' },
    {},
    [{ cause: 'stale', numbers: { days_behind: 3 }, next: 'dawnload plan' }],
  ],
  [
    'statistics are not called stale by a clock that may be wrong',
    { newest: '2026-11-16', failure: new ClockError('The clocks differ by five days.') },
    {},
    [{ cause: 'failure' }],
  ],
  [
    'nothing is well again while days wait for budget',
    { report: limited() },
    { failing: true },
    [{ cause: 'budget' }],
  ],
  ['statistics that miss one night are not', { newest: '2026-11-18' }, {}, []],
  ['statistics of no day yet are not', { newest: undefined }, {}, []],
  [
    'a run that finds the lock held tells that the data is old, and neither a failure nor a recovery',
    { failure: new TryLaterError('Another run has the lock.'), newest: '2026-11-16' },
    { failing: true },
    [{ cause: 'stale' }],
  ],
])('%s', (_, run, memory, causes) => {
  expect(causesOf(over(run), { ...NOTHING_TOLD, ...memory })).toMatchObject(causes);
});

/** The report of a run that loaded one export, in which these fields drifted. */
function drifting(...drift: string[]): RunReport {
  const report = new RunReport(() => new Date('2026-11-20T22:30:00Z'));
  report.loaded({
    ...{
      pull: 'events/2026-11-20/2026-11-20.1',
      stream: 'events',
      changed: true,
      rows: 1,
      restatements: 0,
      drift,
    },
    ...{ days: [], finished: [], heldBack: [], superseded: [], notes: {}, neighbors: [] },
  });
  return report;
}

test('what needs a person, what drifted since it was told, and a check that stops are told', () => {
  const report = drifting('$.old', '$.new');
  const advice = 'Export 2026-11-20.1 may have been billed.';
  report.attention.push({ advice, list: 'dawnload exports list' });
  report.withheld = 'check events_key failed';
  const told = causesOf(over({ report }), { ...NOTHING_TOLD, drift: ['$.old'] });
  expect(told).toMatchObject([
    { cause: 'failure' },
    { cause: 'needs_action', message: advice, numbers: { actions: 1 }, next: 'dawnload exports list' },
    {
      cause: 'drift',
      message: expect.stringContaining('its specification: $.new. ') as string,
      numbers: { fields: 1 },
    },
    {
      cause: 'check_stop',
      message:
        'Not published: check events_key failed. Readers still see the previous file, if there is one.',
    },
  ]);
});

test('every step that failed is named, and a run that fails says what waits for a person too', () => {
  const report = new RunReport(() => new Date('2026-11-20T22:30:00Z'));
  const step = (name: string, failed: boolean) => ({ step: name, failed, sentence: `${name} ended.` });
  report.steps.push(step('lake', true), step('push items', true), step('page', false));
  report.attention.push({
    advice: 'Export 2026-11-20.1 may have been billed.',
    list: 'dawnload exports list',
  });
  const [incomplete, waiting] = causesOf(over({ report }), NOTHING_TOLD);
  expect(incomplete?.message).toBe('The run is incomplete. lake ended. push items ended.');
  expect(waiting).toMatchObject({ cause: 'needs_action', numbers: { actions: 1 } });
  const failed = causesOf(over({ report, failure: new Error('The service is away.') }), NOTHING_TOLD);
  expect(failed).toMatchObject([
    { cause: 'failure', message: 'The run failed. The service is away. lake ended. push items ended.' },
    { cause: 'needs_action' },
  ]);
});

test('a file that is withheld for lost events is not mended by a rebuild', () => {
  const report = new RunReport(() => new Date('2026-11-20T22:30:00Z'));
  report.withheld = 'the events of 2026-11-18 were loaded before and cannot be loaded now';
  const [, stop] = causesOf(over({ report }), NOTHING_TOLD);
  expect(stop).toMatchObject({ cause: 'check_stop', next: 'dawnload exports list' });
});

test('a list of names is cut, and each of them', () => {
  expect(listed(['a', 'b'])).toBe('a, b');
  expect(listed(Array.from({ length: 25_000 }, () => 'a'))).toMatch(/^a(?:, a){29} and 24970 more$/);
  expect(listed(['k'.repeat(100_000)])).toHaveLength(200);
});

test('drift of many fields is cut, with the count of the rest, and the next step stays', () => {
  const where = { project_id: 'p', host: 'h', folder: '/f', run_id: 'r' };
  const sender = { ...where, time: new Date('2026-11-20T22:30:00Z') };
  const fields = Array.from({ length: 900 }, (_, i) => `$.<&>${'f'.repeat(60)}${i}`);
  const [alert] = causesOf(over({ report: drifting(...fields) }), NOTHING_TOLD).filter(
    ({ cause }) => cause === 'drift',
  );
  if (alert === undefined) throw new Error('no alert');
  const { text } = JSON.parse(bodyOf(alert, sender, 'slack')) as { text: string };
  expect(text.length).toBeLessThanOrEqual(40_000);
  const left = Number(/ and (\d+) more\. Their values are kept\.\nfields: 900\n/.exec(text)?.[1]);
  expect(text.match(/\$\./g)).toHaveLength(900 - left);
  expect(text).toMatch(/Next: `dawnload query drift`\nProject p on h, \/f, run r$/);

  const failed = causesOf(over({ failure: new Error('<'.repeat(50_000)) }), NOTHING_TOLD);
  const cut = JSON.parse(bodyOf(failed[0] ?? alert, sender, 'slack')) as { text: string };
  expect(cut.text).toHaveLength(40_000);
});
