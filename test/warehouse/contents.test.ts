import { expect, test } from 'vitest';
import { contents, micros, record, Workshop, type Row } from './support.js';

const DAY = '2026-11-20';
const BEFORE = '2026-11-19';

const html = (name: string): string => `<p>${name} ${'소식 '.repeat(1000)}</p>`;
const email = (id: string, name: string, title = '안내'): Row =>
  record({ id, channel: 'email', message_data: { title, body: { html: html(name), text: name } } });
const push = (id: string, body: string | null, title: string | null = '제목'): Row =>
  record({ id, message_data: { title, body, link: `app://${id}` } });

const stored = async (workshop: Workshop): Promise<unknown[]> =>
  (await workshop.look('select title, body from message_contents order by all')).map((row) => [
    row['title'],
    row['body'],
  ]);

test('what many receive is stored once, over portions, tables and days, and reads as it was sent', async () => {
  const workshop = new Workshop();
  await workshop.load(
    workshop.events(DAY, [
      [email('a', '하나', '김님께'), email('b', '하나', '이님께'), push('c', '특가')],
      [email('d', '둘'), push('e', '특가'), push('f', null, null), push('g', '', null), push('h', null, '')],
    ]),
    workshop.events(BEFORE, [[email('i', '하나'), push('j', '특가')]]),
  );
  expect(await stored(workshop)).toEqual([
    ['', null],
    ['제목', '특가'],
    [null, ''],
    [null, '둘'],
    [null, '하나'],
  ]);
  expect(await workshop.look('select event_id, title, body_html, body_text from emails order by 1')).toEqual([
    { event_id: 'a', title: '김님께', body_html: html('하나'), body_text: '하나' },
    { event_id: 'b', title: '이님께', body_html: html('하나'), body_text: '하나' },
    { event_id: 'd', title: '안내', body_html: html('둘'), body_text: '둘' },
    { event_id: 'i', title: '안내', body_html: html('하나'), body_text: '하나' },
  ]);
  expect(await workshop.look('select event_id, title, body, link from push_messages order by 1')).toEqual([
    { event_id: 'c', title: '제목', body: '특가', link: 'app://c' },
    { event_id: 'e', title: '제목', body: '특가', link: 'app://e' },
    { event_id: 'f', title: null, body: null, link: 'app://f' },
    { event_id: 'g', title: null, body: '', link: 'app://g' },
    { event_id: 'h', title: '', body: null, link: 'app://h' },
    { event_id: 'j', title: '제목', body: '특가', link: 'app://j' },
  ]);
});

test(
  'contents that no message has any more go, those that another day has stay',
  { tags: ['long'] },
  async () => {
    const workshop = new Workshop();
    const first = workshop.events(DAY, [
      [push('a', '이제 없는'), push('b', '어제도'), email('c', '이제 없는')],
    ]);
    const yesterday = workshop.events(BEFORE, [[push('d', '어제도')]]);
    const again = workshop.events(DAY, [[push('a', '새')]], { exportId: 'export-2' });
    await workshop.load(first, yesterday);
    await workshop.load(again);
    expect(await stored(workshop)).toEqual([
      ['제목', '새'],
      ['제목', '어제도'],
    ]);
    const otherwise = new Workshop();
    await otherwise.load(again, first, yesterday);
    expect(await contents(otherwise)).toEqual(await contents(workshop));
  },
);

test(
  'the content of a message that another export has too comes back when that one is replaced',
  { tags: ['long'] },
  async () => {
    const workshop = new Workshop();
    const stray = { ...push('stray', '그날의 것'), time: micros(DAY) };
    const own = { ...push('stray', '그날의 것, 다시'), time: micros(DAY) };
    await workshop.load(workshop.events(BEFORE, [[stray]]), workshop.events(DAY, [[own]]));
    expect(await workshop.look('select body from push_messages')).toEqual([{ body: '그날의 것, 다시' }]);
    expect(await stored(workshop)).toEqual([['제목', '그날의 것, 다시']]);
    await workshop.load(workshop.events(DAY, [[]], { exportId: 'export-2' }));
    expect(await workshop.look('select body from push_messages')).toEqual([{ body: '그날의 것' }]);
    expect(await stored(workshop)).toEqual([['제목', '그날의 것']]);
  },
);

test('of a record that came twice with different contents one stays', async () => {
  const workshop = new Workshop();
  await workshop.load(workshop.events(DAY, [[push('a', '하나'), push('a', '둘')]]));
  expect(await stored(workshop)).toHaveLength(1);
});
