/** The page of answers that a test makes up: its first screen, its tables, the notice, and a warehouse that holds nothing. */
import { join } from 'node:path';
import { parseHTML } from 'linkedom';
import { describe, expect, test } from 'vitest';
import type { Said } from '../../../src/readers/queries/sentences.js';
import { Wording, type Row } from '../../../src/readers/queries/wording.js';
import { interval, line, lines } from '../../../src/readers/report/chart.js';
import { documentOf } from '../../../src/readers/report/document.js';
import { markup } from '../../../src/readers/report/html.js';
import { Renderer, type Answered } from '../../../src/readers/report/render.js';
import { makeReport, noticeOf } from '../../../src/readers/report/report.js';
import { SECTIONS, type Block, type Table } from '../../../src/readers/report/sections.js';
import type { PastRun } from '../../../src/journal/journal.js';
import { goldenAnswers } from '../queries/support.js';
import { NOW } from '../../support/dawnload.js';
import { copyTemplate } from '../../support/template.js';
import { temporaryFolder } from '../../warehouse/support.js';

const DAY = '2026-11-20';

/** A section that shows these rows as the block says, and says these sentences of the query. */
function answered(
  query: string,
  said: readonly (readonly [Said['as'], string])[],
  given: { rows?: readonly Row[]; block?: Block; isAbout?: boolean } = {},
): Answered {
  const { rows = [], block = {}, isAbout = false } = given;
  const asked = { query, ...block };
  return {
    section: { id: isAbout ? 'findings' : 'channels', isAbout, asks: [asked] },
    answers: [
      { asked, fields: {}, command: '', rows, said: said.map(([as, text]) => ({ as, text, row: {} })) },
    ],
  };
}

const pageOf = (all: readonly Answered[], notice?: Parameters<typeof documentOf>[2]['notice']): Document =>
  parseHTML(documentOf(new Renderer(new Wording('en')), all, { day: DAY, madeAt: '', now: '', notice }))
    .document;
const textOf = (document: ParentNode, selector: string): string =>
  (document.querySelector(selector)?.textContent ?? '').replace(/\s+/g, ' ').trim();

