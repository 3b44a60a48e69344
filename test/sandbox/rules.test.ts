/** docs/sandbox.md lists the rules of the specification with the tests that try them. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { format } from 'oxfmt';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');
const DOCUMENT = join(ROOT, 'docs', 'sandbox.md');

/** The tests of a file, each with the part it stands in. */
function testsIn(file: string): [part: string, title: string][] {
  const found: [string, string][] = [];
  let part = '';
  const calls = /\b(describe|it)\(\s*(['"`])(.*?)\2\s*,/gs;
  for (const [, kind, , title = ''] of readFileSync(join(ROOT, file), 'utf8').matchAll(calls)) {
    if (kind === 'describe') part = title;
    else found.push([part, title]);
  }
  return found;
}

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Backticks for what Markdown would read otherwise. */
function plain(text: string): string {
  return text.replaceAll(/(?<![`\w])(\$?\w*_\w*|\$\w+)/g, '`$1`');
}

function catalogs(): string {
  const files = readdirSync(join(ROOT, 'test/sandbox/catalogs')).sort();
  const rows = files.flatMap((file) => testsIn(`test/sandbox/catalogs/${file}`));
  const cells = rows.map(([part, title]) => {
    const [rule = '', ...tried] = title.split(': ');
    return [part, plain(rule), plain(tried.join(': '))];
  });
  return table(['part of the specification', 'rule or limit', 'what is tried'], cells);
}

function others(): string {
  const rows = ['templates', 'opt-outs', 'reference-world'].flatMap((name) =>
    testsIn(`test/sandbox/${name}.test.ts`).map(([part, title]) => [part, plain(title)]),
  );
  return table(['subject', 'what is tried'], rows);
}

it('the document of the sandbox has every rule with its test', async () => {
  const before = readFileSync(DOCUMENT, 'utf8');
  const put = (text: string, name: string, rows: string) =>
    text.replace(
      new RegExp(`(<!-- ${name} -->).*?(<!-- end -->)`, 's'),
      (_, start: string, end: string) => `${start}\n\n${rows}\n\n${end}`,
    );
  const { code: after } = await format(
    DOCUMENT,
    put(put(before, 'catalogs', catalogs()), 'others', others()),
  );
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(DOCUMENT, after);
  expect(readFileSync(DOCUMENT, 'utf8')).toBe(after);
});

it('every rule has a name and says what is tried', () => {
  const titles = readdirSync(join(ROOT, 'test/sandbox/catalogs')).flatMap((file) =>
    testsIn(`test/sandbox/catalogs/${file}`).map(([, title]) => title),
  );
  expect(titles.length).toBeGreaterThan(70);
  expect(titles.filter((title) => !/^.+?: .+/.test(title))).toEqual([]);
  // As many as vitest finds: none is written in another way.
  const sources = readdirSync(join(ROOT, 'test/sandbox/catalogs')).map((file) =>
    readFileSync(join(ROOT, 'test/sandbox/catalogs', file), 'utf8'),
  );
  expect(sources.join('\n').match(/^\s*(it|test)\b/gm)).toHaveLength(titles.length);
});
