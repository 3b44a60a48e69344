import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { commandLine } from '../src/command-line.js';
import { settingsSchema } from '../src/config-schema.js';

const README = readFileSync('README.md', 'utf8');

describe('the README', () => {
  test('names every command and its subcommands', () => {
    const program = commandLine('0.0.0', () => Promise.resolve());
    for (const command of program.commands) {
      expect(README, command.name()).toContain(`\`${command.name()}`);
      for (const sub of command.commands)
        expect(README, sub.name()).toMatch(new RegExp(`\\b${sub.name()}\\b`));
    }
  });

  test('explains every setting', () => {
    const keysOf = (schema: unknown, path: string): string[] => {
      const inner =
        schema instanceof z.ZodOptional || schema instanceof z.ZodPrefault ? schema.unwrap() : schema;
      if (!(inner instanceof z.ZodObject)) return [path];
      return Object.entries(inner.shape).flatMap(([key, value]) =>
        keysOf(value, path === '' ? key : `${path}.${key}`),
      );
    };
    const keys = keysOf(settingsSchema, '');
    expect(keys).toContain('exports.budget.records_per_run');
    for (const key of keys) expect(README, key).toContain(`| \`${key}\` |`);
  });

  test('lists every bundled query', () => {
    for (const file of readdirSync('sql/queries')) {
      expect(README, file).toContain(`| \`${file.replace('.sql', '')}\` |`);
    }
  });

  test('shows what the demo really prints', () => {
    const transcript = /```text\n(.*?)```/s.exec(README)?.[1] ?? '';
    expect(transcript).toMatch(/sandbox: a messaging service with about [\d,]+ events a day/);
    expect(transcript).toMatch(/loaded events: 7 days, [\d,]+ rows/);
    expect(transcript).toMatch(/published .*warehouse\.duckdb/);
  });
});
