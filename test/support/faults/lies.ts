/** Answers that are well formed and not true. */
import { type Reply, jsonAnswer } from '../../../sandbox/answer.js';
import type { EndpointName } from '../../../sandbox/endpoint.js';
import type { Lie } from './fault.js';
import { type FieldLie, tellFieldLie } from './field-lies.js';
import { type ListLie, tellListLie } from './list-lies.js';
import { isRecord, jsonOf, type JsonRecord, recordsIn, withJson } from './json.js';

/** What is lied about. */
export interface Situation {
  readonly endpoint: EndpointName;
  /** The page asked for (E21). */
  readonly page: number;
  /** Whether it is a page after the first. */
  readonly isLater: boolean;
  /** The cursor asked for (E2). */
  readonly cursor: string | null;
  /** What another page would have answered (E21). */
  readonly answerOf: (page: number) => Reply;
  /** What the first page would have answered. */
  readonly firstAnswer: () => Reply;
}

type ExportLie = Exclude<Lie, FieldLie | ListLie | { kind: 'restate' }>;

/** The answer with the lie in it; null when this answer gives no occasion. */
export function tellLie(
  lie: Lie,
  situation: Situation,
  answer: Reply,
  memory: Map<string, number>,
): Reply | null {
  const { endpoint } = situation;
  switch (lie.kind) {
    case 'other-type':
    case 'field-gone':
    case 'extra-field':
      return tellFieldLie(lie, endpoint, answer);
    case 'restate':
      return endpoint === 'E17' || endpoint === 'E18' ? restate(lie, endpoint, answer, memory) : null;
    case 'repeated-item':
    case 'moving-total':
    case 'other-cursor':
    case 'cursor-loop':
    case 'endless-list':
    case 'emptied-list':
    case 'refused-cursor':
    case 'other-num-items':
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

/** Adds one to what is remembered under a key; what it was before. */
export function count(memory: Map<string, number>, key: string): number {
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
      // A page past the end exists as well, for a service that does not look.
      return page > 0 && (isReady || json['status'] === 'invalid_page') ? answerOf(0) : null;
    case 'repeated-page':
      return isReady && page === (lie.page ?? 1) ? answerOf(0) : null;
    case 'short-page': {
      if (!isReady || page !== (lie.page ?? 1)) return null;
      const records = recordsIn('E21', json);
      return withJson(answer, { ...json, data: records.slice(0, -(lie.missing ?? 1)) });
    }
    case 'duplicate-record':
    case 'outside-window': {
      const records = recordsIn('E21', json);
      if (lie.page !== undefined && lie.page !== page) return null;
      const data =
        lie.kind === 'outside-window' ? moved(records, lie.hours ?? -960) : doubled(records, lie.how);
      return data && withJson(answer, { ...json, data });
    }
  }
}

/** The records with the first in twice. */
function doubled(records: JsonRecord[], how: 'added' | 'replaced' | undefined): JsonRecord[] | null {
  const [first, , ...rest] = records;
  if (first === undefined || records.length < 2) return null;
  return how === 'replaced' ? [first, first, ...rest] : [first, ...records];
}

/** The records with the first so many hours away. */
function moved(records: JsonRecord[], hours: number): JsonRecord[] | null {
  const [first, ...rest] = records;
  if (first === undefined || typeof first['time'] !== 'string') return null;
  return [
    { ...first, time: String(BigInt(first['time']) + BigInt(Math.round(hours * 3_600_000_000))) },
    ...rest,
  ];
}

/** Each day's first record rises with every pull of the day but the first: alike in E17 and E18. */
function restate(
  { date: only, by = 3 }: Extract<Lie, { kind: 'restate' }>,
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
    for (const counter of ['message_sent', 'delivered', 'click']) {
      const value = record[counter];
      if (typeof value === 'number') record[counter] = value + more;
    }
    told = true;
  }
  return told ? withJson(answer, json) : null;
}
