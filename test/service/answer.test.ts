import { describe, expect, test } from 'vitest';
import { type RawAnswer } from '../../src/service/verdict.js';
import { clean, judge } from '../../src/service/verdict.js';

const NOW = new Date('2026-11-21T00:00:00Z');

function raw(body: unknown, status = 200, more: Partial<RawAnswer> = {}): RawAnswer {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return {
    status,
    contentType: 'application/json',
    retryAfter: undefined,
    location: undefined,
    body: Buffer.from(text),
    ...more,
  };
}

describe('what an answer means', () => {
  test.each<[string, unknown, number, string]>([
    ['a list of statistics', [{ date: '2026-11-20' }], 200, 'ok'],
    ['E19 with its null error', { data: { stats: [] }, error: null }, 200, 'ok'],
    ['E17 InvalidRequest with status 200', { error: 'InvalidRequest', message: 'start' }, 200, 'refused'],
    ['E17 InvalidRequest with status 400', { error: 'InvalidRequest', message: 'start' }, 400, 'refused'],
    ['E17 Unauthorized with status 200', { error: 'Unauthorized' }, 200, 'unauthorized'],
    [
      'the words Invalid Authorization Token',
      { data: null, error: 'Invalid Authorization Token' },
      400,
      'unauthorized',
    ],
    ['E17 Timeout with status 200', { error: 'Timeout' }, 200, 'timeout'],
    ['E17 Timeout with status 500', { error: 'Timeout' }, 500, 'timeout'],
    ['E18 timeout text', 'Request timed out, try again with a shorter date range', 400, 'timeout'],
    ['E18 timeout text with status 200', 'Timeout. Please try a shorter date range.', 200, 'timeout'],
    ['E18 unauthorized text with status 200', 'Unauthorized: invalid token', 200, 'unauthorized'],
    ['E18 unauthorized text with its reason', 'Unauthorized: jwt expired', 400, 'unauthorized'],
    [
      'E17 InternalServerError with status 200',
      { error: 'InternalServerError', message: 'x' },
      200,
      'broken',
    ],
    ['E19 error text', { data: null, error: 'Invalid project id' }, 200, 'refused'],
    ['an error object', { data: null, error: { code: 'UNAUTHORIZED', message: 'no' } }, 200, 'unauthorized'],
    ['a 401 without words', {}, 401, 'unauthorized'],
    ['a 403', { data: null, error: 'Forbidden' }, 403, 'forbidden'],
    ['a 408 without words', '', 408, 'timeout'],
    ['a 429', '', 429, 'busy'],
    ['HTML of a proxy with status 502', '<html>Bad Gateway</html>', 502, 'broken'],
    ['HTML of a proxy with status 200', '<html>Sign in</html>', 200, 'broken'],
    ['an answer cut short', '{"data":[{"id":1', 200, 'broken'],
    ['a redirect', '', 302, 'redirected'],
    ['a 404', { message: 'no' }, 404, 'refused'],
    ['E10 with result code 0', { resultCode: 0, templateListResponse: { templates: [] } }, 200, 'ok'],
    [
      'E10 with another result code and an empty list',
      { resultCode: -1000, resultMessage: 'no', templateListResponse: { templates: [], totalCount: 0 } },
      200,
      'refused',
    ],
  ])('%s', (_, body, status, kind) => {
    expect(judge(raw(body, status), NOW).kind).toBe(kind);
  });

  test('the status of an export result is not an error, whatever the HTTP status', () => {
    expect(judge(raw({ status: 'error', message: 'Timeout' }, 500), NOW, 'status').kind).toBe('ok');
    expect(judge(raw({ error: 'Timeout' }), NOW, 'status').kind).toBe('timeout');
  });

  test('an export result that tells of a refused token is no failure of the export', () => {
    const refused = { status: 'error', message: 'Invalid Authorization Token' };
    expect(judge(raw(refused, 401), NOW, 'status').kind).toBe('unauthorized');
    expect(judge(raw(refused, 200), NOW, 'status').kind).toBe('unauthorized');
    expect(judge(raw({ status: 'error', message: 'no' }, 401), NOW, 'status').kind).toBe('unauthorized');
  });

  test('an export id is a proper answer, whatever the HTTP status', () => {
    expect(judge(raw({ export_id: 'x' }, 500), NOW, 'export_id').kind).toBe('ok');
  });

  test('Retry-After is read in seconds and as a date', () => {
    const busy = (retryAfter: string): unknown => judge(raw('', 429, { retryAfter }), NOW);
    expect(busy('7')).toMatchObject({ retryAfterMs: 7000 });
    expect(busy('Sat, 21 Nov 2026 00:00:30 GMT')).toMatchObject({ retryAfterMs: 30_000 });
  });

  test('words of the service are repeated without tokens and long numbers', () => {
    expect(clean('bad token eyJhbGciOi.eyJzdWIi.c2ln for 010-1234-5678\n\u0007')).toBe('bad token … for … ');
  });

  test.each(['', 'x'])('words of the service are cut between characters, behind %j', (before) => {
    const words = clean(`${before}${'🎁'.repeat(300)}`);
    expect(Array.from(words)).toHaveLength(200);
    expect(words.isWellFormed()).toBe(true);
    expect(clean('half \ud83d of one')).toBe('half \ufffd of one');
  });
});
