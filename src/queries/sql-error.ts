/** What DuckDB says about a query that it cannot run, as a message and a hint. */
import { CorruptDatabaseError, messageOf, UsageError, type DawnloadError } from '../errors.js';
import { tellsOfDamage } from '../storage/duckdb.js';

/** `LINE 2:   from evnts`, and below it a caret under the place. A long line is shown from `...` on. */
const PLACE = /\n+LINE (\d+): (.*)(?:\n( *)\^)?/;

/** The failure as an error with a hint; `subject` is what could not be run, such as `The query`. */
export function sqlError(subject: string, cause: unknown): DawnloadError {
  if (tellsOfDamage(cause)) return new CorruptDatabaseError('The published warehouse is damaged.', cause);
  const text = messageOf(cause);
  const place = PLACE.exec(text);
  const lines = text
    .slice(0, place?.index)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const [said = text, ...advice] = lines;
  const hint = [...advice, ...ADVICE.filter(([pattern]) => pattern.test(said)).map(([, more]) => more)].join(
    ' ',
  );
  return new UsageError(
    `${subject} cannot be run: ${withoutStop(said)}${place === null ? '' : placeOf(place)}.`,
    {
      hint: hint === '' ? 'Correct it and try again.' : hint.replace(/([^.!?])$/, '$1.'),
      cause,
    },
  );
}

function withoutStop(sentence: string): string {
  return sentence.replace(/[.!]+$/, '');
}

function placeOf([, line = '', shown = '', caret]: RegExpExecArray): string {
  // Where the beginning of the line is left out, the caret does not tell the column.
  if (caret === undefined || shown.startsWith('...')) return ` (line ${line})`;
  return ` (line ${line}, column ${caret.length - `LINE ${line}: `.length + 1})`;
}

/** What to do about refusals that are due to this command, which only reads. */
const ADVICE: readonly (readonly [RegExp, string])[] = [
  [
    /read-only mode|file system operations are disabled|configuration has been locked|extensions is disabled/,
    'This command only reads the warehouse. --output writes the answer to a file; for anything else, open the warehouse in a DuckDB client.',
  ],
  [
    /Expected \d+ parameters|[Vv]alues were not provided for the following prepared statement parameters/,
    "Write getvariable('name') for the value of --param name=value.",
  ],
];
