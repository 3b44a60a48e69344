/** Text of the service that repeats what it was sent: secrets in every spelling, people as the load finds them. */
import { describe, expect, test } from 'vitest';
import { withoutPeople } from '../../src/documents/contacts.js';
import { Secrets } from '../../src/ground/redaction.js';
import { clean } from '../../src/service/verdict.js';
import { KEY, record, Workshop } from '../warehouse/support.js';

const TOKEN = 'eyJhbGci/OiJI+UzI1NiJ9';

describe('a secret is hidden', () => {
  test.each<[string, string]>([
    ['in capitals', TOKEN.toUpperCase()],
    ['in JSON that is a text of JSON', TOKEN.replaceAll('/', '\\\\\\/')],
    ['in escapes of JSON within JSON', escaped(TOKEN).replaceAll('\\', '\\\\')],
    ['in some escapes of JSON', `\\u0065${TOKEN.slice(1)}`],
    ['in a URL in a URL', encodeURIComponent(encodeURIComponent(TOKEN))],
    ['in a URL that escapes every letter', Buffer.from(TOKEN).toString('hex').replace(/../g, '%$&')],
  ])('%s', (_, spelling) => {
    expect(new Secrets('access', TOKEN).hide(`no: Bearer ${spelling}, sorry`)).toBe('no: Bearer …, sorry');
  });

  test.each(['', 'a', 'ab', 'abc:'])('in base64, behind %j', (before) => {
    for (const encoding of ['base64', 'base64url'] as const) {
      const hidden = new Secrets(TOKEN).hide(Buffer.from(`${before}${TOKEN}:tail`).toString(encoding));
      // Letters that are half of the secret and half of what stands around it may remain.
      expect(Buffer.from(hidden, encoding).toString()).not.toContain(TOKEN.slice(2, 8));
      expect(hidden).toMatch(/^.{0,6}….{0,10}$/);
    }
  });

  test('as a word of its own only where it is short', () => {
    expect(new Secrets('ab').hide('ab, "ab", cab, about, ab-1')).toBe('…, "…", cab, about, …-1');
  });

  test('in a text of backslashes without end, at once', () => {
    const began = performance.now();
    new Secrets(TOKEN).hide('\\'.repeat(1_000_000));
    expect(performance.now() - began).toBeLessThan(2_000);
  });
});

function escaped(text: string): string {
  return Array.from(text, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
}

test.each(['가', 'a.', '-', 'x@'])(
  'ten times as much of %j takes about ten times as long to redact',
  (letter) => {
    const taken = (length: number): number => {
      const text = `of kim@example.com ${letter.repeat(length)}`;
      const began = performance.now();
      expect(withoutPeople(text)).toMatch(/^of … /);
      expect(clean(text)).toMatch(/^of … /);
      return performance.now() - began;
    };
    const short = Math.min(taken(10_000), taken(10_000));
    // A pattern that goes back over what it read takes a hundred times as long.
    expect(taken(100_000)).toBeLessThan(50 * Math.max(short, 5));
  },
);

const SENTENCES = [
  'kim.dawn@example.com has opted out',
  '문의는kim.dawn@example.com으로, mailto:lee@example.co.kr?subject=a',
  'https://a.b/?x=1&e=kim.dawn%40example.com&y=2',
  'kim.dawn&#64;example.com <김@회사.한국>',
  'number 01012345678 is not registered',
  '전화 010-1234-5678번, 010 1234 5678, 010.1234.5678',
  '+82 10 1234 5678! tel:+82-10-1234-5678, 0082 10 1234 5678',
  '010_1234_5678 and 010/1234/5678 and 010,1234, 5678',
  '전화 ０１０－１２３４－５６７８번 ｋｉｍ.dawn＠ｅｘａｍｐｌｅ．ｃｏｍ 로',
  '010-1234-5678² 010-1234-5678１',
  '0\u200b1\u200b0\u200b1234\ufeff5678 kim.\u200bdawn@exa\u00admple.com 로',
  'the body was {"recipientNo":"02-123-4567","to":"01012345678"}',
  '{\\"recipient_no\\": \\"1\\"} u01012345678 ?q=%2201012345678%22',
  // Nobody's: services, pictures, ids, and characters of no matter.
  '15771000 and 080-123-4567, logo@2x.png, ５０％ ②①⓪-①②③④-⑤⑥⑦⑧ 5f0101234567801a 4201012345678',
  'id 01012345-0101-0101-0101-010123456789 at 2026-11-20T22:30:00Z, 1,000 records',
];

test('people are found in text of the service where the load finds them in messages', async () => {
  const workshop = new Workshop({ privacy: { recipients: 'drop', key: KEY } });
  const messages = SENTENCES.map((body, i) =>
    record({
      id: `e${100 + i}`,
      channel: 'push-notification',
      message_data: { title: 't', body, link: 'l' },
    }),
  );
  await workshop.load(workshop.events('2026-11-20', [messages]));
  const rows = await workshop.look('select body from push_messages order by event_id');
  expect(SENTENCES.map((sentence) => withoutPeople(sentence).replaceAll('…', ''))).toEqual(
    rows.map(({ body }) => body),
  );
});
