/** Draws small charts as SVG. The page's style sets the colors by class, for light and dark mode. */
import { cut } from '../../ground/text.js';
import { markup, type Html } from './html.js';

const WIDTH = 150;
const HEIGHT = 20;
const MARGIN = 5;

/** Coordinates with one decimal of a pixel are precise enough and short. */
const px = (value: number): string => String(Math.round(value * 10) / 10);

/** Strokes keep their width, and dots are strokes, so a chart may be stretched to the width of its cell. */
const svg = (label: string, content: readonly Html[], height = HEIGHT, kind = 'chart'): Html =>
  markup`<svg class="${kind}" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" preserveAspectRatio="none">
    <title>${label}</title>${content}
    </svg>`;

function scale(from: number, to: number): (value: number) => number {
  const room = WIDTH - 2 * MARGIN;
  return (value) => MARGIN + Math.max(0, Math.min(1, (value - from) / (to - from || 1))) * room;
}

const path = (kind: string, d: string): Html => markup`<path class="${kind}" d="${d}"></path>`;
const upright = (kind: string, x: number, y1 = 2, y2 = HEIGHT - 2): Html =>
  path(kind, `M${px(x)} ${px(y1)}V${px(y2)}`);
const rect = (kind: string, x: number, width: number, y: number, height: number): Html =>
  markup`<rect class="${kind}" x="${px(x)}" y="${px(y)}" width="${px(Math.max(0, width))}" height="${px(height)}"></rect>`;

export function bar(label: string, value: number, longest: number): Html {
  const end = (value / (longest || 1)) * WIDTH;
  return svg(label, [rect('fill', 0, end, 4, HEIGHT - 8), upright('soft', 0)]);
}

export function interval(
  label: string,
  [value = null, low = null, high = null, reference = null]: readonly (number | null)[],
  [from, to]: readonly [number, number],
): Html {
  const at = scale(from, to);
  const y = HEIGHT / 2;
  return svg(label, [
    ...(reference === null ? [] : [upright('dashed', at(reference), 0, HEIGHT)]),
    ...(low === null || high === null ? [] : [path('line', `M${px(at(low))} ${y}H${px(at(high))}`)]),
    ...(value === null ? [] : [path('dot', `M${px(at(value))} ${y}h.01`)]),
  ]);
}

/**
 * Draws values by day as a line with its area, from zero. An unknown day is a gap. If there are never three days in a row, each day is a
 * bar.
 *
 * @param marked the number of last days to highlight
 */
export function line(label: string, values: readonly (number | null)[], highest: number, marked = 0): Html {
  const height = 40;
  const step = WIDTH / Math.max(1, values.length - 1);
  const y = (value: number): number => height - 2 - (value / (highest || 1)) * (height - 5);
  const pieces: string[][] = [[]];
  values.forEach((value, i) => {
    if (value === null) pieces.push([]);
    else pieces.at(-1)?.push(`${px(i * step)} ${px(y(value))}`);
  });
  const from = WIDTH - Math.max(0, marked - 1) * step;
  const lines = pieces
    .filter((points) => points.length > 0)
    .flatMap((points) => {
      const [first = '', last = ''] = [points[0], points.at(-1)].map((point) => point?.split(' ')[0]);
      const drawn = `M${points.join('L')}`;
      return [
        path('area', `${drawn}L${last} ${height}L${first} ${height}Z`),
        path('line', `${drawn}${points.length === 1 ? 'h3' : ''}`),
      ];
    });
  const width = Math.min(step, 4);
  const bars = values.flatMap((value, i) => {
    if (value === null || value <= 0) return [];
    const x = Math.min(Math.max(0, i * step - width / 2), WIDTH - width);
    return [rect('fill', x, width, y(value), height - 1 - y(value))];
  });
  const mark = marked > 0 ? [rect('marked', from, WIDTH - from, 0, height)] : [];
  return svg(
    label,
    [...mark, ...(isOfSingleDays(values) ? bars : lines), path('soft', `M0 ${height - 1}H${WIDTH}`)],
    height,
    'days',
  );
}

/** True if some values are positive but never three in a row. A line between them would show values that did not exist. */
const isOfSingleDays = (values: readonly (number | null)[]): boolean =>
  values.some((value) => (value ?? 0) > 0) &&
  !/[+]{3}/.test(values.map((value) => ((value ?? 0) > 0 ? '+' : '-')).join(''));

/** Values with one name, at positions of the horizontal axis. */
export interface Line {
  readonly name: string;
  readonly values: readonly (number | null)[];
}

/** Up to this number of points, each shows its value under the pointer. */
const MOST_POINTS = 400;

/**
 * Draws lines over one horizontal axis. The drawing fills its place; the labels of the axes are beside it.
 *
 * @param places the labels of the positions on the axis
 */
