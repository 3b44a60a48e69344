/** DuckDB's errors while loading as errors for people. Their text quotes values, so little of it is passed on. */
import { DamageError, DawnloadError, messageOf, StorageError } from '../errors.js';
import { damaged } from '../storage/storage-error.js';

/** What the SQL files say by `error()`, before the name of the file. */
const OUR_REFUSAL = /not an? (?:page of records|answer with statistics): (.+)/;

/**
 * Whether DuckDB refused what it read, though it may be usable: half an emoji, a wrong byte, a key given twice, a record
 * that is none. A shape that we refuse ourselves is final.
 */
export function isRefusal(error: unknown): boolean {
  if (error instanceof DawnloadError) return false;
  const message = messageOf(error);
  // Bytes that are no gzip are a matter of the file, whatever DuckDB calls them.
  if (/^IO Error: .*gzip/is.test(message)) return true;
  return /^(Invalid Input|Conversion) Error/.test(message) && !OUR_REFUSAL.test(message);
}

/**
 * The failure of a load as a `DawnloadError`: `DamageError` for a file with a wrong answer, `StorageError` for a lack of
 * disk or memory. Any other error is returned unchanged, unless the pull is of reference data, which never ends a run.
 */
export function loadError(error: unknown, pull: string, isReference = false): Error {
  if (error instanceof DawnloadError) return error;
  if (!(error instanceof Error)) return new Error(messageOf(error));
  const { message } = error;
  const kind = /^([A-Z][A-Za-z ]+ Error)/.exec(message)?.[1];
  const file = OUR_REFUSAL.exec(message)?.[1] ?? /in file "([^"]+)"/.exec(message)?.[1];
  const isUnforeseen = kind === undefined || /^(Binder|Parser|Catalog|Not implemented) Error/.test(message);
  if ((isUnforeseen && !isReference) || /^(Internal|INTERNAL) Error/.test(message)) return error;
  if (/^(IO|Out of Memory|FATAL|TransactionContext) Error|No space left|invalidated/.test(message)) {
    return new StorageError(`The pull ${pull} could not be written into the warehouse (${kind}).`, {
      hint: 'The load was rolled back, and nothing that was received is lost. Free disk or memory, then run again.',
      cause: new Error(withoutValues(message)),
    });
  }
  if (file !== undefined) return damaged(file, 'is not an answer of the expected shape');
  return new DamageError(`The pull ${pull} cannot be loaded (${kind ?? error.name}).`, {
    hint: 'The other days are loaded without it. It stays in the landing zone. Please report this with its shape.',
    cause: new Error(withoutValues(message)),
  });
}

/** The first line of the message without what it quotes. */
function withoutValues(message: string): string {
  return (message.split('\n', 1)[0] ?? '').replace(/'[^']*'|"[^"]*"|[{[].*/g, '…');
}
