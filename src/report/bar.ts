/** A bar in a row of a table, on a scale that all rows share. */
import { barX, ruleX } from '@observablehq/plot';
import { ACCENT, chart, SOFT } from './chart.js';
import type { Html } from './html.js';

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
