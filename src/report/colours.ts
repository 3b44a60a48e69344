/** The colours of the report, light and dark; paper is light. Text on each ground has a contrast of 4.5 or more. */

const LIGHT = {
  paper: '#ffffff',
  card: '#f6f7f9',
  ink: '#1a2230',
  quiet: '#4c586b',
  line: '#c3cad5',
  accent: '#1f63b0',
  bad: '#b3261e',
  notice: '#fff3d6',
};

const DARK = {
  paper: '#12161d',
  card: '#1a2029',
  ink: '#e7ebf1',
  quiet: '#a9b4c4',
  line: '#3c4757',
  accent: '#76b3f7',
  bad: '#ff9b90',
  notice: '#3a2f12',
} satisfies typeof LIGHT;

const PRINT = {
  ...LIGHT,
  card: '#ffffff',
  ink: '#000000',
  quiet: '#333333',
  line: '#999999',
  notice: '#ffffff',
};

/** The colours as custom properties of the page. */
export const COLOURS = `
  :root { color-scheme: light dark; ${properties(LIGHT)} }
  @media (prefers-color-scheme: dark) { :root { ${properties(DARK)} } }
  @media print { :root { color-scheme: light; ${properties(PRINT)} } }
`;

function properties(colours: Readonly<Record<string, string>>): string {
  return Object.entries(colours)
    .map(([name, value]) => `--${name}: ${value};`)
    .join(' ');
}
