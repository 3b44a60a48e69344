/** Which models and questions count staff and test people (exclude): those of the daily statistics alone, and each says so. */
import { expect, test } from 'vitest';
import { loadCatalogue } from '../../../src/readers/queries/catalogue.js';
import { models } from '../../../src/warehouse/models.js';
import { selectIn, statement, statementsIn } from '../../../src/warehouse/session.js';

const STATISTICS = [
  ...[
    'daily_statistics',
    'daily_conversions',
    'daily_statistics_by_subchannel',
    'daily_conversions_by_subchannel',
  ],
  ...['campaign_metrics', 'campaign_metric_dimensions'],
];

/** They take names from the statistics, or which counters a channel has, and count nobody. */
const COUNT_NOBODY =
  /^(campaigns|campaign_\w+|user_journeys|user_journey_nodes|variant_names|marts\.(resources|channel_counters))$/;

const texts = new Map(models().map(({ relation, select }) => [relation, select]));

const readBy = (text: string): string[] =>
  [...text.replaceAll(/--.*/g, '').matchAll(/\b(?:from|join) ([\w.]+)/g)].map(([, name = '']) => name);

function countsStatistics(name: string): boolean {
  if (STATISTICS.includes(name)) return true;
  const text = COUNT_NOBODY.test(name) ? undefined : texts.get(name);
  return text !== undefined && readBy(text).some((other) => other !== name && countsStatistics(other));
}

test('one view of models reads the events, and no question does', () => {
  const reads = [...texts].flatMap(([relation, text]) => (readBy(text).includes('events') ? [relation] : []));
  expect(reads).toEqual(['marts.counted_events']);
  // A question may give the name to a part of its own.
  const questions = loadCatalogue().filter(
    ({ sql }) => readBy(sql).includes('events') && !/^events as \(/m.test(sql),
  );
  expect(questions.map(({ name }) => name)).toEqual([]);
});

test('a check that reads marts reads the events that count', () => {
  const names = statementsIn('checks').filter((name) => {
    const read = readBy(selectIn(statement(name)));
    return read.includes('events') && read.some((one) => one.startsWith('marts.'));
  });
  expect(names).toEqual([]);
});

test('an answer from the daily statistics says that it includes them, and no other does', () => {
  const says = (name: string): boolean =>
    loadCatalogue().some(
      (one) => one.name === name && one.sentences.some(({ en }) => en.startsWith('Daily statistics include')),
    );
  const wanted = loadCatalogue().filter(({ sql }) => readBy(sql).some(countsStatistics));
  expect(wanted.length).toBeGreaterThan(15);
  expect(loadCatalogue().filter(({ name }) => says(name))).toEqual(wanted);
});
