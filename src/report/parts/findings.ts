/** What the data tests found. */
import { z } from 'zod';
import { name, part, rows, text } from '../part.js';
import { table } from '../table.js';

const SHOWN = 20;

const answers = rows({
  severity: text,
  name: text,
  date: name,
  finding: name,
  expected: name,
  actual: name,
  meaning: name,
});
type Finding = z.infer<typeof answers>[number];

export const findings = part({
  id: 'findings',
  title: { en: 'Data tests', ko: '데이터 검사' },
  asks: () => [{ query: 'checks' }],
  answers: z.tuple([answers]),
  show([found], page) {
    if (found.length === 0) return undefined;
    const shown = found.slice(0, SHOWN);
    const stops = found.filter(({ severity }) => severity === 'stop').length;
    return {
      sentence: page.say({
        en: `${page.count(found.length)} findings, ${stops === 0 ? 'none of which' : `${page.count(stops)} of which`} would mislead readers.${shown.length < found.length ? ` The first ${page.count(shown.length)} are shown.` : ''}`,
        ko: `발견 사항 ${page.count(found.length)}건 중 ${page.count(stops)}건이 분석을 오도할 수 있습니다.${shown.length < found.length ? ` 처음 ${page.count(shown.length)}건을 표시했습니다.` : ''}`,
      }),
      body: table(
        page.say({ en: 'Findings of the last round of tests', ko: '마지막 검사에서 발견된 사항' }),
        [
          { head: page.say({ en: 'check', ko: '검사' }), cell: ({ name: test }: Finding) => test },
          {
            head: page.head('severity'),
            cell: ({ severity }) => (severity === 'stop' ? '■ stop' : `△ ${severity}`),
          },
          { head: page.head('date'), cell: ({ date }) => date },
          { head: page.head('finding'), cell: ({ finding }) => finding, kind: 'sentence' },
          { head: page.head('expected'), cell: ({ expected }) => expected, kind: 'number' },
          { head: page.head('actual'), cell: ({ actual }) => actual, kind: 'number' },
          { head: page.head('meaning'), cell: ({ meaning }) => meaning, kind: 'sentence' },
        ],
        shown,
      ),
    };
  },
  empty: {
    en: 'The last round of data tests found nothing.',
    ko: '마지막 데이터 검사에서 발견된 문제가 없습니다.',
  },
});