export function lines(
  label: string,
  places: readonly string[],
  all: readonly Line[],
  write: (value: number) => string,
): Html {
  const [width, height] = [600, 200];
  const known = all.flatMap(({ values }) => values).filter((value) => value !== null);
  const [least, most] = [Math.min(0, ...known), Math.max(0, ...known)];
  // The scale ends at a number whose half is easy to read.
  const power = 10 ** Math.floor(Math.log10(Math.max(most, -least) || 1));
  const round = (value: number): number =>
    Math.sign(value) *
    power *
    ([1, 1.2, 1.6, 2, 3, 4, 5, 6, 8, 10].find((step) => step * power >= Math.abs(value)) ?? 10);
  const [bottom, top] = [round(least), round(most) || (least < 0 ? 0 : power)];
  const x = (i: number): number => (i / Math.max(1, places.length - 1)) * width;
  const y = (value: number): number => height - ((value - bottom) / (top - bottom || 1)) * height;
  const isSmall = known.length <= MOST_POINTS;
  // Columns at one position are next to each other.
  const column = Math.max(2, Math.min(14, (0.7 * width) / Math.max(1, places.length - 1) / all.length));
  const drawn = all.map(({ name, values }, nth) => {
    const titled = (i: number, value: number): Html =>
      markup`<title>${[name, places[i], write(value)].filter((one) => one !== '').join(', ')}</title>`;
    if (isOfSingleDays(values)) {
      const left = (nth - all.length / 2) * column;
      const columns = values.flatMap((value, i) =>
        value === null || value <= 0
          ? []
          : [
              markup`<rect class="fill" x="${px(Math.max(0, Math.min(width - column, x(i) + left)))}" y="${px(y(value))}" width="${px(column)}" height="${px(y(0) - y(value))}">${titled(i, value)}</rect>`,
            ],
      );
      return markup`<g class="s${nth}">${columns}</g>`;
    }
    const pieces: string[][] = [[]];
    values.forEach((value, i) => {
      if (value === null) pieces.push([]);
      else pieces.at(-1)?.push(`${px(x(i))} ${px(y(value))}`);
    });
    const strokes = pieces
      .filter((points) => points.length > 1)
      .map((points) => path('line', `M${points.join('L')}`));
    const points = values.map((value, i) => {
      const isAlone = value !== null && (values[i - 1] ?? null) === null && (values[i + 1] ?? null) === null;
      if (value === null || !(isSmall || isAlone)) return undefined;
      return markup`<path class="dot" d="M${px(x(i))} ${px(y(value))}h.01">${titled(i, value)}</path>`;
    });
    return markup`<g class="s${nth}">${strokes}${points}</g>`;
  });
  const rules = [top, (top + bottom) / 2, bottom].map((value) => path('soft', `M0 ${px(y(value))}H${width}`));
  // The names at the ends of the lines, moved apart far enough to be readable.
  const [room, gap] = [224, 16];
  const named = all
    .map(({ name, values }, nth) => {
      const last = values.findLast((value) => value !== null) ?? 0;
      return { name, nth, last, at: (y(last) / height) * room };
    })
    .sort((a, b) => a.at - b.at);
  named.forEach((one, i) => {
    one.at = Math.max(one.at, (named[i - 1]?.at ?? -gap) + gap);
  });
  const over = Math.max(0, (named.at(-1)?.at ?? 0) - room + 4);
  const labels = named.map(
    ({ name, nth, at }) =>
      markup`<text class="s${nth}" x="6" y="${px(at - Math.min(over, at) + 4)}">${cut(name, 22)}</text>`,
  );
  const ends = [...new Set([0, Math.floor((places.length - 1) / 2), places.length - 1])];
  return markup`<figure class="plot">
    <figcaption>${label}</figcaption>
    <ul class="key">${all.map(({ name }, nth) => markup`<li class="s${nth}">${name}</li>`)}</ul>
    <div class="axes">
      <div class="y">${[top, (top + bottom) / 2, bottom].map((value) => markup`<span>${write(value)}</span>`)}</div>
      <svg viewBox="0 0 ${width} ${height}" role="img" preserveAspectRatio="none"><title>${label}</title>${rules}${drawn}</svg>
      ${all.some(({ name }) => name !== '') ? markup`<svg class="ends" viewBox="0 0 150 ${room}" width="150" height="${room}" aria-hidden="true">${labels}</svg>` : undefined}
      <div class="x">${ends.map((i) => markup`<span>${places[i]}</span>`)}</div>
    </div>
    </figure>`;
}

/** The step of a color, from 1 to 5, by the share of the highest value; 0 for no value. */
export function stepOf(value: number | null, highest: number): number {
  return value === null || value <= 0 ? 0 : Math.max(1, Math.ceil((value / (highest || 1)) * 5));
}
