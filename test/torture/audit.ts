/** The reckoning after a night: billing journal against ledger against landing zone against warehouse. */
import { readFile } from 'node:fs/promises';
import type { Bill } from '../../sandbox/index.js';
import { windowOf as windowOfDay } from '../../src/ground/calendar.js';
import type { Export } from '../../src/exports/export.js';
import { rowsOf } from '../support/dawnload.js';
import { listed, type Trial } from './trial.js';

/** No window is billed oftener than people consented to. Holds at any moment, whatever was killed. */
export function assertNotPaidTwice(trial: Trial): void {
  const windows = new Map<string, number>();
  for (const { start, end } of trial.bills()) {
    const window = `${start}/${end}`;
    windows.set(window, (windows.get(window) ?? 0) + 1);
  }
  for (const [window, bills] of windows) {
    const allowed = 1 + (trial.consents.get(window) ?? 0);
    trial.assert(bills <= allowed, `the window ${window} was billed ${bills} times, ${allowed} allowed`);
  }
}

export function windowOf({ day }: Export): string {
  const { start, end } = windowOfDay(day);
  return `${start.toISOString()}/${end.toISOString()}`;
}

/** Bills whose export id no entry of the ledger holds. */
export async function orphans(trial: Trial): Promise<Bill[]> {
  const known = new Set((await trial.entries()).map(({ exportId }) => exportId));
  return trial.bills().filter((bill) => !known.has(bill.export_id));
}

/** All that must hold once a run has come to its end; returns the exports that wait for a person. */
export async function audit(trial: Trial): Promise<Export[]> {
  assertNotPaidTwice(trial);
  await assertJournal(trial);
  const entries = await trial.entries();
  const waiting = entries.filter(({ state }) => state === 'ambiguous');
  const bills = trial.bills();

  const unnamed = entries.filter(({ exportId }) => exportId === undefined);
  for (const { export_id: id, start, end } of await orphans(trial)) {
    const at = unnamed.findIndex(
      (entry) => ['ambiguous', 'abandoned'].includes(entry.state) && windowOf(entry) === `${start}/${end}`,
    );
    trial.assert(at >= 0, `the bill ${id} for ${start} is known to no entry of the ledger`);
    unnamed.splice(at, 1);
  }
  for (const entry of entries) {
    trial.assert(
      !['intended', 'requested', 'processing', 'ready', 'landed'].includes(entry.state),
      `export ${entry.key} was left ${entry.state} by a quiet run`,
    );
    if (entry.state === 'loaded') await assertLanded(trial, entry, bills);
  }
  await assertPublished(trial, entries, bills);
  // A killed rebuild leaves its half-made file to the next rebuild.
  for (const stray of await listed(trial.data, /^\.tmp-|\.next-|^warehouse\.duckdb\.wal$|^\.mend-/)) {
    trial.assert(false, `a quiet run left ${stray} behind`);
  }
  return waiting;
}

/** The journal was written before each answer; what the sandbox remembers must be the same. */
async function assertJournal(trial: Trial): Promise<void> {
  const text = await readFile(trial.journal, 'utf8').catch(() => '');
  const lines = text.split('\n').filter((line) => line !== '');
  trial.assert(lines.length === trial.bills().length, 'the billing journal and the service disagree');
}

async function assertLanded(trial: Trial, entry: Export, bills: readonly Bill[]): Promise<void> {
  const { key, exportId = '' } = entry;
  const bill = bills.find(({ export_id: id }) => id === exportId);
  if (bill === undefined) throw trial.broken(`export ${key} has an id that was never billed`);
  trial.assert(`${bill.start}/${bill.end}` === windowOf(entry), `export ${key} holds another window's data`);
  const ids = await trial.landedIds(entry).catch((error: unknown) => {
    throw trial.broken(`pages of ${key} cannot be read: ${String(error)}`);
  });
  trial.assert(
    ids.length >= bill.records && new Set(ids).size === bill.records,
    `export ${key}: ${bill.records} records billed, ${ids.length} landed, ${new Set(ids).size} of them different`,
  );
}

async function assertPublished(
  trial: Trial,
  entries: readonly Export[],
  bills: readonly Bill[],
): Promise<void> {
  const { published } = trial.place;
  const days = await rowsOf(
    published,
    `select date::varchar as date, count(*)::int as n, count(distinct event_id)::int as ids
     from events group by date order by date`,
  );
  const held = new Map(days.map(({ date, n, ids }) => [String(date), { n: Number(n), ids: Number(ids) }]));
  for (const { key, day, state, exportId } of entries) {
    if (state !== 'loaded') continue;
    const records = bills.find(({ export_id: id }) => id === exportId)?.records ?? 0;
    const there = held.get(day) ?? { n: 0, ids: 0 };
    trial.assert(
      there.n === records && there.ids === records,
      `${key}: ${records} records billed, ${there.n} rows in the warehouse, ${there.ids} of them different`,
    );
  }
  const shown = await rowsOf(published, 'select key, state, export_id from ops.exports order by key');
  const told = entries
    .map(({ key, state, exportId }) => ({ key, state, export_id: exportId ?? null }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
  trial.assert(
    JSON.stringify(shown) === JSON.stringify(told),
    `ops.exports and the ledger disagree: ${JSON.stringify(shown)} and ${JSON.stringify(told)}`,
  );
}

/** Each ambiguous export is told by run, plan, status and `exports list`, each with exit code 1. */
export async function assertShown(trial: Trial, waiting: readonly Export[]): Promise<void> {
  if (waiting.length === 0) return;
  for (const command of [['plan'], ['status'], ['exports', 'list']]) {
    const result = await trial.run(command);
    trial.assert(
      result.code === 1,
      `${command.join(' ')} does not say by its exit code that one waits`,
      result,
    );
    for (const { key } of waiting) {
      trial.assert(
        result.stderr.includes(`exports decide ${key} --attach `),
        `${command.join(' ')} does not tell what to do about ${key}`,
        result,
      );
    }
  }
}

/** What a run said with `--json`. */
interface RunJson {
  readonly gaps: { text: string }[];
  readonly needs_attention: string[];
  readonly findings: { severity: string }[];
}

/** Runs until nothing is left to do but what waits for a person. */
export async function runUntilQuiet(trial: Trial, command: readonly string[]): Promise<void> {
  for (let left = 4; ; left--) {
    const result = await trial.run([...command, '--json']);
    trial.assert(result.code === 0 || result.code === 1, 'a clean run ended in an undeclared way', result);
    const said = JSON.parse(
      result.stdout === '' ? '{"gaps":[],"needs_attention":[]}' : result.stdout,
    ) as RunJson;
    const entries = await trial.entries();
    const waiting = entries.filter(({ state }) => state === 'ambiguous');
    // A backfill also names the days that a person gave up.
    const named = entries.filter(({ state }) => state === 'ambiguous' || state === 'abandoned');
    const quiet = result.stdout !== '' && said.gaps.length === 0;
    if (quiet) {
      const isTold = waiting.every(({ key }) => said.needs_attention.some((text) => text.includes(key)));
      trial.assert(isTold, 'the run does not tell of an ambiguous export', result);
      const isOf = (text: string): boolean => named.some(({ key }) => text.includes(key));
      trial.assert(said.needs_attention.every(isOf), 'the run tells of what needs nobody', result);
      trial.assert(
        (result.code === 1) === said.needs_attention.length > 0,
        'the exit code does not fit',
        result,
      );
      return;
    }
    trial.assert(left > 1, 'runs without any trouble do not come to an end', result);
  }
}
