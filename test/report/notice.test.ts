/** What the report says before its numbers. */
import { describe, expect, test } from 'vitest';
import type { PastRun } from '../../src/run/journal.js';
import { noticeOf } from '../../src/report/report.js';

function run(runId: string, outcome: string, summary: Record<string, unknown> = {}): PastRun {
  return {
    begun: {
      runId,
      command: 'run',
      startedAt: new Date('2026-11-20T22:10:00Z'),
      version: '0.1.0',
      processId: 1,
    },
    over: { runId, finishedAt: new Date('2026-11-20T22:12:00Z'), exitCode: 0, outcome, summary },
  };
}

describe('a notice', () => {
  test('is not there when the last run brought all that it should', () => {
    expect(noticeOf([], new Set())).toBeUndefined();
    expect(noticeOf([run('a', 'failed'), run('b', 'done')], new Set(['a', 'b']))).toBeUndefined();
  });

  test('says why the last run failed', () => {
    const notice = noticeOf([run('a', 'failed', { failure: 'The keys were refused.' })], new Set(['a']));
    expect(notice?.en).toBe(
      'The last run (dawnload run, 2026-11-21 07:12 KST) failed: The keys were refused. The report shows what was loaded before.',
    );
    expect(notice?.ko).toContain('실패했습니다: The keys were refused.');
  });

  test('says which checks kept the last run from readers', () => {
    const findings = [
      { name: 'events_once', severity: 'stop' },
      { name: 'clicks_within_sends', severity: 'warn' },
    ];
    const notice = noticeOf([run('a', 'done'), run('b', 'incomplete', { findings })], new Set(['a']));
    expect(notice?.en).toContain('was not published: check events_once failed.');
  });

  test('says that the last run is incomplete', () => {
    expect(noticeOf([run('a', 'incomplete')], new Set(['a']))?.en).toContain('is incomplete.');
  });

  test('leaves a run that was killed to the one before it', () => {
    const killed = { ...run('b', 'done'), over: undefined };
    expect(noticeOf([run('a', 'done'), killed], new Set(['a']))).toBeUndefined();
  });
});
