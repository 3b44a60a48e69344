// Reads what people read (documents, comments of SQL, the dictionary, texts and comments of code) and names expressions that we retired,
// and sentences of more than 30 words. `npm run check` reads the files of CHECKED; `node scripts/words.js FILE …` reads any other.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** What is checked: folders and files. */
const CHECKED = [
  'README.md',
  'AGENTS.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'docs',
  'examples',
  'jobs',
  'sandbox',
  'sql',
  'src',
];

/** What is not checked yet: the page, the questions, and the documents that the build writes from their headers. */
const NOT_YET = /^src\/readers\/report\/|^sql\/queries\/|^docs\/(?:queries|tables)\.md$/;

/** Retired expressions, each with what to write. */
const RETIRED = [
  [
    /\b(?:is|are|not|days) held\b(?! back)|\bheld whole\b|\bholds? (?:no|it|all|what|days|data|rows|events)\b/,
    'has, available, loaded',
  ],
  [
    /\ba person (?:has|must|decides|agrees|accepts|looks)\b|\bwaits? for a person\b|\buntil a person\b/,
    'you',
  ],
  [/, since\b(?! \$\{)/, 'because'],
  [
    /\b(?:is|are) told\b|\btells (?:of|apart|whether|which)\b|\b(?:says?|knows?) of\b/,
    'shows, reports, lists',
  ],
  [/\bstands? (?:in|for|with|apart|once|there|beside|above)\b/, 'is, is listed separately'],
  [/\b(?:goes?|gone|went) on\b/, 'resumes, continues'],
  [/\b(?:is|are) none\b|\bis nothing to\b/, 'no …'],
  [/\bthat (?:is|are) there\b/, 'available'],
  [/\basked for\b|\basks? for (?:a|the|every) (?:day|page)/, 'requested'],
  [/\b[Ll]ook whether\b/, 'check whether'],
  [/\bof (?:before|then)\b/, 'earlier, previous'],
  [/\bthan chance\b|\bbeyond chance\b/, 'a significant difference'],
  [/\bso many\b|\bso often\b/, 'the number'],
  [/\bat once\b/, 'immediately, or at the same time'],
  [/\blets? \w+ pass\b/, 'allows, ignores'],
  [/\bhas to decide\b|\bcomes? to\b/, 'the plain verb'],
];

/** Sentences that need one of these words, with the reason. */
const EXCEPTIONS = [];

const MOST_WORDS = 30;

/** Lines of a header of SQL that are not prose: empty ones, and those that list parameters or names. */
const NO_PROSE =
  /^--(?:$|\s+(?:name|params|depends_on|dirties|lookback|also_in|scope):|\s+[a-z_]+ [a-z]+(?:\[\])?\??(?:,|$))/;

/** The text of a file that people read, line by line; code and Korean are left out. */
function readable(file, text) {
  const lines = text.split('\n');
  if (file.endsWith('.md')) {
    let isCode = false;
    return lines.map((line) => {
      if (line.startsWith('```')) isCode = !isCode;
      return isCode || line.startsWith('```') ? '' : line.replaceAll(/`[^`]*`/g, 'X');
    });
  }
  if (file.endsWith('.sql'))
    return lines.map((line) =>
      !/^\s*--/.test(line) || /\bko:/.test(line) || NO_PROSE.test(line) ? '' : line.replace(/^\s*--\s?/, ''),
    );
  if (file.endsWith('.yaml')) return lines.map((line) => (/\bko\b|^\s*words:/.test(line) ? '' : line));
  return lines.map((line) => {
    if (/^\s*(?:\/\/|\*|\/\*\*)/.test(line)) return line;
    const texts = [...line.matchAll(/'((?:[^'\\]|\\.)*)'|`((?:[^`\\]|\\.)*)`/g)].map(
      ([, one, other]) => one ?? other,
    );
    return texts
      .filter((one) => / \w+ /.test(one))
      .map((one) => `${one}.`)
      .join(' ');
  });
}

/** The sentences of a text that are too long. */
function longIn(lines) {
  const paragraphs = lines.join('\n').split(/\n\s*\n|\n\s*(?:[-|*]|\d+\.)\s/);
  const sentences = paragraphs.flatMap((one) => one.replaceAll('\n', ' ').split(/(?<=[.!?:;|])\s/));
  return sentences.filter((one) => (one.match(/[A-Za-z0-9'’-]+/g) ?? []).length > MOST_WORDS);
}

const files = process.argv.length > 2 ? process.argv.slice(2) : CHECKED;
const all = execFileSync('git', ['ls-files', ...files], { encoding: 'utf8' })
  .trim()
  .split('\n');
let found = 0;
const isChecked = (name) =>
  /\.(md|sql|ts|yaml)$/.test(name) && (process.argv.length > 2 || !NOT_YET.test(name));
for (const file of all.filter(isChecked)) {
  const lines = readable(file, readFileSync(file, 'utf8'));
  for (const [at, line] of lines.entries())
    for (const [expression, instead] of RETIRED) {
      const word = expression.exec(line)?.[0];
      if (word === undefined || EXCEPTIONS.some(([name, text]) => file === name && text.test(line))) continue;
      found++;
      console.error(`${file}:${at + 1}: "${word}": write ${instead}`);
    }
  for (const sentence of longIn(lines)) {
    found++;
    console.error(`${file}: more than ${MOST_WORDS} words: ${sentence.trim().slice(0, 100)} …`);
  }
}
if (found > 0) process.exitCode = 1;
