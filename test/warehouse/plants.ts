/** Faults that are planted into a sound warehouse, by the check that must find them. */
import { expect } from 'vitest';
import { daysOf } from '../../src/ground/calendar.js';
import type { Finding } from './support.js';

/** A fault, and all that is found of it: of the check itself on the last day, unless it says otherwise. */
export type Plant = [damage: string, ...findings: Partial<Finding>[]];

export const DAYS = daysOf({ start: '2026-11-16', end: '2026-11-20' });
const FIRST = '2026-11-16';
const DAY = '2026-11-20';

/** The channels of the sound warehouse. */
export const CHANNELS = [
  'text-message',
  'email',
  'chatapp-friendtalk',
  'chatapp-alimtalk',
  'chatapp-brand-message',
  'in-app-message',
  'in-web-message',
  'push-notification',
  'web-push-notification',
  'webhook',
];

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

const REFERENCE_PLANTS: Record<string, Plant[]> = {
  templates_known: [
    [
      `${snapshots('brand_templates', [FIRST, MORNING])}
       insert into brand_templates_history (template_id, template_name, valid_from) values ('t', '다른 글', '${FIRST}')`,
      {
        date: FIRST,
        subject: 'brand 기획전',
        finding: 'The last message by this template was sent on 2026-11-20.',
        actual: '25',
      },
    ],
    // Free-form messages have names of their own.
    [
      `${snapshots('brand_templates', [FIRST, MORNING])}
       update events set channel_subtype = 'free-form' where channel = 'chatapp-brand-message'`,
    ],
  ],
  history_versions: [
    [
      `${snapshots('opt_outs', [DAY, MORNING])}
       insert into opt_outs_history (unsubscribe_number, recipient, requested_at, copy, valid_from, valid_to)
       values
         ('080', 'r', '${DAY} 09:00:00+09:00', 1, '${DAY}', '2026-11-19'),
         ('080', 's', '${DAY} 09:00:00+09:00', 1, '${DAY}', '${DAY}'),
         ('080', 's', '${DAY} 09:00:00+09:00', 1, '${MORNING}', null)`,
      { subject: 'opt_outs_history', finding: 'A version ends before it begins.' },
    ],
  ],
  snapshots_agree: [
    [
      snapshots('opt_outs', [MORNING], '3, 5'),
      { date: MORNING, subject: 'opt_outs *', expected: '5', actual: '3' },
    ],
    [
      `${snapshots('catalogs', [MORNING], '1, null', 'products')}
       insert into catalogs_history (catalog_name, num_items, valid_from) values ('products', 7, '${DAY}');
       insert into catalog_items_history (catalog_name, item_id, valid_from) values ('products', 'a', '${DAY}')`,
      {
        subject: 'catalogs products',
        finding: 'The catalog does not hold as many items as num_items says.',
        expected: '7',
        actual: '1',
      },
    ],
  ],
  snapshot_parts: [
    [
      `insert into catalog_items_history (catalog_name, item_id, valid_from) values ('gone', 'a', '${DAY}');
       insert into brand_template_buttons_history (template_id, sender_key, position, valid_from)
       values ('t', 's', 1, '${DAY}'), ('t', 's', 2, '${DAY}')`,
      { subject: 'brand_template_buttons', finding: 'Rows belong to nothing: t.', actual: '2' },
      { subject: 'catalog_items', finding: 'Rows belong to nothing: gone.' },
    ],
  ],
  snapshots_old: [
    [
      `${snapshots('opt_outs', ['2026-11-18'])}${snapshots('catalogs', ['2026-11-19'])}`,
      { date: '2026-11-18', subject: 'opt_outs *', expected: 'at most 2', actual: '3' },
    ],
  ],
  opt_outs_dated: [
    [
      `insert into opt_outs_history (unsubscribe_number, recipient, requested_at, copy, valid_from)
       values
         ('080', 'r', null, 1, '${DAY}'), ('080', 's', '2026-11-23 09:00:00+09:00', 1, '${DAY}'),
         ('080', 't', '${DAY} 09:00:00+09:00', 1, '${DAY}')`,
      { subject: 'opt_outs 080', finding: 'Opt-outs have no readable time of their request.', actual: '1' },
      { finding: 'Opt-outs were requested after the snapshot that first showed them.' },
    ],
  ],
};

const PUSH = `channel = 'push-notification' and date = '${DAY}'`;

