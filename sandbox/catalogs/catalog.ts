/** The project's catalogs: those of the world, with later changes. */
import { type Day, dayOf } from '../../src/ground/calendar.js';
import type { Settings } from '../options.js';
import {
  type CatalogSource,
  type Field,
  type Values,
  type ItemSource,
  worldCatalogs,
} from '../world/catalogs/index.js';
import type { Json, JsonObject } from '../world/messages/json.js';
import { resultsOf, type Selection } from './selection.js';

export class Catalogs {
  private readonly byName = new Map<string, Catalog>();
  private readonly deleted = new Set<string>();
  private readonly today: () => string;

  constructor(settings: Settings) {
    this.today = () => dayOf(settings.now());
    for (const source of worldCatalogs(settings.seed, settings.catalogItems)) {
      this.byName.set(source.name, Catalog.ofWorld(source, this.today));
    }
  }

  all(): Iterable<Catalog> {
    return this.byName.values();
  }

  get(name: string): Catalog | undefined {
    return this.byName.get(name);
  }

  create(name: string, description: string, fields: readonly Field[]): Catalog {
    const catalog = Catalog.created(name, description, fields, this.today);
    this.byName.set(name, catalog);
    return catalog;
  }

  delete(name: string): void {
    this.byName.delete(name);
    this.deleted.add(name);
  }

  /** Returns the written state: the changed catalogs, and the names of deleted ones. */
  written(): JsonObject {
    const changed = [...this.byName.values()].filter((catalog) => catalog.isWritten());
    return {
      changed: changed.map((catalog) => catalog.written()),
      deleted: [...this.deleted].filter((name) => !this.byName.has(name)),
    };
  }
}

/** One catalog: its fields, its items and its selections. */
export class Catalog {
  readonly items: Items;
  readonly selections = new Map<string, Selection>();
  /** Fields of the world that were deleted. */
  private readonly deleted = new Set<string>();

  private constructor(
    readonly name: string,
    private readonly ownDescription: string,
    private readonly source: CatalogSource | null,
    private added: readonly Field[],
    private readonly today: () => Day,
  ) {
    this.items = new Items(source?.items ?? null, today);
  }

  static ofWorld(source: CatalogSource, today: () => Day): Catalog {
    return new Catalog(source.name, '', source, [], today);
  }

  static created(name: string, description: string, fields: readonly Field[], today: () => Day): Catalog {
    return new Catalog(name, description, null, fields, today);
  }

  /** The first is `id`. */
  fields(): readonly Field[] {
    const known = (this.source?.fieldsOn(this.today()) ?? []).filter(({ name }) => !this.deleted.has(name));
    const names = new Set(known.map(({ name }) => name));
    return [...known, ...this.added.filter(({ name }) => !names.has(name))];
  }

  addFields(fields: readonly Field[]): void {
    this.added = [...this.added, ...fields];
  }

  deleteField(name: string): void {
    this.added = this.added.filter((field) => field.name !== name);
    this.deleted.add(name);
    this.items.forget(name);
  }

  summary(): JsonObject {
    return {
      name: this.name,
      description: this.source?.descriptionOn(this.today()) ?? this.ownDescription,
      data_classification: 'non_personal',
      fields: this.fields().map(({ name, type }) => ({ name, type })),
      num_items: this.items.count(),
    };
  }

  /** An item in an answer: every field, null without a value. */
  shown(id: string, values: Values): JsonObject {
    const entries = this.fields().map(({ name }): [string, Json] => [
      name,
      name === 'id' ? id : (values.get(name) ?? null),
    ]);
    return Object.fromEntries(entries);
  }

  isWritten(): boolean {
    const changes = [this.added.length, this.deleted.size, this.items.changes().length, this.selections.size];
    return this.source === null || changes.some((count) => count > 0);
  }

  /** The fields and items that were written, null for deleted items, and what selections find. */
  written(): JsonObject {
    return {
      name: this.name,
      created: this.source === null,
      addedFields: this.added.map(({ name, type }) => ({ name, type })),
      deletedFields: [...this.deleted],
      items: this.items
        .changes()
        .map(([id, values]) => ({ id, item: values === null ? null : this.shown(id, values) })),
      selections: [...this.selections].map(([name, { results }]) => ({ name, results })),
    };
  }

  /** Finds the items of all stored selections again, as after every change of items or fields. */
  recompute(): void {
    for (const selection of this.selections.values()) {
      selection.results = resultsOf(selection.definition, this.entries());
    }
  }

  private *entries(): Generator<[id: string, valueOf: (field: string) => Json]> {
    for (const id of this.items.idsAfter(null)) {
      const values = this.items.get(id);
      yield [id, (field) => (field === 'id' ? id : (values?.get(field) ?? null))];
    }
  }
}

/** Ids requested from the world at a time. */
const CHUNK = 64;

class Items {
  /** The items written since the start; null where one was deleted. */
  private readonly written = new Map<string, Values | null>();
  /** The written ids in order; null after a new one is added. */
  private order: string[] | null = null;
  /** Fields that were deleted: the world's values for them are ignored. */
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

  changes(): (readonly [id: string, values: Values | null])[] {
    return [...this.written];
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

  /** The ids after one, in order, even if that one was deleted. */
  *idsAfter(id: string | null): Generator<string> {
    const written = this.writtenAfter(id);
    let next = written.next();
    for (const known of this.knownAfter(id)) {
      while (next.done !== true && next.value < known) {
        yield next.value;
        next = written.next();
      }
      if (this.written.has(known)) {
        // It is among the written ones, or was deleted.
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
