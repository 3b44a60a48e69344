import { describe, expect, it } from 'vitest';
import stringWidth from 'string-width';
import { drawTable, type Column } from '../../src/terminal/table.js';

const text = (name: string): Column => ({ name, numeric: false });
const number = (name: string): Column => ({ name, numeric: true });
const plain = { color: false };

describe('a table', () => {
  it('lines up Korean, whose letters are two columns wide, and puts numbers on the right', () => {
    expect(
      drawTable(
        [text('이름'), number('sent')],
        [
          ['가을 세일 연장', '250'],
          ['news', '7'],
        ],
        plain,
      ),
    ).toBe(
      [
        '┌────────────────┬──────┐',
        '│ 이름           │ sent │',
        '├────────────────┼──────┤',
        '│ 가을 세일 연장 │  250 │',
        '│ news           │    7 │',
        '└────────────────┴──────┘',
      ].join('\n'),
    );
  });

  it('shows null dim in colour, and as nothing where it could not be told from text', () => {
    expect(drawTable([text('a')], [[null]], { color: true })).toContain('\u001b[2mnull\u001b[22m');
    expect(drawTable([text('a')], [[null]], plain)).not.toContain('null');
  });

  it('writes control characters out, so that a name cannot move the cursor or turn the line around', () => {
    const drawn = drawTable([text('a')], [['one\ntwo\u001b[2J\u202edrow']], plain);
    expect(drawn).toContain('one\\ntwo\\u001b[2J\\u202edrow');
    expect(drawn.split('\n')).toHaveLength(5);
  });

  it('cuts long text to the width of the terminal, and never a number', () => {
    const drawn = drawTable(
      [text('reason'), number('n')],
      [['푸시 토큰이 만료되었습니다'.repeat(9), '1234567890123']],
      {
        width: 50,
        color: false,
      },
    );
    expect(drawn).toContain('…');
    expect(drawn).toContain('1234567890123');
    expect(Math.max(...drawn.split('\n').map((line) => stringWidth(line)))).toBeLessThanOrEqual(50);
  });

  it('breaks the names of columns before it leaves anything out', () => {
    expect(
      drawTable([text('a'), number('conversion_rate')], [['x', '0.5']], { width: 21, color: false }),
    ).toBe(
      [
        '┌───┬─────────────┐',
        '│ a │ conversion_ │',
        '│   │        rate │',
        '├───┼─────────────┤',
        '│ x │         0.5 │',
        '└───┴─────────────┘',
      ].join('\n'),
    );
  });

  it('leaves out the last columns of many rows on a terminal that is too narrow, and names them', () => {
    const columns = ['campaign', 'sent', 'failed'].map(number);
    const rows = ['1', '2', '3', '4'].map((n) => [n, n, null]);
    const lines = drawTable(columns, rows, { width: 20, color: false }).split('\n');
    expect(lines[1]).toBe('│ campaign │ sent │');
    expect(lines.join(' ').replace(/ +/g, ' ')).toContain('Too narrow for: failed. A wider terminal');
    expect(lines.every((line) => stringWidth(line) <= 20)).toBe(true);
  });

  it('draws one block per row where there are few', () => {
    const columns = ['campaign', 'sent', 'failed'].map(number);
    expect(drawTable(columns, [['1', '2', null]], { width: 12, color: false })).toBe(
      ['── 1 ──', 'campaign  1', 'sent      2', 'failed'].join('\n'),
    );
  });

  it('has as many rows as a list of years', () => {
    const rows = Array.from({ length: 150_000 }, () => ['1']);
    expect(drawTable([{ name: 'n', numeric: true }], rows, { color: false })).toContain('│ 1 │');
  });

  describe('with a sentence to each row', () => {
    const columns = [
      { name: 'campaign_name', numeric: false, isName: true },
      { name: 'metric', numeric: false },
      { name: 'size', numeric: true },
      { name: 'verdict', numeric: false, below: true },
      { name: 'verdict_code', numeric: false },
      { name: 'channel', numeric: false },
    ];
    const verdict = 'No verdict: the service counts conversions, not the people who convert.';
    const rows = ['11월 재구매 유도', '겨울 신상 룩북', '리뷰 작성 요청', '첫 구매 감사'].map((name) => [
      name,
      'conversion of a purchase',
      '14027',
      verdict,
      'inconclusive',
      'push-notification',
    ]);

    it.each([undefined, 120, 60, 44])('shows it whole below its row at a width of %s', (width) => {
      const lines = drawTable(columns, rows, { width, color: false }).split('\n');
      for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(width ?? Infinity);
      expect(lines[1]).not.toMatch(/ verdict /);
      const text = lines.map((line) => line.replace(/^│ +|[ │]+$/g, '')).join(' ');
      expect(text.split(verdict)).toHaveLength(rows.length + 1);
      const row = lines.findIndex((line) => line.includes('11월'));
      expect(lines[row + 1]).toMatch(/^│ {3}No verdict: /);
    });
  });

  it('of no row is its head, also on a terminal that is too narrow for all of it', () => {
    expect(drawTable([text('a')], [], plain)).toContain('│ a │');
    const columns = ['campaign', 'sent', 'failed'].map(number);
    expect(drawTable(columns, [], { width: 20, color: false })).toContain('│ campaign │ sent │');
  });
});
