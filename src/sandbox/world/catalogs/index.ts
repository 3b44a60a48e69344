/** The catalogs of the world. */
import { awkward } from './awkward.js';
import { big } from './big.js';
import { products } from './products.js';
import type { CatalogSource } from './source.js';
import { stores } from './stores.js';

export {
  type CatalogSource,
  type Field,
  FIELD_TYPES,
  ID_FIELD,
  type ItemSource,
  type Values,
} from './source.js';

/** @param bigItems how many items the catalog `big` has; with none there is no such catalog */
export function worldCatalogs(seed: number, bigItems: number): CatalogSource[] {
  return [products(seed), stores(seed), awkward(), ...(bigItems > 0 ? [big(bigItems, seed)] : [])];
}
