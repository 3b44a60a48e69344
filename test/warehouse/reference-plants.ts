/** Faults of reference data that are planted into a sound warehouse, by the check that must find them. */
import type { Finding } from './support.js';

/** A fault, and all that is found of it. */
export type Plant = [damage: string, ...findings: Partial<Finding>[]];

const FIRST = '2026-11-16';
const DAY = '2026-11-20';

/** A snapshot of each of those days, of a list of the stream. */
function snapshots(stream: string, days: readonly string[], more = '1, 1', list = '*'): string {
  return days
    .map(
      (day) => `
    insert into ops.coverage (stream, date, rows) values ('${stream}', '${day}', 1);
    insert into ops.snapshots (stream, list, date, rows, announced) values ('${stream}', '${list}', '${day}', ${more});`,
    )
    .join('');
}

/** The morning after the last day. */
const MORNING = '2026-11-21';

export const REFERENCE_PLANTS: Record<string, Plant[]> = {
  templates_known: [
    [
      `${snapshots('brand_templates', [FIRST, MORNING])}
       insert into brand_templates_history (template_id, template_name, valid_from) values ('t', '다른 글', '${FIRST}')`,
      {
        severity: 'warn',
        date: FIRST,
        subject: 'brand 기획전',
        finding: 'Messages were sent by a template that no snapshot shows, the last of them on 2026-11-20.',
        actual: '25',
      },
    ],
    // The events of the day before come in the night of the first snapshot. Before that, or without any snapshot, nothing is
    // known; free-form messages have names of their own.
    [
      snapshots('alimtalk_templates', [MORNING]),
      {
        severity: 'warn',
        date: DAY,
        subject: 'alimtalk T1',
        finding: 'Messages were sent by a template that no snapshot shows, the last of them on 2026-11-20.',
      },
    ],
    [snapshots('alimtalk_templates', ['2026-11-22'])],
    [
      `${snapshots('brand_templates', [FIRST, MORNING])}
       update events set channel_subtype = 'free-form' where channel = 'chatapp-brand-message'`,
    ],
    [
      `${snapshots('alimtalk_templates', [DAY, MORNING])}
       insert into alimtalk_templates_history (channel_id, template_code, valid_from, valid_to)
       values ('c', 'T1', '${DAY}', '${DAY}')`,
    ],
  ],
  history_versions: [
    [
      `${snapshots('catalogs', [DAY, MORNING], '2, 2', 'products')}
       insert into catalogs_history (catalog_name, num_items, valid_from) values ('products', 2, '${DAY}');
       insert into catalog_items_history (catalog_name, item_id, valid_from)
       values ('products', 'a', '${DAY}'), ('products', 'a', '${MORNING}')`,
      {
        severity: 'warn',
        date: MORNING,
        subject: 'catalog_items_history',
        finding: 'Two versions of one thing are of the same day.',
        actual: '1',
      },
    ],
    [
      `${snapshots('opt_outs', [DAY, MORNING])}
       insert into opt_outs_history (unsubscribe_number, recipient, requested_at, copy, valid_from, valid_to)
       values
         ('080', 'r', '${DAY} 09:00:00+09:00', 1, '${DAY}', '2026-11-19'),
         ('080', 's', '${DAY} 09:00:00+09:00', 1, '${DAY}', '${DAY}'),
         ('080', 's', '${DAY} 09:00:00+09:00', 1, '${MORNING}', null)`,
      {
        severity: 'warn',
        date: DAY,
        subject: 'opt_outs_history',
        finding: 'A version ends before it begins.',
      },
    ],
    [
      `${snapshots('brand_templates', [MORNING])}
       insert into brand_templates_history (template_id, template_name, sender_key, valid_from, valid_to)
       values
         ('t', '기획전', 's', '${DAY}', null), ('t', '기획전', 's', '${MORNING}', null),
         ('t', '기획전', 'other', '${DAY}', null)`,
      { severity: 'warn', date: MORNING, subject: 'brand_templates_history' },
    ],
  ],
  snapshots_agree: [
    [
      snapshots('opt_outs', [MORNING], '3, 5'),
      { severity: 'warn', date: MORNING, subject: 'opt_outs *', expected: '5', actual: '3' },
    ],
    [
      `${snapshots('catalogs', [MORNING], '1, null', 'products')}
       insert into catalogs_history (catalog_name, num_items, valid_from) values ('products', 7, '${DAY}');
       insert into catalog_items_history (catalog_name, item_id, valid_from) values ('products', 'a', '${DAY}')`,
      {
        severity: 'warn',
        date: DAY,
        subject: 'catalogs products',
        finding: 'The catalog does not hold as many items as num_items says.',
        expected: '7',
        actual: '1',
      },
    ],
    // Its items could not be read that night.
    [
      `${snapshots('catalogs', [DAY], '1, 1', 'products')}${snapshots('catalogs', [MORNING])}
       insert into catalogs_history (catalog_name, num_items, valid_from) values ('products', 7, '${MORNING}');
       insert into catalog_items_history (catalog_name, item_id, valid_from) values ('products', 'a', '${DAY}')`,
    ],
  ],
  snapshot_parts: [
    [
      `insert into catalog_items_history (catalog_name, item_id, valid_from) values ('gone', 'a', '${DAY}');
       insert into brand_template_buttons_history (template_id, sender_key, position, valid_from)
       values ('t', 's', 1, '${DAY}'), ('t', 's', 2, '${DAY}')`,
      {
        severity: 'warn',
        date: DAY,
        subject: 'brand_template_buttons',
        finding: 'Rows belong to nothing: t.',
        actual: '2',
      },
      { severity: 'warn', date: DAY, subject: 'catalog_items', finding: 'Rows belong to nothing: gone.' },
    ],
  ],
  snapshots_old: [
    [
      `${snapshots('opt_outs', ['2026-11-18'])}${snapshots('catalogs', ['2026-11-19'])}`,
      { severity: 'warn', date: '2026-11-18', subject: 'opt_outs *', expected: 'at most 2', actual: '3' },
    ],
  ],
  opt_outs_dated: [
    [
      `insert into opt_outs_history (unsubscribe_number, recipient, requested_at, copy, valid_from)
       values
         ('080', 'r', null, 1, '${DAY}'), ('080', 's', '2026-11-23 09:00:00+09:00', 1, '${DAY}'),
         ('080', 't', '${DAY} 09:00:00+09:00', 1, '${DAY}')`,
      {
        severity: 'warn',
        date: DAY,
        subject: 'opt_outs 080',
        finding: 'Opt-outs have no readable time of their request.',
        actual: '1',
      },
      { date: DAY, finding: 'Opt-outs were requested after the snapshot that first showed them.' },
    ],
  ],
};
