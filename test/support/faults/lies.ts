/** Well-formed answers with wrong contents: exports, paged lists, and fields of records. */
import { createHash } from 'node:crypto';
import { type Reply, jsonAnswer } from '../../../sandbox/answer.js';
import type { EndpointName } from '../../../sandbox/endpoint.js';
import type { Lie } from './fault.js';

/** The request, and other answers that a lie may use. */
export interface Situation {
  readonly endpoint: EndpointName;
  /** The requested page (E21). */
  readonly page: number;
  /** True for a page after the first. */
  readonly isLater: boolean;
  /** The requested cursor (E2). */
  readonly cursor: string | null;
  /** The correct answer for another page (E21). */
  readonly answerOf: (page: number) => Reply;
  /** The correct answer for the first page. */
  readonly firstAnswer: () => Reply;
}

type ExportLie = Exclude<Lie, FieldLie | ListLie | { kind: 'restate' }>;

/** The changed answer; null if the lie cannot change this one. */
export function tellLie(
  lie: Lie,
  situation: Situation,
  answer: Reply,
  memory: Map<string, number>,
): Reply | null {
  const { endpoint } = situation;
  switch (lie.kind) {
    case 'other-type':
    case 'extra-field':
    case 'own-messages':
      return tellFieldLie(lie, endpoint, answer);
    case 'restate':
      return endpoint === 'E17' || endpoint === 'E18' ? restate(lie, endpoint, answer, memory) : null;
    case 'repeated-item':
    case 'cursor-loop':
    case 'endless-list':
    case 'emptied-list':
      return tellListLie(lie, situation, answer, memory);
    default: {
      if (lie.kind === 'ignores-page-parameter' && endpoint !== 'E21') {
        return situation.isLater ? situation.firstAnswer() : null;
      }
      if (endpoint !== 'E21') return null;
      const json = jsonOf(answer);
      return isRecord(json) ? tellOfExport(lie, situation, answer, json, memory) : null;
    }
  }
}

/** Increments the number under a key; returns the previous one. */
function count(memory: Map<string, number>, key: string): number {
  const before = memory.get(key) ?? 0;
  memory.set(key, before + 1);
  return before;
}

function tellOfExport(
  lie: ExportLie,
  { page, answerOf }: Situation,
  answer: Reply,
  json: JsonRecord,
  memory: Map<string, number>,
): Reply | null {
  const isReady = json['status'] === 'success';
  switch (lie.kind) {
    case 'processing-forever':
      return jsonAnswer({
        status: 'processing',
        message: 'Data is being generated. Please try again later.',
      });
    case 'export-error':
      return jsonAnswer({ status: 'error', message: 'The export could not be made.' }, lie.status ?? 200);
    case 'success-then-not-found':
      if (!isReady || count(memory, 'read') < (lie.after ?? 1)) return null;
      return jsonAnswer({ status: 'not_found', message: 'Project or export not found.' }, 404);
    case 'changing-page-count': {
      const pages = json['total_page_count'];
      if (!isReady || page === 0 || typeof pages !== 'number') return null;
      return withJson(answer, { ...json, total_page_count: pages + (lie.by ?? 1) });
    }
    case 'ignores-page-parameter':
      // A page past the end exists too, as in a service that ignores the number.
      return page > 0 && (isReady || json['status'] === 'invalid_page') ? answerOf(0) : null;
    case 'repeated-page':
      return isReady && page === (lie.page ?? 1) ? answerOf(0) : null;
  }
}

const RESTATED = ['message_sent', 'delivered', 'click'];

