/** The checker of orders, on the record of a real night: it is silent, and complains once a single fsync or line is missing. */
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { shared } from '../warehouse/support.js';
import { Life } from './life.js';
import { outOfOrder, type Operation } from './order.js';
import { counters } from './steps.js';

const night = shared(async () => {
  const life = await Life.begin(counters());
  await life.play({ kind: 'night', days: 0, skew: 0 });
  const { data, recorded } = life;
  await life.end();
  return { data, recorded };
});

/** The record without the first operation that these words describe, and all that it leads to. */
function without(isIt: (one: Operation, at: number) => boolean): string[] {
  const at = night.recorded.findIndex(isIt);
  expect(at).toBeGreaterThanOrEqual(0);
  return outOfOrder(
    night.data,
    night.recorded.filter((_, nth) => nth !== at),
  );
}

const synced = (end: string) => (one: Operation) => one.did === 'synced' && one.path.endsWith(end);
/** The fsync that comes next after something. */
const nextAfter = (isBefore: (one: Operation) => boolean, end: string) => {
  const from = night.recorded.findIndex(isBefore);
  return (one: Operation, at: number): boolean => at > from && synced(end)(one);
};
const isLine =
  (kind: string, event: string) =>
  (one: Operation): boolean =>
    one.did === 'wrote' &&
    (one.line ?? '').includes(`"kind":"${kind}"`) &&
    one.line!.includes(`"event":"${event}"`);
const gets = (name: string) => (one: Operation) => one.did === 'renamed' && basename(one.to) === name;

test('a night does everything in its order', () => {
  expect(outOfOrder(night.data, night.recorded)).toEqual([]);
  expect(night.recorded.filter(({ did }) => did === 'sent').length).toBeGreaterThan(1);
  expect(night.recorded.filter(isLine('export', 'landed')).length).toBeGreaterThan(1);
});

test.each<[what: string, isMissing: () => (one: Operation, at: number) => boolean, said: RegExp]>([
  [
    'the fsync of the line of an intent',
    () => nextAfter(isLine('export', 'intended'), '/ledger/journal.jsonl'),
    /a request of export \S+ left before its intent was durable/,
  ],
  ['the line of an intent', () => isLine('export', 'intended'), /left without an intent of its own/],
  [
    'the fsync of a page before its name',
    () => {
      const page = night.recorded.find(gets('page-00000.json.gz'));
      return synced(page?.did === 'renamed' ? page.from : '');
    },
    /page-00000\.json\.gz got its name before its bytes were durable/,
  ],
  [
    'the fsync of the folder of a page, before its manifest',
    () => {
      const page = night.recorded.find(gets('page-00000.json.gz'));
      return synced(page?.did === 'renamed' ? page.to.replace(/\/[^/]+$/, '') : '');
    },
    /a manifest got its name before this was durable: \S+page-00000\.json\.gz/,
  ],
  [
    'the fsync of the folder of a manifest, before the line that says so',
    () => {
      const manifest = night.recorded.find(gets('pull.json'));
      return nextAfter(
        gets('pull.json'),
        manifest?.did === 'renamed' ? manifest.to.replace(/\/[^/]+$/, '') : '',
      );
    },
    /the line export\/landed was written before this was durable: \S+pull\.json/,
  ],
  [
    'the fsync of the last line',
    () => (one, at) =>
      at > night.recorded.findIndex(isLine('run', 'ended')) && synced('/ledger/journal.jsonl')(one),
    /the command ended before this was durable: \S+journal\.jsonl/,
  ],
])('without %s it complains', (_, isMissing, said) => {
  expect(without(isMissing())).toContainEqual(expect.stringMatching(said));
});
