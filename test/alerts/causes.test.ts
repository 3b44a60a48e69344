import { expect, test } from 'vitest';
import { bodyOf, causesOf, type Ended, type Memory } from '../../src/operations/alerts.js';
import { RunReport } from '../../src/run/report.js';

const NOTHING_TOLD: Memory = { told: {}, failing: false, drift: [] };

/** A run that ended before it could report. */
const ended = (more: Partial<Ended>): Ended => ({
  report: undefined,
  failure: undefined,
  newest: '2026-11-19',
  complete: '2026-11-19',
  ...more,
});

test('a run that fails before it could report tells its failure, and where to look', () => {
  expect(causesOf(ended({ failure: new Error('The disk is full.') }), NOTHING_TOLD)).toMatchObject([
    { cause: 'failure', message: 'The run failed. The disk is full.', next: 'dawnload doctor' },
  ]);
});

test('what went wrong and is well again is told once, what was well is not', () => {
  const recovery = { cause: 'recovery', numbers: { rows: 0 } };
  expect(causesOf(ended({}), { ...NOTHING_TOLD, failing: true })).toMatchObject([recovery]);
  expect(causesOf(ended({}), NOTHING_TOLD)).toEqual([]);
});

test('statistics that miss more than one night are stale; one night, or none yet, is not', () => {
  expect(causesOf(ended({ newest: '2026-11-16' }), NOTHING_TOLD)).toMatchObject([
    { cause: 'stale', numbers: { days_behind: 3 }, next: 'dawnload plan' },
  ]);
  expect(causesOf(ended({ newest: '2026-11-18' }), NOTHING_TOLD)).toEqual([]);
  expect(causesOf(ended({ newest: undefined }), NOTHING_TOLD)).toEqual([]);
});

test('what needs a person, what drifted since it was told, and a check that stops are told', () => {
  const report = new RunReport(new Date('2026-11-20T22:30:00Z'));
  report.needsAction('Export 2026-11-20.1 may have been billed.');
  report.loaded({
    pull: 'events/2026-11-20/2026-11-20.1',
    stream: 'events',
    changed: true,
    rows: 1,
    days: [],
    finished: [],
    held: [],
    superseded: [],
    notes: {},
    restatements: 0,
    drift: ['$.old', '$.new'],
    neighbours: [],
  });
  report.withhold('check events_key failed');
  const told = causesOf(ended({ report }), { ...NOTHING_TOLD, drift: ['$.old'] });
  expect(told).toMatchObject([
    { cause: 'failure' },
    { cause: 'needs_action', message: 'Export 2026-11-20.1 may have been billed.', numbers: { actions: 1 } },
    {
      cause: 'drift',
      message: expect.stringContaining('its specification: $.new. ') as string,
      numbers: { fields: 1 },
    },
    {
      cause: 'check_stop',
      message: 'Not published: check events_key failed. Readers keep the previous warehouse.',
    },
  ]);
});

test('drift of more fields than Slack takes is cut, with the count of the rest, and the next step stays', () => {
  const sender = { project_id: 'p', run_id: 'r', time: new Date('2026-11-20T22:30:00Z') };
  const drifting = (drift: string[]): Pick<Ended, 'report'> => {
    const report = new RunReport(new Date('2026-11-20T22:30:00Z'));
    report.loaded({
      pull: 'p',
      stream: 'events',
      changed: true,
      rows: 1,
      days: [],
      finished: [],
      held: [],
      superseded: [],
      notes: {},
      restatements: 0,
      drift,
      neighbours: [],
    });
    return { report };
  };
  const fields = Array.from({ length: 900 }, (_, i) => `$.<&>${'f'.repeat(60)}${i}`);
  const [alert] = causesOf(ended(drifting(fields)), NOTHING_TOLD).filter(({ cause }) => cause === 'drift');
  if (alert === undefined) throw new Error('no alert');
  const { text } = JSON.parse(bodyOf(alert, sender, 'slack')) as { text: string };
  expect(text.length).toBeLessThanOrEqual(40_000);
  expect(text.length).toBeGreaterThan(38_000);
  const left = Number(/ and (\d+) more\. Their values are kept\.\nfields: 900\n/.exec(text)?.[1]);
  expect(text.match(/\$\./g)).toHaveLength(900 - left);
  expect(text).toMatch(/Next: `dawnload query drift`$/);

  const failed = causesOf(ended({ failure: new Error('<'.repeat(50_000)) }), NOTHING_TOLD);
  const cut = JSON.parse(bodyOf(failed[0] ?? alert, sender, 'slack')) as { text: string };
  expect(cut.text).toHaveLength(40_000);
});
