/** The banner above the numbers: the last run failed, is incomplete, or was not published. */
import { z } from 'zod';
import { formatKst } from '../calendar.js';
import type { PastRun } from '../run/journal.js';
import type { Text } from './page.js';

const summary = z.object({
  failure: z.string().optional(),
  findings: z.array(z.object({ name: z.string(), severity: z.string() })).default([]),
});

/**
 * @param runs the journal of runs
 * @param published the ids of the runs that the published file knows
 * @returns undefined when the last run brought all that it should
 */
export function noticeOf(runs: readonly PastRun[], published: ReadonlySet<string>): Text | undefined {
  const last = runs.filter(({ over }) => over !== undefined).at(-1);
  if (last?.over === undefined) return undefined;
  const { outcome, finishedAt } = last.over;
  const run = `dawnload ${last.begun.command}`;
  const at = formatKst(finishedAt);
  const { failure, findings } = summary.catch({ findings: [] }).parse(last.over.summary);
  if (outcome === 'failed') {
    return {
      en: `The last run (${run}, ${at}) failed: ${failure ?? 'the reason is unknown.'} The report shows what was loaded before.`,
      ko: `마지막 실행(${run}, ${at})이 실패했습니다: ${failure ?? '원인을 알 수 없습니다.'} 아래는 그 전까지 적재된 데이터입니다.`,
    };
  }
  if (!published.has(last.begun.runId)) {
    const stops = findings.filter(({ severity }) => severity === 'stop').map(({ name }) => name);
    const names = [...new Set(stops)].join(', ');
    return {
      en: `The last run (${run}, ${at}) was not published${names === '' ? '' : `: check ${names} failed`}. The report shows the warehouse before it.`,
      ko: `마지막 실행(${run}, ${at})의 결과가 게시되지 않았습니다${names === '' ? '' : `: 검사 ${names} 실패`}. 아래는 그 전의 데이터입니다.`,
    };
  }
  if (outcome === 'done') return undefined;
  return {
    en: `The last run (${run}, ${at}) is incomplete. \`dawnload status\` says what is missing.`,
    ko: `마지막 실행(${run}, ${at})이 일부만 완료되었습니다. 빠진 항목은 \`dawnload status\`로 확인하세요.`,
  };
}
