/**
 * The settings of audiences and holdouts; docs/holdouts.md explains each. A holdout is a group of people who get no messages, so
 * that what the others buy beyond them is what the messages brought.
 */
import { z } from 'zod';
import { ID_COLUMNS } from '../ground/fields.js';
import type { OwnTable } from './tables.js';
import { day, name, orEmpty, text } from './values.js';

const SHARE = 'must be a share above 0% and up to 50%, such as 10%';
const EXEMPT = 'must be a list of ids of campaigns and user journeys such as [ID]';
const EFFECT = 'must be a share of the mean from 0.001 to 10, such as 0.05';

const named = <T extends z.ZodType>(value: T, what: string) => orEmpty(z.record(name, value, what));

const person = z.enum(ID_COLUMNS, `must be one of ${ID_COLUMNS.join(', ')}`);

const audience = z.strictObject({
  table: text('must be the name of a table'),
  person,
  /** Columns that divide the people, such as a tier. */
  segments: z.array(text('must be a column'), 'must be a list of columns such as [tier]').default([]),
});

export const audiences = named(
  audience,
  'must have audiences such as members: { table: members, person: user_id }, with names of small letters, digits and _',
);

/** What each way to name the held-out people needs. */
const WAYS = {
  audience: ['audience', 'share'],
  table: ['table', 'person', 'arm', 'holdout', 'assigned'],
  campaign: ['campaign', 'variant'],
} as const;

const holdout = z
  .strictObject({
    audience: text('must be the name of an audience').optional(),
    share: z
      .string(SHARE)
      .regex(/^\d{1,2}(\.\d+)?%$/, SHARE)
      .transform((given) => Number(given.replace('%', '')) / 100)
      .refine((share) => share > 0 && share <= 0.5, SHARE)
      .optional(),
    table: text('must be the name of a table').optional(),
    person: person.optional(),
    arm: text('must be a column').optional(),
    /** The value of the column `arm` that means held out. */
    holdout: text('must be a value of the column under arm').optional(),
    assigned: text('must be a column').optional(),
    campaign: text('must be the id of a campaign').optional(),
    variant: text('must be the name of a variant').optional(),
    /** Campaigns and user journeys whose messages may reach everybody, such as order confirmations. */
    exempt: z.array(text('must be the id of a campaign or user journey'), EXEMPT).default([]),
    start: day.optional(),
    end: day.optional(),
    smallest_effect: z
      .string(EFFECT)
      .regex(/^\d+(\.\d+)?$/, EFFECT)
      .transform(Number)
      .refine((effect) => effect >= 0.001 && effect <= 10, EFFECT)
      .default(0.05),
  })
  .superRefine((given, context) => {
    const refuse = (message: string): void => {
      context.addIssue({ code: 'custom', message });
    };
    const ways = (['audience', 'table', 'campaign'] as const).filter((way) => given[way] !== undefined);
    const [way] = ways;
    if (way === undefined || ways.length > 1) {
      refuse('must set one of audience, table and campaign');
      return;
    }
    const missing = WAYS[way].filter((key) => given[key] === undefined);
    if (missing.length > 0) refuse(`must set ${missing.join(', ')} besides ${way}`);
    const foreign = (['person', 'arm', 'holdout', 'assigned', 'variant'] as const).filter(
      (key) => given[key] !== undefined && !WAYS[way].some((one) => one === key),
    );
    if (foreign.length > 0) refuse(`must not set ${foreign.join(', ')} beside ${way}`);
    if (given.start !== undefined && given.end !== undefined && given.end < given.start)
      refuse('must not end before it starts');
  });

export const holdouts = named(
  holdout,
  'must have holdouts such as c1: { audience: members, share: 10% }, with names of small letters, digits and _',
);

export type Audience = z.output<typeof audience> & { readonly name: string };
export type Holdout = z.output<typeof holdout> & { readonly name: string };

interface Named {
  readonly tables: Readonly<Record<string, Pick<OwnTable, 'keys'>>>;
  readonly audiences: z.output<typeof audiences>;
  readonly holdouts: z.output<typeof holdouts>;
  readonly dropped: readonly string[];
}

/** Each name of audiences and holdouts that does not fit the tables, with the reason as a clause after it. */
export function holdoutFaults({
  tables,
  audiences: people,
  holdouts: all,
  dropped,
}: Named): { path: string[]; message: string }[] {
  const faultOf = (table: string, key: z.output<typeof person>): string | undefined => {
    const found = tables[table];
    if (found === undefined) return `must name a table of tables, which has no ${table}`;
    if (found.keys[key] === undefined) return `must name a person among the keys of tables.${table}`;
    return dropped.includes(key)
      ? `must name a person that is stored, but privacy.columns drops ${key}`
      : undefined;
  };
  const faults = [
    ...Object.entries(people).map(
      ([one, { table, person: key }]) => [['audiences', one], faultOf(table, key)] as const,
    ),
    ...Object.entries(all).map(([one, { audience: wanted, table, person: key }]) => {
      const isUnknown = wanted !== undefined && people[wanted] === undefined;
      const fault = isUnknown
        ? `must name an audience of audiences, which has no ${wanted}`
        : table !== undefined && key !== undefined
          ? faultOf(table, key)
          : undefined;
      return [['holdouts', one], fault] as const;
    }),
  ];
  return faults.flatMap(([path, message]) => (message === undefined ? [] : [{ path: [...path], message }]));
}
