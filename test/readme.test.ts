/** README.md and docs/ against the program: its commands, settings, exit codes, tables and queries; and against each other. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { beforeAll, describe, expect, test } from 'vitest';
import { parseDocument } from 'yaml';
import { z } from 'zod';
import { docsCommand } from '../src/commands/docs.js';
import { commandLine } from '../src/commands/program.js';
import { settingsSchema } from '../src/config/schema.js';
import { STREAMS } from '../src/streams/index.js';
import { EXIT } from '../src/ground/errors.js';
import { loadCatalogue, type QueryFile } from '../src/readers/queries/catalogue.js';
import type { RelationEntry, SchemaEntry } from '../src/warehouse/dictionary.js';
import { exampleOf, goldenAnswers } from './readers/queries/support.js';
import { invocationOf } from './support/in-process.js';
import { PUSH_POINTS, pointsOfTests } from './support/points.js';
import { ERASURE_POINTS } from './torture/erasures.js';
import { WAYS } from './torture/kill.js';
import { COMMAND_POINTS, LIFE_POINTS } from './lives/steps.js';
const UPDATE = process.env['UPDATE_GOLDEN'] === '1';
const README = 'README.md';
const PAGES = [
  README,
  ...readdirSync('docs')
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];
const { program } = commandLine('0.0.0');

const read = (page: string): string => readFileSync(page, 'utf8');

/** The first two cells of each row of a page's tables, as they are without the padding. */
function rowsOf(page: string): [string, string][] {
  return read(page)
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .map(([, first = '', second = '']) => [first, second]);
}

/** Puts what is generated between `<!-- name -->` and `<!-- /name -->`, when asked to, and compares. */
function expectBetween(page: string, name: string, wanted: string): void {
  const [start, end] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`];
  const text = read(page);
  const [from, to] = [text.indexOf(start) + start.length, text.indexOf(end)];
  expect(from, `${page} has a place for ${name}`).toBeGreaterThanOrEqual(start.length);
  const whole = `${text.slice(0, from)}\n${wanted.trim()}\n\n${text.slice(to)}`;
  if (UPDATE) writeFileSync(page, whole);
  expect(read(page)).toBe(whole);
}

describe('README.md', () => {
  test('has at most 150 lines', () => {
    expect(read(README).trimEnd().split('\n').length).toBeLessThanOrEqual(150);
  });

  test('names every command and its subcommands', () => {
    for (const command of program.commands.filter((one) => one.name() !== 'help')) {
      expect(read(README), command.name()).toContain(`| \`${command.name()}\` `);
      for (const sub of command.commands)
        expect(read(README), sub.name()).toMatch(new RegExp(`\\b${sub.name()}\\b`));
    }
  });

  test('shows what the demo really prints', () => {
    const transcript = /```text\n(.*?)```/s.exec(read(README))?.[1] ?? '';
    expect(transcript).toMatch(/The sandbox answers on \S+ with about [\d,]+ events a day\./);
    expect(transcript).toMatch(/Loaded events: 7 days, [\d,]+ rows\./);
    expect(transcript).toMatch(/Published .*warehouse\.duckdb/);
  });

  test('leads to every document, and to as many queries as there are', () => {
    for (const page of PAGES.slice(1)) expect(read(README), page).toContain(`](${page})`);
    expect(read(README)).toContain(`[${loadCatalogue().length} bundled queries]`);
  });
});

