// @module-tag long
/** Text of the service that means harm to a terminal, through every command that could show it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { executeEach, Place, type Ended } from '../support/dawnload.js';

const UNSAFE = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/** ESC and OSC, CSI as one character, an override of direction, separators of lines, and a line of ours that is forged. */
const HOSTILE =
  'x\u001b[2J\u001b]0;owned\u0007\u009b31m\u202eevil\u2066\u200f\u061c\u2028y\nwarning: every export is paid\rz\u007f';
/** How it is shown. */
const SHOWN =
  'x\\u001b[2J\\u001b]0;owned\\u0007\\u009b31m\\u202eevil\\u2066\\u200f\\u061c\\u2028y\\nwarning: every export is paid\\rz\\u007f';

const SETTINGS = `start_date: 2026-11-19
lookback_days: 2
retries: 0
exports:
  budget: { records_per_run: 100000, records_per_month: 100000 }
`;

let place: Place;
let run: Ended;
beforeAll(async () => {
  place = await Place.make(SETTINGS, { eventsPerDay: 300 });
  place.sandbox.setFaults([
    { endpoint: 'E17', kind: 'other-type', field: 'channel', value: HOSTILE, records: 'one' },
    { endpoint: 'E18', kind: 'extra-field', field: HOSTILE, value: HOSTILE, records: 'one' },
    { endpoint: 'E19', kind: 'status', status: 400, body: { error: HOSTILE, message: HOSTILE } },
    { endpoint: 'E20', kind: 'status', status: 500, body: { error: HOSTILE, message: HOSTILE }, times: 1 },
    { endpoint: 'E21', kind: 'other-type', field: 'resource_title', value: HOSTILE },
    { endpoint: 'E21', kind: 'other-type', field: 'event_name', value: HOSTILE, records: 'one' },
  ]);
  run = await place.execute(['run', '--json']);
});
afterAll(() => place.remove());

/** Nothing but the line breaks of our own, and no line that the service wrote. */
function expectSafe({ stdout, stderr }: Ended): void {
  for (const text of [stdout, stderr]) {
    expect(text.replaceAll('\n', '')).not.toMatch(UNSAFE);
    expect(text).not.toMatch(/^warning: every export/m);
  }
}

test('the run shows what came, and lets it do nothing', () => {
  expectSafe(run);
  expect(run.stderr).toContain(SHOWN);
  // In JSON the escapes mean what was there.
  expect(JSON.stringify(JSON.parse(run.stdout))).toContain(JSON.stringify(HOSTILE).slice(1, -1));
  expect(run.stdout.trimEnd()).not.toContain('\n');
});

describe('and so does', () => {
  const COMMANDS = [
    'status',
    'plan',
    'exports list',
    'exports show 2026-11-20.1',
    'exports resume 2026-11-20.1',
    'rebuild',
    'query channel-summary',
    'query checks',
    'query --sql|from daily_statistics',
    'query --sql|select channel as "\u001b[2J" from daily_statistics',
    'query --sql|from "\u001b[2J\u202e"',
    'query \u001b[2J\u009b',
    'docs \u001b[2J\u009b\n',
    'doctor',
    '\u001b[2J\u202e',
    'run --config \u001b[2J\nwarning: every export',
  ];
  let results: Ended[] = [];
  beforeAll(async () => {
    const typed = COMMANDS.map((command) => {
      const [words = '', sql] = command.split('|');
      const config = /^(run) (--config) ([^]*)$/.exec(words)?.slice(1) ?? words.split(' ');
      return sql === undefined ? config : [...config, sql];
    });
    results = await executeEach(typed, place.folder, place.environment);
  });

  test.each(COMMANDS.map((command, nth) => [command, nth] as const))('%j', (_, nth) => {
    const [result] = results.slice(nth);
    if (result !== undefined) expectSafe(result);
    expect(`${result?.stdout}${result?.stderr}`).not.toBe('');
  });

  test('a table written to a file', async () => {
    const { stdout } = await place.execute(['query', '--sql', 'from daily_statistics', '--format', 'table']);
    expect(stdout).toContain(SHOWN);
  });
});

test.each(['csv', 'json'])('%s to a pipe or a file is data, and stays what it was', async (format) => {
  const sql = "select distinct channel from daily_statistics where channel like 'x%'";
  const { stdout } = await place.execute(['query', '--sql', sql, '--format', format]);
  const value =
    format === 'csv'
      ? stdout.slice(stdout.indexOf('"') + 1, stdout.lastIndexOf('"'))
      : (JSON.parse(stdout) as { channel: string }[])[0]?.channel;
  expect(value).toBe(HOSTILE);
});