describe('the first screen', () => {
  test('says what to change, the law first, then the most urgent, and the rest behind a fold', () => {
    const document = pageOf([
      answered('campaigns-to-watch', [['to do', 'fifth']]),
      answered('ab-tests', [['to do', 'third']]),
      answered('compliance', [
        ['to do', 'first'],
        ['to do', 'second'],
      ]),
      answered('failure-reasons', [['finding', 'E-mail fails.']]),
      answered('refused-templates', [
        ['to do', 'fourth'],
        ['to do', 'sixth'],
        ['to do', 'seventh'],
      ]),
      answered('checks', [['to do', 'of the job']], { isAbout: true }),
    ]);
    const items = [...document.querySelectorAll('.to-do > ol > li')].map(({ textContent }) => textContent);
    // The second of a query comes after the first of the others.
    const shown = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth'];
    expect(items).toEqual(shown.map((text) => `${text} Channels`));
    expect(document.querySelector('.to-do li a')?.getAttribute('href')).toBe('#channels');
    expect(textOf(document, '.to-do summary')).toBe('1 more');
    expect(textOf(document, '.to-do details li')).toBe('seventh Channels');
    expect(textOf(document, '.to-do')).not.toContain('of the job');
    expect(textOf(document, '#findings')).toContain('of the job');
    expect(textOf(document, '.reading')).toContain('E-mail fails.');
    const quiet = pageOf([answered('channel-summary', [['sentence', 'A sentence.']])]);
    expect(textOf(quiet, '.to-do')).toContain('No action needed.');
    expect(textOf(quiet, '.reading')).toContain('No significant changes');
  });

  test('says in one item what concerns one campaign, with a link for each section', () => {
    const toDo = (query: string, ...said: readonly [string, Row][]): Answered => {
      const one = answered(query, []);
      return {
        ...one,
        answers: one.answers.map((answer) => ({
          ...answer,
          said: said.map(([text, row]) => ({ as: 'to do', text, row })),
        })),
      };
    };
    const document = pageOf([
      toDo('refused-templates', ['c: template', { resource_id: 'c' }]),
      toDo('ab-tests', ['b: test', { campaign_id: 'b' }]),
      toDo('compliance', ['c: text', { resource_id: 'c' }], ['d: text', { resource_id: 'd' }]),
    ]);
    const items = [...document.querySelectorAll('.to-do > ol > li')].map(({ textContent }) => textContent);
    expect(items).toEqual(['c: textc: template Channels', 'd: text Channels', 'b: test Channels']);
  });

  test('does not say what stands out twice, if its to-dos say it', () => {
    const [answer] = answered('compliance', []).answers;
    const page = (...said: readonly [Said['as'], string, Row][]): string =>
      textOf(
        pageOf([
          {
            ...answered('compliance', []),
            answers:
              answer === undefined
                ? []
                : [{ ...answer, said: said.map(([as, text, row]) => ({ as, text, row })) }],
          },
        ]),
        '[aria-labelledby=stands-out]',
      );
    const [c, d] = [{ campaign_id: 'c' }, { campaign_id: 'd' }];
    const toDo = (text: string): [Said['as'], string, Row] => ['to do', text, c];
    expect(page(['finding', 'C is bad.', c], ['finding', 'D is good.', d], toDo('Change C.'))).toContain(
      'D is good. Channels',
    );
    expect(page(['finding', 'C is bad.', c], toDo('Change C.'))).not.toContain('C is bad.');
    // Where some of the to-dos are behind the fold, the finding is the whole.
    const many = ['1', '2', '3', '4', '5', '6', '7'].map((id): [Said['as'], string, Row] => [
      'to do',
      id,
      { campaign_id: id === '1' ? 'c' : id },
    ]);
    expect(page(['finding', 'C is bad.', c], ...many)).toContain('C is bad.');
  });

  test('leads to the campaign of a sentence, or to its question, where the page is served', () => {
    const [given] = answered('ab-tests', [['to do', 'Send B.']]).answers;
    const said = given?.said.map((one) => ({ ...one, row: { campaign_id: 'c1' } })) ?? [];
    const all = [answered('checks', [['finding', 'Odd.']]), answered('ab-tests', [])];
    const renderer = new Renderer(
      new Wording('en'),
      ({ asked }, row) => markup`<a href="${String(row?.['campaign_id'] ?? asked.query)}"></a>`,
    );
    const withRow = all.map((one, i) =>
      i === 0 ? one : { ...one, answers: one.answers.map((answer) => ({ ...answer, said })) },
    );
    const { document } = parseHTML(
      documentOf(renderer, withRow, { day: DAY, madeAt: '', now: '', notice: undefined }),
    );
    const links = [...document.querySelectorAll('.reading li a')].map((link) => link.getAttribute('href'));
    expect(links).toEqual(['checks', 'c1']);
  });

  test('has a line for what makes its numbers doubtful, and the reason at the end', () => {
    const document = pageOf([answered('checks', [['alert', 'Sums are too low.']], { isAbout: true })], {
      word: 'runFailed',
      reason: 'The keys were refused.',
    });
    const lines = [...document.querySelectorAll('header .notice')].map(({ textContent }) => textContent);
    expect(lines.map((text) => text.trim().split('. ')[0])).toEqual([
      'The last run failed, so this page shows an earlier night',
      'Sums are too low',
    ]);
    expect(textOf(document, '#about')).toContain('The keys were refused.');
    expect(textOf(document, 'header')).not.toContain('keys');
    expect(pageOf([]).querySelector('.notice')).toBeNull();
  });
});