describe('docs/', () => {
  test('name for each invariant a test, a crash point where something kills, or a torture run that there is', () => {
    const rows = [...read('docs/invariants.md').matchAll(/^\| ([A-Z]\d+) +\|.*\| (.*?) *\|$/gm)];
    expect(rows.length).toBeGreaterThan(40);
    const killed = [
      ...WAYS.map(({ point }) => point),
      ...LIFE_POINTS,
      ...COMMAND_POINTS.flat(),
      ...ERASURE_POINTS,
      ...PUSH_POINTS,
      ...pointsOfTests(),
    ];
    const options = [...read('test/torture/main.ts').matchAll(/^ {4}(\w+): \{ type/gm)].map(
      ([, name = '']) => name,
    );
    const isProof = (name: string): boolean => {
      const [, run, option] = /^(?:(torture)|(?:torture )?-- --(\w+))$/.exec(name) ?? [];
      if (run !== undefined) return true;
      if (option !== undefined) return options.includes(option);
      const point = new RegExp(`^${name.replaceAll('*', '.+')}(?::\\d+)?$`);
      return existsSync(`test/${name}.test.ts`) || killed.some((one) => point.test(one));
    };
    for (const [, number = '', proof = ''] of rows) {
      const named = [...proof.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
      expect(named, number).not.toEqual([]);
      expect(
        named.filter((name) => !isProof(name)),
        number,
      ).toEqual([]);
    }
  });

  test('explain every setting with its default', () => {
    const keysOf = (schema: unknown, path: string): string[] => {
      // A section is read after an empty text has become an empty section; a switch stands for itself.
      if (schema instanceof z.ZodPipe)
        return keysOf(
          schema.in instanceof z.ZodTransform && !(schema.out instanceof z.ZodOptional)
            ? schema.out
            : schema.in,
          path,
        );
      const inner =
        schema instanceof z.ZodOptional || schema instanceof z.ZodPrefault ? schema.unwrap() : schema;
      if (inner instanceof z.ZodPipe) return keysOf(inner, path);
      if (!(inner instanceof z.ZodObject)) return [path];
      return Object.entries(inner.shape).flatMap(([key, value]) =>
        keysOf(value, path === '' ? key : `${path}.${key}`),
      );
    };
    const keys = keysOf(settingsSchema(STREAMS), '');
    expect(keys).toContain('exports.budget.records_per_run');
    const rows = rowsOf('docs/configuration.md');
    const defaults: unknown = settingsSchema(STREAMS).parse({});
    const scalar = z.union([z.string(), z.number(), z.boolean()]).optional();
    for (const key of keys) {
      const value = key
        .split('.')
        .reduce<unknown>((settings, name) => (Object(settings) as Record<string, unknown>)[name], defaults);
      const [, shown] = rows.find(([name]) => name === `\`${key}\``) ?? [];
      // One without a default of its own has none, or follows another key.
      const wanted =
        value === undefined
          ? ['', '`start_date`']
          : [`\`${typeof value === 'object' ? JSON.stringify(value) : scalar.parse(value)}\``];
      // What is set by name is read into a list.
      if (['privacy.columns', 'tables', 'audiences', 'holdouts'].includes(key)) wanted.push('`{}`');
      if (key === 'exports.largest_answer') wanted.push('`1GiB`');
      expect(wanted, key).toContain(shown);
    }
  });

  test('show settings that the program takes', () => {
    const examples = [...read('docs/configuration.md').matchAll(/```yaml\n(.*?)```/gs)];
    expect(examples.length).toBeGreaterThan(0);
    for (const [, yaml = ''] of examples)
      settingsSchema(STREAMS).parse(parseDocument(yaml, { schema: 'failsafe' }).toJS());
  });

  test('explain every exit code, and every code of the specification', () => {
    const codes = rowsOf('docs/monitoring.md').map(([code]) => code);
    for (const code of Object.values(EXIT)) expect(codes).toContain(String(code));
    const words = rowsOf('docs/glossary.md').map(([word]) => word);
    for (let n = 1; n <= 21; n++) expect(words).toContain(`E${n}`);
    for (let n = 1; n <= 18; n++) expect(words).toContain(`N${n}`);
  });

  test('write commands that there are, with flags that they have', () => {
    const found = [...PAGES, join('sql', 'exports', 'skill.md')].flatMap((page) =>
      [...read(page).matchAll(/`dawnload ([^`]+)`|^ *(?:npx )?dawnload (?!:)(.+)$/gm)].map(
        ([, inline, line]) => ({ page, text: (inline ?? line ?? '').replace(/\s+/g, ' ') }),
      ),
    );
    expect(found.length).toBeGreaterThan(50);
    for (const { page, text } of found) {
      const [words = ''] = text.split(/ #| [>|&]/);
      let command: Command = program;
      for (const word of words.split(' ')) {
        const sub = command.commands.find((known) => known.name() === word);
        if (sub === undefined) break;
        command = sub;
      }
      if (!text.startsWith('--')) expect(command, `${page}: dawnload ${text}`).not.toBe(program);
      const options = [...command.options, ...program.options];
      const flags = options.flatMap(({ short, long }) => [short, long]);
      for (const [flag] of words.replace(/"[^"]*"/g, '').matchAll(/(?<= )--?[a-z][a-z-]*/g))
        expect([...flags, '--help'], `${page}: dawnload ${text}`).toContain(flag);
    }
  });

  test('link to files and headings that are there', () => {
    for (const page of PAGES) {
      for (const [, target = ''] of read(page).matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^[a-z]+:/.test(target)) continue;
        const [path = '', anchor] = target.split('#');
        const file = path === '' ? page : join(dirname(page), path);
        expect(existsSync(file), `${page}: ${target}`).toBe(true);
        if (anchor !== undefined) expect(anchorsOf(file), `${page}: ${target}`).toContain(anchor);
      }
    }
  });

  test('list every bundled query as its header tells', () => {
    expectBetween('docs/queries.md', 'queries', queriesMarkdown(loadCatalogue()));
  });
});

test('docs/commands.md lists every command with its options', () => {
  expectBetween('docs/commands.md', 'commands', commandsMarkdown());
});

describe('docs/tables.md', () => {
  let overview: string;

  beforeAll(async () => {
    const written: string[] = [];
    await docsCommand({ json: true }, invocationOf({}, written));
    const { schemas } = JSON.parse(written.join('\n')) as { schemas: readonly SchemaEntry[] };
    overview = tablesMarkdown(schemas);
  });

  test('has a row for every table and view, with the meaning of each column', () => {
    expect(overview).toContain('| **events** |');
    expectBetween('docs/tables.md', 'overview', overview);
  });
});

/** The anchors that code hosts give to the headings of a page. */
function anchorsOf(file: string): string[] {
  const text = read(file).replace(/```.*?```/gs, '');
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-');
}

/**
 * A table of all commands, each with its options. A command that only groups others has none; `--json` is beside the command,
 * because many have it.
 */
function commandsMarkdown(): string {
  const commands = program.commands.flatMap((one) =>
    one.commands.length > 0 && one.options.length === 0 ? one.commands : [one, ...one.commands],
  );
  const rows = commands
    .filter((one) => one.name() !== 'help')
    .flatMap((one) => {
      const name = one.parent === program ? one.name() : `${one.parent?.name() ?? ''} ${one.name()}`;
      const [json, others] = [
        one.options.some(({ long }) => long === '--json'),
        one.options.filter(({ long }) => long !== '--json'),
      ];
      const options = others.map(({ flags, description }) => ['', `\`${flags}\``, description]);
      return [[`**${name}**`, json ? '`--json`' : '', one.description()], ...options];
    });
  const cells = [['command', 'option', 'meaning'], ['---', '---', '---'], ...rows];
  return cells.map((row) => `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`).join('\n');
}

/** The names of queries by subject, then a section for each. Parameters that many queries share come once, before them. */
function queriesMarkdown(catalogue: readonly QueryFile[]): string {
  const taken = ({ params }: QueryFile): string[] =>
    params.map(({ name, type, default: fallback, choices, description }) => {
      const values = choices.length > 0 ? choices.join(', ') : type;
      return `\`${name}\` (${values}${fallback === 'null' ? '' : `; default \`${fallback}\``}): ${description}`;
    });
  const shared = sharedOf(
    catalogue.flatMap((one) => taken(one)),
    6,
  );
  const sections = catalogue.map((one) => {
    const { csv = '', parameters = [] } = goldenAnswers().find(({ name }) => name === one.name) ?? {};
    const given = parameters.map((pair) => ` ${pair.join('=')}`).join('');
    const command = given === '' ? [] : [`dawnload query ${one.name}${given}`];
    const example = [...command, ...exampleOf(csv)];
    const words = [`**${one.title}.** ${one.question}`, ...ownAndShared(taken(one), shared)].join('<br>');
    return [`## ${one.name}`, words, `\`\`\`text\n${example.join('\n')}\n\`\`\``].join('\n');
  });
  const subjects = [...new Set(catalogue.map(({ subject }) => subject))].map((subject) => {
    const names = catalogue.filter((one) => one.subject === subject).map(({ name }) => `[${name}](#${name})`);
    return `- **${subject}**: ${names.join(', ')}`;
  });
  const common = namesTable(shared, ['parameter in several queries ("Also")', 'meaning']);
  return [subjects.join('\n'), common, ...sections].join('\n\n');
}

