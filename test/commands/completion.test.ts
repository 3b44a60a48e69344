import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { koreanHelp } from '../../src/commands/korean.js';
import { commandLine } from '../../src/commands/program.js';
import { ended, start } from '../support/dawnload.js';
import { performCommand } from '../support/in-process.js';
import { long } from '../support/tags.js';

const clock = { now: () => new Date(0), moveTo: () => undefined };
const folder = mkdtempSync(join(tmpdir(), 'dawnload-completion-'));
const completion = (shell: string) => performCommand(['completion', shell], folder, {}, clock);

writeFileSync(join(folder, 'dawnload.yaml'), 'queries: .\n');
writeFileSync(
  join(folder, 'restful.sql'),
  '-- title: Rest\n-- question: Who rests?\n-- params: none\n\nselect 1;\n',
);
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** What Tab offers after these words, in a bash that has read the completion. */
const OFFERED: readonly (readonly [words: string, offered: string])[] = [
  ['qu', 'query'],
  ['query rest', 'restful restatements restatements-by-age'],
  ['exports re', 'resume'],
  ['completion _', 'bash zsh fish'],
  // An empty offer, for which bash completes names of files.
  ['query --output _', ''],
];

test('Tab offers commands, and the names of bundled queries and of own ones, in bash', async () => {
  const { stdout } = await completion('bash');
  const script = `${stdout}
    for line in "$@"; do
      read -ra words <<<"$line"
      COMP_WORDS=(dawnload "\${words[@]/#_/}"); COMP_CWORD=\${#words[@]}; COMPREPLY=()
      _dawnload; echo "\${COMPREPLY[*]}"
    done`;
  const lines = execFileSync('bash', ['-c', script, 'bash', ...OFFERED.map(([words]) => words)], {
    encoding: 'utf8',
  }).split('\n');
  expect(OFFERED.map(([words], i) => [words, lines[i]])).toEqual(OFFERED);
});

test('fish is told the commands, and the words behind a command', async () => {
  const lines = (await completion('fish')).stdout.trim().split('\n');
  expect(lines[0]).toMatch(/^complete -c dawnload -n '__fish_use_subcommand' -a '.*\bbackfill\b.*'$/);
  expect(lines).toContain(
    "complete -c dawnload -n '__fish_seen_subcommand_from completion' -a 'bash zsh fish'",
  );
});

long('help describes a query, also one of the own', async () => {
  const help = (name: string) => ended(start(['query', name, '--help'], folder));
  const { stdout } = await help('restful');
  expect(stdout).toContain('restful: Rest\nWho rests?\n\nIt takes no parameters.\n');
  expect((await help('restfull')).stderr).toContain('Did you mean restful?');
  const given = await ended(start(['query', 'restful', 'channel=email'], folder));
  expect(given.stderr).toContain('The query restful takes no parameters.\n  Leave the parameters out.');
});

test('help is in Korean where a command has it, for each of its options', () => {
  const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  onTestFinished(() => {
    written.mockRestore();
  });
  const helpOf = (...words: readonly string[]): string => {
    written.mockClear();
    expect(() => commandLine('0').parse(['node', 'dawnload', ...words, '--help'])).toThrow('outputHelp');
    return written.mock.calls.map(([text]) => String(text)).join('');
  };
  for (const name of ['status', 'report', 'explore']) {
    const options = helpOf(name, '--lang', 'ko').split(/옵션:\n|\n\n모든/)[1] ?? '';
    for (const line of options.split('\n').filter((one) => /^ {2}-/.test(one)))
      expect(line, name).toMatch(/[가-힣]/);
    expect(helpOf(name)).not.toMatch(/[가-힣]/);
  }
  const query = commandLine('0').program.commands.find((one) => one.name() === 'query');
  const { optionDescription } = query === undefined ? {} : koreanHelp(query);
  for (const option of query?.options ?? []) expect(optionDescription?.(option)).toMatch(/[가-힣]/);
  expect(helpOf('plan', '--lang', 'ko')).toMatch(/^Examples:/);
});
