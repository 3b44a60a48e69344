/**
 * A model: one file under `sql/models`, a header and one select. Its folder and name say what it becomes:
 * `dimensions/campaigns` is the view `campaigns`, all others are relations of the schema `marts`.
 *
 *     -- grain: one KST day and channel.
 *     -- kept: by day            (by day, or by week; without it the model is a view)
 *     -- from: events            (the streams whose changes make its days stale)
 *     -- reach: 27 days          (a day looks back that far; or: onward, at everything before it)
 *     -- once: person            (a row of an earlier day with that key stays the only one)
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { STREAMS, type Stream } from './pull.js';
import { headerOf, selectIn } from './sql-header.js';
import { statement, statementsIn } from './statements.js';

const KEYS = ['grain', 'kept', 'from', 'reach', 'once'];

/** How a model that is kept as a table is brought forward. */
export interface Keeping {
  readonly by: 'day' | 'week';
  readonly streams: readonly Stream[];
  /** How many days after a changed one look back at it. */
  readonly reach: number | 'onward';
  /** The column of which each value has one row, that of its earliest day. */
  readonly once: string | undefined;
}

export interface Model {
  /** `campaigns`, or `marts.channel_days`. */
  readonly relation: string;
  readonly grain: string;
  /** The select, without its semicolon. */
  readonly select: string;
  /** Undefined for a view. */
  readonly keeping: Keeping | undefined;
  /** Of this model, of what it is made of, and of the schema. */
  readonly fingerprint: string;
}

const header = z.object({
  grain: z.string(),
  kept: z
    .enum(['by day', 'by week'])
    .transform((kept) => (kept === 'by day' ? 'day' : 'week'))
    .optional(),
  from: z
    .string()
    .default('')
    .transform((from) => STREAMS.filter((stream) => from.split(', ').includes(stream))),
  reach: z
    .union([
      z.literal('onward'),
      z
        .string()
        .regex(/^\d+ days$/)
        .transform((reach) => Number.parseInt(reach, 10)),
    ])
    .default(0),
  once: z.string().optional(),
});

let all: readonly Model[] | undefined;

/** All models, each after those that it is made of. The files of the package are read once. */
export function models(): readonly Model[] {
  all ??= readModels();
  return all;
}

function readModels(): Model[] {
  const names = ['dimensions', 'daily', 'marts'].flatMap((folder) => statementsIn(`models/${folder}`));
  const texts = new Map(names.map((name) => [relationOf(name), statement(name)]));
  // The schema too: a column may have been added to what a model reads.
  const schema = statementsIn('schema').map((name) => statement(name));
  const made = new Map<string, Model>();
  const make = (relation: string, text: string): string => {
    const known = made.get(relation);
    if (known !== undefined) return known.fingerprint;
    const parts = [...texts].filter(([other]) => other !== relation && mentions(text, other));
    const model = parse(relation, text, [...parts.map(([other, theirs]) => make(other, theirs)), ...schema]);
    made.set(relation, model);
    return model.fingerprint;
  };
  for (const [relation, text] of texts) make(relation, text);
  return [...made.values()];
}

function parse(relation: string, text: string, madeOf: readonly string[]): Model {
  const { grain, kept, from, reach, once } = header.parse(headerOf(text, KEYS));
  const fingerprint = createHash('sha256').update([text, ...madeOf].join('\0'));
  return {
    relation,
    grain,
    select: selectIn(text),
    keeping: kept === undefined ? undefined : { by: kept, streams: from, reach, once },
    fingerprint: fingerprint.digest('hex'),
  };
}

/** `models/dimensions/campaigns` is `campaigns`, `models/daily/daily_events` is `marts.daily_events`. */
function relationOf(name: string): string {
  const [, folder = '', file = ''] = name.split('/');
  return folder === 'dimensions' ? file : `marts.${file}`;
}

/** Whether a select reads that relation. */
export function mentions(text: string, relation: string): boolean {
  return new RegExp(`\\b(from|join) ${relation.replace('.', '\\.')}\\b(?!\\.)`).test(text);
}
