/** Draws small charts as SVG. The style of the page gives the colours by class, for light and dark mode. */
import { html, type Html } from './html.js';

/** The size of a chart in a row of a table. */
const WIDTH = 150;
const HEIGHT = 20;
const MARGIN = 5;

/** Coordinates of a tenth of a pixel are precise enough, and short. */
const px = (value: number): string => String(Math.round(value * 10) / 10);

function svg(label: string, content: readonly Html[], given: { height?: number; kind?: string } = {}): Html {
  const { height = HEIGHT, kind = '' } = given;
  // Strokes keep their width and dots are strokes, so a chart may be stretched to the width of its cell.
  return html`<svg
    class="chart ${kind}"
    viewBox="0 0 ${WIDTH} ${height}"
    width="${WIDTH}"
    height="${height}"
    role="img"
    preserveAspectRatio="none"
  >
    <title>${label}</title>
    ${content}
  </svg>`;
}

/** A scale from values to pixels; values outside of it are drawn at its ends. */
function scale(from: number, to: number, width = WIDTH): (value: number) => number {
  const room = width - 2 * MARGIN;
  return (value) => MARGIN + Math.max(0, Math.min(1, (value - from) / (to - from || 1))) * room;
}

const rect = (kind: string, x: number, width: number, y = 4, height = HEIGHT - 8): Html =>
  html`<rect
    class="${kind}"
    x="${px(x)}"
    y="${px(y)}"
    width="${px(Math.max(0, width))}"
    height="${px(height)}"
  />`;
const upright = (kind: string, x: number, y1 = 2, y2 = HEIGHT - 2): Html =>
  html`<path class="${kind}" d="M${px(x)} ${px(y1)}V${px(y2)}" />`;
const level = (kind: string, x1: number, x2: number): Html =>
  html`<path class="${kind}" d="M${px(x1)} ${HEIGHT / 2}H${px(x2)}" />`;
const dot = (x: number): Html => html`<path class="dot" d="M${px(x)} ${HEIGHT / 2}h.01" />`;

export function bar(label: string, value: number, longest: number): Html {
  const at = scale(0, longest);
  return svg(label, [rect('fill', MARGIN, at(value) - MARGIN), upright('soft', MARGIN)]);
}

/** An estimate with its interval, and a dashed line at the value that it is compared with. */
export function interval(
  label: string,
  [value = null, low = null, high = null, reference = null]: readonly (number | null)[],
  [from, to]: readonly [number, number],
): Html {
  const at = scale(from, to);
  return svg(label, [
    ...(reference === null ? [] : [upright('dashed', at(reference), 0, HEIGHT)]),
    ...(low === null || high === null ? [] : [level('line', at(low), at(high))]),
    ...(value === null ? [] : [dot(at(value))]),
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
  const pieces: { x: number; y: number }[][] = [[]];
  values.forEach((value, i) => {
    if (value === null) pieces.push([]);
    else pieces[pieces.length - 1]?.push({ x: i * step, y: y(value) });
  });
  const drawn = pieces.filter(([first]) => first !== undefined);
  const path = (points: readonly { x: number; y: number }[]): string =>
    points.map((point, i) => `${i === 0 ? 'M' : 'L'}${px(point.x)} ${px(point.y)}`).join('');
  const from = WIDTH - Math.max(0, marked - 1) * step;
  return svg(
    label,
    [
      ...(marked > 0 ? [rect('marked', from, WIDTH - from, 0, height)] : []),
      ...drawn.map((points) => {
        const [first, last] = [points[0], points[points.length - 1]];
        return html`<path
            class="area"
            d="${path(points)}L${px(last?.x ?? 0)} ${height}L${px(first?.x ?? 0)} ${height}Z"
          />
          <path class="line" d="${path(points)}${points.length === 1 ? 'h3' : ''}" />`;
      }),
      html`<path class="soft" d="M0 ${height - 1}H${WIDTH}" />`,
    ],
    { height, kind: 'days' },
  );
}

/** Steps of a colour, from 1 to 5, by the share of the highest value; 0 for no value. */
export function stepOf(value: number | null, highest: number): number {
  return value === null || value <= 0 ? 0 : Math.max(1, Math.ceil((value / (highest || 1)) * 5));
}
