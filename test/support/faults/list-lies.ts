/** Lies about lists that come in pages, by number or by cursor. */
import { type Reply } from '../../../sandbox/answer.js';
import { refuse } from '../../../sandbox/family.js';
import type { Lie } from './fault.js';
import { isRecord, jsonOf, type JsonRecord, recordsIn, withJson } from './json.js';
import type { Situation } from './lies.js';

export type ListLie = Extract<
  Lie,
  {
    kind:
      | 'repeated-item'
      | 'moving-total'
      | 'other-cursor'
      | 'cursor-loop'
      | 'endless-list'
      | 'emptied-list'
      | 'refused-cursor'
      | 'other-num-items';
  }
>;

export function tellListLie(
  lie: ListLie,
  situation: Situation,
  answer: Reply,
  memory: Map<string, number>,
): Reply | null {
  const { endpoint, isLater, cursor } = situation;
  const json = jsonOf(answer);
  if (!isRecord(json)) return null;
  switch (lie.kind) {
    case 'repeated-item': {
      const [first] = isLater ? recordsIn(endpoint, jsonOf(situation.firstAnswer())) : [];
      const list = listIn(json);
      if (first === undefined || list === null || list.length === 0) return null;
      list.splice(0, lie.how === 'replaced' ? 1 : 0, first);
      return withJson(answer, json);
    }
    case 'moving-total': {
      const holder = totalHolder(json);
      if (!isLater || holder === undefined) return null;
      holder['totalCount'] = Number(holder['totalCount']) + (lie.by ?? 1);
      return withJson(answer, json);
    }
    case 'other-num-items': {
      const catalogs = recordsIn(endpoint, json).filter((one) => typeof one['num_items'] === 'number');
      for (const catalog of catalogs) catalog['num_items'] = Number(catalog['num_items']) + (lie.by ?? 1);
      return catalogs.length > 0 ? withJson(answer, json) : null;
    }
    case 'refused-cursor': {
      if (itemPage(json) === null) return null;
      const read = memory.get('pages') ?? 0;
      if (cursor === null || read < (lie.after ?? 1)) {
        memory.set('pages', read + 1);
        return null;
      }
      memory.set('pages', 0);
      return refuse('catalog', 'invalid', 'The cursor is no longer valid.');
    }
    case 'emptied-list': {
      const { rows = 0, list: which = 'items' } = lie;
      const isItems = itemPage(json) !== null;
      if (endpoint === 'E2' && !isItems && which === 'items') {
        for (const catalog of recordsIn(endpoint, json)) catalog['num_items'] = rows;
        return withJson(answer, json);
      }
      const holder = totalHolder(json);
      if (holder !== undefined) holder['totalCount'] = rows;
      const list = endpoint === 'E2' && !isItems ? catalogsIn(json) : listIn(json);
      if (list === null || (endpoint === 'E2' && isItems !== (which === 'items'))) return null;
      list.splice(rows);
      return endpoint === 'E2' && isItems
        ? withCursor(answer, json, null, ['next_cursor', 'links', 'header'])
        : withJson(answer, json);
    }
    case 'endless-list': {
      const first = jsonOf(situation.firstAnswer());
      const records = recordsIn(endpoint, first);
      if (!isRecord(first) || records.length === 0 || (endpoint === 'E2' && itemPage(first) === null))
        return null;
      const page = memory.get('pages') ?? 0;
      memory.set('pages', page + 1);
      for (const record of records)
        for (const key of ['id', 'templateCode', 'recipientNo'])
          if (key in record) record[key] = `${String(record[key])}${page}`;
      const holder = totalHolder(first);
      if (holder !== undefined) holder['totalCount'] = lie.announced ?? holder['totalCount'];
      return endpoint === 'E2'
        ? withCursor(situation.firstAnswer(), first, `page-${page}`, ['next_cursor', 'links', 'header'])
        : withJson(answer, first);
    }
    case 'cursor-loop':
      return cursor === null ? null : withCursor(answer, json, cursor, ['next_cursor', 'links', 'header']);
    case 'other-cursor': {
      const next = itemPage(json)?.['next_cursor'];
      if (typeof next !== 'string') return null;
      return withCursor(answer, json, lie.how === 'gone' ? null : `${next}x`, [lie.where ?? 'header']);
    }
  }
}

/** The list of catalogs, however `data` holds it: the very array. */
function catalogsIn({ data }: JsonRecord): unknown[] | null {
  const list = isRecord(data) ? data['catalogs'] : data;
  return isList(list) ? list : null;
}

/** What holds `totalCount`. */
function totalHolder(json: JsonRecord): JsonRecord | undefined {
  return [json, json['data'], json['templateListResponse']].find(
    (one): one is JsonRecord => isRecord(one) && typeof one['totalCount'] === 'number',
  );
}

/** `data` of a page of items; null when it is none. */
function itemPage(json: JsonRecord): JsonRecord | null {
  const data = json['data'];
  return isRecord(data) && Array.isArray(data['items']) ? data : null;
}

function isList(value: unknown): value is unknown[] {
  return Array.isArray(value);
}

/** The list in an answer: the very array. */
function listIn(json: JsonRecord): unknown[] | null {
  for (const holder of [json, json['data'], json['templateListResponse']]) {
    if (!isRecord(holder)) continue;
    for (const key of ['items', 'templates', 'data']) {
      const list = holder[key];
      if (isList(list)) return list;
    }
  }
  return null;
}

/** The page with another cursor, or none, in these places. */
function withCursor(
  answer: Reply,
  json: JsonRecord,
  cursor: string | null,
  places: readonly ('next_cursor' | 'links' | 'header')[],
): Reply | null {
  const data = itemPage(json);
  if (data === null) return null;
  const own =
    isRecord(data['links']) && typeof data['links']['next'] === 'string' ? data['links']['next'] : '';
  const link = cursor === null ? null : `${own.split('?')[0] ?? ''}?cursor=${cursor}`;
  const headers = { ...answer.headers };
  if (places.includes('next_cursor')) data['next_cursor'] = cursor;
  if (places.includes('links')) data['links'] = { next: link };
  if (places.includes('header')) {
    if (link === null) delete headers['link'];
    else headers['link'] = `<${link}>; rel="next"`;
  }
  return { ...withJson(answer, json), headers };
}
