/** A file of `sql/checks`: its header, and the query that selects what is not as it should be. */
import { basename } from 'node:path';
import { z } from 'zod';
import { STREAMS } from './pull.js';
import { headerOf, selectIn } from './sql-header.js';
import { statement } from './statements.js';

export interface Check {
  /** The name of its file. */
  readonly name: string;
  /** `stop`: a finding forbids publishing; `warn`: somebody should look at it. */
  readonly severity: 'stop' | 'warn';
  /** The stream that it is about; empty where it is not one. */
  readonly stream: string;
  /** `days`: looks at days that changed, by `checked_days`; `whole`: at everything, which must be little. */
  readonly scope: 'days' | 'whole';
  /** Whose changed days count. */
  readonly streams: readonly string[];
  /** On how many days after a changed one findings may differ too. */
  readonly reach: number;
  /** What a finding means and what to do, in one sentence for people. */
  readonly meaning: string;
  /** Without its semicolon, to be put into another statement. */
  readonly query: string;
  readonly text: string;
}

const stream = z.enum(STREAMS);

const header = z
  .strictObject({
    severity: z.enum(['stop', 'warn']),
    stream: stream.optional(),
    scope: z.enum(['days', 'whole']),
    'days of': z
      .string()
      .transform((list) => list.split(', '))
      .pipe(z.array(stream))
      .optional(),
    reach: z.coerce.number().int().min(0).default(0),
    means: z.string().min(1),
  })
  .transform(({ means, ...rest }) => ({
    ...rest,
    meaning: means,
    streams: rest['days of'] ?? (rest.stream === undefined ? STREAMS : [rest.stream]),
  }));

const KEYS = ['severity', 'stream', 'scope', 'days of', 'reach', 'means'];

/** Reads `sql/<file>.sql`. */
export function readCheck(file: string): Check {
  const text = statement(file);
  const { severity, stream, scope, streams, reach, meaning } = header.parse(headerOf(text, KEYS));
  return {
    name: basename(file),
    severity,
    stream: stream ?? '',
    scope,
    streams,
    reach,
    meaning,
    query: selectIn(text),
    text,
  };
}
