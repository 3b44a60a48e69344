/** What receivers hear of the published data: the digest each morning, and own questions that have rows. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bodyOf, type Alert } from '../../src/operations/alert.js';
import { ends, Hook, makePlace, Nights } from '../support/place.js';
import { extended } from '../support/tags.js';

const SENDER = { project_id: 'p', host: 'h', folder: '/f', run_id: 'r', time: new Date(0) };

describe('news', { tags: ['long'] }, () => {
  test('the digest comes once each morning with what the page says first, in the language of the page', async () => {
    const receiver = await Hook.listen();
    const nights = await Nights.make(
      `start_date: 2026-11-08\nlookback_days: 1\nreport: ko\nalerts: [{ url: "${receiver.url}", on: [digest] }]\n`,
    );
    for (nights.night of [0, 0, 1]) await ends(nights.run(), 0);
    const heard = receiver.take();
    expect(heard).toMatchObject([
      { cause: 'digest', message: expect.stringMatching(/11월\s20일/) as string },
      { cause: 'digest', message: expect.stringMatching(/11월\s21일/) as string },
    ]);
    const parts = heard[1]?.['parts'] as { title: string; lines: string[] }[];
    expect(parts.map(({ title }) => title)).toEqual(['한눈에 보기', '눈에 띄는 점', '추천 액션']);
    const said = parts[0]?.lines ?? [];
    expect(said.join(' ')).toMatch(/메시지[는]? [\d,]+건을? 발송했습니다/);
    // The page of that morning says the same.
    const page = await readFile(join(nights.place.folder, 'data/report.html'), 'utf8');
    const plain = (text: string): string => text.replaceAll(/<[^>]*>|\s|\u2060/g, '');
    expect(plain(page)).toContain(plain(said[0] ?? '–'));
  });

  test('a morning without the statistics of yesterday has no digest', { tags: ['extended'] }, async () => {
    const receiver = await Hook.listen();
    const nights = await Nights.make(
      `start_date: 2026-11-18\nlookback_days: 1\nretries: 0\nalerts: [{ url: "${receiver.url}", on: [digest] }]\n`,
    );
    await ends(nights.run(), 0);
    expect(receiver.take()).toHaveLength(1);
    nights.night = 1;
    await ends(nights.run([{ endpoint: 'E17', kind: 'status', status: 500 }]), 1);
    expect(receiver.take()).toEqual([]);
  });

  test('a question alerts once when it has rows, once when it has none any more, and only its subscribers', async () => {
    const [watcher, other] = [await Hook.listen(), await Hook.listen()];
    const nights = await Nights.make(
      `start_date: 2026-11-19\nlookback_days: 1\nqueries: .\nalerts: [{ url: "${watcher.url}", question: my-watch }, { url: "${other.url}" }]\n`,
    );
    const ask = (rows: number): Promise<void> =>
      writeFile(
        join(nights.place.folder, 'my-watch.sql'),
        `-- title: My watch\n-- question: Are there days?\n-- params: none\n\nselect 'user@example.com' as who from range(${rows})\n`,
      );
    const heard: unknown[] = [];
    for (const [night, rows] of [
      [0, 0],
      [0, 2],
      [1, 3],
      [2, 0],
      [2, 0],
      [2, 1],
    ] as const) {
      nights.night = night;
      await ask(rows);
      await ends(nights.run(), 0);
      heard.push(watcher.take().map(({ cause, message, about }) => [cause, about, message]));
    }
    expect(heard).toEqual([
      [],
      [['question', 'my-watch', 'my-watch has 2 rows.']],
      [],
      [['question', 'my-watch', 'my-watch has no rows any more.']],
      [],
      [['question', 'my-watch', 'my-watch has 1 row.']],
    ]);
    expect(other.take()).toEqual([]);
  });

  extended('a question that cannot be asked is told once', async () => {
    const watcher = await Hook.listen();
    const place = await makePlace(
      `start_date: 2026-11-20\nalerts: [{ url: "${watcher.url}", question: nobody-knows }]\n`,
    );
    for (let run = 0; run < 3; run++) await ends(place.run(['run']), 0);
    expect(watcher.take()).toMatchObject([
      { cause: 'question', message: expect.stringContaining('nobody-knows could not be asked: ') as string },
    ]);
  });
});

const DIGEST: Alert = {
  cause: 'digest',
  message: 'Messages',
  numbers: {},
  next: 'dawnload explore',
  parts: [{ title: 'Do next', lines: ['Stop “<!channel> [x](y)”.'] }],
};

test('a digest for Slack has a line for each sentence, and a name cannot mention a channel', () => {
  expect(JSON.parse(bodyOf(DIGEST, SENDER, 'slack'))).toEqual({
    text: '*Messages*\n*Do next*\n• Stop “&lt;!channel&gt; [x](y)”.\nNext: `dawnload explore`\nProject p on h, /f, run r',
  });
});

test('what surrounds a Korean message is Korean too, and the number of rows is said once', () => {
  const alert: Alert = {
    cause: 'question',
    message: '2건',
    numbers: { rows: 2 },
    next: 'dawnload query q',
    lang: 'ko',
  };
  expect(JSON.parse(bodyOf(alert, SENDER, 'slack'))).toEqual({
    text: '*Dawnload* 알림: 2건\n다음 명령: `dawnload query q`\n프로젝트 p · h, /f, 실행 r',
  });
});

test('a digest for Teams is a card of plain runs of text, in which a name cannot hide a link', () => {
  const body = JSON.parse(bodyOf(DIGEST, SENDER, 'teams')) as {
    attachments: { content: { body: { type: string; inlines: { type: string; text: string }[] }[] } }[];
  };
  const blocks = body.attachments[0]?.content.body ?? [];
  expect(blocks.map(({ type }) => type)).toEqual(Array(5).fill('RichTextBlock'));
  expect(blocks.map(({ inlines }) => inlines.map(({ text }) => text).join(''))).toEqual([
    'Messages',
    'Do next',
    '• Stop “<!channel> [x](y)”.',
    'Next: `dawnload explore`',
    'Project p on h, /f, run r',
  ]);
});
