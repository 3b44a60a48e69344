/** Reads the list of catalogs and the items of each catalog (E2). */
import { z } from 'zod';
import { unanswered, type ServiceClient } from '../service/client.js';
import { catalogItems, catalogs } from '../service/endpoints.js';
import { RefusedError } from '../ground/errors.js';
import { SOLE_LIST, type Page } from '../landing/pull.js';
import {
  rowsOn,
  type ListPage,
  listPage,
  nextCursor,
  readList,
  type ListSource,
  knownOf,
  READINGS,
  readLists,
  type ListsRead,
  type ListsReader,
  judgeReading,
} from './read-lists.js';

/** The list of catalogs cannot be read, so no catalog can be read. `message` is a clause. */
export class NoCatalogsError extends Error {}

/** The announced number of items of each catalog; null if none is announced. */
type Catalogs = Map<string, number | null>;

/**
 * Reads the items of all catalogs, or of the configured ones. The list of catalogs is read before and after the items,
 * because only the list contains the expected number of items.
 *
 * @throws NoCatalogsError
 * @throws the errors of `readLists`
 */
export async function readCatalogs(
  wanted: 'all' | readonly string[],
  reader: ListsReader,
): Promise<ListsRead> {
  const { projectId } = reader;
  const list = new CatalogList(reader);
  const before = await list.read();
  const isShort = list.short();
  if (isShort !== undefined) return isShort;
  const names = wanted === 'all' ? [...before.keys()] : [...new Set(wanted)];
  const sources = names.map((name) => itemsOf(projectId, name, before.get(name) ?? null));
  let known: Catalogs | undefined = before;
  const read = await readLists(
    sources.filter((source) => before.has(source.list)),
    reader,
    async () => {
      const announced = known ?? (await list.read());
      known = undefined;
      return announced;
    },
  );
  const isShortNow = list.short();
  if (isShortNow !== undefined) return isShortNow;
  const after = list.catalogs;
  // A catalog that was deleted during the reading does not count as a failure.
  const failures = read.failures.filter(({ list }) => after.has(list));
  const unknown = sources
    .filter((source) => !before.has(source.list))
    .map((source) => ({ ...source, reason: 'reference.catalogs names it and the service does not' }));
  return { ...read, failures: [...failures, ...unknown], lists: [...read.lists, list.landed()] };
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

/** The list of catalogs, which may be read several times; the last reading is used. */
class CatalogList {
  catalogs: Catalogs = new Map();
  #short: ListsRead | undefined;
  #files: readonly Page[] = [];

  constructor(readonly reader: ListsReader) {}

  /** The result for all catalogs if the list lost most of its catalogs; undefined if the list is accepted. */
  short(): ListsRead | undefined {
    return this.#short;
  }

  /** Reads the catalogs; if most of them are missing, the list is read again. */
  async read(): Promise<Catalogs> {
    for (let left = READINGS; left > 0; left--) {
      this.catalogs = await this.#readOnce();
      this.#short = this.#judged();
      if (this.#short === undefined) break;
    }
    return this.catalogs;
  }

  async #readOnce(): Promise<Catalogs> {
    const { reader } = this;
    const found: Catalogs = new Map();
    await reader.pull.discard(this.#files);
    this.#files = [];
    const source = catalogList(reader.projectId, (page) => {
      for (const [name, items] of catalogsOn(page)) found.set(name, items);
    });
    const walk = await readList(source, reader);
    if (walk.kind === 'failed' && walk.body !== undefined) await reader.reject(source, walk.body);
    if (walk.kind !== 'end') throw new NoCatalogsError(walk.reason);
    this.#files = walk.list.files;
    return found;
  }

  #judged(): ListsRead | undefined {
    const counted = { list: SOLE_LIST, rows: this.catalogs.size, announced: null };
    const reading = { ...counted, repeated: 0, equal: 0, moved: false };
    const verdict = judgeReading(reading, undefined, knownOf(SOLE_LIST, this.reader));
    if (verdict.kind !== 'again') return undefined;
    const { pulledAt } = this.reader.pull;
    const failures = [{ list: SOLE_LIST, what: 'the catalogs', ...verdict }];
    return { lists: [], differing: [], failures, short: [{ ...counted, pulledAt }] };
  }

  landed(): ListsRead['lists'][number] {
    return { list: SOLE_LIST, files: this.#files, rows: this.catalogs.size, announced: null };
  }
}

/** The specification does not define the structure of the list of catalogs in `data` (R1). */
const CATALOGS = { rows: [['data'], ['data', 'catalogs'], ['data', 'items']] };

function catalogList(projectId: string, onPage: (page: ListPage) => void): ListSource {
  return {
    list: SOLE_LIST,
    what: 'the catalogs',
    shape: CATALOGS,
    id: '/name',
    onPage,
    paging: { by: 'cursor', ask: (cursor) => catalogs(projectId, cursor) },
  };
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
/** The declared types of a catalog's fields by name; undefined if they are unknown. */
type Declared = ReadonlyMap<string, string> | undefined;

/**
 * Asks for the declared types of a catalog's fields. The list of catalogs may lack them (R1): then those count that the
 * warehouse holds.
 *
 * @throws RefusedError if the service has no such catalog
 * @throws ServiceError, CredentialsError
 */
export async function declaredFields(
  service: ServiceClient,
  baseUrl: string,
  catalog: string,
  stored: readonly { readonly name: string; readonly type: string }[],
): Promise<Declared> {
  const known = stored.length === 0 ? undefined : new Map(stored.map(({ name, type }) => [name, type]));
  const seen = new Set<string | undefined>();
  let cursor: string | undefined;
  do {
    seen.add(cursor);
    const { verdict, body } = await service.ask(catalogs(service.projectId, cursor));
    if (verdict.kind !== 'ok') throw unanswered('E2 (catalogs)', baseUrl, verdict);
    const page = listPage(body, CATALOGS);
    if (page === undefined) return known;
    const found = rowsOn(page).find((row) => z.object({ name: z.literal(catalog) }).safeParse(row).success);
    if (found !== undefined) {
      const fields = declared.safeParse(found);
      return fields.success ? new Map(fields.data.fields.map(({ name, type }) => [name, type])) : known;
    }
    cursor = nextCursor(body);
  } while (!seen.has(cursor));
  throw new RefusedError(`The service has no catalog ${catalog}.`, { hint: 'Create it there first.' });
}
