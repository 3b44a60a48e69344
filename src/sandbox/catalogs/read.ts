/** Reading catalogs and items (E2). */
import { type Reply, jsonAnswer } from '../answer.js';
import type { Call } from '../endpoint.js';
import { refuse } from '../family.js';
import type { Settings } from '../options.js';
import type { Catalog } from './catalog.js';
import { cursorAfter, idOfCursor } from './cursor.js';
import { PAGE_ITEMS } from './limits.js';
import { problem } from './problems.js';
import type { Catalogs } from './catalogs.js';

export function listCatalogs(catalogs: Catalogs, settings: Settings): Reply {
  const list = [...catalogs.all()].map((catalog) => catalog.summary());
  return jsonAnswer({ data: settings.catalogList === 'wrapped' ? { catalogs: list } : list, error: null });
}

export function listItems(catalog: Catalog, { query }: Call, settings: Settings): Reply {
  const cursor = query.get('cursor');
  const after = cursor === null ? null : idOfCursor(catalog.name, cursor);
  if (cursor !== null && after === null) {
    return problem(['cursor'], 'invalid-cursor', 'The cursor is none of this catalog.');
  }
  const ids: string[] = [];
  let more = false;
  for (const id of catalog.items.idsAfter(after)) {
    more = ids.length === PAGE_ITEMS;
    if (more) break;
    ids.push(id);
  }
  const items = ids.map((id) => catalog.shown(id, catalog.items.get(id) ?? new Map()));
  const last = ids.at(-1);
  const next = more && last !== undefined ? cursorAfter(catalog.name, last) : null;
  const path = `/v1/projects/${settings.projectId}/catalogs/${catalog.name}/items`;
  const link = next === null ? null : `${path}?cursor=${encodeURIComponent(next)}`;
  const answer = jsonAnswer({ data: { items, next_cursor: next, links: { next: link } }, error: null });
  if (link === null) return answer;
  return { ...answer, headers: { ...answer.headers, link: `<${link}>; rel="next"` } };
}

export function getItem(catalog: Catalog, id: string): Reply {
  const values = catalog.items.get(id);
  if (values === undefined) return refuse('catalog', 'not-found', 'The item does not exist.');
  return jsonAnswer({ data: catalog.shown(id, values), error: null });
}