/** The texts that at least `least` places share; of those that begin with one name, only the most frequent. */
function sharedOf(texts: readonly string[], least: number): string[] {
  const uses = new Map<string, number>();
  for (const text of texts) uses.set(text, (uses.get(text) ?? 0) + 1);
  const often = [...uses].filter(([, count]) => count >= least).sort(([, one], [, other]) => other - one);
  const isFirst = (text: string): boolean =>
    text === often.find(([one]) => nameIn(one) === nameIn(text))?.[0];
  return often.flatMap(([text]) => (isFirst(text) ? [text] : [])).sort();
}

/** A table with a row for each text: its name, and what follows the name. */
function namesTable(texts: readonly string[], [name, meaning]: readonly [string, string]): string {
  const rows = texts.map(
    (text) => `| ${nameIn(text)} | ${text.slice(nameIn(text).length).replace(/^:? /, '')} |`,
  );
  return [`| ${name} | ${meaning} |`, '| --- | --- |', ...rows].join('\n');
}

/** The texts of a section's own, and one line that names the shared ones. */
function ownAndShared(texts: readonly string[], shared: readonly string[]): string[] {
  const common = texts.filter((text) => shared.includes(text)).map((text) => nameIn(text));
  return [
    ...texts.filter((text) => !shared.includes(text)),
    ...(common.length === 0 ? [] : [`Also: ${common.join(', ')}.`]),
  ];
}

