// Makes one file of JSON of the dictionary, `sql/schema/*.yaml`, once it is compiled.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { parse } from 'yaml';
import { documentShape } from '../dist/src/warehouse/dictionary.js';

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
