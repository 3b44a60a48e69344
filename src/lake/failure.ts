/** What the catalog and the storage of the lake refuse, as one sentence each. */
import { z } from 'zod';
import {
  ConfigError,
  CredentialsError,
  DawnloadError,
  messageOf,
  ServiceError,
  StorageError,
  TryLaterError,
} from '../errors.js';
import { cut } from '../text.js';

/** Why the lake cannot be used; an error with a remedy of its own stays as it is. */
export function catalogFailure(cause: unknown): unknown {
  // What is not of DuckDB is a fault of this program.
  if (cause instanceof DawnloadError || cause instanceof z.ZodError) return cause;
  const text = messageOf(cause);
  if (/Conflict_409|\b409\b/.test(text)) {
    return new TryLaterError('Somebody else changed the lake at the same time, so this commit was refused.', {
      hint: 'Nothing was changed by it. `dawnload lake push` tries again.',
      cause,
    });
  }
  if (/Unauthorized|Forbidden|\b40[13]\b/.test(text)) {
    return new CredentialsError(`The lake refuses the keys (${briefly(text)}).`, {
      hint: 'Correct DAWNLOAD_LAKE_… in the environment or in .env, or what the keys may do, then run `dawnload lake push`.',
      cause,
    });
  }
  if (/No space left|Out of Memory Error/i.test(text)) {
    return new StorageError(`This machine has no room to write the lake's files (${briefly(text)}).`, {
      hint: 'Free disk space or memory, then run `dawnload lake push`.',
      cause,
    });
  }
  if (text.includes('INTERNAL Error')) {
    return new ServiceError(`DuckDB cannot read the lake's tables as they are (${briefly(text)}).`, {
      hint: 'After a compaction that left delete files behind: compact again with remove-dangling-deletes, as docs/scale.md shows, then run `dawnload lake push`.',
      cause,
    });
  }
  if (isMissing(cause)) {
    return new ConfigError(`The lake lacks a table or a namespace (${briefly(text)}).`, {
      hint: '`dawnload lake setup` creates what is missing, and the next push fills it.',
      cause,
    });
  }
  if (/NotFound_404|\b404\b/.test(text)) {
    return new ConfigError(`The catalog does not know what it was asked for (${briefly(text)}).`, {
      hint: 'Correct lake.catalog.uri and lake.catalog.warehouse.',
      cause,
    });
  }
  if (/Could not (?:connect|establish)|resolve host|Connection refused|timed? ?out/i.test(text)) {
    return new ServiceError(`The lake cannot be reached (${briefly(text)}).`, {
      hint: 'Check lake.catalog.uri and lake.storage.endpoint. The published file is complete; `dawnload lake push`, or the next run, goes on where this one stopped.',
      cause,
    });
  }
  return new ServiceError(`The lake cannot be used (${briefly(text)}).`, {
    hint: 'The published file is complete. `dawnload lake push`, or the next run, goes on where this one stopped.',
    cause,
  });
}

/** Whether DuckDB found no such table or namespace. */
export function isMissing(error: unknown): boolean {
  return /^Catalog Error: .*(?:does not exist|not found)/.test(messageOf(error));
}

/** The first line of DuckDB's message, short enough for a sentence. */
function briefly(text: string): string {
  const [line = ''] = text.split('\n', 1);
  return line.length > 200 ? `${cut(line, 200)}…` : line.replace(/[.:]\s*$/, '');
}
