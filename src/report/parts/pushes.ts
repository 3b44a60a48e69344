/** What pushes sent back to the service, what they left out, and what was rejected. */
import { z } from 'zod';
import { bar } from '../chart.js';
import { html } from '../page.js';
import { count, name, paragraph, part, rows, sum, text } from '../part.js';
import { table } from '../table.js';

/** Maximum number of pushes; earlier ones stand in the answer of the query. */
const SHOWN = 20;

const answers = rows({
  push_id: text,
  target: text,
  name,
  state: text,
  rows: count,
  sent: count,
  unchanged: count,
  rejected: count,
  unknown: count,
  erased: count,
});
type Push = z.infer<typeof answers>[number];

export const pushes = part({
  id: 'pushes',
  title: { en: 'Pushes back to the service', ko: '서비스로 보낸 푸시' },
  asks: () => [{ query: 'pushes' }],
  answers: z.tuple([answers]),
  show([found], page) {
    if (found.length === 0) return undefined;
    const of = (column: 'sent' | 'rejected' | 'unchanged'): string =>
      page.count(sum(found.map((push) => push[column])));
    const most = Math.max(...found.map(({ sent }) => sent));
    const waiting = found.filter(({ state }) => state === 'ambiguous');
    const number = (column: 'rows' | 'sent' | 'unchanged' | 'rejected' | 'unknown' | 'erased') => ({
      head: column === 'sent' ? page.say({ en: 'Sent', ko: '보낸 행' }) : page.head(column),
      cell: (push: Push) => page.count(push[column]),
      kind: 'number' as const,
      isExtra: column !== 'sent' && column !== 'rejected',
    });
    return {
      sentence: paragraph(
        page.say({
          en: `In four weeks the service took ${of('sent')} rows of ${page.count(found.length)} pushes and ${of('rejected')} were rejected; ${of('unchanged')} were left out, since they had not changed.`,
          ko: `최근 4주 동안 푸시 ${page.count(found.length)}건으로 ${of('sent')}행을 보냈고 ${of('rejected')}행이 거절되었습니다. 바뀌지 않은 ${of('unchanged')}행은 보내지 않았습니다.`,
        }),
        waiting.length > 0 &&
          page.say({
            en: `Of ${page.count(waiting.length)} of them it is not known what arrived.`,
            ko: `그중 ${page.count(waiting.length)}건은 도착 여부를 알 수 없습니다.`,
          }),
      ),
      toDo: waiting.map(({ target }) => ({
        urgency: 'missing_days' as const,
        reason: page.say({
          en: `A push to ${target} waits: it is not known whether the service has its rows.`,
          ko: `${target} 푸시가 결정을 기다리고 있습니다. 서비스가 행을 받았는지 알 수 없습니다.`,
        }),
        command: 'dawnload push list',
      })),
      body: html`${table(
        page.say({ en: 'Pushes, newest first', ko: '푸시, 최근 순' }),
        [
          { head: page.head('target'), cell: ({ target }: Push) => target, sub: ({ push_id: id }) => id },
          {
            head: page.say({ en: 'compared', ko: '비교' }),
            cell: ({ push_id: id, sent }) => bar(sent, most, `${id}: ${page.count(sent)}`),
            kind: 'chart',
          },
          { head: page.say({ en: 'State', ko: '상태' }), cell: ({ state }) => state, kind: 'text' },
          ...(['rows', 'sent', 'unchanged', 'rejected', 'unknown', 'erased'] as const).map(number),
        ],
        found.slice(0, SHOWN),
      )}`,
    };
  },
  empty: undefined,
});
