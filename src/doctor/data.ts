/** The data folder: its lock, its ledger, its warehouse, and how long ago somebody worked on it. */
import { existsSync } from 'node:fs';
import type { Config } from '../config.js';
import { completeFrom, formatKst, lastCompleteDay } from '../calendar.js';
import { landedPages, sumOf } from '../exports/page.js';
import { Ledger } from '../exports/ledger.js';
import { ledgerState } from '../exports/needs-action.js';
import { RunJournal } from '../run/journal.js';
import { dataFiles } from '../storage/data-files.js';
import { LandingZone } from '../storage/landing-zone.js';
import { lockState } from '../storage/run-lock.js';
import { formatDuration, plural } from '../terminal/terminal.js';
import { readEveryBlock } from '../warehouse/deep.js';
import { assertReplaceable } from '../warehouse/publish.js';
import { remembered } from '../warehouse/remembered-exports.js';
import { schemaVersions } from '../warehouse/schema-version.js';
import { fail, ok, warn, type Examination, type Finding } from './check.js';

export async function lock(dataDir: string, now: Date): Promise<Finding> {
  const { held, holder } = await lockState(dataDir);
  const who =
    holder === undefined
      ? 'another process'
      : `process ${holder.pid}, \`${holder.command}\`, since ${formatKst(holder.since)}`;
  if (held) {
    const long =
      holder === undefined
        ? ''
        : ` (${formatDuration(Math.max(0, now.getTime() - holder.since.getTime()))} ago)`;
    return warn(
      `Held by ${who}${long}.`,
      'Wait until it has ended: a second run would end with exit code 75. If it hangs, end that process, and the lock is free.',
    );
  }
  // The word of a run that was killed may still lie there; the lock itself is the kernel's.
  return ok(holder === undefined ? 'free' : `free; ${who} was killed and left its name, which does no harm`);
}

/** @throws DamageError when it is damaged, or lacks exports that the data folder remembers */
export async function ledger(config: Config, now: Date): Promise<Finding> {
  const { exports } = await remembered(dataFiles(config.dataDir).published);
  const { ledger: whole, doubt, restored, needed } = await ledgerState(config, exports, now);
  if (doubt !== undefined) throw doubt;
  if (restored !== undefined)
    return warn(restored, '`dawnload exports recover` shows what is known, and asks.');
  const entries = whole.entries();
  const waiting = needed.length;
  if (waiting === 0) return ok(`${plural(entries.length, 'paid export')}, none needs action`);
  return warn(
    `${waiting} of ${plural(entries.length, 'paid export')} ${waiting === 1 ? 'needs' : 'need'} action.`,
    '`dawnload exports list` names each, and what to do.',
  );
}

/** @throws CorruptDatabaseError when it cannot be opened, DamageError when the next run could not replace it */
export async function warehouse(dataDir: string): Promise<Finding> {
  const { published } = dataFiles(dataDir);
  await assertReplaceable(published);
  if (!existsSync(published)) return ok('none yet; `dawnload run` creates it');
  const { file, program } = await schemaVersions(published);
  if (file > program) {
    return fail(
      `${published} has schema ${file}; this version of dawnload knows up to ${program}.`,
      'Install the newer version again, or rebuild the warehouse with `dawnload rebuild`.',
    );
  }
  return ok(
    file < program
      ? `${published} has schema ${file}; the next run brings it to ${program}`
      : `${published}, schema ${file}`,
  );
}

/** A night may be late by so much before anybody is told, in milliseconds. */
const LATE_MS = 3 * 60 * 60_000;

