/**
 * A night of paid events without DuckDB: the real folder, journal, ledger, landing zone, client and downloads, over a
 * warehouse that is one small file. It knows only which pulls it has loaded and the head of the journal.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { Config } from '../../src/config/config.js';
import type { Invocation } from '../../src/config/invocation.js';
import { landedAmong } from '../../src/exports/export.js';
import { requestAgain } from '../../src/exports/paid-request.js';
import { daysOf, lastCompleteDay, shiftDay, type Day } from '../../src/ground/calendar.js';
import { realEffects } from '../../src/ground/effects.js';
import { asError } from '../../src/ground/errors.js';
import type { Job } from '../../src/ground/streams.js';
import { headShape, type Head, type Pull } from '../../src/landing/landing-zone.js';
import { DataFolder } from '../../src/night/data-folder.js';
import { recordBegin, recordEnd, RunReport } from '../../src/night/report.js';
import { nightJob } from '../../src/night/wanted-days.js';
import { downloaderOf, pullEvents } from '../../src/streams/events/pull.js';
import { patienceOf } from '../../src/streams/events/reading.js';
import type { Lack, Warehouse } from '../../src/warehouse/warehouse.js';

const contents = z.object({
  loaded: z.array(z.object({ id: z.string(), day: z.string(), rows: z.number() })),
  head: headShape.optional(),
});

/** What paid requests and downloads ask of a warehouse. */
export type EventsPort = Pick<Warehouse, 'messages' | 'coverage' | 'removedDays' | 'lackOf'>;

const NOTHING_LACKING: Lack = {
  ...{ repeated: 0, without_id: 0, erased: 0, missing: 0, counted: 0, senders: 0, empty: 0, uncounted: 0 },
  ...{ is_provable: true, records: 0 },
};

export class FakeWarehouse implements EventsPort {
  #contents: z.infer<typeof contents>;

  constructor(
    readonly path: string,
    private readonly invocation: Pick<Invocation, 'effects'>,
    /** The days that the daily statistics know, and how many messages each has. */
    private readonly statistics: { readonly days: readonly Day[]; readonly messages: number },
  ) {
    this.#contents = existsSync(path)
      ? contents.parse(JSON.parse(readFileSync(path, 'utf8')))
      : { loaded: [] };
  }

  get heads(): Head[] {
    return this.#contents.head === undefined ? [] : [this.#contents.head];
  }

  get loaded(): ReadonlySet<string> {
    return new Set(this.#contents.loaded.map(({ id }) => id));
  }

  messages(): ReturnType<Warehouse['messages']> {
    const { days, messages } = this.statistics;
    const totals = { rows: 1, sent: messages, failed: 0, delivered: messages, click: 0, nights: 2 };
    return Promise.resolve(new Map(days.map((day) => [day, totals])));
  }

  coverage(): Promise<Map<Day, number>> {
    return Promise.resolve(new Map(this.#contents.loaded.map(({ day, rows }) => [day, rows])));
  }

  removedDays(): Promise<Day[]> {
    return Promise.resolve([]);
  }

  lackOf(): Promise<Lack> {
    return Promise.resolve(NOTHING_LACKING);
  }

  /** A transaction for each pull, as the real one has. */
  load = (pulls: readonly Pull[]): Promise<boolean> => {
    const { effects } = this.invocation;
    for (const { id, days, files } of pulls) {
      const rows = files.reduce((sum, file) => sum + file.rows, 0);
      effects.reach('load/before-commit');
      const others = this.#contents.loaded.filter((one) => one.id !== id);
      this.#contents.loaded = [...others, { id, day: days.start, rows }];
      this.#write();
      effects.reach('load/after-commit');
    }
    return Promise.resolve(true);
  };

  close(head: Head): void {
    this.#contents.head = head;
    this.#write();
  }

  #write(): void {
    mkdirSync(dirname(this.path), { recursive: true });
    writeFileSync(this.path, JSON.stringify(this.#contents));
  }
}

/** The first day of a life. */
export const FIRST_DAY = '2026-11-19';

export const fakeFile = (dataDir: string): string => join(dataDir, 'private', 'fake-warehouse.json');

/** The small file of a data folder, as it is now. */
export const fakeIn = (dataDir: string): FakeWarehouse =>
  new FakeWarehouse(fakeFile(dataDir), { effects: realEffects({}) }, { days: [], messages: 0 });

/** What a run does: a night from a first day on, a backfill with consent, or a day that is paid for again. */
export type Wish =
  | { readonly night: Day }
  | { readonly start: Day; readonly end: Day }
  | { readonly again: string };

/** The same as a command. */
export function argumentsOf(wish: Wish): string[] {
  if ('night' in wish) return ['run'];
  if ('again' in wish) return ['exports', 'decide', wish.again, '--pay-again'];
  return ['backfill', '--start', wish.start, '--end', wish.end, '--yes-paid'];
}

function jobOf(wish: Exclude<Wish, { readonly again: string }>, config: Config, now: Date): Job {
  const startDate = 'night' in wish ? wish.night : wish.start;
  const job = nightJob({ ...config, startDate }, now);
  return 'night' in wish ? job : { ...job, name: 'backfill', eventDays: wish, consent: 'given' };
}

/** The steps of a run that concern paid events, in their order; the failure is in the report. */
export async function runEvents(
  wish: Wish,
  config: Config,
  invocation: Invocation,
  messages: number,
): Promise<RunReport> {
  const report = new RunReport(() => invocation.effects.now());
  const command = 'again' in wish ? 'exports decide' : 'run';
  await using folder = await DataFolder.open(config, invocation, { command, needs: 'erasures' });
  await recordBegin(folder);
  const { files, ledger, landing, journal, service } = folder;
  const path = fakeFile(config.dataDir);
  const last = lastCompleteDay(invocation.effects.now());
  const days = daysOf({ start: shiftDay(last, -60), end: last });
  const warehouse = new FakeWarehouse(path, invocation, { days, messages });
  try {
    await folder.lookAgain(warehouse.heads.map((head) => ({ ...head, place: path })));
    const { load } = warehouse;
    const parts = { files, ledger, landing, warehouse, load, report, invocation };
    for (const entry of landedAmong(ledger.entries())) {
      const pull = await landing.exportPull(entry);
      if (pull !== undefined && !warehouse.loaded.has(pull.id)) await load([pull]);
      if (pull !== undefined && entry.state === 'landed')
        await ledger.record({ event: 'loaded', key: entry.key });
    }
    await service.authorize();
    service.clocks.assertMayLand();
    if ('again' in wish)
      await requestAgain(wish.again, service, parts, downloaderOf(service, parts, patienceOf(parts)));
    else await pullEvents({ job: jobOf(wish, config, service.clocks.earlier()), service }, parts);
  } catch (error) {
    report.failure = asError(error);
  }
  warehouse.close(journal.head);
  await recordEnd(folder, report);
  return report;
}
