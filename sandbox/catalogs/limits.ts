/** The numbers of the specification's table of limits that are about catalogs. */
export const BODY_BYTES = 4 * 1024 * 1024;
export const ITEM_BYTES = 1024 * 1024;
export const CATALOG_FIELDS = 500;
export const ADDED_FIELDS = 50;
export const BULK_ITEMS = 50;
export const PAGE_ITEMS = 50;
export const NAME_LENGTH = 250;
export const STRING_LENGTH = 5000;
export const ARRAY_LENGTH = 100;
export const NESTING = 50;
