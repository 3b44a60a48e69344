/** What misleads whoever does not know it is said where numbers are read: in the docs, in the dictionary, in the report. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Dictionary } from '../../src/dictionary/dictionary.js';
import { PACKAGE_ROOT } from '../../src/package.js';

const read = (path: string): string =>
  readFileSync(join(PACKAGE_ROOT, path), 'utf8').replace(/\n(?: \* |- | *)?/g, ' ');
const metrics = read('docs/metrics.md');
const { document } = Dictionary.load();
const entries = [
  ...Object.values(document.schemas),
  ...Object.values(document.columns),
  ...Object.values(document.relations),
  ...Object.values(document.relations).flatMap(({ columns }) => Object.values(columns)),
];
const english = entries.map(({ en }) => en ?? '').join('\n');
const korean = entries.map(({ ko }) => ko ?? '').join('\n');

test.each([
  ['sent is not reached', /sent is not reached/i, /발송은 도달이 아님/],
  ['reached means sent', /were sent and did not fail/, /실패하지 않고 발송된/],
  [
    'displays divide by what was shown',
    /in-web messages those that were shown/,
    /인앱·인웹 메시지는 노출 수/,
  ],
  ['channels are not compared', /not comparable across channels/, /채널끼리는 비교할 수 없음/],
  ['machines click', /quick_click_share/, /quick_click_share/],
  ['machines are link scanners', /link scanner/, /링크 검사기/],
  ['funnels are of one window', /sends of one window/, /같은 기간의 발송을 비교/],
  ['heavy receivers differ', /differ in other ways/, /다른 점도 다/],
  ['the newest days still rise', /restatements-by-age/, /restatements-by-age/],
  ['a cast is a day of the session', /session's time zone/, /세션 시간대의 날짜|세션 시간대/],
])('the docs and the dictionary say in both languages that %s', (_, en, ko) => {
  expect(metrics).toMatch(en);
  expect(english).toMatch(en);
  expect(korean).toMatch(ko);
});
