// Finishes what was compiled: the command gets its run bit, which `npm link` needs, and the dictionary, `sql/schema/*.yaml`,
// becomes one file of JSON.
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { parse } from 'yaml';
import { documentShape } from '../dist/src/warehouse/dictionary.js';

chmodSync(new URL('../dist/src/cli.js', import.meta.url), 0o755);

const folder = new URL('../sql/schema/', import.meta.url);
const whole = {};
for (const file of readdirSync(folder).filter((name) => name.endsWith('.yaml'))) {
  const sections = parse(readFileSync(new URL(file, folder), 'utf8'));
  for (const [section, content] of Object.entries(sections))
    whole[section] = Array.isArray(content) ? content : { ...whole[section], ...content };
}
writeFileSync(
  new URL('../dist/dictionary.json', import.meta.url),
  JSON.stringify(documentShape.parse(whole)),
);
