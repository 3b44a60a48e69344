/** E2: the operations on catalogs, each with its method and the rest of its path. */
import type { Reply } from '../answer.js';
import type { Call, Endpoint } from '../endpoint.js';
import { refuse } from '../family.js';
import type { Settings } from '../options.js';
import { decoded } from '../paths.js';
import type { Catalog } from './catalog.js';
import { Catalogs } from './catalogs.js';
import { BODY_BYTES } from './limits.js';
import { checkName } from './names.js';
import { Problems } from './problems.js';
import { getItem, listCatalogs, listItems } from './read.js';
import { addFields, createCatalog, deleteCatalog, deleteField } from './write-catalogs.js';
import { deleteItem, deleteItems, writeItems } from './write-items.js';
import { createSelection, deleteSelection } from './write-selections.js';

/** What the values in the paths are called in errors, in their order. */
const VALUES = { items: 'itemId', fields: 'fieldName', selections: 'selectionName' } as const;

type Operation = (catalog: Catalog, call: Call, second: string) => Reply;

export function catalogEndpoints(settings: Settings): Endpoint[] {
  const catalogs = new Catalogs(settings);

  /** An operation on one catalog, whose name and the value after it are decoded and checked first. */
  function on(
    method: Endpoint['method'],
    part: keyof typeof VALUES | '',
    hasSecond: boolean,
    hasBody: boolean,
    operate: Operation,
  ): Endpoint {
    const rest = `${part === '' ? '' : `/${part}`}${hasSecond ? '/([^/]+)' : ''}`;
    return endpoint(method, `/([^/]+)${rest}`, hasBody, (call) => {
      const problems = new Problems();
      const [name = '', second = ''] = call.values.map(decoded);
      checkName(name, ['catalogName'], problems);
      if (part !== '' && hasSecond) checkName(second, [VALUES[part]], problems);
      if (problems.found()) return problems.answer();
      const catalog = catalogs.get(name);
      if (catalog === undefined) return refuse('catalog', 'not-found', 'The catalog does not exist.');
      return operate(catalog, call, second);
    });
  }

  return [
    endpoint('GET', '', false, () => listCatalogs(catalogs, settings)),
    endpoint('POST', '', true, ({ body }) => createCatalog(catalogs, body)),
    on('DELETE', '', false, false, (catalog) => deleteCatalog(catalogs, catalog)),
    on('GET', 'items', false, false, (catalog, call) => listItems(catalog, call, settings)),
    on('GET', 'items', true, false, (catalog, _, id) => getItem(catalog, id)),
    on('POST', 'items', true, true, (catalog, { body }, id) => writeItems(catalog, 'create', id, body)),
    on('PUT', 'items', true, true, (catalog, { body }, id) => writeItems(catalog, 'replace', id, body)),
    on('PATCH', 'items', true, true, (catalog, { body }, id) => writeItems(catalog, 'patch', id, body)),
    on('DELETE', 'items', true, false, (catalog, _, id) => deleteItem(catalog, id)),
    on('POST', 'items', false, true, (catalog, { body }) => writeItems(catalog, 'create', null, body)),
    on('PUT', 'items', false, true, (catalog, { body }) => writeItems(catalog, 'replace', null, body)),
    on('PATCH', 'items', false, true, (catalog, { body }) => writeItems(catalog, 'patch', null, body)),
    on('DELETE', 'items', false, true, (catalog, { body }) => deleteItems(catalog, body)),
    on('POST', 'fields', false, true, (catalog, { body }) => addFields(catalog, body)),
    on('DELETE', 'fields', true, false, (catalog, _, name) => deleteField(catalog, name)),
    on('POST', 'selections', false, true, (catalog, { body }) => createSelection(catalog, body)),
    on('DELETE', 'selections', true, false, (catalog, _, name) => deleteSelection(catalog, name)),
  ];
}

function endpoint(
  method: Endpoint['method'],
  rest: string,
  hasBody: boolean,
  answer: Endpoint['answer'],
): Endpoint {
  return {
    name: 'E2',
    method,
    path: new RegExp(`^/v1/projects/([^/]+)/catalogs${rest}$`),
    family: 'catalog',
    hasBody,
    bodyBytes: BODY_BYTES,
    pageParameter: 'cursor',
    answer,
  };
}