export const PLANTS: Record<string, Plant[]> = {
  ...REFERENCE_PLANTS,
  experiments_known: [
    [
      `update daily_statistics set variant_id = 'v1', variant_name = 'A' where channel = 'push-notification';
      insert into ops.experiments (campaign_id, baseline, split, hold_outs)
      values ('c-push-notification', 'A', map {date '2026-11-16': map {'A': 1, 'v2': 1}}, null), ('c-of-next-month', 'B', null, null),
        ('c-email', 'B', null, null)`,
      {
        date: undefined,
        subject: 'c-email baseline',
        finding: 'The campaign has no such variant.',
        expected: undefined,
        actual: 'B',
      },
      { date: undefined, subject: 'c-of-next-month', finding: 'No campaign of this id has been seen yet.' },
      {
        date: undefined,
        subject: 'c-push-notification split',
        finding: 'The campaign has no such variant.',
        expected: 'A, v1',
        actual: 'v2',
      },
    ],
  ],
  main_goals: [
    [
      `update ops.main_goals set goal = '구매완료', chosen_by = 'setting' where resource_id = 'c-push-notification';
       insert into ops.main_goals (resource_id, goal, chosen_by) values ('c-mistyped', '구매', 'setting')`,
      {
        date: undefined,
        subject: 'c-mistyped',
        finding: 'No campaign or user journey of this id has been seen yet.',
        actual: '구매',
      },
      {
        date: undefined,
        subject: 'c-push-notification',
        finding: 'No conversion has the name of the goal in the settings.',
        expected: '구매',
        actual: '구매완료',
      },
    ],
  ],
  statistics_key: [
    [
      `insert into daily_conversions from daily_conversions where date = '${DAY}';
       update daily_conversions_by_subchannel set count = count * 2 where date = '${DAY}'`,
      { subject: 'daily_conversions', expected: '1', actual: '2' },
    ],
  ],
  parts_have_wholes: [
    [
      `update daily_conversions set statistic_id = 'none' where date = '${DAY}'
       and statistic_id in (select statistic_id from daily_statistics where ${PUSH});
       delete from daily_conversions_by_subchannel where date = '${DAY}'
       and statistic_id in (select statistic_id from daily_statistics_by_subchannel where ${PUSH})`,
      // What is lost to a join is missing from the mart, of which it is one.
      {
        name: 'marts_agree_statistics',
        subject: 'marts.conversions conversions',
        expected: '10',
        actual: '9',
      },
      { subject: 'daily_conversions', finding: 'Conversions belong to no statistic.', actual: '1' },
    ],
    [
      `update campaign_metric_dimensions set metric_name = 'other' where date = '${DAY}' and campaign_id = 'c-email'`,
      { subject: 'c-email', actual: '1' },
    ],
  ],
  coverage_rows: [
    [
      `delete from events where event_name = 'close_button_click' and date = '${DAY}';
       delete from in_app_messages where event_id like '${DAY}%close%'`,
      { subject: 'events', expected: '55', actual: '51' },
    ],
  ],
  events_key: [
    [
      `insert into events from events where event_name = 'close_button_click' and date = '${DAY}';
       update ops.coverage set rows = 59 where stream = 'events' and date = '${DAY}'`,
      { subject: 'events', actual: '4' },
    ],
  ],
  messages_key: [
    [`insert into sent_emails from sent_emails where date = '${DAY}'`, { subject: 'emails', actual: '5' }],
  ],
  messages_have_events: [
    [
      `update sent_emails set event_id = 'none' where event_id = '${DAY} email send_success 1'`,
      { subject: 'emails', finding: 'Rows belong to no event.', actual: '1' },
    ],
    [
      `delete from text_messages where event_id = '${DAY} text-message send_success 1'`,
      { subject: 'text_message_attachments', finding: 'Rows belong to no message.', actual: '1' },
    ],
  ],
  dates_present: [
    [
      `update webhook_messages set date = null where date = '${DAY}'`,
      { date: undefined, subject: 'webhook_messages', actual: '5' },
    ],
  ],
  events_dated: [
    [
      `update events set occurred_at = occurred_at + interval 20 hours
       where event_name = 'close_button_click' and date = '${DAY}'`,
      { subject: 'events', actual: '4' },
    ],
  ],
  campaign_metrics_key: [
    [
      `insert into campaign_metric_dimensions from campaign_metric_dimensions
       where date = '${DAY}' and campaign_id = 'c-email'`,
      {
        subject: 'campaign_metric_dimensions c-email',
        finding: 'There is more than one value: standard send_success',
        actual: '2',
      },
    ],
  ],
  campaigns_unfinished: [
    [
      `update campaign_collections_history set last_collected_at = timestamptz '${DAY} 23:00:00+09' where campaign_id = 'c-email'`,
      {
        subject: 'c-email',
        finding: 'The figures of the day were collected before it was over.',
        expected: `after ${DAY}`,
        actual: `${DAY} 23:00`,
      },
    ],
  ],
  campaign_totals: [
    [
      `update campaign_metric_totals_history set total = 14 where campaign_id = 'c-email'`,
      { subject: 'c-email', expected: '14.0000', actual: '15.0000' },
    ],
  ],
  required_values: [
    [
      `update events set event_id = null where date = '${DAY}' and event_name = 'close_button_click';
       delete from in_app_messages where event_id like '${DAY}%close%'`,
      { subject: 'events.event_id', expected: '0', actual: '4' },
    ],
  ],
  counters_in_range: [
    [
      `update daily_conversions set count = -1 where date = '${DAY}'
       and statistic_id in (select statistic_id from daily_statistics where ${PUSH});
       update daily_conversions_by_subchannel set count = -1 where date = '${DAY}'
       and statistic_id in (select statistic_id from daily_statistics_by_subchannel where ${PUSH})`,
      { expected: '0 or more', actual: '-1' },
      { expected: '0 or more', actual: '-1' },
    ],
  ],
  reactions_in_range: [
    [
      `update daily_statistics set delivered = 13 where ${PUSH};
       update daily_statistics_by_subchannel set delivered = 13 where ${PUSH}`,
      {
        subject: 'c-push-notification push-notification',
        finding: 'More messages were delivered than were sent on four days.',
        expected: 'at most 12',
        actual: '13',
      },
    ],
  ],
  subchannels_agree: [
    [
      `update daily_statistics_by_subchannel set message_sent = 4 where ${PUSH}`,
      { subject: 'push-notification message_sent', expected: '5', actual: '4' },
    ],
  ],
  campaigns_agree: [
    [
      `update campaign_metrics set value = 4 where date = '${DAY}' and campaign_id = 'c-email';
       update campaign_metric_totals_history set total = 16 where campaign_id = 'c-email'`,
      { subject: 'c-email', expected: '3', actual: '4' },
    ],
    // E19 has not answered for the day of a campaign that was deleted.
    [
      `update campaign_metrics set value = 4 where date = '${DAY}' and campaign_id = 'c-email';
       update campaign_metric_totals_history set total = 16 where campaign_id = 'c-email';
       update campaign_collections_history set window_end = '${DAY} 00:00:00+09' where campaign_id = 'c-email'`,
    ],
  ],
  events_agree: [
    [
      `update events set event_name = 'other' where event_id = '${DAY} email send_success 1'`,
      { subject: 'c-email', expected: '3', actual: '2' },
      { subject: 'email', expected: '3', actual: '2' },
    ],
    [
      `update events set event_name = 'other' where event_name = 'push_click' and date = '${DAY}'`,
      { subject: 'c-push-notification', expected: '1', actual: '0' },
      {
        subject: 'push-notification',
        finding: 'The exported clicks are not as many as the daily statistics count.',
        actual: '0',
      },
    ],
    [
      `update daily_statistics set message_failed = message_sent + 7 where channel = 'email' and date = '${DAY}'`,
      { name: 'campaigns_agree', subject: 'c-email', expected: '0' },
      { name: 'counters_in_range', expected: 'at most 5' },
      { subject: 'c-email', expected: '0', actual: '3' },
      { subject: 'email', expected: '0', actual: '3' },
      { name: 'subchannels_agree', subject: 'email message_failed' },
    ],
    // Clicks of a channel whose statistics count none are not compared, and a channel without a name is one.
    [
      `update events set event_name = 'email_click' where event_name = 'close_button_click' and date = '${DAY}';
       update events set channel = null where event_id = '${DAY} email send_success 1'`,
      { subject: 'email', expected: '3', actual: '2' },
      { subject: 'without a channel', expected: '0', actual: '1' },
      { name: 'required_values', subject: 'events.channel' },
    ],
    // Right by channel, and yet the wrong campaign.
    [
      `update events set campaign_id = 'c-email' where event_id = '${DAY} webhook send_success 1'`,
      {
        subject: 'c-email',
        finding: 'The exported sends are not as many as the daily statistics count.',
        expected: '3',
        actual: '4',
      },
      { subject: 'c-webhook', expected: '3', actual: '2' },
    ],
  ],
  events_have_senders: [
    [
      `update events set campaign_id = 'c-gone' where event_name = 'close_button_click' and date = '${DAY}'`,
      { subject: 'c-gone', actual: '4' },
    ],
  ],
  events_in_window: [
    [
      `update events set date = '2026-11-21', occurred_at = occurred_at + interval 1 day
       where event_name = 'close_button_click' and date = '${DAY}'`,
      { finding: 'Records lie outside the window of their export.', actual: '4' },
    ],
  ],
  days_missing: [
    [
      `insert into ops.days (stream, date, state)
       select stream, date, if(stream = 'campaigns' and date in ('2026-11-17', '2026-11-18'), 'missing', 'held')
       from ops.coverage`,
      {
        date: '2026-11-17',
        subject: 'campaigns',
        finding: 'Days are missing, the last of them is 2026-11-18.',
        actual: '2',
      },
    ],
    [
      `insert into ops.days (stream, date, state) values ('events', '2026-11-18', 'waits'), ('events', '2026-11-17', 'removed')`,
      {
        date: '2026-11-18',
        subject: 'events',
        finding: 'Days wait for a person to decide, the last of them is 2026-11-18.',
        actual: '1',
      },
    ],
  ],
  volume_unusual: [
    [
      pastWeeks(8, '1000 + 10 * (n % 5)') + volumeOfDay(0),
      {
        subject: 'push-notification',
        finding: expect.stringMatching(
          /^Far fewer messages than usual: 10\d\d is the median of the same weekday of 8 weeks, give or take \d+\.$/,
        ) as string,
        actual: '0',
      },
    ],
    // Never the same: no alarm.
    [pastWeeks(8, '1000 + 700 * (n // 7 % 5)') + volumeOfDay(6000)],
  ],
};

