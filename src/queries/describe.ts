/** A bundled query for people: what it answers, what it takes, and what its answer looks like. */
import type { QueryFile } from './catalogue.js';

export function describeQuery({ name, title, question, params, example }: QueryFile): string {
  const parameters = params.map(({ name: parameter, type, default: fallback, choices, description }) => {
    const wanted = choices.length > 0 ? choices.join(' | ') : type;
    return `  --param ${parameter}=${wanted}\n      ${description} (default: ${fallback})`;
  });
  return [
    `${name}: ${title}`,
    question,
    '',
    ...(params.length === 0 ? ['It takes no parameters.'] : ['Parameters:', ...parameters]),
    '',
    ...(example.length === 0
      ? ["On the demo's data its answer has no row."]
      : ["Example, from the demo's data:", ...example.map((line) => `  ${line}`)]),
  ].join('\n');
}