describe('tables', () => {
  const shown = (rows: readonly Row[], given: Partial<Table> = {}): Element => {
    const block: Block = {
      caption: 'watched',
      columns: 'name',
      below: 'verdict',
      ...given,
    };
    const document = pageOf([answered('q', [], { rows, block })]);
    return document.querySelector('.shows') ?? document.body;
  };
  const row = (name: string, given: Row = {}): Row => ({ name, verdict: null, ...given });

  test('say once what several rows share, below the table; other sentences below their row', () => {
    const found = shown([
      row('a', { verdict: 'None.' }),
      row('b', { verdict: 'None.' }),
      row('c', { verdict: 'Better.' }),
    ]);
    expect(found.textContent.match(/None\./g)).toHaveLength(1);
    expect([...found.querySelectorAll('sup')].map(({ textContent }) => textContent)).toEqual(['*', '*', '*']);
    expect(textOf(found, 'tr.below')).toBe('Better.');
  });

  test('fold the rows after the first ones, and keep those that are asked for, in their order', () => {
    const rows = [row('a', { n: 1 }), row('b', { n: 3 }), row('c', { n: 2 }), row('d', { n: 9 })];
    const found = shown(rows, {
      columns: 'name n',
      by: 'n',
      most: 2,
      where: ({ name }) => name !== 'd',
    });
    expect([...found.querySelectorAll('tbody th')].map(({ textContent }) => textContent)).toEqual([
      'b',
      'c',
      'a',
    ]);
    expect(textOf(found, '.block summary')).toBe('1 more row');
    expect(found.querySelectorAll('.block details tbody tr')).toHaveLength(1);
  });

  test('have a column for each measure of a long answer, with its change, and none that is unknown everywhere', () => {
    const measure = (name: string, value: number | null, change: number | null, verdict?: string): Row => ({
      channel: 'email',
      measure: name,
      value,
      change,
      verdict_code: verdict ?? null,
    });
    const cells = (verdict?: string): (string | null)[] => {
      const found = shown(
        [
          measure('sent', 30, 0.5),
          measure('click_rate', 0.06, 0.02, verdict),
          measure('failure_rate', null, null),
        ],
        {
          pivot: 'channel',
          columns: 'channel sent sent_change click_rate click_rate_points failure_rate',
        },
      );
      return [...found.querySelectorAll('tbody tr > *')].map(({ textContent }) => textContent);
    };
    const others = ['e-mail', '30', '+50.0%', '6.0%'];
    expect(cells()).toEqual([...others, '+2.0\u00a0pp']);
    expect(cells('better')).toEqual([...others, '✓ better +2.0\u00a0pp']);
    expect(cells('same')).toEqual([...others, '≈\u00a0+2.0\u00a0pp']);
  });

  test('name each value for a phone, which leaves out the heading and what is unknown', () => {
    const found = shown([row('a', { n: 1, m: 2 }), row('b', { n: null, m: 4 })], {
      columns: 'name n m',
      bars: 'm',
    });
    const cells = [...found.querySelectorAll('tbody td')].map((cell) => [
      cell.getAttribute('data-head'),
      cell.classList.contains('none'),
    ]);
    expect(cells).toEqual([
      ['N', false],
      ['M', false],
      ['N', true],
      ['M', false],
    ]);
    expect(found.querySelector('.drawn span')?.getAttribute('data-head')).toBe('M');
    // Bars of one column begin at one place and share a scale.
    const bars = [...found.querySelectorAll('rect.fill')].map((bar) => [
      bar.getAttribute('x'),
      bar.getAttribute('width'),
    ]);
    expect(bars).toEqual([
      ['0', '75'],
      ['0', '150'],
    ]);
  });

  test('of several subjects are one for each, and those after the first three are folded', () => {
    const rows = ['a', 'b', 'c', 'd'].flatMap((subject) =>
      [1, 2].map((n) => row(`${subject}${n}`, { n, subject })),
    );
    const found = shown(rows, { columns: 'name n', per: 'subject' });
    const tables = [...found.querySelectorAll('table')].map((one) => one.querySelectorAll('tbody tr').length);
    expect(tables).toEqual([2, 2, 2, 2]);
    expect(textOf(found, 'caption')).toMatch(/^a: /);
    expect(found.querySelectorAll('.shows > details table')).toHaveLength(1);
  });

  test('are in a section that shows its news while it is folded', () => {
    const found = pageOf([
      answered('revenue', [
        ['note', 'Campaigns only.'],
        ['sentence', 'It sold.'],
      ]),
    ]);
    expect(found.querySelector('#channels details')?.hasAttribute('open')).toBe(false);
    expect(textOf(found, '#channels summary .headline')).toBe('It sold.');
  });
});

