/** Lies about the fields of records, on any endpoint: they change type, vanish, or are new. */
import type { EndpointName } from '../../../sandbox/endpoint.js';
import type { Reply } from '../../../sandbox/answer.js';
import type { Lie } from './fault.js';
import { holderOf, isRecord, jsonOf, recordsIn, withJson } from './json.js';

export type FieldLie = Extract<Lie, { kind: 'other-type' | 'field-gone' | 'extra-field' }>;

export function tellFieldLie(lie: FieldLie, endpoint: EndpointName, answer: Reply): Reply | null {
  const json = jsonOf(answer);
  let told = 0;
  for (const record of recordsIn(endpoint, json)) {
    if (told > 0 && lie.records === 'one') break;
    if (change(lie, record)) told += 1;
  }
  return told > 0 ? withJson(answer, json) : null;
}

/** Changes one record; whether it could. */
function change(lie: FieldLie, record: Record<string, unknown>): boolean {
  if (lie.kind === 'extra-field') {
    const value = lie.value ?? 'something new';
    record[lie.field] = value;
    if (isRecord(record['message_data'])) record['message_data'][lie.field] = value;
    return true;
  }
  const place = holderOf(record, lie.field);
  if (place === null) return false;
  const { holder, key } = place;
  if (lie.kind === 'field-gone') Reflect.deleteProperty(holder, key);
  else holder[key] = lie.value === undefined ? otherType(holder[key]) : lie.value;
  return true;
}

/** Much the same value in another type. */
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
