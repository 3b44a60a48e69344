/** The settings of paid exports: what they may cost, and how their answers are read (E20, E21). */
import { z } from 'zod';
import type { Declaration } from '../../config/schema.js';
import {
  answerText,
  currency,
  day,
  matching,
  number,
  parameter,
  section,
  size,
  whole,
  yesOrNo,
} from '../../config/values.js';

const budget = section({
  records_per_run: whole(0, 1e12).optional(),
  records_per_month: whole(0, 1e12).optional(),
})
  .refine(
    ({ records_per_run: run, records_per_month: month }) => (run ?? month) !== undefined,
    'must set records_per_run, records_per_month or both',
  )
  // A single limit applies to both, so that a missing one does not mean unlimited spending.
  .transform(({ records_per_run: run, records_per_month: month }) => ({
    records_per_run: run ?? month ?? 0,
    records_per_month: month ?? run ?? 0,
  }));

const paidExports = section({
  budget: budget.optional(),
  price_per_record: number(0, 1e6, 'must be a price such as 0.5').default(0),
  currency: currency.optional(),
  start_date: day.optional(),
  include_message_data: yesOrNo.default(true),
  page_parameter: parameter().default('page'),
  refusals: z.array(answerText, 'must be a list of texts of answers').default([]),
  tolerate_missing: matching(/^(0|\d{1,2}(\.\d+)?%)$/, 'must be a share such as 0.2%')
    .transform((text) => Number(text.replace('%', '')) / 100)
    .default(0),
  max_wait_minutes: number(0, 24 * 60, 'must be a number of minutes from 0 to 1440').default(60),
  largest_answer: size(3).default(2 ** 30),
});

export const EXPORT_SETTINGS = { exports: paidExports.prefault({}) };

declare module '../../config/schema.js' {
  interface StreamSettings {
    readonly exports: z.output<typeof paidExports>;
  }
}

export const exportContradictions: NonNullable<Declaration['contradictions']> = ({
  start_date: first = '',
  exports,
}) =>
  exports.start_date === undefined || exports.start_date >= first
    ? []
    : [
        {
          path: ['exports', 'start_date'],
          message:
            'must not be before start_date, because the statistics of a day give the size of its export',
        },
      ];