/** Weeks before the five days with statistics of push, and the five days with a like number. */
function pastWeeks(weeks: number, sent: string): string {
  const days = weeks * 7;
  return `
    delete from ops.coverage where stream <> 'statistics';
    delete from daily_statistics_by_subchannel; delete from daily_conversions_by_subchannel;
    delete from campaign_metrics; delete from campaign_metric_dimensions; delete from events;
    delete from sent_emails; delete from text_messages; delete from text_message_attachments;
    delete from friendtalk_messages; delete from alimtalk_messages; delete from brand_messages;
    delete from in_app_messages; delete from in_web_messages; delete from sent_push_messages;
    delete from web_push_messages; delete from webhook_messages; delete from message_buttons;
    insert into ops.coverage by name
    select 'statistics' as stream, date '${FIRST}' - n::integer as date, 1 as rows from range(1, ${days + 1}) t(n);
    insert into daily_statistics by name
    select
      'past ' || n as statistic_id, date '${FIRST}' - n::integer as date, 'campaign' as resource_type,
      'c-push-notification' as campaign_id, 'push-notification' as channel, ${sent} as message_sent,
      0 as message_failed
    from range(1, ${days + 1}) t(n);
    update daily_statistics set message_sent = 1000, message_failed = 0
    where channel = 'push-notification' and date between '${FIRST}' and '2026-11-19';`;
}

