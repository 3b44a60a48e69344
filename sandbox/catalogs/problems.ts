/** The limits of the catalogs, and the errors of a request: the `details` of a catalog error, and the error itself. */
import { type Reply, jsonAnswer } from '../answer.js';

/** The catalog limits in the specification. */
export const BODY_BYTES = 4 * 1024 * 1024;
export const ITEM_BYTES = 1024 * 1024;
export const CATALOG_FIELDS = 500;
export const ADDED_FIELDS = 50;
export const BULK_ITEMS = 50;
export const PAGE_ITEMS = 50;
export const NAME_LENGTH = 250;
export const STRING_LENGTH = 5000;
export const ARRAY_LENGTH = 100;
export const NESTING = 50;

export type Path = readonly (string | number)[];

/** Exactly these four: field, path, code, message. */
interface Detail {
  readonly field: string;
  readonly path: Path;
  readonly code: string;
  readonly message: string;
}

/** More would not help. */
const MOST = 100;

/** A path in dots and brackets, `items[0].price`. */
function fieldOf(path: Path): string {
  return path
    .map((part, place) => {
      if (typeof part === 'number') return `[${part}]`;
      if (!/^[A-Za-z0-9_$-]+$/.test(part)) return `[${JSON.stringify(part)}]`;
      return place === 0 ? part : `.${part}`;
    })
    .join('');
}

export class Problems {
  readonly details: Detail[] = [];

  add(path: Path, code: string, message: string): void {
    if (this.details.length < MOST) this.details.push({ field: fieldOf(path), path, code, message });
  }

  found(): boolean {
    return this.details.length > 0;
  }

  answer(): Reply {
    const error = {
      code: 'INVALID_ARGUMENT',
      message: 'The request is not valid.',
      details: this.details,
    };
    return jsonAnswer({ data: null, error }, 400);
  }
}

/** One problem, as an answer. */
export function problem(path: Path, code: string, message: string): Reply {
  const problems = new Problems();
  problems.add(path, code, message);
  return problems.answer();
}

/** Names of catalogs, fields, selections, and ids of items: one rule for all. */
export function checkName(name: unknown, path: Path, problems: Problems): name is string {
  if (typeof name !== 'string') {
    problems.add(path, name === undefined ? 'required' : 'invalid-type', 'A string is wanted here.');
    return false;
  }
  if (name.length > NAME_LENGTH) {
    problems.add(path, 'too-long', `At most ${NAME_LENGTH} characters are allowed.`);
    return false;
  }
  if (!/^[A-Za-z0-9_-]+$/.test(name)) {
    problems.add(
      path,
      'invalid-pattern',
      'Letters, digits, _ and - are allowed, and at least one is wanted.',
    );
    return false;
  }
  return true;
}
