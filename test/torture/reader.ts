/** An analyst who opens the published file all the time: it must open, hang together, and never lose a day. */
import { existsSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { rowsOf } from '../support/dawnload.js';

/** Everything that must hold in one file, in one look. */
const LOOK = `
  with counted as (
    select 'events' as stream, export_date as date, count(*) as n from events group by all
    union all select 'statistics', date, count(*) from daily_statistics group by all
    union all select 'statistics_by_subchannel', date, count(*) from daily_statistics_by_subchannel group by all
  )
  select stream, coverage.date::varchar as date, coverage.rows::int as rows, coalesce(n, 0)::int as n
  from ops.coverage as coverage left join counted using (stream, date)
  union all by name
  select stream, date::varchar as date, null as rows, n::int as n
  from counted anti join ops.coverage using (stream, date)`;

export class Reader {
  readonly #file: string;
  #known = new Set<string>();
  #stopped = false;
  #loop: Promise<void> | undefined;
  looks = 0;
  /** What was wrong, first things first. */
  readonly found: string[] = [];

  constructor(file: string) {
    this.#file = file;
  }

  start(everyMs = 300): void {
    this.#stopped = false;
    this.#loop = (async () => {
      while (!this.#stopped) {
        await this.look();
        await wait(everyMs);
      }
    })();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#loop;
  }

  async look(): Promise<void> {
    if (!existsSync(this.#file)) {
      if (this.#known.size > 0) this.found.push('the published file is gone');
      return;
    }
    try {
      const rows = await rowsOf(this.#file, LOOK);
      this.looks++;
      const days = new Set<string>();
      for (const row of rows) {
        const day = `${String(row['stream'])} of ${String(row['date'])}`;
        days.add(day);
        if (row['stream'] !== 'campaigns' && row['rows'] !== row['n']) {
          this.found.push(
            `${day}: ops.coverage says ${String(row['rows'])} rows, there are ${String(row['n'])}`,
          );
        }
      }
      for (const day of this.#known) if (!days.has(day)) this.found.push(`${day} was published and is gone`);
      this.#known = days;
    } catch (error) {
      this.found.push(
        `the published file cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }
}
