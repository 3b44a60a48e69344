/** The items of one catalog: those of the world, and over them what was written. */
import type { Day } from '../../calendar.js';
import type { ItemSource, Values } from '../world/catalogs/index.js';

/** Ids that are asked of the world at a time. */
const CHUNK = 64;

export class Items {
  /** What was written since the start; null where an item was deleted. */
  private readonly written = new Map<string, Values | null>();
  /** The written ids in their order; null after a new one came. */
  private order: string[] | null = null;
  /** Fields that were deleted: what the world says of them counts no more. */
  private readonly forgotten = new Set<string>();

  constructor(
    private readonly source: ItemSource | null,
    private readonly today: () => Day,
  ) {}

  get(id: string): Values | undefined {
    const own = this.written.get(id);
    if (own !== undefined) return own ?? undefined;
    const known = this.source?.valuesOf(id, this.today());
    if (known === undefined || this.forgotten.size === 0) return known;
    return new Map([...known].filter(([field]) => !this.forgotten.has(field)));
  }

  /** Takes a field's values from all items. */
  forget(field: string): void {
    this.forgotten.add(field);
    for (const [id, values] of this.written) {
      if (values?.has(field) !== true) continue;
      this.written.set(id, new Map([...values].filter(([name]) => name !== field)));
    }
  }

  put(id: string, values: Values): void {
    if (!this.written.has(id)) this.order = null;
    this.written.set(id, values);
  }

  delete(id: string): void {
    if (!this.written.has(id)) this.order = null;
    this.written.set(id, null);
  }

  count(): number {
    let count = this.source?.count(this.today()) ?? 0;
    for (const [id, values] of this.written) {
      const before = this.source?.valuesOf(id, this.today()) !== undefined;
      if (before && values === null) count -= 1;
      if (!before && values !== null) count += 1;
    }
    return count;
  }

  /** The ids after one, in their order, whether or not that one is still there. */
  *idsAfter(id: string | null): Generator<string> {
    const written = this.writtenAfter(id);
    let next = written.next();
    for (const known of this.knownAfter(id)) {
      while (next.done !== true && next.value < known) {
        yield next.value;
        next = written.next();
      }
      if (this.written.has(known)) {
        // It comes with the written ones, or it was deleted.
        if (next.done !== true && next.value === known) next = written.next();
        if (this.written.get(known) === null) continue;
      }
      yield known;
    }
    while (next.done !== true) {
      yield next.value;
      next = written.next();
    }
  }

  private *knownAfter(id: string | null): Generator<string> {
    let last = id;
    for (;;) {
      const chunk = this.source?.idsAfter(last, CHUNK, this.today()) ?? [];
      yield* chunk;
      last = chunk.at(-1) ?? last;
      if (chunk.length < CHUNK) return;
    }
  }

  private *writtenAfter(id: string | null): Generator<string> {
    this.order ??= [...this.written.keys()].sort();
    const order = this.order;
    let low = 0;
    let high = id === null ? 0 : order.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((order[middle] ?? '') <= (id ?? '')) low = middle + 1;
      else high = middle;
    }
    for (let place = low; place < order.length; place += 1) {
      const found = order[place];
      if (found !== undefined && this.written.get(found) !== null) yield found;
    }
  }
}
