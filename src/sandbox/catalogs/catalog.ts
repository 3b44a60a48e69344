/** One catalog: its fields, its items, and what of them is shown. */
import type { Day } from '../../calendar.js';
import { type CatalogSource, type Field, type Values } from '../world/catalogs/index.js';
import type { Json, JsonObject } from '../world/messages/json.js';
import { Items } from './items.js';
import { resultsOf, type Selection } from './selection.js';

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

  /** An item as it is answered: every field, null where it has no value. */
  shown(id: string, values: Values): JsonObject {
    const entries = this.fields().map(({ name }): [string, Json] => [
      name,
      name === 'id' ? id : (values.get(name) ?? null),
    ]);
    return Object.fromEntries(entries);
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
