/** Credentials in messages to other systems: where they stand, and what is no credential. */
import { expect, test } from 'vitest';
import { masked } from '../../src/documents/credentials.js';

const json = (value: unknown): string => JSON.stringify(value);
const SECRET = 'B7xQ2mN9pL4kR8sT1vW6';

test.each<[what: string, given: unknown, made: unknown]>([
  ['a header', { headers: { Authorization: 'Bearer abc' } }, { headers: { Authorization: '***' } }],
  [
    'a number under a name of its own, with a number, or in a pair',
    { password: 1234, token2: 7, secret_code: 123456, pwd: 1, p: [{ name: 'sid', value: 7 }] },
    { password: '***', token2: '***', secret_code: '***', pwd: '***', p: [{ name: 'sid', value: '***' }] },
  ],
  [
    'a longer name',
    { secretkey: 'abc', tokenvalue: 'abc', tokens: ['abc'], authorizationHeader: 'abc', secretArn: 'abc' },
    { secretkey: '***', tokenvalue: '***', tokens: '***', authorizationHeader: '***', secretArn: '***' },
  ],
  ['a token that begins with digits', { t: 'Bearer 2026abc, Basic 12+a=' }, { t: 'Bearer ***, Basic ***' }],
  ['a number, an object', { token: 7, secret: { a: 1 } }, { token: '***', secret: '***' }],
  ['a pair of name and value', [{ name: 'X-Api-Key', value: 'abc' }], [{ name: 'X-Api-Key', value: '***' }]],
  ['a pair of short names', [{ k: 'Authorization', v: 'abc' }], [{ k: 'Authorization', v: '***' }]],
  ['a list of two', [['Cookie', 'a=b']], [['Cookie', '***']]],
  ['headers in turn', ['Accept', 'x', 'X-Api-Key', 'abc'], ['Accept', 'x', 'X-Api-Key', '***']],
  ['multipart', { data: 'name="password"\r\n\r\nabc\r\n--b' }, { data: 'name="password"\r\n\r\n***\r\n--b' }],
  [
    'keys that only forms abbreviate',
    { pwd: 'abc', pass: 'abc', sig: 'abc' },
    { pwd: '***', pass: '***', sig: '***' },
  ],
  [
    'keys of services and applications',
    { serviceKey: 'abc', app_key: 'abc', 'Ocp-Apim-Subscription-Key': 'abc', 비밀번호: 'abc' },
    { serviceKey: '***', app_key: '***', 'Ocp-Apim-Subscription-Key': '***', 비밀번호: '***' },
  ],
  ['a short name in JSON in a text', { data: json({ pass: 'abc' }) }, { data: json({ pass: '***' }) }],
  [
    'headers as one text',
    { h: 'Accept: x\r\nAuthorization: Basic YTpi\r\nX: y' },
    { h: 'Accept: x\r\nAuthorization: ***\r\nX: y' },
  ],
  ['JSON in a text', { data: json({ access_token: SECRET }) }, { data: json({ access_token: '***' }) }],
  [
    'JSON in JSON in a text',
    { data: json({ x: json({ access_token: SECRET }) }) },
    { data: json({ x: json({ access_token: '***' }) }) },
  ],
  [
    'a text of a text of JSON',
    { data: json(json({ access_token: SECRET })) },
    { data: json(json({ access_token: '***' })) },
  ],
  ['XML', { data: '<a><password>abc</password> x</a>' }, { data: '<a><password>***</password> x</a>' }],
  ['YAML', { data: 'user: kim\npassword: abc\n' }, { data: 'user: kim\npassword: ***\n' }],
  ['JSON that is cut', { data: '{"access_token":"abc","a":1' }, { data: '{"access_token":"***","a":1' }],
  ['single quotes', { data: "{'client_secret': 'abc'}" }, { data: "{'client_secret': '***'}" }],
  ['a form', { body: `access_token=${SECRET}&grant=x` }, { body: 'access_token=***&grant=x' }],
  ['a form whose first name is short', { body: 'pass=abc&grant=x' }, { body: 'pass=***&grant=x' }],
])('%s is masked, and masking again changes nothing', (_, given, made) => {
  const once = masked(json(given), true);
  expect(once).toBe(json(made));
  expect(masked(once, true)).toBe(once);
});

