/** Which answers to E20 mean that nothing was made; every other one may stand beside an export that was. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readAnswer } from '../../src/exports/paid-request.js';
import { ends, makePlace } from '../support/place.js';
import { extended } from '../support/tags.js';

const kindOf = (status: number, body: unknown): string =>
  readAnswer(status, Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))).kind;

describe('a refusal is an entry of the list', () => {
  test('only with its own status, as a whole value, in any case', () => {
    for (const [status, value] of [
      [400, 'InvalidRequest'],
      [401, 'unauthorized'],
      [401, 'Invalid Authorization Token'],
      [403, 'Forbidden'],
      [404, 'not_found'],
      [404, 'Not Found'],
      [405, 'Method Not Allowed'],
      [429, 'Too many requests'],
    ] as const) {
      expect(kindOf(status, { error: value, message: 'an export is being made' })).toBe('refused');
      for (const other of [200, 202, 400, 401, 403, 404, 405, 409, 422, 429, 500, 503])
        if (other !== status)
          expect(kindOf(other, { error: value }), `${other} ${value}`).not.toBe('refused');
      for (const text of [`${value}.`, `${value} for 3 records`, `x ${value}`])
        expect(kindOf(status, { error: text }), text).toBe('error');
    }
  });

  test('with a key that may tell of an export is for a person', () => {
    for (const more of [{ exportIds: ['e1'] }, { job_id: 'e1' }, { result: { total: 1 } }, { billed: true }])
      expect(kindOf(400, { error: 'InvalidRequest', ...more })).toBe('error');
  });

  test('no other text is one, in any shape', () => {
    const shapes: ((text: string) => unknown)[] = [
      (text) => ({ error: text }),
      (text) => ({ data: null, error: { code: 'X1', message: text } }),
      (text) => ({ status: 'error', message: text }),
      (text) => ({ error: 'Bad Request', message: [text], statusCode: 400 }),
    ];
    const texts = fc.oneof(fc.string(), fc.stringMatching(/^[a-zA-Z가-힣 ]{1,40}$/));
    fc.assert(
      fc.property(
        fc.constantFrom(400, 422, 429),
        fc.constantFrom(...shapes),
        texts,
        (status, shape, text) => {
          expect(kindOf(status, shape(text))).not.toBe('refused');
        },
      ),
    );
  });
});

describe('an answer of another text', { tags: ['long'] }, () => {
  const YAML = 'start_date: 2026-11-20\nlookback_days: 1\nretries: 0\n';
  const BUDGET = '  budget: { records_per_run: 100000, records_per_month: 1000000 }\n';
  extended(
    'waits for a person, is quoted, and settles once it is listed; another text does not',
    async () => {
      const headers = { 'content-type': 'application/json' };
      const body = '{"error":"NoCredit","message":"Call 010-1234-5678"}';
      const faults = [{ kind: 'status', endpoint: 'E20', status: 402, headers, body, times: 1 } as const];
      const place = await makePlace(`${YAML}exports:\n${BUDGET}`, { faults });
      expect((await place.run(['run'])).code).toBe(1);
      const listed = await place.run(['exports', 'list']);
      expect(listed.stderr).toContain('"NoCredit: Call …"');
      expect(listed.stderr).toContain('exports.refusals');

      await place.configure(`${YAML}exports:\n${BUDGET}  refusals: [NoCredit, Call …]\n`);
      expect((await place.run(['run'])).code).toBe(1);
      expect(place.sandbox.bills()).toHaveLength(0);

      await place.configure(`${YAML}exports:\n${BUDGET}  refusals: ['nocredit: call …']\n`);
      const plan = await place.run(['plan']);
      expect([plan.code, plan.stdout]).toEqual([0, expect.stringContaining('request 1 day (2026-11-20)')]);
      await ends(
        place.run(['exports', 'resume', '2026-11-20.1']),
        3,
        /is failed[^]*Nothing is billed for it\. The next run requests 2026-11-20\./,
      );
      expect((await place.run(['run'])).code).toBe(0);
      expect(place.sandbox.bills()).toHaveLength(1);
      expect((await place.run(['exports', 'list'])).stdout).toContain('failed');
    },
  );
});