/** The first record of a day rises with each pull after the first, equally in E17 and E18. */
function restate(
  { date: only, by = 3, counters = RESTATED }: Extract<Lie, { kind: 'restate' }>,
  endpoint: EndpointName,
  answer: Reply,
  memory: Map<string, number>,
): Reply | null {
  const json = jsonOf(answer);
  const seen = new Set<unknown>();
  let told = false;
  for (const record of recordsIn(endpoint, json)) {
    const date = record['date'];
    if (typeof date !== 'string' || seen.has(date) || (only !== undefined && only !== date)) continue;
    seen.add(date);
    const more = by * count(memory, `${endpoint}/${date}`);
    if (more === 0) continue;
    for (const counter of counters) {
      const value = record[counter];
      if (typeof value === 'number') record[counter] = value + more;
    }
    told = true;
  }
  return told ? withJson(answer, json) : null;
}

type ListLie = Extract<
  Lie,
  {
    kind: 'repeated-item' | 'cursor-loop' | 'endless-list' | 'emptied-list';
  }
>;

function tellListLie(
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
      return endpoint === 'E2' && isItems ? withCursor(answer, json, null) : withJson(answer, json);
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
        ? withCursor(situation.firstAnswer(), first, `page-${page}`)
        : withJson(answer, first);
    }
    case 'cursor-loop':
      return cursor === null ? null : withCursor(answer, json, cursor);
  }
}

/** The list of catalogs in either form of `data`: the array itself, not a copy. */
function catalogsIn({ data }: JsonRecord): unknown[] | null {
  const list = isRecord(data) ? data['catalogs'] : data;
  return isList(list) ? list : null;
}

/** The object with `totalCount`. */
function totalHolder(json: JsonRecord): JsonRecord | undefined {
  return [json, json['data'], json['templateListResponse']].find(
    (one): one is JsonRecord => isRecord(one) && typeof one['totalCount'] === 'number',
  );
}

/** `data` of a page of items; null for another answer. */
function itemPage(json: JsonRecord): JsonRecord | null {
  const data = json['data'];
  return isRecord(data) && Array.isArray(data['items']) ? data : null;
}

function isList(value: unknown): value is unknown[] {
  return Array.isArray(value);
}

/** The list in an answer: the array itself, not a copy. */
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

/** The page with another cursor, or none. */
function withCursor(answer: Reply, json: JsonRecord, cursor: string | null): Reply | null {
  const data = itemPage(json);
  if (data === null) return null;
  const own =
    isRecord(data['links']) && typeof data['links']['next'] === 'string' ? data['links']['next'] : '';
  const link = cursor === null ? null : `${own.split('?')[0] ?? ''}?cursor=${cursor}`;
  data['next_cursor'] = cursor;
  data['links'] = { next: link };
  const headers: Record<string, string> = { ...answer.headers };
  delete headers['link'];
  if (link !== null) headers['link'] = `<${link}>; rel="next"`;
  return { ...withJson(answer, json), headers };
}

type FieldLie = Extract<Lie, { kind: 'other-type' | 'extra-field' | 'own-messages' }>;

function tellFieldLie(lie: FieldLie, endpoint: EndpointName, answer: Reply): Reply | null {
  const json = jsonOf(answer);
  let told = 0;
  for (const record of recordsIn(endpoint, json)) {
    if (told > 0 && lie.kind !== 'own-messages' && lie.records === 'one') break;
    if (change(lie, record)) told += 1;
  }
  return told > 0 ? withJson(answer, json) : null;
}

/** Changes one record; returns true if it could. */
function change(lie: FieldLie, record: Record<string, unknown>): boolean {
  if (lie.kind === 'extra-field') {
    const value = lie.value ?? 'something new';
    record[lie.field] = value;
    if (isRecord(record['message_data'])) record['message_data'][lie.field] = value;
    return true;
  }
  if (lie.kind === 'own-messages') {
    if (!isRecord(record['message_data'])) return false;
    record['channel'] = 'chatapp-alimtalk';
    record['message_data'] = ownMessage(String(record['id']));
    return true;
  }
  const place = holderOf(record, lie.field);
  if (place === null) return false;
  const { holder, key } = place;
  holder[key] = lie.value === undefined ? otherType(holder[key]) : lie.value;
  return true;
}