/** The name, in code style, that a text begins with. */
function nameIn(text: string): string {
  return /^`[^`]*`/.exec(text)?.[0] ?? '';
}

/**
 * A table for each schema, with a row for each table and view: what it has, its grain, and what its columns mean. A meaning that several
 * tables share comes once, in a table before them.
 */
function tablesMarkdown(schemas: readonly SchemaEntry[]): string {
  const escaped = (text: string): string => text.replaceAll('<', '&lt;').replaceAll('|', '\\|');
  const meanings = ({ columns }: RelationEntry): string[] =>
    columns.map(({ name, description }) => `\`${name}\`: ${escaped(description)}`);
  const shared = sharedOf(
    schemas.flatMap(({ relations }) => relations.flatMap((one) => meanings(one))),
    3,
  );
  const rowOf = (relation: RelationEntry): string =>
    `| **${relation.name}** | ${escaped(relation.description)} One row per ${escaped(relation.grain)}. | ${ownAndShared(meanings(relation), shared).join('<br>')} |`;
  const blocks = schemas
    .filter(({ relations }) => relations.length > 0)
    .flatMap(({ name, description, relations }) => [
      `## Schema ${name}`,
      escaped(description),
      ['| table | contents | columns |', '| --- | --- | --- |', ...relations.map(rowOf)].join('\n'),
    ]);
  const before = [
    '## Shared columns',
    'These columns mean the same in every table that lists them under "Also".',
    namesTable(shared, ['column', 'meaning']),
  ];
  return `${[...before, ...blocks].join('\n\n')}\n`;
}

test('every file that a document or a header of SQL names exists', () => {
  const sql = readdirSync('sql', { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.sql'),
  );
  const files = [...PAGES, 'AGENTS.md', 'CONTRIBUTING.md', ...sql.map((name) => join('sql', name))];
  const named = files.flatMap((file) =>
    [
      ...readFileSync(file, 'utf8').matchAll(
        /\b(?:src|sql|docs|jobs|scripts|sandbox|test|bench|deploy)\/[\w./-]+\.(?:ts|sql|md|js|yaml)\b/g,
      ),
    ].map(([path]) => [file, path] as const),
  );
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter(([, path]) => !existsSync(path) && !existsSync(join('test', path)))).toEqual([]);
});
