/**
 * A file of `sql/checks`: its header, and a select of what is wrong.
 *
 *     -- severity: stop           (a finding withholds the file; or: warn, it is reported)
 *     -- stream: events           (which it is about, where it is one)
 *     -- scope: incremental       (looks at `batch_days`; or: full, looks at everything, which must be little)
 *     -- depends_on: events       (whose dirty days it looks at; without it those of its stream, or of all)
 *     -- lookback: 7 days         (a changed day may make that many later days wrong)
 *     -- meaning: What a finding means and what to do, for people.
 */
import { basename } from 'node:path';
import { z } from 'zod';
import { STREAMS } from '../storage/pull.js';
import { dependsOn, lookback, type Dependence } from './dependence.js';
import { fieldsOf, selectIn } from './sql-header.js';
import { statement } from './statements.js';

export interface Check extends Dependence {
  /** The name of its file. */
  readonly name: string;
  readonly severity: 'stop' | 'warn';
  /** Empty where it is not about one. */
  readonly stream: string;
  readonly scope: 'incremental' | 'full';
  readonly meaning: string;
  /** Without its semicolon, to be put into another statement. */
  readonly query: string;
  readonly text: string;
}

const header = z.strictObject({
  severity: z.enum(['stop', 'warn']),
  stream: z.enum(STREAMS).optional(),
  scope: z.enum(['incremental', 'full']),
  depends_on: dependsOn.optional(),
  lookback,
  meaning: z.string().min(1),
});

/** Reads `sql/<file>.sql`. */
export function readCheck(file: string): Check {
  const text = statement(file);
  const { stream, depends_on, ...rest } = header.parse(fieldsOf(text));
  return {
    ...rest,
    name: basename(file),
    stream: stream ?? '',
    streams: depends_on ?? (stream === undefined ? STREAMS : [stream]),
    allLater: false,
    partition: 'day',
    query: selectIn(text),
    text,
  };
}
