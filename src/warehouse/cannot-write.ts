/** The disk below a warehouse that refuses: what DuckDB says of it, and what people are told. */
import { codeOf, messageOf, StorageError } from '../errors.js';

export function cannotWrite(path: string, cause: unknown): StorageError {
  return new StorageError(`${path} cannot be written.`, {
    hint: 'Free disk space, then run again. Nothing that was received is lost.',
    cause,
  });
}

export function isStorage(error: unknown): boolean {
  return (
    codeOf(error) !== undefined || /^(IO|FATAL|TransactionContext) Error|No space left/.test(messageOf(error))
  );
}
