/** The catalogs of the project: those of the world, and what was made of them since. */
import { dayOf } from '../../src/calendar.js';
import type { Settings } from '../options.js';
import { type Field, worldCatalogs } from '../world/catalogs/index.js';
import { Catalog } from './catalog.js';

export class Catalogs {
  private readonly byName = new Map<string, Catalog>();
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
  }
}