/** A message of its own for each record; its number and order depend on the record's id. */
function ownMessage(id: string): Record<string, unknown> {
  const digits = String(BigInt(`0x${createHash('sha256').update(id).digest('hex')}`));
  const [number, order] = [digits.slice(0, 8), digits.slice(8, 20)];
  return {
    plusFriendId: '@shop',
    senderKey: 'a'.repeat(40),
    templateCode: 'order_sent',
    recipientNo: `010${number}`,
    content: `고객님, 주문 ${order} 상품을 보냈습니다. 받는 분 010-${number.slice(0, 4)}-${number.slice(4)}, 문의 1588-1234`,
    templateExtra: null,
    buttons: [
      { ordering: 1, type: 'WL', name: '배송 조회', linkMo: `https://shop.example/o/${order}`, linkPc: null },
    ],
  };
}

/** A similar value of another type. */
function otherType(value: unknown): unknown {
  switch (typeof value) {
    case 'string':
      return { text: value };
    case 'number':
    case 'boolean':
      return String(value);
    default:
      return value === null ? 0 : JSON.stringify(value);
  }
}

type JsonRecord = Record<string, unknown>;

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The answer's JSON; null without JSON. */
function jsonOf(answer: Reply): unknown {
  try {
    return JSON.parse(answer.body.toString());
  } catch {
    return null;
  }
}

/** The same answer with another body. */
function withJson(answer: Reply, value: unknown): Reply {
  return { ...answer, body: jsonAnswer(value).body };
}

/** The records in an answer: the objects themselves, so changing them changes the answer. */
function recordsIn(endpoint: EndpointName, json: unknown): JsonRecord[] {
  switch (endpoint) {
    case 'E1':
    case 'E3':
    case 'E7':
    case 'E8':
    case 'E9':
    case 'E13':
    case 'E14':
    case 'E15':
    case 'E16':
    case 'E11':
    case 'E20':
      return isRecord(json) ? [json] : [];
    case 'E2':
      return dataOf(json, 'items', 'catalogs');
    case 'E4':
      return dataOf(json, 'templates');
    case 'E5':
      return dataOf(json, 'template');
    case 'E6':
      return dataOf(json, 'images');
    case 'E10':
      return isRecord(json) && isRecord(json['templateListResponse'])
        ? recordsAt(json['templateListResponse'], 'templates')
        : [];
    case 'E12':
      return isRecord(json) ? recordsAt(json, 'data') : [];
    case 'E17':
    case 'E18':
      return Array.isArray(json) ? json.filter(isRecord) : [];
    case 'E19':
      return isRecord(json) && isRecord(json['data']) ? recordsAt(json['data'], 'stats') : [];
    case 'E21':
      return isRecord(json) && json['status'] === 'success' ? recordsAt(json, 'data') : [];
  }
}

/** The records under the first of these keys that `data` has; `data` itself if it is one record. */
function dataOf(json: unknown, ...keys: readonly string[]): JsonRecord[] {
  const data = isRecord(json) ? json['data'] : null;
  if (!isRecord(data)) return Array.isArray(data) ? data.filter(isRecord) : [];
  const key = keys.find((one) => one in data);
  if (key === undefined) return [data];
  const one = data[key];
  return isRecord(one) ? [one] : recordsAt(data, key);
}

function recordsAt(parent: JsonRecord, key: string): JsonRecord[] {
  const list = parent[key];
  return Array.isArray(list) ? list.filter(isRecord) : [];
}

/** The object with the last part of a dotted name, and that part; null if it does not exist. */
function holderOf(record: JsonRecord, field: string): { holder: JsonRecord; key: string } | null {
  const parts = field.split('.');
  const key = parts.pop() ?? field;
  let holder: JsonRecord = record;
  for (const part of parts) {
    const next = holder[part];
    if (!isRecord(next)) return null;
    holder = next;
  }
  return key in holder ? { holder, key } : null;
}
