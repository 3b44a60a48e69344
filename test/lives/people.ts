/** What a life does to people: it erases them, and sends them what must come once. */
import { realEffects } from '../../src/ground/effects.js';
import { Journal } from '../../src/journal/journal.js';
import { pushesOf, type Push } from '../../src/push/ledger.js';
import { filesWith, landedPages } from '../support/contents.js';
import type { FaultySandbox } from '../support/faults/index.js';
import type { Row } from '../torture/erasures.js';
import type { State } from '../torture/pushes.js';

export const PUSH_YAML = 'push: { rows_per_run: 100000, rows_per_month: 100000 }\n';

/** The same rows each time, and more of them: what was sent is not sent again. */
export const pushArguments = (rows: number): string[] => [
  ...['push', 'journey', 'uj-win02', '--yes', '--key', 'user_id', '--sql'],
  `select 'life-' || i as user_id, i as step from range(${rows}) as r(i)`,
];

export class People {
  /** Who was erased, and in no file any more. */
  readonly gone = new Set<string>();
  /** How often a person may have come to the service. */
  allowed = 1;
  /** The largest number of rows that was pushed. */
  #rows = 0;

  constructor(
    private readonly sandbox: FaultySandbox,
    private readonly data: () => string,
  ) {}

  /** Some user of the landed events who was not erased. */
  async someone(which: number): Promise<string | undefined> {
    const pages = await landedPages(this.data()).catch(() => []);
    const rows = pages.flatMap(({ page }) => (page as { data: Row[] }).data);
    const users = [...new Set(rows.flatMap(({ user_id }) => user_id ?? []))].sort();
    const left = users.filter((user) => !this.gone.has(user));
    return left[which % Math.max(1, left.length)];
  }

  /** A sentence on an erased person who is left in a file. */
  async left(): Promise<string | undefined> {
    if (this.gone.size === 0) return undefined;
    const files = await filesWith(this.data(), [...this.gone]);
    return files.length === 0 ? undefined : `an erased person is in ${files.join(', ')}`;
  }

  pushing(rows: number): string[] {
    this.#rows = Math.max(this.#rows, rows);
    return pushArguments(rows);
  }

  async #pushes(): Promise<readonly Push[]> {
    return pushesOf(await Journal.read({ dataDir: this.data() }, realEffects({})));
  }

  /** A person looks at the service, and decides about a call whose outcome is unknown. */
  async decision(): Promise<string[] | undefined> {
    const pushes = await this.#pushes();
    const waiting = pushes.find(({ state }) => state === 'ambiguous');
    if (waiting === undefined) return undefined;
    const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
    const [sent, unknown] = [sum(pushes.map((one) => one.sent)), sum(pushes.map((one) => one.unknown))];
    const hasThem = new Set(this.#received()).size >= sent + unknown;
    return ['push', 'decide', waiting.id, hasThem ? '--delivered' : '--again'];
  }

  #received(): string[] {
    const { journeys } = this.sandbox.state() as State;
    return journeys.map(({ userId }) => userId).filter((id) => id.startsWith('life-'));
  }

  /** A sentence on what came too often. */
  tooOften(): string | undefined {
    const times = new Map<string, number>();
    for (const id of this.#received()) times.set(id, (times.get(id) ?? 0) + 1);
    const [id, most] = [...times].find(([, n]) => n > this.allowed) ?? [];
    return id === undefined ? undefined : `${id} was sent ${most} times, ${this.allowed} allowed`;
  }

  /** Pushes what is due until nothing waits: the command that pushes all rows, and decisions before. */
  async *remaining(): AsyncGenerator<string[]> {
    if (this.#rows === 0) return;
    for (let round = 0; round < 3; round++) {
      const decision = await this.decision();
      if (decision !== undefined) yield decision;
      yield pushArguments(this.#rows);
    }
    const lost = this.#rows - new Set(this.#received()).size;
    if (lost > 0) throw new Error(`${lost} rows of ${this.#rows} were pushed and never came`);
  }
}
