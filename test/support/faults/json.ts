/** Looking into answers and changing them, without trust in their shape. */
import { type Reply, jsonAnswer } from '../../../sandbox/answer.js';
import type { EndpointName } from '../../../sandbox/endpoint.js';

export type JsonRecord = Record<string, unknown>;

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The answer's JSON; null when it has none. */
export function jsonOf(answer: Reply): unknown {
  try {
    return JSON.parse(answer.body.toString());
  } catch {
    return null;
  }
}

/** The same answer with another body. */
export function withJson(answer: Reply, value: unknown): Reply {
  return { ...answer, body: jsonAnswer(value).body };
}

/** The records in an answer: the very objects, so that changing them changes the answer. */
export function recordsIn(endpoint: EndpointName, json: unknown): JsonRecord[] {
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

/** The records under the first of these keys of `data` that is there; `data` itself where it is one record. */
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

/** The object that holds the last part of a dotted name, and that part; null where there is none. */
export function holderOf(record: JsonRecord, field: string): { holder: JsonRecord; key: string } | null {
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
