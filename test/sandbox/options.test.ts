import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { commandLine } from '../../src/commands/program.js';
import { COPY_POINTS, LEDGER_STEPS } from '../../src/exports/ledger-file.js';
import { LAKE_POINTS } from '../../src/lake/push.js';
import { DURABLE_STEPS } from '../../src/storage/atomic-file.js';
import { PUBLISH_POINTS } from '../../src/warehouse/publish.js';
import { WAREHOUSE_POINTS } from '../../src/warehouse/warehouse.js';

const page = readFileSync('docs/sandbox.md', 'utf8');
const OWN_OF_EVERY_COMMAND = ['--config', '--data-dir', '--log-format', '--verbose'];

test('docs/sandbox.md names every option of the command with its default, the clock, and every crash point', () => {
  const command = commandLine('0', () => Promise.resolve()).commands.find((sub) => sub.name() === 'sandbox');
  const options = (command?.options ?? []).filter(({ long }) => !OWN_OF_EVERY_COMMAND.includes(long ?? ''));
  expect(options.length).toBeGreaterThan(7);
  for (const { flags, defaultValue } of options) {
    const row = page.split('\n').find((line) => line.startsWith(`| \`${flags}\``));
    expect(row, flags).toBeDefined();
    if (typeof defaultValue === 'string') expect(row).toContain(`\`${defaultValue}\``);
  }
  expect(page).toContain('DAWNLOAD_NOW=');
  const points = [
    ...DURABLE_STEPS.map((step) => `FILE/${step}`),
    ...LEDGER_STEPS.map((step) => `ledger/EVENT/${step}`),
    ...[COPY_POINTS, WAREHOUSE_POINTS, PUBLISH_POINTS, LAKE_POINTS].flat(),
  ];
  for (const point of points) expect(page).toContain(`\`${point}\``);
});
