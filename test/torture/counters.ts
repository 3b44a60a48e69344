/**
 * How often each hardship of a harness really happened: a crash point that killed a process, a fault whose bytes were sent,
 * a damage that changed a file. A harness whose hardships never happen proves nothing, however often it passes.
 */
import type { Fault, FaultySandbox } from '../support/faults/index.js';

export type Kind = 'crash point' | 'way' | 'fault' | 'damage' | 'mishap' | 'decision' | 'odd value' | 'step';

/** The names that a harness counts, by their kind. */
export type Names = Partial<Readonly<Record<Kind, Iterable<string>>>>;

export class Counters {
  readonly #times = new Map<string, number>();
  readonly #chosen = new Map<string, number>();

  /** @param never names that the harness cannot reach by design, each with the reason */
  constructor(
    names: Names,
    private readonly never: Readonly<Record<string, string>> = {},
  ) {
    for (const [kind, ofKind] of Object.entries(names))
      for (const name of ofKind) this.#times.set(keyOf(kind, name), 0);
  }

  /** @throws if the harness does not list the name: nobody would notice when it stops happening */
  count(kind: Kind, name: string, times = 1): void {
    // `:2` is the second passing of a crash point, which counts for the point where it is not listed itself.
    const key = [keyOf(kind, name), keyOf(kind, name.replace(/:\d+$/, ''))].find((one) =>
      this.#times.has(one),
    );
    if (key === undefined) throw new Error(`No counter for the ${kind} ${name}`);
    this.#times.set(key, (this.#times.get(key) ?? 0) + times);
  }

  /** Counts the faults that are on, each by the answers that it has struck, and switches these on. */
  play(sandbox: FaultySandbox, faults: readonly Fault[]): void {
    for (const fault of sandbox.faults()) this.count('fault', nameOf(fault), fault.struck);
    sandbox.setFaults(faults);
  }

  times(kind: Kind, name: string): number {
    return this.#times.get(keyOf(kind, name)) ?? 0;
  }

  /** All counters, as a file keeps them; `add` takes them back. */
  all(): Record<string, number> {
    return Object.fromEntries(this.#times);
  }

  add(counters: Readonly<Record<string, number>>): void {
    for (const [key, times] of this.#times) this.#times.set(key, times + (counters[key] ?? 0));
  }

  /** The name among these that happened and was chosen least: what cannot happen keeps no other from its turn. */
  rarest<N extends string>(kind: Kind, names: readonly N[]): N {
    const turns = (name: N): number =>
      2 * this.times(kind, name) + (this.#chosen.get(keyOf(kind, name)) ?? 0);
    const rarest = names.reduce((a, b) => (turns(b) < turns(a) ? b : a));
    this.#chosen.set(keyOf(kind, rarest), (this.#chosen.get(keyOf(kind, rarest)) ?? 0) + 1);
    return rarest;
  }

  /** True for a run that has done so many: it does `count`, and up to `most` while something has not happened yet. */
  goesOn(done: number, count: number, most: number): boolean {
    return done < count || (done < most && this.missing().length > 0);
  }

  /** What has not happened yet, and can. */
  missing(): string[] {
    return [...this.#times]
      .filter(([key, times]) => times === 0 && this.#reason(key) === undefined)
      .map(([key]) => key);
  }

  /** Prints a line for each name; returns how many never happened, if they `must`, and can. */
  conclude(say: (line: string) => void, must: boolean): number {
    for (const [key, times] of this.#times) {
      const reason = times === 0 ? this.#reason(key) : undefined;
      say(`${String(times).padStart(6)}  ${key}${reason === undefined ? '' : ` (${reason})`}`);
    }
    const missing = this.missing();
    for (const key of missing) say(`never happened: ${key}`);
    return must ? missing.length : 0;
  }

  #reason(key: string): string | undefined {
    return this.never[key.slice(key.indexOf(': ') + 2)];
  }
}

/** What a fault is counted by. */
export const nameOf = ({ name, kind, endpoint }: Fault): string => name ?? `${kind} on ${endpoint}`;

const keyOf = (kind: string, name: string): string => `${kind}: ${name}`;
