// Writes `src/warehouse/statements.ts`, which is not committed: the statements of `sql/` by name, each with the type of what it takes. A statement says so in
// its first lines: `-- params: name type, …`, for values that are bound as `$name`. A `?` after the type allows none. Placeholders,
// `{name}`, take identifiers and fixed SQL. A file of a load also says which temporary tables it needs of other files, and which it leaves
// for them: `-- needs: asked, days`, `-- leaves: sizes`. The build fails where a header and its statement disagree.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';

const ROOT = new URL('../sql/', import.meta.url);

/** Files that are read whole by their folder: models, checks and questions have headers of their own, and migrations take nothing. */
const OTHERS = /^(models|checks|queries|exports|seeds|schema|shared\/macros)\/|\/\d{4}_\w+\.sql$/;

const TYPES = {
  text: 'string',
  json: 'string',
  date: 'string',
  bigint: 'number',
  double: 'number',
  boolean: 'boolean',
  timestamptz: 'Date',
  blob: 'Uint8Array',
};

/** The statements of a file: one for each `-- name:`, or the whole file. */
function statementsOf(path) {
  const name = path.replace(/\.sql$/, '');
  const text = readFileSync(new URL(path, ROOT), 'utf8');
  const [head, ...sections] = text.split(/^-- name: /m);
  if (sections.length === 0) return [[name, head]];
  return sections.map((section) => [`${name}/${section.slice(0, section.indexOf('\n'))}`, section]);
}

/** Returns what a statement takes, as lines of a type. */
function takenBy(name, text) {
  const header = /^-- params: (.+(?:\n-- {3,}.+)*)/m.exec(text)?.[1]?.replaceAll(/\n-- +/g, ' ');
  const declared = new Map((header?.split(', ') ?? []).map((one) => one.split(' ')));
  const code = text.replaceAll(/--.*/g, '');
  // `$` within a text is part of a JSON path.
  const bound = new Set([...code.replaceAll(/'[^']*'/g, '').matchAll(/\$([a-z_]+)/g)].map(([, one]) => one));
  for (const one of bound) if (!declared.has(one)) throw new Error(`${name} does not declare $${one}.`);
  for (const one of declared.keys()) if (!bound.has(one)) throw new Error(`${name} does not use $${one}.`);
  const params = [...declared].map(([param, given]) => {
    const [, type, list, none] = /^([a-z]+)(\[\])?(\?)?$/.exec(given) ?? [];
    const single = TYPES[type];
    if (single === undefined) throw new Error(`${name}: ${given} is no type.`);
    const value = list === undefined ? single : 'readonly string[]';
    return `readonly ${param}: ${value}${none === undefined ? '' : ' | undefined'}`;
  });
  const names = new Set([...code.matchAll(/\{([a-z_]+)\}/g)].map(([, one]) => one));
  return [...params, ...[...names].map((one) => `readonly ${one}: string`)];
}

/** The files of a load, whose temporary tables pass from one to the other. */
const OF_LOAD = /^(shared|session|streams\/\w+)\/(?!\d)\w+(\/\w+)?\.sql$/;

function checkRelations(paths) {
  const matches = (text, form) => new Set([...text.matchAll(form)].map(([, name]) => name));
  const permanent = matches(
    readdirSync(ROOT, { recursive: true })
      .filter((path) => /\d{4}_\w+\.sql$/.test(path))
      .map((path) => readFileSync(new URL(path, ROOT), 'utf8'))
      .join('\n'),
    /^create table (\w+) /gm,
  );
  const files = paths.map((path) => {
    const text = readFileSync(new URL(path, ROOT), 'utf8');
    const code = text.replaceAll(/--.*/g, '');
    const made = matches(code, /create or replace (?:temp )?(?:table|view) (\w+)\b(?![.{])/g);
    const parts = matches(code, /\b(\w+) as \(\n/g);
    const read = matches(code, /\b(?:from|join|into|update|using|unpivot) (\w+)\b(?![.(])/g);
    const foreign = [...read].filter((one) => !made.has(one) && !parts.has(one) && !permanent.has(one));
    return { path, text, made, foreign };
  });
  const all = new Set(files.flatMap(({ made }) => [...made]));
  for (const { path, text, made, foreign } of files) {
    const found = {
      needs: foreign.filter((one) => all.has(one)),
      leaves: [...made].filter((one) => files.some((other) => other.foreign.includes(one))),
    };
    for (const [key, names] of Object.entries(found)) {
      const header = new RegExp(`^-- ${key}: (.+(?:\\n-- {3,}.+)*)`, 'm').exec(text)?.[1];
      const listed = header?.replaceAll(/\n-- +/g, ' ').split(', ') ?? [];
      if (listed.join() !== names.sort().join())
        throw new Error(`${path} ${key} ${names.join(', ') || 'nothing'}, and its header says otherwise.`);
    }
  }
}

function statementTypes() {
  const paths = readdirSync(ROOT, { recursive: true })
    .filter((path) => path.endsWith('.sql') && !OTHERS.test(path))
    .sort();
  checkRelations(paths.filter((path) => OF_LOAD.test(path)));
  const lines = paths.flatMap(statementsOf).map(([name, text]) => {
    const taken = takenBy(name, text);
    return `  readonly '${name}': ${taken.length === 0 ? 'Nothing' : `{ ${taken.join('; ')} }`};`;
  });
  return `/** Written by scripts/statements.js from the headers in sql/: the statements, each with what it takes. */
type Nothing = Readonly<Record<never, never>>;

export interface Statements {
${lines.join('\n')}
}
`;
}

const target = new URL('../src/warehouse/statements.ts', import.meta.url);
const types = statementTypes();
if (!existsSync(target) || readFileSync(target, 'utf8') !== types) writeFileSync(target, types);
