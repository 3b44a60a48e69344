/** The errors of a request: the `details` of a catalog error, and the error itself. */
import { type Reply, jsonAnswer } from '../answer.js';

export type Path = readonly (string | number)[];

/** Exactly these four: field, path, code, message. */
interface Detail {
  readonly field: string;
  readonly path: Path;
  readonly code: string;
  readonly message: string;
}

/** An answer that lists more would help nobody. */
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
