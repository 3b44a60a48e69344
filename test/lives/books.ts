/** The books of a life: the service's bills against the ledger, the landing zone, the warehouse, and what reached people. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bill } from '../../sandbox/index.js';
import { blocksRuns, isClosed, needsPerson, type Export } from '../../src/exports/export.js';
import {
  completeFrom,
  dayOf,
  daysOf,
  lastCompleteDay,
  shiftDay,
  windowOf,
  type Day,
} from '../../src/ground/calendar.js';
import { exportFolder, firstReading } from '../../src/disk/paths.js';
import { readLedger } from '../landing/support.js';
import { rowsOf } from '../support/dawnload.js';
import { landedIdsIn } from '../torture/trial.js';
import { FIRST_DAY, fakeIn } from './fake-warehouse.js';
import type { Life } from './life.js';
import { KEPT_DAYS } from './steps.js';

/** The length of the sandbox's own ids. */
const ID_LENGTH = 24;

/** Longer ones go beside the journal. */
const LONGEST_ID = 4_096;

/** A promise that was not kept. */
export class Broken extends Error {}

/** @throws Broken */
export function assertKept(holds: boolean, what: string): void {
  if (!holds) throw new Broken(what);
}

export class Books {
  /** How many bills a window may have beyond the first: one for each time a person agreed. */
  readonly #consents = new Map<string, number>();
  /** Bills that a journal has lost, and a person has agreed to. */
  readonly forgiven = new Set<string>();
  /** The exports whose pages were read and complete, by their folder. */
  readonly #landed = new Set<string>();

  constructor(private readonly life: Pick<Life, 'clock' | 'data' | 'depth' | 'people' | 'place'>) {}

  /** What was read and complete is read once more. */
  lookAgain(): void {
    this.#landed.clear();
  }

  /** A person agrees to the bills that no line knows: their windows may be billed once more. */
  async forgive(): Promise<void> {
    for (const { export_id: id, start, end } of await this.orphans()) {
      if (this.forgiven.has(id)) continue;
      this.forgiven.add(id);
      this.consent(`${start}/${end}`, 1);
    }
  }

  consent(window: string, more: number): void {
    this.#consents.set(window, (this.#consents.get(window) ?? 0) + more);
  }

  /** The days that no export covers, although a night wants them. */
  async left(): Promise<Day[]> {
    const covered = new Set(
      (await this.entries()).flatMap(({ day, state }) => (blocksRuns(state) ? [day] : [])),
    );
    const end = lastCompleteDay(this.life.clock.now());
    const kept = this.#keptFrom;
    return daysOf({ start: kept > FIRST_DAY ? kept : FIRST_DAY, end }).filter((day) => !covered.has(day));
  }

