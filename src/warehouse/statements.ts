/** The SQL files of the package: read once each, never written in TypeScript. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../package.js';

const FOLDER = join(PACKAGE_ROOT, 'sql');
const texts = new Map<string, string>();

/**
 * The text of `sql/<name>.sql`; of a topic such as `ops/coverage`, the section `-- name: coverage` of `sql/ops.sql`. `names`
 * replaces `{placeholder}` by an identifier; identifiers come from fixed lists of this package, never from data.
 */
export function statement(name: string, names: Readonly<Record<string, string>> = {}): string {
  if (!texts.has(name)) read(name);
  const text = texts.get(name);
  if (text === undefined) throw new Error(`There is no statement ${name}.`);
  // A function, since a `$` in a replacement that is text would mean something.
  return Object.entries(names).reduce(
    (filled, [key, value]) => filled.replaceAll(`{${key}}`, () => value),
    text,
  );
}

/** Reads a file of one statement, or every section of a topic. */
function read(name: string): void {
  const [topic = ''] = name.split('/');
  const file = join(FOLDER, `${topic}.sql`);
  if (!existsSync(file)) {
    texts.set(name, readFileSync(join(FOLDER, `${name}.sql`), 'utf8'));
    return;
  }
  const [, ...sections] = readFileSync(file, 'utf8').split(/^-- name: /m);
  for (const section of sections) {
    const end = section.indexOf('\n');
    texts.set(`${topic}/${section.slice(0, end)}`, section.slice(end + 1));
  }
}

/** Names of this package as a SQL list, for a placeholder. */
export function listOf(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(', ');
}

/** The names of the statements in a folder of `sql/`, in alphabetical order, for `statement`. */
export function statementsIn(folder: string): string[] {
  return readdirSync(join(FOLDER, folder))
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => `${folder}/${file.slice(0, -'.sql'.length)}`);
}
