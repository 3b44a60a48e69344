/** Errors of each family of endpoints, by the specification's table of error shapes. */
import { type Reply, jsonAnswer } from './answer.js';

export type Refusal =
  | 'unauthorized'
  | 'forbidden'
  | 'invalid'
  | 'not-found'
  | 'gone'
  | 'conflict'
  | 'timeout'
  | 'too-large'
  | 'internal';

/**
 * `authentication`: E1. `catalog`: E2. `brand-message`: E3 to E6. `alimtalk`: E10 and E11. `opt-out`: E12.
 * `sending`: E7 to E9. `users`: E13 to E15. `journey`: E16. `statistics`: E17. `statistics-csv`: E18. `campaign`: E19. `export`: E20 and E21.
 */
export type Family =
  | 'authentication'
  | 'catalog'
  | 'brand-message'
  | 'alimtalk'
  | 'opt-out'
  | 'sending'
  | 'users'
  | 'journey'
  | 'statistics'
  | 'statistics-csv'
  | 'campaign'
  | 'export';

/** The statuses outside the catalog family are not shown; these are the usual ones. */
const STATUS: Record<Refusal, number> = {
  unauthorized: 401,
  forbidden: 403,
  invalid: 400,
  'not-found': 404,
  gone: 410,
  conflict: 409,
  timeout: 408,
  'too-large': 413,
  internal: 500,
};

const STATISTICS_ERRORS: Record<Refusal, string> = {
  unauthorized: 'Unauthorized',
  forbidden: 'Unauthorized',
  invalid: 'InvalidRequest',
  'not-found': 'InvalidRequest',
  gone: 'InvalidRequest',
  conflict: 'InvalidRequest',
  timeout: 'Timeout',
  'too-large': 'InvalidRequest',
  internal: 'InternalServerError',
};

/** The specification shows `INVALID_ARGUMENT` and `UNAUTHORIZED`; the others are like them. */
const CODES: Record<Refusal, string> = {
  unauthorized: 'UNAUTHORIZED',
  forbidden: 'FORBIDDEN',
  invalid: 'INVALID_ARGUMENT',
  'not-found': 'NOT_FOUND',
  gone: 'GONE',
  conflict: 'ALREADY_EXISTS',
  timeout: 'TIMEOUT',
  'too-large': 'PAYLOAD_TOO_LARGE',
  internal: 'INTERNAL',
};

/** The message of a failed authentication, in every family. */
export const INVALID_TOKEN = 'Invalid Authorization Token';

function bodyOf(family: Family, refusal: Refusal, message: string): unknown {
  switch (family) {
    case 'authentication':
      return { data: null, error: message };
    case 'catalog':
    case 'brand-message':
      return { data: null, error: { code: CODES[refusal], message } };
    case 'alimtalk':
    case 'opt-out':
      return { error: message };
    case 'campaign':
    case 'users':
      return { data: null, error: message };
    case 'sending':
      // The two shapes that are shown; of a failure the second says these words alone.
      if (refusal === 'internal') return { success: false, error: 'Internal Server Error' };
      return { data: null, error: message };
    case 'journey':
      return { code: STATUS[refusal], success: false, error: message };
    case 'export':
      return { status: 'error', message };
    case 'statistics':
      if (refusal === 'timeout') return { error: 'Timeout' };
      return { error: STATISTICS_ERRORS[refusal], message };
    case 'statistics-csv':
      // "Adds an unauthorized text with reason and a timeout text advising a shorter date range."
      if (refusal === 'unauthorized' || refusal === 'forbidden') return { error: `Unauthorized: ${message}` };
      if (refusal === 'timeout') return { error: 'Timeout: please try again with a shorter date range.' };
      return { error: STATISTICS_ERRORS[refusal], message };
  }
}

/** An error in the shape of its family. */
export function refuse(family: Family, refusal: Refusal, message: string, status = STATUS[refusal]): Reply {
  return jsonAnswer(bodyOf(family, refusal, message), status);
}
