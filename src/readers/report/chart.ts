/** Draws small charts as SVG. The page's style sets the colors by class, for light and dark mode. */
import { markup, type Html } from './html.js';

/** The size of a chart in a row of a table. */
const WIDTH = 150;
const HEIGHT = 20;
const MARGIN = 5;

/** Coordinates of a tenth of a pixel are precise enough, and short. */
const px = (value: number): string => String(Math.round(value * 10) / 10);

/** Strokes keep their width and dots are strokes, so a chart may be stretched to the width of its cell. */
const svg = (label: string, content: readonly Html[], height = HEIGHT, kind = 'chart'): Html =>
  markup`<svg class="${kind}" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" preserveAspectRatio="none">
    <title>${label}</title>${content}
    </svg>`;

/** A scale from values to pixels; values outside of it are drawn at its ends. */
function scale(from: number, to: number): (value: number) => number {
  const room = WIDTH - 2 * MARGIN;
  return (value) => MARGIN + Math.max(0, Math.min(1, (value - from) / (to - from || 1))) * room;
}

const path = (kind: string, d: string): Html => markup`<path class="${kind}" d="${d}"></path>`;
const upright = (kind: string, x: number, y1 = 2, y2 = HEIGHT - 2): Html =>
  path(kind, `M${px(x)} ${px(y1)}V${px(y2)}`);
const rect = (kind: string, x: number, width: number, y: number, height: number): Html =>
  markup`<rect class="${kind}" x="${px(x)}" y="${y}" width="${px(Math.max(0, width))}" height="${height}"></rect>`;

export function bar(label: string, value: number, longest: number): Html {
  const end = scale(0, longest)(value);
  return svg(label, [rect('fill', MARGIN, end - MARGIN, 4, HEIGHT - 8), upright('soft', MARGIN)]);
}

/** An estimate with its interval, and a dashed line at the value that it is compared with. */
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
 * Values by day as a line over its area, from zero; an unknown day is a gap.
 *
 * @param marked how many of the last days are marked
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
  const mark = marked > 0 ? [rect('marked', from, WIDTH - from, 0, height)] : [];
  return svg(label, [...mark, ...lines, path('soft', `M0 ${height - 1}H${WIDTH}`)], height, 'days');
}

/** Steps of a color, from 1 to 5, by the share of the highest value; 0 for no value. */
export function stepOf(value: number | null, highest: number): number {
  return value === null || value <= 0 ? 0 : Math.max(1, Math.ceil((value / (highest || 1)) * 5));
}
