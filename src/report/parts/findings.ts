/** The findings of the data tests, grouped by test. */
import { z } from 'zod';
import { bar } from '../chart.js';
import { html } from '../page.js';
import { count, name, part, rows, sum, text } from '../part.js';
import { folded, table } from '../table.js';

const SHOWN = 50;

const answers = rows({
  severity: text,
  name: text,
  date: name,
  subject: name,
  finding: name,
  expected: name,
  actual: name,
  meaning: name,
  findings_of_check: count,
});
type Finding = z.infer<typeof answers>[number];

export const findings = part({
  id: 'findings',
  title: { en: 'Data tests', ko: '데이터 검사' },
  asks: () => [{ query: 'checks', parameters: { top: String(SHOWN) } }],
  answers: z.tuple([answers]),
  show([found], page) {
    if (found.length === 0) return undefined;
    // One finding of each test is enough, because it contains the number of findings of that test.
    const tests = [...new Map(found.map((finding) => [finding.name, finding])).values()];
    const most = Math.max(...tests.map(findingsOf));
    const all = sum(tests.map(findingsOf));
    const stops = sum(tests.filter(({ severity }) => severity === 'stop').map(findingsOf));
    return {
      sentence: page.say({
        en: `Findings: ${page.count(all)}, from ${tests.length === 1 ? 'one test' : `${page.count(tests.length)} tests`}. ${stops === 0 ? 'None of them would mislead readers.' : `${page.count(stops)} of them would mislead readers.`}`,
        ko: `검사 ${page.count(tests.length)}개에서 ${page.count(all)}건이 발견되었습니다. ${stops === 0 ? '분석을 오도할 만한 것은 없습니다.' : `그중 ${page.count(stops)}건은 분석을 오도할 수 있습니다.`}`,
      }),
      toDo:
        stops === 0
          ? []
          : [
              {
                urgency: 'wrong_numbers',
                reason: page.say({
                  en: `Data tests have ${page.count(stops)} findings that would mislead readers.`,
                  ko: `데이터 검사에서 분석을 오도할 수 있는 문제가 ${page.count(stops)}건 발견되었습니다.`,
                }),
                command: 'dawnload query checks --param severity=stop',
              },
            ],
      body: html`${table(
        page.say({ en: 'Findings of the last round, by test', ko: '마지막 검사의 발견 사항, 검사별' }),
        [
          {
            head: page.say({ en: 'test', ko: '검사' }),
            cell: (test: Finding) => test.name,
          },
          {
            head: page.head('severity'),
            cell: ({ severity }) => `${severity === 'stop' ? '■' : '△'} ${page.value('severity', severity)}`,
          },
          {
            head: page.say({ en: 'compared', ko: '비교' }),
            cell: (test) => bar(findingsOf(test), most, `${test.name}: ${page.count(findingsOf(test))}`),
            kind: 'chart',
          },
          {
            head: page.say({ en: 'findings', ko: '건수' }),
            cell: (test) => page.count(findingsOf(test)),
            kind: 'number',
          },
          { head: page.head('meaning'), cell: ({ meaning }) => page.sentence(meaning), kind: 'sentence' },
        ],
        tests,
      )}
      ${folded(
        page.say({
          en: `The first ${page.count(Math.min(SHOWN, found.length))} findings`,
          ko: `처음 ${page.count(Math.min(SHOWN, found.length))}건`,
        }),
        table(
          page.say({ en: 'Findings with their numbers', ko: '발견 사항과 수치' }),
          [
            { head: page.head('date'), cell: ({ date }: Finding) => date, sub: ({ subject }) => subject },
            { head: page.head('finding'), cell: ({ finding }) => page.sentence(finding), kind: 'sentence' },
            { head: page.head('expected'), cell: ({ expected }) => expected, kind: 'number' },
            { head: page.head('actual'), cell: ({ actual }) => actual, kind: 'number' },
          ],
          found.slice(0, SHOWN),
        ),
      )}`,
    };
  },
  empty: {
    en: 'The last round of data tests found nothing.',
    ko: '마지막 데이터 검사에서 발견된 문제가 없습니다.',
  },
});

function findingsOf(test: Finding): number {
  return test.findings_of_check;
}