function volumeOfDay(sent: number): string {
  return `update daily_statistics set message_sent = ${sent}, message_failed = 0, delivered = 0, click = 0 where ${PUSH}`;
}

/** Faults of what the job itself makes of the rows. */
export const MODEL_PLANTS: Record<string, Plant[]> = {
  marts_key: [
    [
      `insert into marts.daily_contents from marts.daily_contents where date = '${DAY}' limit 1`,
      { subject: 'marts.daily_contents', actual: '1' },
    ],
  ],
  marts_agree_events: [
    [
      `update marts.daily_events set events = events + 1
       where date = '${DAY}' and event_name = 'close_button_click';
       delete from marts.daily_failures where date = '${DAY}' and channel = 'email';
       update marts.daily_fatigue set messages = 0
       where date = '${DAY}' and channel = 'email' and window_days = 28;
       delete from marts.daily_response_times where date = '${DAY}';
       update marts.daily_send_hours set succeeded = 0 where date = '${DAY}' and channel = 'email'`,
      { subject: 'marts.daily_events events', expected: '55', actual: '56' },
      { subject: 'marts.daily_failures failed', expected: '20', actual: '18' },
      { subject: 'marts.daily_fatigue messages', expected: '24', actual: '21' },
      { subject: 'marts.daily_response_times responses', expected: '1', actual: '0' },
      { subject: 'marts.daily_send_hours succeeded', expected: '30', actual: '27' },
    ],
  ],
  marts_agree_statistics: [
    [
      `create or replace view marts.channel_days as
       select * replace (sent + 1 as sent) from (
         select date, channel, sum(sent) as sent, sum(failed) as failed, sum(delivered) as delivered,
           sum(clicked) as clicked, sum(conversions) as conversions, sum(direct_conversions) as direct_conversions
         from marts.message_days group by all
       ) where date = '${DAY}' or date < '2000-01-01'`,
      ...DAYS.slice(0, 4).flatMap((date) =>
        ['clicked', 'delivered', 'failed', 'sent'].map((counter) => ({
          date,
          subject: `marts.channel_days ${counter}`,
          actual: '0',
        })),
      ),
      { subject: 'marts.channel_days sent', expected: '50', actual: '60' },
    ],
  ],
  calendar_key: [
    [
      `create or replace view calendar as
       select * from (values (date '${DAY}')) as days (date) cross join range(2)`,
      { subject: 'calendar', expected: '1', actual: '2' },
    ],
  ],
};