test('campaigns of one name have a row each in what was sent when', () => {
  const block = SECTIONS.find(({ id }) => id === 'calendar')?.asks[0] ?? {};
  const rows = [
    ['c1', 10],
    ['c2', 20],
    ['c1', 5],
  ].map(([resource_id, sent], i) => ({
    date: `2026-11-${20 - i}`,
    channel: 'email',
    resource_name: 'Sale',
    resource_id: String(resource_id),
    sent: Number(sent),
  }));
  const found = pageOf([answered('campaign-days', [], { rows, block })]);
  const cells = [...found.querySelectorAll('table.series tbody tr')].map((row) => [
    textOf(row, 'th'),
    textOf(row, 'td small'),
  ]);
  expect(cells).toEqual([
    ['Salee-mail', '20 · 57.1%'],
    ['Salee-mail', '15 · 42.9%'],
  ]);
});

test('a day without a value is a gap in a line, and an interval wider than its scale ends with it', () => {
  expect(line('x', [1, null, 2, 3, 4], 4).markup.match(/class="line"/g)).toHaveLength(2);
  // Where messages went out on single days, nothing is drawn between them.
  expect(line('x', [1, null, 2, 3, 0, 4], 4).markup.match(/class="\w+"/g)).toEqual([
    'class="days"',
    ...Array.from({ length: 4 }, () => 'class="fill"'),
    'class="soft"',
  ]);
  expect(interval('x', [0, -9, 9, 0], [-1, 1]).markup).toContain('M5 10H145');
});

test('a chart has columns for what happened on single days, a scale with a readable half, and names at its lines', () => {
  const places = ['1', '2', '3', '4', '5'];
  const drawn = lines(
    'Sent',
    places,
    [
      { name: 'daily', values: [1, 2, 3, 2, 50] },
      { name: 'once', values: [0, 30, null, 0, 52] },
    ],
    String,
  );
  const { document } = parseHTML(`<body>${drawn.markup}</body>`);
  expect(document.querySelectorAll('.s0 path.line').length).toBe(1);
  expect([...document.querySelectorAll('.s1 rect.fill title')].map((one) => one.textContent)).toEqual([
    'once, 2, 30',
    'once, 5, 52',
  ]);
  expect([...document.querySelectorAll('.y span')].map((one) => one.textContent)).toEqual(['60', '30', '0']);
  const names = [...document.querySelectorAll('.ends text')].map((one) => [
    one.textContent,
    Number(one.getAttribute('y')),
  ]);
  // Two that end at one place are apart.
  expect(names.map(([name]) => name)).toEqual(['once', 'daily']);
  expect(Number(names[1]?.[1]) - Number(names[0]?.[1])).toBeGreaterThanOrEqual(16);
});

test('a day without sends is a gap, and what people did on it still counts', () => {
  const rows = [5, 6, 7, 0, 8, 9].map((sent, i) => ({
    ...{ date: `2026-11-0${i + 1}`, resource_id: 'a', resource_name: 'a', channel: 'email' },
    ...{ sent, clicked: 20, click_rate: sent === 0 ? 0 : 0.5 },
  }));
  const renderer = new Renderer(new Wording('en'));
  for (const measure of ['sent', 'clicked', 'click_rate']) {
    const drawn = renderer.lines('x', rows, ['date', measure], 'resource_name')?.drawn.markup ?? '';
    expect(drawn.match(/class="line"/g)).toHaveLength(2);
  }
  const asked = {
    query: 'campaign-days',
    caption: 'sentDays' as const,
    by: 'resource_id',
    counters: 'clicked',
    most: 1,
  };
  const series = renderer.shown({ asked, fields: {}, command: '', said: [], rows })?.markup ?? '';
  expect(series.match(/class="line"/g)).toHaveLength(2);
  expect(series).toContain('>120 · 100.0%<');
});

test('columns of single days stay within the chart', () => {
  const drawn = lines('x', ['a', 'b', 'c', 'd'], [{ name: '', values: [1, 0, 0, 1] }], String).markup;
  const places = [...drawn.matchAll(/<rect class="fill" x="([-\d.]+)" y="[\d.]+" width="([\d.]+)"/g)].map(
    ([, x, width]) => [Number(x), Number(x) + Number(width)],
  );
  expect(places.flat().every((x) => x >= 0 && x <= 600)).toBe(true);
  expect(places).toHaveLength(2);
});

