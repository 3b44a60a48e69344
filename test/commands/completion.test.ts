import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { performCommand } from '../support/in-process.js';

const clock = { now: () => new Date(0), moveTo: () => undefined };
const completion = (shell: string) => performCommand(['completion', shell], tmpdir(), {}, clock);

/** What Tab offers after these words, in a bash that has read the completion. */
const OFFERED: readonly (readonly [words: string, offered: string])[] = [
  ['qu', 'query'],
  ['query rest', 'restatements restatements-by-age restatements-by-day'],
  ['exports re', 'resume recover'],
  ['completion _', 'bash zsh fish'],
  // An empty offer, for which bash completes names of files.
  ['query --output _', ''],
];

test('Tab offers commands and the names of queries in bash', async () => {
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

test('an unknown shell is refused with those that there are', async () => {
  const { code, stderr } = await completion('tcsh');
  expect(code).toBe(2);
  expect(stderr).toContain('Did you mean bash? Choose one of bash, zsh, fish.');
});
