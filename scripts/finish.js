// Finishes what was compiled: the command gets its run bit, which `npm link` needs, the statements of message tables and the
// types of all statements are written, the editor of `explore` is bundled, and the dictionary, the YAML files of `sql/schema` and `sql/streams`, becomes one file of JSON.
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { parse } from 'yaml';
import { documentShape } from '../dist/src/warehouse/dictionary.js';
import { messageStatements } from './messages.js';

chmodSync(new URL('../dist/src/cli.js', import.meta.url), 0o755);

writeFileSync(new URL('../sql/streams/events/messages.sql', import.meta.url), messageStatements);
// After the SQL that they describe. What was compiled does not need them, because they are only types.
await import('./statements.js');

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

const path = (file) => fileURLToPath(new URL(`../${file}`, import.meta.url));
const editor = await rolldown({ input: path('src/readers/explore/editor.js'), logLevel: 'silent' });
const banner =
  '/* With CodeMirror (https://codemirror.net), MIT license, copyright Marijn Haverbeke and others. */';
await editor.write({ file: path('dist/editor.js'), format: 'esm', minify: true, postBanner: banner });
await editor.close();
