/**
 * The order of a load, `sql/streams/README.md`: the statements as loads really run them, each with the temporary tables that it makes, those
 * that it reads, and the tables of the warehouse that it changes, as its text says.
 */
import { readFileSync } from 'node:fs';
import { vi } from 'vitest';
import { Session, statement } from '../../src/warehouse/session.js';

const [FIRST, LAST] = ['shared/begin_end/begin', 'shared/begin_end/end'];

/** Notes the statements of all loads from now on, in their order; repetitions within a load are left out. */
export function recordLoads(): readonly string[][] {
  const loads: string[][] = [];
  const note = (name: string): void => {
    if (name === FIRST) loads.push([]);
    const load = loads.at(-1);
    // The own tables are noted together after the end of their loads.
    const isOver = load?.includes(LAST) === true;
    const own = isOver && load.some((one) => one.startsWith('streams/own/')) ? /^streams\/own\// : undefined;
    const wanted = isOver ? own : /^(shared|streams)\//;
    if (wanted?.test(name) === true && load?.includes(name) === false) load.push(name);
  };
  for (const method of ['run', 'rows', 'runForEach'] as const) {
    const original = Session.prototype[method] as (this: Session, ...args: unknown[]) => Promise<never>;
    vi.spyOn(Session.prototype, method).mockImplementation(function (this: Session, ...args: unknown[]) {
      note(String(args[0]));
      return original.apply(this, args);
    });
  }
  return loads;
}

/** The statements of all loads of a stream in one order: what a load adds comes after the statement before it. */
function merged(loads: readonly (readonly string[])[]): string[] {
  const all: string[] = [];
  for (const load of loads)
    for (const [nth, name] of load.entries())
      if (!all.includes(name)) all.splice(all.indexOf(load[nth - 1] ?? '') + 1, 0, name);
  return all;
}

const matches = (text: string, form: RegExp): string[] => [
  ...new Set([...text.matchAll(form)].map(([, name = '']) => name)),
];

/** The relations in the text of a statement, without those that it names for itself. */
function relationsIn(name: string) {
  const code = statement(name).replaceAll(/--.*/g, '');
  const parts = matches(code, /\b(\w+) as \(\n/g);
  const isOwn = (one: string): boolean => parts.includes(one);
  return {
    makes: matches(code, /create or replace (?:temp )?(?:table|view) ([\w.{}"]+)/g),
    reads: matches(code, /\b(?:from|join) ([\w.{}]+)\b(?!\()/g).filter((one) => !isOwn(one)),
    changes: matches(code, /^(?:insert into|delete from|update) ([\w.{}]+)/gm),
  };
}

/** All statements of the loads: those that the build found. */
const ALL = matches(readFileSync('src/warehouse/statements.ts', 'utf8'), /^ {2}readonly '([^']+)'/gm).filter(
  (name) => /^(shared|streams\/\w+\/load)\//.test(name),
);

const shown = (name: string): string => name.replace(/\/(\w+)$/, ' › $1');

/** True if a statement is only a part of others, which ends without a semicolon. */
const isPart = (name: string): boolean => !statement(name).replaceAll(/--.*/g, '').trimEnd().endsWith(';');

/** A line about the complete statements of that folder that no recorded load runs; empty if there is none. */
function others(folder: string, names: readonly string[]): string {
  const left = ALL.filter((name) => name.startsWith(folder) && !names.includes(name) && !isPart(name));
  return left.length === 0
    ? ''
    : `\nNo load of \`test/golden\` needs:\n\n${left.map((name) => `- ${shown(name)}\n`).join('')}`;
}

const HEAD = `# The order of a load

Each group of pulls is loaded in one transaction by \`src/warehouse/load.ts\`, from \`begin\` to \`end\` of \`shared/begin_end.sql\`. In between,
the stream's \`load.ts\` runs the statements below, in this order. Some run only if the data needs them. A statement that runs several times
is listed once, at its first run. For \`own\`, the statements after \`end\` run once, after all own tables. Statements that are only parts of
others are left out. Tables in braces belong to the stream. A test writes this page from the loads of \`test/golden\`:
\`UPDATE_GOLDEN=1 npx vitest run test/golden.test.ts\`. The build checks what each file \`needs\` from other files and \`leaves\` for them.
`;

/** The page, from the recorded loads of all streams. */
export function orderOfLoads(loads: readonly (readonly string[])[]): string {
  const streamOf = (load: readonly string[]): string =>
    load.map((name) => /^streams\/(\w+)/.exec(name)?.[1]).find((stream) => stream !== undefined) ?? '';
  const streams = [...new Set(loads.map(streamOf))].filter((stream) => stream !== '').sort();
  const sections = streams.map((stream) => {
    const names = merged(loads.filter((load) => streamOf(load) === stream));
    const made = new Set(names.flatMap((name) => relationsIn(name).makes));
    const rows = names.map((name) => {
      const { makes, reads, changes } = relationsIn(name);
      const own = reads.filter((one) => made.has(one) && !makes.includes(one));
      const cells = [makes, own, changes].map((list) => [...list].sort().join(', '));
      return `| ${[shown(name), ...cells].join(' | ')} |`;
    });
    const head = '| statement | makes | reads of earlier steps | changes |\n| --- | --- | --- | --- |';
    return `\n## ${stream}\n\n${head}\n${rows.join('\n')}\n${others(`streams/${stream}/load`, names)}`;
  });
  return `${HEAD}${sections.join('')}\n## Shared steps\n${others('shared/', loads.flat())}`;
}

export const ORDER_PAGE = 'sql/streams/README.md';

export const committedOrder = (): string => readFileSync(ORDER_PAGE, 'utf8');
