/** How each family of endpoints says no: the specification's table of error shapes. */
import { type Reply, jsonAnswer } from './answer.js';

export type Refusal = 'unauthorized' | 'forbidden' | 'invalid' | 'timeout' | 'too-large' | 'internal';

/**
 * `authentication`: E1. `statistics`: E17. `statistics-csv`: E18. `campaign`: E19. `export`: E20 and E21.
 */
export type Family = 'authentication' | 'statistics' | 'statistics-csv' | 'campaign' | 'export';

/** The statuses outside the catalog family are not shown; these are the usual ones. */
const STATUS: Record<Refusal, number> = {
  unauthorized: 401,
  forbidden: 403,
  invalid: 400,
  timeout: 408,
  'too-large': 413,
  internal: 500,
};

const STATISTICS_ERRORS: Record<Refusal, string> = {
  unauthorized: 'Unauthorized',
  forbidden: 'Unauthorized',
  invalid: 'InvalidRequest',
  timeout: 'Timeout',
  'too-large': 'InvalidRequest',
  internal: 'InternalServerError',
};

/** The words of a failed authentication, in every family. */
export const INVALID_TOKEN = 'Invalid Authorization Token';

function bodyOf(family: Family, refusal: Refusal, message: string): unknown {
  switch (family) {
    case 'authentication':
      return { data: null, error: message };
    case 'campaign':
      return { data: null, error: message };
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

/** A refusal in the shape of its family. */
export function refuse(family: Family, refusal: Refusal, message: string, status = STATUS[refusal]): Reply {
  return jsonAnswer(bodyOf(family, refusal, message), status);
}