test.each([
  ['a user in a URL', 'https://kim:pw@x.example/a', 'https://***@x.example/a'],
  ['a password with an at sign', 'https://kim:p@w@x.example/a', 'https://***@x.example/a'],
  [
    'a parameter of an address in an address',
    'https://x.example/r?u=b%3Ftoken%3Dabc%26design%3Dabc',
    'https://x.example/r?u=b%3Ftoken%3D***%26design%3Dabc',
  ],
  ['Slack', 'https://hooks.slack.com/services/T0/B0/abc', 'https://hooks.slack.com/***'],
  ['Discord', 'https://discord.com/api/webhooks/1/abc', 'https://discord.com/***'],
  ['Teams', 'https://acme.webhook.office.com/webhookb2/a@b/x', 'https://acme.webhook.office.com/***'],
  ['Teams workflows', 'https://p.logic.azure.com:443/workflows/a?sig=b', 'https://p.logic.azure.com:443/***'],
  ['Telegram', 'https://api.telegram.org/bot1:abc/sendMessage', 'https://api.telegram.org/***'],
  ['Zapier', 'https://hooks.zapier.com/hooks/catch/1/abc/', 'https://hooks.zapier.com/***'],
  ['Make', 'https://hook.eu1.make.com/abc', 'https://hook.eu1.make.com/***'],
  [
    'Google Chat',
    'https://chat.googleapis.com/v1/spaces/A/messages?key=b',
    'https://chat.googleapis.com/***',
  ],
  ['Jandi', 'https://wh.jandi.com/connect-api/webhook/1/abc', 'https://wh.jandi.com/***'],
  ['Dooray', 'https://hook.dooray.com/services/1/2/abc', 'https://hook.dooray.com/***'],
  ['a part that looks random', `https://x.example/in/${SECRET}?a=1`, 'https://x.example/in/***?a=1'],
])('%s in an address is masked, and masking again changes nothing', (_, given, made) => {
  const once = masked(json({ url: given }), true);
  expect(once).toBe(json({ url: made }));
  expect(masked(once, true)).toBe(once);
});

test.each<[what: string, given: unknown]>([
  ['words in a path', { url: 'https://shop.example/sale/black-friday-2026-11-27-all-items?utm_source=push' }],
  [
    'a count',
    { token_count: 3, max_tokens: 4096, 'x-auth-level': 2, params: [{ name: 'token_count', value: 3 }] },
  ],
  [
    'a word that begins like a name',
    { secretary: 'Kim', tokenized: 'yes', body: 'secretary: Kim', form: 'a=b&secretary=Kim' },
  ],
  ['another meaning of a short name', { sign: '양자리', pass: 'season pass' }],
  ['an object under such a name', { pass: { kind: 'season' } }],
  [
    'a number after a word',
    { title: 'Digest 2026 sale', text: 'Basic 100% cotton, Basic 2만원. Bearer 1.5' },
  ],
  ['a truth value', { token: true, has_secret: false }],
  ['a large number', { id: 1, key_count: 9 }],
])('%s stays', (_, given) => {
  expect(masked(json(given), true)).toBe(json(given));
});

test('a link of a message of the own service keeps a part that looks random', () => {
  const document = json({ link: `https://shop.example/p/${SECRET}` });
  expect(masked(document, false)).toBe(document);
});

test('digits of numbers stay as they came', () => {
  expect(masked('{"a":9007199254740993,"token":"x","b":1.50}', true)).toBe(
    '{"a":9007199254740993,"token":"***","b":1.50}',
  );
});

test('no document takes longer than its length', () => {
  const document = json({ token: 'x', list: Array.from({ length: 100_000 }, (_, nth) => `sign ${nth}`) });
  const began = performance.now();
  masked(document, true);
  expect(performance.now() - began).toBeLessThan(5_000);
});
