/** What a life does to people: it erases them, and sends them what must come once. */
import { realEffects } from '../../src/ground/effects.js';
import { Journal } from '../../src/journal/journal.js';
import { pushesOf, type Push } from '../../src/push/ledger.js';
import { filesWith, landedPages } from '../support/contents.js';
import type { FaultySandbox } from '../support/faults/index.js';
import type { Row } from '../torture/erasures.js';

export const PUSH_YAML = 'push: { rows_per_run: 100000, rows_per_month: 100000 }\n';

/** What reaches people: each row once. */
const TARGETS = [
  { target: 'journey uj-win02', prefix: 'life-j' },
  { target: 'events viewed', prefix: 'life-e' },
] as const;

/**
 * The same rows of a target each time, and more of them: what was sent is not sent again. No id begins another, because
 * an erased one is searched for in the bytes of every file.
 */
const pushArguments = ({ target, prefix }: (typeof TARGETS)[number], rows: number): string[] => [
  ...['push', ...target.split(' '), '--yes', '--key', 'user_id', '--sql'],
  `select '${prefix}' || i || 'x' as user_id, i as step from range(${rows}) as r(i)`,
];

/** What the sandbox has taken. */
interface State {
  readonly events: readonly { readonly userId: string }[];
  readonly journeys: readonly { readonly userId: string }[];
}

export class People {
  /** Who was erased, and in no file any more. */
  readonly gone = new Set<string>();
  /** How often a person may have come to the service. */
  allowed = 1;
  /** The largest number of rows that was pushed to each target. */
  readonly #rows = TARGETS.map(() => 0);

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

  /** The command that pushes so many rows to one of the targets. */
  pushing(which: number, rows: number): string[] {
    const nth = which % TARGETS.length;
    this.#rows[nth] = Math.max(this.#rows[nth] ?? 0, rows);
    return pushArguments(TARGETS[nth] ?? TARGETS[0], rows);
  }

  async #pushes(): Promise<readonly Push[]> {
    return pushesOf(await Journal.read({ dataDir: this.data() }, realEffects({})));
  }

  /** A person looks at the service, and decides about a call whose outcome is unknown. */
  async decision(): Promise<string[] | undefined> {
    const all = await this.#pushes();
    const waiting = all.find(({ state }) => state === 'ambiguous');
    if (waiting === undefined) return undefined;
    const pushes = all.filter(({ target }) => target === waiting.target);
    const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
    const [sent, unknown] = [sum(pushes.map((one) => one.sent)), sum(pushes.map((one) => one.unknown))];
    const { prefix } = TARGETS.find(({ target }) => target === waiting.target) ?? TARGETS[0];
    const hasThem = new Set(this.#received(prefix)).size >= sent + unknown;
    return ['push', 'decide', waiting.id, hasThem ? '--delivered' : '--again'];
  }

  #received(prefix: string): string[] {
    const { journeys, events } = this.sandbox.state() as State;
    return [...journeys, ...events].map(({ userId }) => userId).filter((id) => id.startsWith(prefix));
  }

  /** A sentence on what came too often. */
  tooOften(): string | undefined {
    const times = new Map<string, number>();
    for (const id of this.#received('life-')) times.set(id, (times.get(id) ?? 0) + 1);
    const [id, most] = [...times].find(([, n]) => n > this.allowed) ?? [];
    return id === undefined ? undefined : `${id} was sent ${most} times, ${this.allowed} allowed`;
  }

  /** Pushes what is due until nothing waits: the commands that push all rows, and decisions before. */
  async *remaining(): AsyncGenerator<string[]> {
    for (const [nth, one] of TARGETS.entries()) {
      const rows = this.#rows[nth] ?? 0;
      for (let round = 0; rows > 0 && round < 3; round++) {
        const decision = await this.decision();
        if (decision !== undefined) yield decision;
        yield pushArguments(one, rows);
      }
      const lost = rows - new Set(this.#received(one.prefix)).size;
      if (lost > 0) throw new Error(`${lost} rows of ${rows} for ${one.target} were pushed and never came`);
    }
  }
}