test('sections show columns that their queries answer with', () => {
  const made = /_(?:change|points)$/;
  const headsOf = (query: string): readonly string[] =>
    goldenAnswers().find(({ name }) => name === query)?.heads ?? [];
  for (const { asks } of SECTIONS) {
    for (const block of asks) {
      if (!('columns' in block)) continue;
      const heads = headsOf(block.query);
      const { columns: inRow, sub, interval: ends, below } = block;
      const columns = [inRow, sub, ends, below].flatMap((names) => names?.split(' ') ?? []);
      const measures =
        block.pivot === undefined
          ? []
          : ['sent', 'failure_rate', 'delivery_rate', 'click_rate', 'conversion_rate'];
      expect([...heads, ...measures]).toEqual(
        expect.arrayContaining(columns.filter((column) => !made.test(column))),
      );
    }
  }
});

function run(runId: string, outcome: string, summary: Record<string, unknown> = {}): PastRun {
  return {
    begun: {
      runId,
      command: 'run',
      at: new Date('2026-11-20T22:10:00Z'),
      version: '0.1.0',
      processId: 1,
    },
    over: { runId, at: new Date('2026-11-20T22:12:00Z'), exitCode: 0, outcome, summary },
  };
}

describe('a notice', () => {
  test('is not there when the last run brought all that it should', () => {
    expect(noticeOf([], new Set())).toBeUndefined();
    expect(noticeOf([run('a', 'failed'), run('b', 'done')], new Set(['a', 'b']))).toBeUndefined();
  });

  const told = (language: 'en' | 'ko', outcome: string, summary = {}, published = ['a']): string => {
    const notice = noticeOf([run('a', outcome, summary)], new Set(published));
    return notice === undefined ? '' : new Renderer(new Wording(language)).word(notice.reason, notice.values);
  };

  test('says why the last run failed', () => {
    const summary = { failure: 'The keys were refused.' };
    expect(told('en', 'failed', summary)).toBe(
      'The last run (dawnload run, 2026-11-21 07:12 KST) failed: The keys were refused. The report shows the data from before that run.',
    );
    expect(told('ko', 'failed', summary)).toContain('실패했습니다. The keys were refused.');
  });

  test('names the checks that withheld the last run', () => {
    const findings = [{ name: 'events_key', severity: 'stop' }];
    expect(told('en', 'failed checks', { findings }, [])).toContain('checks that failed: events_key.');
  });

  test('says that the last run is incomplete', () => {
    expect(told('en', 'incomplete')).toContain('is incomplete.');
    // A push that failed ends a run in the same way, and no day lacks anything.
    expect(told('en', 'incomplete')).toContain('If nothing is missing, a step after loading failed');
    expect(told('ko', 'incomplete')).toContain('수집 이후 단계가 실패');
  });
});

test.each(['en', 'ko'] as const)(
  'in %s sections of an empty warehouse say what would fill them, or are not there',
  { tags: ['long'] },
  async (language) => {
    const empty = join(temporaryFolder(), 'empty.duckdb');
    copyTemplate(empty);
    const { document } = parseHTML(
      (await makeReport(empty, { language, now: new Date(NOW), runs: [] })).page,
    );
    const filled = ['happened', 'channels', 'hours', 'audience', 'failures', 'freshness', 'fees'];
    for (const id of filled) expect(textOf(document, `#${id} .sentence`), id).not.toBe('');
    for (const id of ['revenue', 'templates', 'calendar'])
      expect(document.querySelector(`#${id}`)).toBeNull();
    expect(document.body.textContent).not.toMatch(/undefined|NaN|\[object/);
  },
);

test('what is inserted into markup is text, unless it is markup itself', () => {
  const name = `<b class="x">&'`;
  expect(
    markup`<p title="${name}">
    ${[markup`<i>${name}</i>`, undefined, 7]}
    </p>`.markup,
  ).toBe(
    '<p title="&lt;b class=&quot;x&quot;&gt;&amp;&#39;"><i>&lt;b class=&quot;x&quot;&gt;&amp;&#39;</i>7</p>',
  );
});

test('control characters, and those that turn the direction of writing, do not reach the page', () => {
  expect(markup`<p>${'a\u0000b\u001bc\u202ed\u2066e'}</p>`.markup).toBe(
    '<p>a\ufffdb\ufffdc\ufffdd\ufffde</p>',
  );
});
