/** The report on a warehouse that holds nothing, and what happens to text on its way into the page. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseHTML } from 'linkedom';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { html } from '../../src/report/page.js';
import { PARTS, makeReport } from '../../src/report/report.js';
import { makeWarehouse } from '../queries/support.js';
import { NOW } from '../support/dawnload.js';

let folder: string;
let empty: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dawnload-report-'));
  empty = join(folder, 'empty.duckdb');
  await makeWarehouse('empty', empty);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test.each(['en', 'ko'] as const)('in %s every part says what would fill it', async (language) => {
  const { document } = parseHTML(await makeReport(empty, { language, now: new Date(NOW), runs: [] }));
  for (const part of PARTS) {
    if (part.empty === undefined) {
      expect(document.querySelector(`#${part.id}`)).toBeNull();
      continue;
    }
    const sentence = document.querySelector(`#${part.id} .sentence`)?.textContent;
    expect(sentence, part.id).toBe(part.empty[language].replaceAll('`', ''));
  }
});

test('what is inserted into markup is text, unless it is markup itself', () => {
  const name = `<b class="x">&'`;
  const inner = html`<i>${name}</i>`;
  expect(html`<p title="${name}">${[inner, undefined, 7]}</p>`.markup).toBe(
    '<p title="&lt;b class=&quot;x&quot;&gt;&amp;&#39;"><i>&lt;b class=&quot;x&quot;&gt;&amp;&#39;</i>7</p>',
  );
});

test('control characters, and those that turn the direction of writing, do not reach the page', () => {
  expect(html`${'a\u0000b\u001bc\u202ed\u2066e'}`.markup).toBe('a\ufffdb\ufffdc\ufffdd\ufffde');
});
