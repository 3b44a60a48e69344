/** The values of `--param name=value`, checked against the parameters of a query. */
import { closest } from 'fastest-levenshtein';
import { isDay } from '../calendar.js';
import { UsageError } from '../errors.js';
import type { ParameterType, QueryFile, QueryParameter } from './catalogue.js';

/** Values by parameter name, as text: a query casts each one to the type that it needs. */
export type ParameterValues = ReadonlyMap<string, string>;

/**
 * Takes `name=value` apart.
 *
 * @throws UsageError for one without `=`, or a name that comes twice
 */
export function parseAssignments(texts: readonly string[]): ParameterValues {
  const values = new Map<string, string>();
  for (const text of texts) {
    const at = text.indexOf('=');
    const name = text.slice(0, Math.max(0, at)).trim();
    if (!/^\w+$/.test(name)) {
      throw new UsageError(`"${text}" is not a parameter.`, {
        hint: 'Write --param name=value, such as --param start=2026-11-01.',
      });
    }
    if (values.has(name))
      throw new UsageError(`The parameter ${name} is given twice.`, { hint: 'Give it once.' });
    values.set(name, text.slice(at + 1));
  }
  return values;
}

/**
 * Checks the values against what a bundled query takes.
 *
 * @throws UsageError that names the valid parameters, or what the value should be
 */
export function checkParameters(query: QueryFile, values: ParameterValues): void {
  for (const [name, value] of values) {
    const parameter = query.params.find((known) => known.name === name);
    if (parameter === undefined) throw unknownParameter(query, name);
    const wanted = mismatch(parameter, value);
    if (wanted !== undefined) {
      throw new UsageError(`The parameter ${name} must be ${wanted}, not "${value}".`, {
        hint: `${query.name} takes ${signatureOf(query)}.`,
      });
    }
  }
  const start = values.get('start');
  const end = values.get('end');
  // Days are written so that their order is that of their letters.
  if (start !== undefined && end !== undefined && start > end) {
    throw new UsageError(`The parameter start (${start}) must not be after end (${end}).`, {
      hint: 'Swap the two.',
    });
  }
}

function unknownParameter(query: QueryFile, name: string): UsageError {
  if (query.params.length === 0) {
    return new UsageError(`The query ${query.name} takes no parameters.`, { hint: 'Leave --param out.' });
  }
  const names = query.params.map((parameter) => parameter.name);
  return new UsageError(`The query ${query.name} has no parameter ${name}.`, {
    hint: `Did you mean ${closest(name, names)}? It takes ${signatureOf(query)}.`,
  });
}

/** `start (date), channel (varchar)`. */
export function signatureOf(query: QueryFile): string {
  return query.params.map(({ name, type }) => `${name} (${type})`).join(', ');
}

/** More days, ranks or messages than anybody has; DuckDB's arithmetic of days stays within its range. */
const MOST = 1_000_000;

const CHECKS: Record<ParameterType, { readonly what: string; readonly fits: (text: string) => boolean }> = {
  date: { what: 'a day that exists, such as 2026-11-01', fits: isDay },
  timestamptz: {
    what: 'an instant with its zone, such as 2026-11-21T07:00:00+09:00',
    // Without a zone the session's would count, and the answer would depend on the client.
    fits: (text) =>
      /^\d{4}-\d{2}-\d{2}T[\d:.]+(Z|[+-]\d{2}:\d{2})$/.test(text) && !Number.isNaN(Date.parse(text)),
  },
  varchar: { what: 'text', fits: () => true },
  bigint: {
    what: `a whole number up to ${MOST}`,
    fits: (text) => /^-?\d{1,7}$/.test(text) && Number(text) <= MOST,
  },
};

/** What the value must be; undefined when it is that. */
function mismatch({ type, choices, least }: QueryParameter, value: string): string | undefined {
  const { what, fits } = CHECKS[type];
  if (!fits(value)) return what;
  if (type === 'bigint' && Number(value) < least) return `a whole number from ${least} to ${MOST}`;
  return choices.length > 0 && !choices.includes(value) ? `one of ${choices.join(', ')}` : undefined;
}