  /** The first day whose data must be there. */
  get #keptFrom(): Day {
    return this.life.depth === 'duckdb' ? shiftDay(dayOf(this.life.clock.now()), -KEPT_DAYS) : '0000-01-01';
  }

  async waiting(): Promise<Export[]> {
    return (await this.entries()).filter((entry) => needsPerson(entry) && entry.state !== 'intended');
  }

  /** The published file has each day of events whose export is loaded, with all its records. */
  async assertPublished(): Promise<void> {
    if (this.life.depth !== 'duckdb') return;
    const published = join(this.life.data, 'warehouse.duckdb');
    const days = await rowsOf(
      published,
      'select date::varchar as date, count(distinct event_id)::int as ids from events group by all',
    );
    const held = new Map(days.map(({ date, ids }) => [String(date), Number(ids)]));
    for (const entry of await this.entries()) {
      if (entry.state !== 'loaded' || entry.day < this.#keptFrom) continue;
      const records = this.life.place.sandbox
        .bills()
        .find(({ export_id: id }) => id === realId(entry))?.records;
      const loaded = held.get(entry.day) ?? 0;
      assertKept(
        this.#isOf(loaded, records),
        `${entry.key}: ${records} records billed, ${loaded} in the published file`,
      );
    }
    const left = await this.life.people.left();
    assertKept(left === undefined, left ?? '');
  }

  /** True for all records that were billed; an erasure takes some. */
  #isOf(found: number, billed: number | undefined): boolean {
    return found === billed || (this.life.people.gone.size > 0 && found < (billed ?? 0));
  }

  async entries(): Promise<Export[]> {
    return (await readLedger(this.life.data)).entries();
  }

  /** Bills whose export id no entry of the ledger holds. */
  async orphans(entries?: readonly Export[]): Promise<Bill[]> {
    const known = new Set((entries ?? (await this.entries())).map((entry) => realId(entry)));
    return this.life.place.sandbox.bills().filter((bill) => !known.has(bill.export_id));
  }

  async audit(isDoubted: boolean, isUnloaded: boolean): Promise<void> {
    const sent = this.life.people.tooOften();
    assertKept(sent === undefined, sent ?? '');
    const bills = this.life.place.sandbox.bills();
    const windows = new Map<string, number>();
    for (const { start, end } of bills) {
      const window = `${start}/${end}`;
      windows.set(window, (windows.get(window) ?? 0) + 1);
      const day = dayOf(new Date(start));
      assertKept(completeFrom(day) <= this.life.clock.now(), `${day} was bought before it was complete`);
    }
    for (const [window, times] of windows) {
      const allowed = 1 + (this.#consents.get(window) ?? 0);
      assertKept(times <= allowed, `${window} was billed ${times} times, ${allowed} allowed`);
    }
    if (isDoubted) return;
    const journal = readIfThere(join(this.life.data, 'ledger', 'journal.jsonl'));
    assertKept(/^[\n\x20-\x7e]*$/.test(journal), 'a line of the journal has a character outside ASCII');
    const entries = await this.entries();
    for (const { key, exportId = '' } of entries)
      assertKept(
        Buffer.byteLength(exportId) <= LONGEST_ID,
        `the journal has an id of ${key} that is too long`,
      );
    const unnamed = entries.filter(({ exportId }) => exportId === undefined);
    for (const { export_id: id, start, end } of await this.orphans(entries)) {
      if (this.forgiven.has(id)) continue;
      const at = unnamed.findIndex(
        (entry) =>
          ['intended', 'ambiguous', 'abandoned'].includes(entry.state) &&
          windowText(entry) === `${start}/${end}`,
      );
      assertKept(at >= 0, `the bill ${id} for ${start} is known to no entry of the ledger`);
      unnamed.splice(at, 1);
    }
    const loaded = new Set([...fakeIn(this.life.data).loaded].map(firstReading));
    for (const entry of entries) {
      if (!isClosed(entry) || entry.day < this.#keptFrom) continue;
      const bill = bills.find(({ export_id: id }) => id === realId(entry));
      if (bill === undefined) throw new Broken(`export ${entry.key} has an id that was never billed`);
      const what = `${this.life.data} ${bill.export_id}`;
      if (this.life.depth === 'duckdb' || !this.#landed.has(what)) {
        const ids = new Set(await landedIdsIn(this.life.data, entry));
        assertKept(
          this.#isOf(ids.size, bill.records),
          `${entry.key}: ${bill.records} records billed, ${ids.size} landed`,
        );
        this.#landed.add(what);
      }
      if (entry.state === 'loaded' && this.life.depth === 'file' && !isUnloaded)
        assertKept(
          loaded.has(exportFolder({ ...entry, exportId: entry.exportId ?? '' })),
          `${entry.key} is said to be loaded and is not`,
        );
    }
  }
}

export const readIfThere = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '');

/** The service's own id at the end of an odd one. */
export const realId = ({ exportId }: Export): string | undefined => exportId?.slice(-ID_LENGTH);

export function windowText({ day }: Export): string {
  const { start, end } = windowOf(day);
  return `${start.toISOString()}/${end.toISOString()}`;
}
