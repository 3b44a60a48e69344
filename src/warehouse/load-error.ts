/** What DuckDB's errors while loading mean to people. Their text quotes values, so none of it is passed on. */
import { DawnloadError, messageOf, StorageError, type DamageError } from '../errors.js';
import { damaged } from './landed-files.js';

/**
 * Whether DuckDB refused what it read, though it may be usable: half an emoji, a wrong byte, a key given twice, a record
 * that is none. A shape that we refuse ourselves is final.
 */
export function isRefusal(error: unknown): boolean {
  if (error instanceof DawnloadError) return false;
  return /^(Invalid Input|Conversion) Error/.test(messageOf(error)) && !OUR_REFUSAL.test(messageOf(error));
}

/** What our statements say by `error()`, before the name of the file. */
const OUR_REFUSAL = /not an? (?:page of records|answer with statistics): (.+)/;

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
  const shape = OUR_REFUSAL.exec(text);
  if (shape !== null) return wrongShape(shape[1] ?? pull);
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
