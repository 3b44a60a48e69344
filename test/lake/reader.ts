/** An analyst on Spark who looks at the lake all the time: a day of events is there whole, as its coverage says, or not at all. */
import type { Spark } from './spark.js';

export class LakeReader {
  readonly #spark: Spark;
  readonly #namespace: string;
  #stopped = false;
  #loop: Promise<void> | undefined;
  looks = 0;
  /** The most days that were new between two looks. */
  readonly found: string[] = [];

  constructor(spark: Spark, namespace: string) {
    this.#spark = spark;
    this.#namespace = namespace;
  }

  start(): void {
    this.#stopped = false;
    this.#loop = (async () => {
      while (!this.#stopped) await this.look();
    })();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#loop;
  }

  /**
   * An engine resolves tables one by one, so commits may come between: what is told of a day before or after is right for
   * its events in between. Of a day that nothing is told of, there are none.
   */
  async look(): Promise<void> {
    const before = await this.#coverage();
    const events = await this.#count(
      `select export_date as date, count(*) as rows from lake.${this.#namespace}.events group by export_date`,
    );
    const after = await this.#coverage();
    this.looks++;
    for (const day of new Set([...before.keys(), ...events.keys(), ...after.keys()])) {
      const rows = events.get(day) ?? 0;
      const told = [before.get(day) ?? 0, after.get(day) ?? 0];
      if (!told.includes(rows))
        this.found.push(`${day} has ${rows} events, and should have ${told.join(' or ')}`);
    }
  }

  #coverage(): Promise<Map<string, number>> {
    return this.#count(`select date, rows from lake.${this.#namespace}_ops.coverage where stream = 'events'`);
  }

  async #count(sql: string): Promise<Map<string, number>> {
    const rows = await this.#spark.ask(sql);
    return new Map(rows.map((row) => [String(row['date']), Number(row['rows'])]));
  }
}
