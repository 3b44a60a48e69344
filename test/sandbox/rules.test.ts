/** sandbox/README.md lists the rules of the specification with the tests that try them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');
const FOLDER = join(ROOT, 'test', 'sandbox');

/** The titles of a file's tests. */
function titlesIn(file: string): string[] {
  const calls = /\b(?:it|test)\(\s*(['"`])(.*?)\1\s*,/gs;
  return [...readFileSync(join(FOLDER, file), 'utf8').matchAll(calls)].map(([, , title = '']) => title);
}

it('the README of the sandbox has every test of the service with its rule, and each of E1 to E21', () => {
  const lines = readFileSync(join(ROOT, 'sandbox', 'README.md'), 'utf8').split('\n');
  const rows = lines
    .filter((line) => /^\| (all|E\d+) /.test(line))
    .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('`', '')));
  const cited = rows.map(([, , , file = '', title = '']) => `${file}: ${title}`);
  const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /^(?!rules|options).*\.test\.ts$/.test(name),
  );
  const tests = files.flatMap((file) =>
    titlesIn(file).map((title) => `${file}: ${title.replaceAll('`', '').replaceAll('|', '\\|')}`),
  );
  expect(cited.sort()).toEqual(tests.sort());
  const endpoints = [...new Set(rows.map(([, endpoint]) => endpoint))];
  expect(endpoints).toEqual(['all', ...Array.from({ length: 21 }, (_, i) => `E${i + 1}`)]);
  expect(rows.filter(([, , rule]) => rule === '')).toEqual([]);
});

it('every rule of catalogs has a name and says what is tried', () => {
  const files = readdirSync(join(FOLDER, 'catalogs')).map((file) => `catalogs/${file}`);
  const titles = files.flatMap(titlesIn);
  expect(titles.length).toBeGreaterThan(70);
  expect(titles.filter((title) => !/^.+?: .+/.test(title))).toEqual([]);
  // As many as vitest finds: none is written in another way.
  const sources = files.map((file) => readFileSync(join(FOLDER, file), 'utf8'));
  expect(sources.join('\n').match(/^\s*(it|test)\b/gm)).toHaveLength(titles.length);
});
