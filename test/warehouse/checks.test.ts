import { expect, test } from 'vitest';
import { readCheck } from '../../src/warehouse/checks.js';
import { statementsIn } from '../../src/warehouse/session.js';
import { findingsAfter, findingsAfterModels } from './checkup.js';
import { MODEL_PLANTS, PLANTS } from './plants.js';
import { dayAfter, micros, record, Workshop, type Finding } from './support.js';

const DAY = '2026-11-20';

/** One check of each kind is tried by `npm test`: keys, values, days, rows, sums, volumes. The others are too many for it. */
const QUICK = [
  'events_key',
  'required_values',
  'days_missing',
  'coverage_rows',
  'events_agree_sends',
  'volume_unusual',
];

function tagsOf({ name, number }: { readonly name: string; readonly number: number }): string[] {
  return number === 1 && QUICK.includes(name) ? [] : ['long'];
}

test('a sound warehouse gives no finding', { tags: ['long'] }, async () => {
  expect(await findingsAfter('select 1')).toEqual([]);
});

const plants = Object.entries(PLANTS).flatMap(([name, all]) =>
  all.map(([damage, ...expected], index) => ({ name, number: index + 1, damage, expected })),
);

for (const plant of plants) {
  const tags = tagsOf(plant);
  test(`${plant.name} finds what was planted, and nothing else (${plant.number})`, { tags }, async () => {
    const findings = await findingsAfter(plant.damage);
    expect(findings).toEqual(
      plant.expected.map((finding) => expect.objectContaining({ name: plant.name, ...finding }) as Finding),
    );
  });
}

const modelPlants = Object.entries(MODEL_PLANTS).flatMap(([name, all]) =>
  all.map(([damage, ...expected], index) => ({ name, number: index + 1, damage, expected })),
);

for (const plant of modelPlants) {
  const tags = tagsOf(plant);
  test(`${plant.name} finds what was planted, and nothing else (${plant.number})`, { tags }, async () => {
    const findings = await findingsAfterModels(plant.damage);
    expect(findings).toEqual(
      plant.expected.map((finding) => expect.objectContaining({ name: plant.name, ...finding }) as Finding),
    );
  });
}

test('what loads noted is told, and stays with the day', { tags: ['long'] }, async () => {
  const workshop = new Workshop();
  await workshop.load(
    workshop.events(DAY, [
      [record(), record(), record({ id: 's', time: micros(dayAfter(DAY)) }), record({ novelty: 1, id: 'n' })],
    ]),
    workshop.events(dayAfter(DAY), [[record({ id: 's', time: micros(dayAfter(DAY)) })]]),
  );
  const findings = await workshop.findings();
  expect(findings.map(({ name, severity, date, finding }) => [name, severity, date, finding])).toEqual([
    ['load_notes', 'warn', DAY, expect.stringContaining('have one id')],
    ['load_notes', 'warn', DAY, expect.stringContaining('more than once')],
    ['load_notes', 'warn', DAY, expect.stringContaining('Another export that was paid for')],
    ['schema_drift', 'warn', DAY, expect.stringContaining('does not know this')],
  ]);
  expect(
    await workshop.look(
      'select count(*)::integer as n, min(checked_at) = max(checked_at) as once from ops.checks',
    ),
  ).toEqual([{ n: 4, once: true }]);
  await workshop.load(workshop.events(DAY, [[record()]]));
  expect(await workshop.findings()).toEqual([]);
  expect(await workshop.look('from ops.checks')).toEqual([]);
});

test('every check has been seen to find something, says what it means, and is about days or about little', () => {
  const checks = statementsIn('checks').map(readCheck);
  const planted = Object.entries({ ...PLANTS, ...MODEL_PLANTS }).flatMap(([name, all]) =>
    all.some(([, ...expected]) => expected.length > 0) ? [name] : [],
  );
  const seen = [...planted, 'load_notes', 'schema_drift'];
  expect(checks.map(({ name }) => name)).toEqual(seen.sort());
  for (const { meaning, severity } of checks) {
    expect(meaning).toMatch(/^[A-Z].*[.]$/);
    if (severity === 'stop') expect(meaning).toContain('`dawnload rebuild`');
  }
  expect(checks.filter(({ scope }) => scope === 'full').map(({ name }) => name)).toEqual([
    'calendar_key',
    'campaign_totals',
    'dates_present',
    'days_missing',
    'experiments_known',
    'main_goals',
    'opt_outs_dated',
    'schema_drift',
    'snapshot_parts',
    'snapshots_agree',
    'snapshots_old',
    'templates_known',
  ]);
});