export async function lastRun(dataDir: string, now: Date, underWay: boolean): Promise<Finding> {
  const runs = await new RunJournal(dataDir).runs();
  const last = runs.at(-1);
  if (last === undefined) return warn('There was no run yet.', 'Start `dawnload run`, then a scheduler.');
  const { begun, over } = last;
  const ago = (then: Date): string =>
    `${formatKst(then)}, ${formatDuration(Math.max(0, now.getTime() - then.getTime()))} ago`;
  if (over === undefined) {
    return underWay
      ? ok(`${begun.command} is under way, since ${formatKst(begun.startedAt)}`)
      : warn(
          `${begun.command} was killed (it began ${ago(begun.startedAt)}).`,
          'Run `dawnload run`: it continues from there, and pays for nothing twice.',
        );
  }
  const day = lastCompleteDay(now);
  const due = completeFrom(day);
  const failure = over.summary['failure'];
  const why = typeof failure === 'string' ? `: ${failure.replace(/\.$/, '')}` : '';
  const text = `${begun.command} ended with exit code ${over.exitCode} (${over.outcome}; ${ago(over.finishedAt)})${why}`;
  if (over.finishedAt < due && now.getTime() - due.getTime() > LATE_MS) {
    return warn(
      `Nobody has fetched ${day}, which is complete since ${formatKst(due)}; ${text}.`,
      'Check the scheduler and its log, then run `dawnload run`.',
    );
  }
  return over.exitCode === 0
    ? ok(text)
    : warn(`${text}.`, '`dawnload status` says what is missing; `dawnload run` tries again.');
}

/** A machine may be off for a night; after two days nothing starts the job any more. */
const ABANDONED_MS = 48 * 60 * 60_000;

/** Whether something starts the job every night, as far as the journal of runs shows. */
export async function scheduler(dataDir: string, now: Date): Promise<Finding> {
  const last = (await new RunJournal(dataDir).runs()).findLast(({ begun }) => begun.command === 'run')?.begun;
  const remedy =
    '`dawnload schedule` starts the job every night; deploy/ has files for systemd, cron, Kubernetes, launchd.';
  if (last === undefined) return warn('There was no nightly run yet, so nothing may start one.', remedy);
  const age = now.getTime() - last.startedAt.getTime();
  if (age > ABANDONED_MS)
    return warn(
      `The last nightly run began ${formatDuration(age)} ago, so nothing starts the job at night.`,
      remedy,
    );
  return ok(`the last nightly run began ${formatKst(last.startedAt)}`);
}

/** Reading every byte takes its time. */
const DEEP_PATIENCE_MS = 6 * 60 * 60_000;

/** Reads what a run reads only in part: every block of both database files, and every landed file. */
export async function lookDeeply(dataDir: string, examination: Examination): Promise<void> {
  const { working, published } = dataFiles(dataDir);
  for (const [name, path] of [
    ['published file', published],
    ['private file', working],
  ] as const) {
    if (!existsSync(path)) continue;
    const look = async (): Promise<Finding> => {
      if (path === working && (await lockState(dataDir)).held)
        return warn(
          'A run has it open, so it was not read.',
          'Start the check again when the run has ended.',
        );
      return ok(`every block of ${plural(await readEveryBlock(path), 'table')} is intact`);
    };
    await examination.look(name, look, DEEP_PATIENCE_MS);
  }
  await examination.look('landing zone', () => landedFiles(dataDir), DEEP_PATIENCE_MS);
}

/** So many damaged files are named. */
const MOST_TOLD = 10;

/** Every landed file and manifest, and the records of every paid export against the ledger, which a missing page lacks. */
async function landedFiles(dataDir: string): Promise<Finding> {
  const landing = LandingZone.read(dataDir);
  const damage: { readonly message: string; readonly hint?: string | undefined }[] = [];
  const files = await landing.verifyAll((error) => damage.push(error));
  // A damaged ledger has a finding of its own.
  const entries = await Ledger.read(dataDir).then(
    (ledger) => ledger.entries(),
    () => [],
  );
  for (const { key, day, exportId, state, records } of entries) {
    if (exportId === undefined || (state !== 'landed' && state !== 'loaded')) continue;
    const held = sumOf(await landedPages({ landing }, { day, key, exportId }));
    if (held === records) continue;
    damage.push({
      message: `The pages of export ${key} hold ${held} of its ${records ?? 0} records: pages are missing or damaged.`,
      hint: `To download them again at no cost: \`dawnload exports resume ${key}\`.`,
    });
  }
  const [first] = damage;
  if (first === undefined) return ok(`${plural(files, 'file')}, all intact`);
  const told = damage.slice(0, MOST_TOLD).map(({ message }) => message);
  const more = damage.length > told.length ? ` ${plural(damage.length - told.length, 'more finding')}.` : '';
  return fail(`${told.join(' ')}${more}`, first.hint ?? 'Restore it from a backup.');
}
