/** What DuckDB's errors while loading mean to people. Their text quotes values, so none of it is passed on. */
import { DawnloadError, messageOf, StorageError, type DamageError } from '../errors.js';
import { damaged } from './landed-files.js';

/** A file that DuckDB could not read as JSON, though it may be JSON: half an emoji, a wrong byte, many members. */
export function isTooStrict(error: unknown): boolean {
  return /Malformed JSON in file "|maximum_object_size/.test(messageOf(error));
}

/**
 * The failure of a load as one of ours: `DamageError` for a file that is not what was asked for, `StorageError` for a
 * machine that cannot go on.
 */
export function loadError(error: unknown, pull: string): Error {
  if (error instanceof DawnloadError) return error;
  if (!(error instanceof Error)) return new Error(messageOf(error));
  const text = error.message;
  // Our own statements are wrong: no file is to blame.
  if (/^(Binder|Parser|Catalog|Internal|Not implemented) Error/i.test(text)) return error;
  const shape = /not an? (page of records|answer with statistics): (.+)/.exec(text);
  if (shape !== null) return wrongShape(shape[2] ?? pull);
  const file = /in file "([^"]+)"/.exec(text)?.[1];
  if (file !== undefined) return wrongShape(file);
  const kind = /^([A-Za-z ]+ Error)/.exec(text)?.[1] ?? 'error';
  if (/^(IO|Out of Memory|FATAL|TransactionContext) Error|No space left|invalidated/.test(text)) {
    return new StorageError(`The pull ${pull} could not be written into the warehouse (${kind}).`, {
      hint: 'Nothing of it was kept there, and nothing that was received is lost: free disk or memory, then run again.',
      cause: new Error(withoutValues(text)),
    });
  }
  return damaged(pull, `cannot be loaded (${kind})`);
}

function wrongShape(file: string): DamageError {
  return damaged(file, 'is not an answer of the expected shape');
}

/** The message without what it quotes. */
function withoutValues(text: string): string {
  return text
    .split('\n', 1)
    .join('')
    .replace(/'[^']*'|"[^"]*"|[{[].*/g, '…');
}
