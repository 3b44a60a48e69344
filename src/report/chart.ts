/// <reference lib="dom" />
/** Draws charts as SVG with Observable Plot on a DOM without a browser. The style of the page supplies the colours. */
import { plot, type Markish, type PlotOptions, barX, ruleX } from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import { Html } from './page.js';

interface Chart extends Omit<PlotOptions, 'marks' | 'document'> {
  /** The label for screen readers. */
  readonly label: string;
  /** A longer description for screen readers. */
  readonly description?: string;
  readonly marks: readonly Markish[];
  /**
   * True if the chart stretches to the width of its cell. Only for charts of lines without text, because stretching
   * distorts text.
   */
  readonly stretches?: boolean;
}

/** The colours of marks by meaning; the style in `document.ts` has their values for light and dark mode. */
export const INK = 'var(--ink)';
export const ACCENT = 'var(--accent)';
export const BAD = 'var(--bad)';
export const SOFT = 'var(--line)';

/** Options of a chart in a table row, one text line high. */
export const IN_ROW = {
  height: 22,
  marginLeft: 6,
  marginRight: 6,
  marginTop: 2,
  marginBottom: 2,
  axis: null,
} as const;

const { document } = parseHTML('<html><body></body></html>');

/** Draws the marks as an SVG image of the given width, which shrinks with the page. */
export function chart({ label, description, marks, stretches = false, ...options }: Chart): Html {
  const svg = plot({
    document,
    className: stretches ? 'plot-stretched' : 'plot',
    ...options,
    marks: [...marks],
  });
  // The page contains the style of all charts once.
  svg.querySelector('style')?.remove();
  if (stretches) svg.setAttribute('preserveAspectRatio', 'none');
  svg.setAttribute('role', 'img');
  svg.removeAttribute('aria-label');
  if (description !== undefined) svg.prepend(textElement('desc', description));
  svg.prepend(textElement('title', label));
  // Screen readers would read out the names that Plot gives to its groups.
  for (const group of svg.querySelectorAll('g[aria-label]')) group.removeAttribute('aria-label');
  return new Html(rounded(svg.outerHTML));
}

function textElement(name: 'title' | 'desc', text: string): SVGElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  element.textContent = text;
  return element;
}

/**
 * Rounds attributes to two decimals: a hundredth of a pixel is invisible, and the page becomes less than half as large.
 */
function rounded(markup: string): string {
  return markup.replace(/="[^"]*"/g, (attribute) =>
    attribute.replace(/-?\d+\.\d{3,}/g, (number) => String(Number(Number(number).toFixed(2)))),
  );
}

export function bar(value: number, longest: number, label: string): Html {
  return chart({
    label,
    width: 120,
    height: 18,
    margin: 1,
    axis: null,
    x: { domain: [0, Math.max(longest, Number.MIN_VALUE)] },
    marks: [barX([value], { x: (x: number) => x, fill: ACCENT }), ruleX([0], { stroke: SOFT })],
  });
}
