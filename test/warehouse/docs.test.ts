import { describe, expect, test } from 'vitest';
import { docsCommand, type DocsOptions, overviewText, relationText } from '../../src/commands/docs.js';
import { listed } from '../../src/terminal/text.js';
import stringWidth from 'string-width';
import type { SchemaEntry } from '../../src/warehouse/dictionary.js';
import { EXIT, UsageError } from '../../src/ground/errors.js';
import { describingTemplate } from '../support/here.js';
import { invocationOf } from '../support/in-process.js';
import { long } from '../support/tags.js';

type Asked = DocsOptions & { readonly table?: string };

async function docs({ table, ...options }: Asked, width?: number): Promise<string> {
  const written: string[] = [];
  const invocation = invocationOf({}, written);
  const terminal = { ...invocation.terminal, width };
  expect(await docsCommand(options, { ...invocation, terminal }, table)).toBe(EXIT.done);
  return written.join('\n');
}

long('lists every table with its meaning, without settings and without a warehouse', async () => {
  const text = await docs({});
  expect(text).toMatch(/^ {2}events +Campaign events/m);
  expect(text).toMatch(/^ {2}ops\.coverage +Complete days/m);
});

describe('dawnload docs', () => {
  describingTemplate();

  long('shows one table with its grain and columns, in either language', async () => {
    expect(await docs({ table: 'coverage' })).toMatch(/^ops\.coverage \(table\)/);
    expect(await docs({ table: 'events' })).toMatch(
      /^events \(table\)\n[\s\S]+One row per export record[\s\S]+ {2}occurred_at +timestamptz +When it happened/,
    );
    const korean = await docs({ table: 'main.EVENTS', lang: 'ko' });
    expect(korean).toMatch(
      /행 단위: 내보내기 레코드 1건[\s\S]+ {2}failure_reason +실패 사유 +varchar +발송 실패 사유/,
    );
  });

  long('stays within the window, wide letters counted as drawn', async () => {
    for (const [lang, width] of [
      ['en', 119],
      ['ko', 40],
    ] as const) {
      const { schemas } = JSON.parse(await docs({ json: true, lang })) as { schemas: SchemaEntry[] };
      const texts = [
        overviewText(schemas, width),
        ...schemas.flatMap(({ relations }) => relations.map((one) => relationText(one, lang, width))),
      ];
      const lines = texts.join('\n').split('\n');
      expect(lines.filter((line) => stringWidth(line) > width)).toEqual([]);
    }
    const lines = (await docs({ table: 'events' }, 70)).split('\n');
    expect(Math.max(...lines.map((line) => stringWidth(line)))).toBeLessThanOrEqual(70);
  });

  long('gives JSON for programs', async () => {
    const all = JSON.parse(await docs({ json: true, lang: 'ko' })) as {
      language: string;
      schemas: { name: string; relations: { name: string; columns: unknown[] }[] }[];
    };
    expect(all.language).toBe('ko');
    expect(all.schemas.map(({ name }) => name)).toContain('ops');
    const one = JSON.parse(await docs({ table: 'events', format: 'json' })) as { columns: unknown[] };
    expect(one.columns[0]).toEqual({
      name: 'event_id',
      type: 'varchar',
      description: 'Id of the record, used by the message tables.',
      label: '이벤트 ID',
    });
  });

  long('offers the nearest names for one that it does not know', async () => {
    const failure: unknown = await docs({ table: 'evnts' }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(UsageError);
    expect(failure).toMatchObject({
      exitCode: 2,
      hint: expect.stringContaining('Did you mean events?') as string,
    });
    const part: unknown = await docs({ table: 'conversion' }).catch((error: unknown) => error);
    expect(part).toMatchObject({ hint: expect.stringContaining('daily_conversions') as string });
  });
});

describe('text in lines', () => {
  test('stands beside its columns, or below them in a narrow window', () => {
    const rows = [
      ['  a', 'some words of text'],
      ['  longer', 'more'],
    ];
    expect(listed(rows, 80)).toBe('  a       some words of text\n  longer  more');
    expect(listed(rows, 20)).toBe('  a       some words\n    of text\n  longer  more');
  });
});
