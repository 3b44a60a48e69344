/** Which texts of an answer to E20 say that nothing was made, and which may stand beside an export that was. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readAnswer } from '../../src/exports/request-outcome.js';

const kindOf = (status: number, body: unknown): string =>
  readAnswer(status, Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))).kind;

/** Every place in which a family of the specification puts a text. */
const SHAPES: readonly ((text: string) => unknown)[] = [
  (text) => ({ error: text }),
  (text) => ({ data: null, error: text, projectId: 'p1', durationMs: null }),
  (text) => ({ data: null, error: { code: 'X1', message: text } }),
  (text) => ({ status: 'error', message: text }),
  (text) => ({ error: 'BadRequest', message: text }),
  (text) => ({ error: 'Bad Request', message: [text], statusCode: 400 }),
];

const REFUSING = [400, 401, 403, 404, 405, 422, 429];

/** Each may stand beside an export that was made, is being made, or is billed. */
const OF_AN_EXPORT = [
  'Export queued; notification channel missing',
  'started, but the callback is invalid',
  'was created with warnings',
  'charged 20 records',
  'a job for this window is running',
  '접수되었습니다',
  '처리 중인 요청이 있습니다',
  'The request went through, but the webhook url is invalid',
  'Rate limit of notifications reached: the file follows by mail',
  'Your export is on its way - end of period adjusted',
  'The window was shortened to 30 days',
  'Only 3 of 5 records could be counted',
  'Unauthorized recipients were left out, the file was written',
  'Invalid dates were skipped',
  'The file holds too many rows and was cut',
  'Made within the rate limit',
  'Authorization succeeded',
  'OK',
  '요청이 등록되었습니다. 알림 채널이 없습니다',
  '한도에서 20건이 차감되었습니다',
  '너무 많은 레코드가 있어 일부만 담았습니다',
  '처리할 요청이 많습니다',
  '대기열에 추가됨, 잘못된 알림 형식',
];

/** Each says what is wrong with the request, who sends it, or how often. */
const OF_A_REFUSAL = [
  'Unauthorized',
  'Unauthorized: access to this project is denied',
  'jwt expired',
  'Forbidden',
  'You have no permission for this project',
  'Invalid project id',
  'Not Found',
  'Bad Request',
  'Too many requests',
  'RATE_LIMIT_EXCEEDED',
  'Rate limit exceeded. Retry after 30 seconds.',
  'start must be an ISO 8601 UTC timestamp',
  'end must be after start',
  '"isMessageDataIncluded" is required',
  'The date range is too long',
  'Missing required parameter: start',
  '요청이 너무 많습니다. 잠시 후 다시 시도해 주세요.',
  '호출 한도를 초과했습니다',
  '인증에 실패했습니다',
  '유효하지 않은 토큰입니다',
  '잘못된 요청입니다',
  '종료일은 시작일 이후여야 합니다',
  '프로젝트를 찾을 수 없습니다',
];

describe('an answer that may stand beside an export waits for a person, whatever its status and shape', () => {
  test.each(OF_AN_EXPORT)('%s', (text) => {
    for (const status of REFUSING)
      for (const shape of SHAPES)
        expect(kindOf(status, shape(text)), JSON.stringify(shape(text))).toBe('unknown');
  });

  test.each(OF_AN_EXPORT.slice(0, 7))('beside a code of the specification, too: %s', (text) => {
    for (const body of [
      { error: 'InvalidRequest', message: text },
      { data: null, error: { code: 'INVALID_ARGUMENT', message: text } },
      { error: 'Too many requests', hint: text },
      { error: 'Unauthorized', details: [{ field: 'callback', message: text }] },
    ])
      for (const status of REFUSING) expect(kindOf(status, body), JSON.stringify(body)).toBe('unknown');
  });

  test('also where its letters are escaped, or another value of the key hides them', () => {
    const escaped = Array.from('처리 중인 요청이 있습니다')
      .map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join('');
    expect(kindOf(400, `{"error": "InvalidRequest", "message": "${escaped}"}`)).toBe('unknown');
    const twice = '{"error": "Too many requests", "message": "the file follows by mail", "message": ""}';
    expect(kindOf(429, twice)).toBe('unknown');
    expect(kindOf(429, '{"error": "Too many requests"}')).toBe('refused');
  });

  test('and so does a text of no known words', () => {
    const word = fc.stringMatching(/^[a-zA-Z가-힣]{1,12}$/);
    const text = fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join(' '));
    fc.assert(
      fc.property(fc.constantFrom(...REFUSING), fc.constantFrom(...SHAPES), text, (status, shape, words) => {
        expect(kindOf(status, shape(words))).toBe('unknown');
      }),
    );
  });
});

describe('a refusal by its text is one in every shape', () => {
  test.each(OF_A_REFUSAL)('%s', (text) => {
    for (const shape of SHAPES.filter((_, i) => i !== 2))
      expect(kindOf(400, shape(text)), JSON.stringify(shape(text))).toBe('refused');
    // With a status that does not refuse, the words say nothing.
    for (const status of [200, 202, 409, 413, 500, 503])
      expect(kindOf(status, { error: text })).toBe('unknown');
  });
});

describe('a refusal by its code is one whatever it says of the reason', () => {
  test.each([
    { error: 'InvalidRequest', message: 'no' },
    { error: 'InvalidRequest', message: 'The period has 32 days, and 31 are possible.' },
    { error: 'Unauthorized' },
    {
      data: null,
      error: { code: 'INVALID_ARGUMENT', message: 'x y z', details: [{ code: 'invalid-fields' }] },
    },
    { data: null, error: { code: 'UNAUTHORIZED', message: '' } },
    { status: 'not_found', message: 'The project is unknown to us.' },
  ])('%j', (body) => {
    for (const status of REFUSING) expect(kindOf(status, body)).toBe('refused');
  });

  test('a code that the specification does not show needs a text of its own', () => {
    expect(kindOf(400, { data: null, error: { code: 'X1', message: 'Too many requests' } })).toBe('refused');
    expect(kindOf(400, { data: null, error: { code: 'E_UNSPECIFIED', message: 'see the log' } })).toBe(
      'unknown',
    );
    expect(kindOf(429, { error: '잠시 후 다시 시도해 주세요' })).toBe('unknown');
    expect(kindOf(429, { error: 'Please try again later' })).toBe('unknown');
    expect(kindOf(400, { status: 'invalid_page', message: 'Invalid project id' })).toBe('unknown');
  });
});
