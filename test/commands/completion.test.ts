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
  ['--config x.yaml exports resume --pay', '--pay-again'],
  ['completion _', 'bash zsh fish --config --data-dir --log-format --verbose'],
  // The values of options.
  ['query reach --format _', 'table csv json parquet'],
  ['query --lang k', 'ko'],
  ['--log-format j', 'json'],
  ['backfill --streams statistics,ca', 'statistics,campaigns statistics,catalogs'],
  ['query ab-tests -p _', 'campaign= metric= lang= goal='],
  ['query ab-tests --lang ko --pa', '--param'],
  // bash takes --format=csv for three words.
  ['query --format = c', 'csv'],
  ['query --format =', 'table csv json parquet'],
  // An empty offer, for which bash completes names of files.
  ['query --output _', ''],
];

test('Tab offers commands, queries, options and their values in bash', async () => {
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

test('fish is told each command, and each option behind its command', async () => {
  const lines = (await completion('fish')).stdout.trim().split('\n');
  expect(lines.filter((line) => !line.startsWith("complete -c dawnload -n '"))).toEqual([]);
  for (const line of [
    /^complete -c dawnload -n '__fish_use_subcommand' -a backfill -d '.+'$/,
    /^complete -c dawnload -n '__fish_seen_subcommand_from exports; and __fish_seen_subcommand_from resume' -l pay-again -d '.+'$/,
    /^complete -c dawnload -n '__fish_seen_subcommand_from query' -l output -s o -r -d '.+'$/,
    /^complete -c dawnload -n '__fish_seen_subcommand_from query; and __fish_seen_subcommand_from ab-tests' -l param -s p -x -a 'campaign= .+' -d '.+'$/,
  ])
    expect(lines).toContainEqual(expect.stringMatching(line));
});

test('an unknown shell is refused with those that there are', async () => {
  const { code, stderr } = await completion('tcsh');
  expect(code).toBe(2);
  expect(stderr).toContain('Did you mean bash? Choose one of bash, zsh, fish.');
});
