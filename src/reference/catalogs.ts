/** Reads the list of catalogs and the items of each catalog (E2). */
import { z } from 'zod';
import { unanswered } from '../service/unanswered.js';
import type { ServiceClient } from '../service/client.js';
import { catalogItems, catalogs } from '../service/endpoints.js';
import { RefusedError } from '../ground/errors.js';
import { SOLE_LIST } from '../landing/landing-zone.js';
import {
  rowsOn,
  type Announced,
  type ListPage,
  listPage,
  nextCursor,
  type ListSource,
  readLists,
  type ListsRead,
  type ListsReader,
} from './read-lists.js';

/**
 * Reads the items of all catalogs, or of the configured ones. The list of catalogs is read before and after the items,
 * because only the list contains the expected number of items. Nothing is accepted without the list.
 *
 * @throws the errors of `readLists`
 */
export async function readCatalogs(
  wanted: 'all' | readonly string[],
  reader: ListsReader,
): Promise<ListsRead & { readonly problems?: string[] }> {
  const { projectId } = reader;
  let list = await readCatalogList(reader);
  const isWhole = (): boolean => list.read.lists.length > 0;
  if (!isWhole()) return list.read;
  const before = list.catalogs;
  const names = wanted === 'all' ? [...before.keys()] : [...new Set(wanted)];
  const sources = names.map((name) => itemsOf(projectId, name, before.get(name) ?? null));
  const again = async (): Promise<Announced> => {
    if (!isWhole()) return list.catalogs;
    for (const { files } of list.read.lists) await reader.writer.discard(files);
    list = await readCatalogList(reader);
    return list.catalogs;
  };
  const known = sources.filter((source) => before.has(source.list));
  const read = await readLists(known, reader, { before, again });
  if (!isWhole()) return list.read;
  // A catalog that was deleted during the reading does not count as a failure.
  const failures = read.failures.filter(({ list: name }) => list.catalogs.has(name));
  const unknown = names.filter((name) => !before.has(name));
  const problems = unknown.map(
    (name) =>
      `The service has no catalog ${name}, which reference.catalogs names. Take it out of the setting.`,
  );
  return { ...read, failures, problems, lists: [...read.lists, ...list.read.lists] };
}

function itemsOf(projectId: string, catalog: string, announced: number | null): ListSource {
  return {
    list: catalog,
    what: `the items of catalog ${catalog}`,
    shape: { rows: [['data', 'items']] },
    id: '/id',
    announced,
    paging: { by: 'cursor', ask: (cursor) => catalogItems(projectId, catalog, cursor) },
  };
}

/** The specification does not define the structure of the list of catalogs in `data` (R1). */
const CATALOGS = { rows: [['data'], ['data', 'catalogs'], ['data', 'items']] };

async function readCatalogList(reader: ListsReader): Promise<{ read: ListsRead; catalogs: Announced }> {
  const found = new Map<string, number | null>();
  const source: ListSource = {
    list: SOLE_LIST,
    what: 'the catalogs',
    shape: CATALOGS,
    id: '',
    onPage(page, number) {
      if (number === 0) found.clear();
      for (const [name, items] of catalogsOn(page)) found.set(name, items);
    },
    paging: { by: 'cursor', ask: (cursor) => catalogs(reader.projectId, cursor) },
  };
  return { read: await readLists([source], reader), catalogs: found };
}

const named = z.object({
  name: z.string(),
  // A value that is not a number counts as no announcement, and the catalog is still read.
  num_items: z.number().int().nonnegative().nullish().catch(null),
});

/** The catalogs on a page, each with its announced number of items. */
export function catalogsOn(page: ListPage): [string, number | null][] {
  return rowsOn(page).flatMap((row): [string, number | null][] => {
    const catalog = named.safeParse(row);
    // The name of the list of catalogs is reserved and is not accepted as the name of a catalog.
    return catalog.success && catalog.data.name !== SOLE_LIST
      ? [[catalog.data.name, catalog.data.num_items ?? null]]
      : [];
  });
}

const declared = z.object({
  name: z.string(),
  fields: z.array(z.object({ name: z.string(), type: z.string() })),
});

/**
 * Asks for the declared types of a catalog's fields by name; undefined if the list of catalogs lacks them (R1).
 *
 * @throws RefusedError if the service has no such catalog
 * @throws ServiceError, CredentialsError
 */
export async function declaredFields(
  service: ServiceClient,
  baseUrl: string,
  catalog: string,
): Promise<ReadonlyMap<string, string> | undefined> {
  const seen = new Set<string | undefined>();
  let cursor: string | undefined;
  do {
    seen.add(cursor);
    const { verdict, body } = await service.ask(catalogs(service.projectId, cursor));
    if (verdict.kind !== 'ok') throw unanswered('E2 (catalogs)', baseUrl, verdict);
    const page = listPage(body, CATALOGS);
    if (page === undefined) return undefined;
    const found = rowsOn(page).find((row) => z.object({ name: z.literal(catalog) }).safeParse(row).success);
    if (found !== undefined) {
      const fields = declared.safeParse(found);
      return fields.success ? new Map(fields.data.fields.map(({ name, type }) => [name, type])) : undefined;
    }
    cursor = nextCursor(body);
  } while (!seen.has(cursor));
  throw new RefusedError(`The service has no catalog ${catalog}.`, { hint: 'Create it there first.' });
}
