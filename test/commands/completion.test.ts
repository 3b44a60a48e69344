import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { CLI, ended, start } from '../support/dawnload.js';

/** What Tab offers after these words, in a bash that has read the completion. */
function offered(...words: readonly string[]): string[] {
  const script = `source <("$0" "$1" completion bash)
    shift; COMP_WORDS=(dawnload "$@"); COMP_CWORD=$#
    _dawnload; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', script, process.execPath, CLI, ...words], { encoding: 'utf8' })
    .trim()
    .split('\n');
}

test('Tab offers commands, queries and options in bash', { tags: ['long'] }, () => {
  expect(offered('qu')).toEqual(['query']);
  expect(offered('query', 're')).toEqual([
    'reach',
    'refused-templates',
    'response-times',
    'restatements',
    'restatements-by-age',
    'restatements-by-day',
    'revenue',
  ]);
  expect(offered('exports', 're')).toEqual(['resume', 'recover']);
  expect(offered('--config', 'x.yaml', 'exports', 'resume', '--pay')).toEqual(['--pay-again']);
  expect(offered('completion', '')).toContain('fish');
});

test('Tab offers the values of options in bash, and files where no value is known', () => {
  expect(offered('query', 'reach', '--format', '')).toEqual(['table', 'csv', 'json', 'parquet']);
  expect(offered('docs', '--format', '')).toEqual(['text', 'markdown', 'json', 'skill', 'dbt']);
  expect(offered('query', '--lang', 'k')).toEqual(['ko']);
  expect(offered('--log-format', 'j')).toEqual(['json']);
  expect(offered('backfill', '--streams', 'statistics,ca')).toEqual([
    'statistics,campaigns',
    'statistics,catalogs',
  ]);
  expect(offered('query', 'ab-tests', '-p', '')).toEqual(['campaign=', 'metric=', 'lang=', 'goal=']);
  expect(offered('query', 'ab-tests', '--lang', 'ko', '--pa')).toEqual(['--param']);
  // bash takes --format=csv for three words.
  expect(offered('query', '--format', '=', 'c')).toEqual(['csv']);
  expect(offered('query', '--format', '=')).toEqual(['table', 'csv', 'json', 'parquet']);
  // An empty offer, for which bash completes names of files.
  expect(offered('query', '--output', '')).toEqual(['']);
});

test('fish is told each command, and each option behind its command', async () => {
  const { code, stdout } = await ended(start(['completion', 'fish'], tmpdir()));
  expect(code).toBe(0);
  const lines = stdout.trim().split('\n');
  expect(lines.filter((line) => !line.startsWith("complete -c dawnload -n '"))).toEqual([]);
  expect(lines).toContainEqual(
    expect.stringMatching(/^complete -c dawnload -n '__fish_use_subcommand' -a backfill -d '.+'$/),
  );
  expect(lines).toContainEqual(
    expect.stringMatching(
      /^complete -c dawnload -n '__fish_seen_subcommand_from exports; and __fish_seen_subcommand_from resume' -l pay-again -d '.+'$/,
    ),
  );
  for (const line of [
    /^complete -c dawnload -n '__fish_seen_subcommand_from docs' -l format -x -a 'text markdown json skill dbt' -d '.+'$/,
    /^complete -c dawnload -n '__fish_seen_subcommand_from query' -l output -s o -r -d '.+'$/,
    /^complete -c dawnload -n '__fish_seen_subcommand_from query; and __fish_seen_subcommand_from ab-tests' -l param -s p -x -a 'campaign= .+' -d '.+'$/,
  ])
    expect(lines).toContainEqual(expect.stringMatching(line));
});

test('an unknown shell is refused with those that there are', async () => {
  const { code, stderr } = await ended(start(['completion', 'tcsh'], tmpdir()));
  expect(code).toBe(2);
  expect(stderr).toBe(
    'dawnload: There is no completion for "tcsh".\n  Did you mean bash? Choose one of bash, zsh, fish.\n',
  );
});
