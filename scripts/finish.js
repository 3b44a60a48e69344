// Finishes what was compiled: the command gets its run bit, which `npm link` needs, the statements of message tables and the
// types of all statements are written, and the dictionary, the YAML files of `sql/schema` and `sql/streams`, becomes one file of JSON.
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { parse } from 'yaml';
import { documentShape } from '../dist/src/warehouse/dictionary.js';
import { messageStatements } from './messages.js';
import { statementTypes } from './statements.js';

chmodSync(new URL('../dist/src/cli.js', import.meta.url), 0o755);

/** Writes a committed file, unless it has this text already. */
function renew(path, text) {
  const file = new URL(path, import.meta.url);
  if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text);
}

renew('../sql/streams/events/messages.sql', messageStatements);
// After the SQL that it describes. What was compiled does not need it, because it has only types.
renew('../src/warehouse/statements.ts', statementTypes());

const folder = new URL('../sql/', import.meta.url);
const texts = readdirSync(folder, { recursive: true }).filter((name) =>
  /^(schema|streams).*\.yaml$/.test(name),
);
const whole = {};
for (const file of texts.sort()) {
  const sections = parse(readFileSync(new URL(file, folder), 'utf8'));
  for (const [section, content] of Object.entries(sections))
    whole[section] = Array.isArray(content) ? content : { ...whole[section], ...content };
}
writeFileSync(
  new URL('../dist/dictionary.json', import.meta.url),
  JSON.stringify(documentShape.parse(whole)),
);
