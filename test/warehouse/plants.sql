-- Faults that are planted into a sound warehouse, by the check that must find them; behind --> all that is found: check, date,
-- subject, finding, expected, actual. UPDATE_GOLDEN=1 writes what is found anew, to be read by a person.

-- templates_known
insert into ops.coverage (stream, date, rows) values ('brand_templates', '2026-11-16', 1);
insert into ops.snapshots (stream, list, date, rows, announced) values ('brand_templates', '*', '2026-11-16', 1, 1);
insert into ops.coverage (stream, date, rows) values ('brand_templates', '2026-11-21', 1);
insert into ops.snapshots (stream, list, date, rows, announced) values ('brand_templates', '*', '2026-11-21', 1, 1);
insert into brand_templates_history (template_id, template_name, valid_from) values ('t', '다른 글', '2026-11-16');
--> templates_known | 2026-11-16 | brand 기획전 | The last message by this template was sent on 2026-11-20. | 0 | 25

-- templates_known: free-form messages have names of their own
insert into ops.coverage (stream, date, rows) values ('brand_templates', '2026-11-16', 1);
insert into ops.snapshots (stream, list, date, rows, announced) values ('brand_templates', '*', '2026-11-16', 1, 1);
insert into ops.coverage (stream, date, rows) values ('brand_templates', '2026-11-21', 1);
insert into ops.snapshots (stream, list, date, rows, announced) values ('brand_templates', '*', '2026-11-21', 1, 1);
update events set channel_subtype = 'free-form' where channel = 'chatapp-brand-message';

-- history_versions
insert into ops.coverage (stream, date, rows) values ('opt_outs', '2026-11-20', 1);
insert into ops.snapshots (stream, list, date, rows, announced) values ('opt_outs', '*', '2026-11-20', 1, 1);
insert into ops.coverage (stream, date, rows) values ('opt_outs', '2026-11-21', 1);
insert into ops.snapshots (stream, list, date, rows, announced) values ('opt_outs', '*', '2026-11-21', 1, 1);
insert into opt_outs_history (unsubscribe_number, recipient, requested_at, copy, valid_from, valid_to)
  values
  ('080', 'r', '2026-11-20 09:00:00+09:00', 1, '2026-11-20', '2026-11-19'),
  ('080', 's', '2026-11-20 09:00:00+09:00', 1, '2026-11-20', '2026-11-20'),
  ('080', 's', '2026-11-20 09:00:00+09:00', 1, '2026-11-21', null);
--> history_versions | 2026-11-20 | opt_outs_history | A version ends before it begins. | 0 | 1

-- snapshots_agree
insert into ops.coverage (stream, date, rows) values ('opt_outs', '2026-11-21', 1);
insert into ops.snapshots (stream, list, date, rows, announced) values ('opt_outs', '*', '2026-11-21', 3, 5);
--> snapshots_agree | 2026-11-21 | opt_outs * | The service announced a different number of rows than it sent. | 5 | 3

-- snapshots_agree
insert into ops.coverage (stream, date, rows) values ('catalogs', '2026-11-21', 1);
insert into ops.snapshots (stream, list, date, rows, announced) values ('catalogs', 'products', '2026-11-21', 1, null);
insert into catalogs_history (catalog_name, num_items, valid_from) values ('products', 7, '2026-11-20');
insert into catalog_items_history (catalog_name, item_id, valid_from) values ('products', 'a', '2026-11-20');
--> snapshots_agree | 2026-11-20 | catalogs products | The number of items in the catalog differs from num_items. | 7 | 1

-- snapshot_parts
insert into catalog_items_history (catalog_name, item_id, valid_from) values ('gone', 'a', '2026-11-20');
insert into brand_template_buttons_history (template_id, sender_key, position, valid_from)
  values ('t', 's', 1, '2026-11-20'), ('t', 's', 2, '2026-11-20');
--> snapshot_parts | 2026-11-20 | brand_template_buttons | Rows belong to nothing: t. | 0 | 2
--> snapshot_parts | 2026-11-20 | catalog_items | Rows belong to nothing: gone. | 0 | 1

-- snapshots_old
insert into ops.coverage (stream, date, rows) values ('opt_outs', '2026-11-18', 1);
insert into ops.snapshots (stream, list, date, rows, announced) values ('opt_outs', '*', '2026-11-18', 1, 1);
insert into ops.coverage (stream, date, rows) values ('catalogs', '2026-11-19', 1);
insert into ops.snapshots (stream, list, date, rows, announced) values ('catalogs', '*', '2026-11-19', 1, 1);
--> snapshots_old | 2026-11-18 | opt_outs * | The last snapshot is several nights old. | at most 2 | 3

-- own_keys_unique
insert into ops.own_tables (table_name, rows, repeated, pulled_at, newest_at)
  values ('orders', 5, 2, '2026-11-21 07:30:00+09:00', '2026-11-21 05:00:00+09:00'), ('members', 5, null, '2026-11-21 07:30:00+09:00', null);
--> own_keys_unique | 2026-11-21 | orders | Rows repeat the unique columns of another row. | 0 | 2

-- own_keys_known
insert into ops.own_tables (table_name, rows, persons, known_persons, pulled_at)
  values ('orders', 500, 500, 4, '2026-11-21 07:30:00+09:00'), ('members', 500, 500, 5, '2026-11-21 07:30:00+09:00');
--> own_keys_known | 2026-11-21 | orders | Almost nobody in the table has an event. | at least 1% | 0.8%

-- excluded_known
insert into ops.exclusions (listed, people, events) values (3, 0, 0);
--> excluded_known | 2026-11-20 | exclude.user_ids | None of the ids that the settings exclude has an event. | at least 1 | 0

-- holdouts_kept: the day of the assignment, exempt campaigns and somebody in both groups do not count
insert into ops.holdouts
  select 'c1', 'audience', 0.1, null, null, 0.05, null, list(distinct campaign_id) from events where campaign_id <> 'c-email';
insert into ops.holdouts
  values
  ('ended', 'audience', 0.1, null, '2026-11-17', 0.05, null, []),
  ('late', 'audience', 0.1, null, null, 0.05, null, []),
  ('mixed', 'table', null, null, null, 0.05, null, []),
  ('variant', 'campaign', null, null, null, 0.05, 'c-email', []);
create or replace view own.holdouts as
  select
    holdout, 'u1' as user_id, null::varchar as service_user_id, null::varchar as device_id, null::varchar as service_device_id, arm,
    null::double as share, assigned_on
  from (
    values
    ('c1', 'holdout', date '2026-11-18'), ('ended', 'holdout', date '2026-11-17'), ('late', 'holdout', date '2026-11-20'),
    ('mixed', 'holdout', date '2026-11-18'), ('mixed', 'messages', date '2026-11-18'), ('variant', 'holdout', date '2026-11-20')
  ) as given (holdout, arm, assigned_on);
--> holdouts_kept | 2026-11-20 | c1 | People of the holdout got messages. | 0 | 1
--> holdouts_kept | 2026-11-20 | variant | People of the holdout got messages. | 0 | 1

-- own_tables_old
insert into ops.own_tables (table_name, rows, pulled_at, newest_at)
  values
  ('fresh', 5, '2026-11-21 07:30:00+09:00', '2026-11-14 05:00:00+09:00'),
  ('failing', 5, '2026-11-19 07:30:00+09:00', null),
  ('unwritten', 5, '2026-11-21 07:30:00+09:00', '2026-11-13 05:00:00+09:00');
--> own_tables_old | 2026-11-21 | failing | The last copy of the table is several nights old. | at most 1 | 2
--> own_tables_old | 2026-11-21 | unwritten | The newest instant in the table is a week old. | at most 7 | 8

-- opt_outs_dated
insert into opt_outs_history (unsubscribe_number, recipient, requested_at, copy, valid_from)
  values
  ('080', 'r', null, 1, '2026-11-20'), ('080', 's', '2026-11-23 09:00:00+09:00', 1, '2026-11-20'),
  ('080', 't', '2026-11-20 09:00:00+09:00', 1, '2026-11-20');
--> opt_outs_dated | 2026-11-20 | opt_outs 080 | Opt-outs have no readable time of their request. | 0 | 1
--> opt_outs_dated | 2026-11-20 | opt_outs 080 | Opt-outs were requested after the snapshot that first showed them. | 0 | 1

-- experiments_known
update daily_statistics set variant_id = 'v1', variant_name = 'A' where channel = 'push-notification';
insert into ops.experiments (campaign_id, baseline, split, hold_outs)
  values ('c-push-notification', 'A', map {date '2026-11-16': map {'A': 1, 'v2': 1}}, null), ('c-of-next-month', 'B', null, null),
  ('c-email', 'B', null, null);
--> experiments_known | - | c-email baseline | The campaign has no such variant. | - | B
--> experiments_known | - | c-of-next-month | No data has a campaign with this id yet. | - | -
--> experiments_known | - | c-push-notification split | The campaign has no such variant. | A, v1 | v2

-- main_goals
update ops.main_goals set goal = '구매완료', chosen_by = 'setting' where resource_id = 'c-push-notification';
insert into ops.main_goals (resource_id, goal, chosen_by) values ('c-mistyped', '구매', 'setting');
--> main_goals | - | c-mistyped | No data has a campaign or user journey with this id yet. | - | 구매
--> main_goals | - | c-push-notification | No conversion has the name of the goal in the settings. | 구매 | 구매완료

-- statistics_key
insert into daily_conversions from daily_conversions where date = '2026-11-20';
update daily_conversions_by_subchannel set count = count * 2 where date = '2026-11-20';
--> statistics_key | 2026-11-20 | daily_conversions | Several rows have the same id, such as 1c12a7d07684e282f2332c458f780d50. | 1 | 2

-- parts_have_wholes: what is lost to a join is missing from the mart, of which it is one
update daily_conversions set statistic_id = 'none' where date = '2026-11-20'
  and statistic_id in (select statistic_id from daily_statistics where channel = 'push-notification' and date = '2026-11-20');
delete from daily_conversions_by_subchannel where date = '2026-11-20'
  and statistic_id in (select statistic_id from daily_statistics_by_subchannel where channel = 'push-notification' and date = '2026-11-20');
--> marts_agree_statistics | 2026-11-20 | marts.conversions conversions | The mart does not add up to its rows. | 10 | 9
--> parts_have_wholes | 2026-11-20 | daily_conversions | Conversions belong to no statistic. | 0 | 1

-- parts_have_wholes
update campaign_metric_dimensions set metric_name = 'other' where date = '2026-11-20' and campaign_id = 'c-email';
--> parts_have_wholes | 2026-11-20 | c-email | Values by dimension belong to no metric. | 0 | 1

-- coverage_rows
delete from events where event_name = 'close_button_click' and date = '2026-11-20';
delete from in_app_messages where event_id like '2026-11-20%close%';
--> coverage_rows | 2026-11-20 | events | The rows of a day differ from those that were loaded. | 55 | 51

-- events_key
insert into events from events where event_name = 'close_button_click' and date = '2026-11-20';
update ops.coverage set rows = 59 where stream = 'events' and date = '2026-11-20';
--> events_key | 2026-11-20 | events | Records are stored more than once. | 0 | 4

-- messages_key
insert into sent_emails from sent_emails where date = '2026-11-20';
--> messages_key | 2026-11-20 | emails | Rows are stored more than once. | 0 | 5

-- messages_have_events
update sent_emails set event_id = 'none' where event_id = '2026-11-20 email send_success 1';
--> messages_have_events | 2026-11-20 | emails | Rows belong to no event. | 0 | 1

-- messages_have_events
delete from text_messages where event_id = '2026-11-20 text-message send_success 1';
--> messages_have_events | 2026-11-20 | text_message_attachments | Rows belong to no message. | 0 | 1

-- dates_present
update webhook_messages set date = null where date = '2026-11-20';
--> dates_present | - | webhook_messages | Rows have no day. | 0 | 5

-- events_dated
update events set occurred_at = occurred_at + interval 20 hours
  where event_name = 'close_button_click' and date = '2026-11-20';
--> events_dated | 2026-11-20 | events | The day of records differs from the day of their time. | 0 | 4

-- campaign_metrics_key
insert into campaign_metric_dimensions from campaign_metric_dimensions
  where date = '2026-11-20' and campaign_id = 'c-email';
--> campaign_metrics_key | 2026-11-20 | campaign_metric_dimensions c-email | More than one value was given: standard send_success | 1 | 2

-- campaigns_unfinished
update campaign_collections_history set last_collected_at = timestamptz '2026-11-20 23:00:00+09' where campaign_id = 'c-email';
--> campaigns_unfinished | 2026-11-20 | c-email | The figures of the day were collected before it was over. | after 2026-11-20 | 2026-11-20 23:00

-- campaign_totals
update campaign_metric_totals_history set total = 14 where campaign_id = 'c-email';
--> campaign_totals | 2026-11-20 | c-email | The days do not add up to the total: standard send_success | 14.0000 | 15.0000

-- required_values
update events set event_id = null where date = '2026-11-20' and event_name = 'close_button_click';
delete from in_app_messages where event_id like '2026-11-20%close%';
--> required_values | 2026-11-20 | events.event_id | Values are missing. | 0 | 4

-- counters_in_range
update daily_conversions set count = -1 where date = '2026-11-20'
  and statistic_id in (select statistic_id from daily_statistics where channel = 'push-notification' and date = '2026-11-20');
update daily_conversions_by_subchannel set count = -1 where date = '2026-11-20'
  and statistic_id in (select statistic_id from daily_statistics_by_subchannel where channel = 'push-notification' and date = '2026-11-20');
--> counters_in_range | 2026-11-20 | daily_conversions 1c12a7d07684e282f2332c458f780d50 | A number of conversions is negative. | 0 or more | -1
--> counters_in_range | 2026-11-20 | daily_conversions_by_subchannel 58bf433d1aca95adbae9f911bacd820d | A number of conversions is negative. | 0 or more | -1

-- reactions_in_range
update daily_statistics set delivered = 13 where channel = 'push-notification' and date = '2026-11-20';
update daily_statistics_by_subchannel set delivered = 13 where channel = 'push-notification' and date = '2026-11-20';
--> reactions_in_range | 2026-11-20 | c-push-notification push-notification | More messages were delivered than were sent on four days. | at most 12 | 13

-- subchannels_agree
update daily_statistics_by_subchannel set message_sent = 4 where channel = 'push-notification' and date = '2026-11-20';
--> subchannels_agree | 2026-11-20 | push-notification message_sent | The sub-channels do not add up to the channel. | 5 | 4

-- campaigns_agree
update campaign_metrics set value = 4 where date = '2026-11-20' and campaign_id = 'c-email';
update campaign_metric_totals_history set total = 16 where campaign_id = 'c-email';
--> campaigns_agree | 2026-11-20 | c-email | The detailed statistics count other successful sends than the daily statistics. | 3 | 4

-- campaigns_agree: E19 has not answered for the day of a campaign that was deleted
update campaign_metrics set value = 4 where date = '2026-11-20' and campaign_id = 'c-email';
update campaign_metric_totals_history set total = 16 where campaign_id = 'c-email';
update campaign_collections_history set window_end = '2026-11-20 00:00:00+09' where campaign_id = 'c-email';

-- events_agree
update events set event_name = 'other' where event_id = '2026-11-20 email send_success 1';
--> events_agree | 2026-11-20 | email | The number of exported sends differs from the daily statistics. | 3 | 2

-- events_agree
update events set event_name = 'other' where event_name = 'push_click' and date = '2026-11-20';
--> events_agree | 2026-11-20 | push-notification | The number of exported clicks differs from the daily statistics. | 1 | 0

-- events_agree
update daily_statistics set message_failed = message_sent + 7 where channel = 'email' and date = '2026-11-20';
--> campaigns_agree | 2026-11-20 | c-email | The detailed statistics count other successful sends than the daily statistics. | 0 | 3
--> counters_in_range | 2026-11-20 | daily_statistics d4e2b6cd2639bf672255d6fc8096b12c | More messages failed than were sent. | at most 5 | 12
--> events_agree | 2026-11-20 | email | The number of exported sends differs from the daily statistics. | 0 | 3
--> subchannels_agree | 2026-11-20 | email message_failed | The sub-channels do not add up to the channel. | 12 | 2

-- events_agree: clicks of a channel whose statistics count none are not compared, and a channel without a name is one
update events set event_name = 'email_click' where event_name = 'close_button_click' and date = '2026-11-20';
update events set channel = null where event_id = '2026-11-20 email send_success 1';
--> events_agree | 2026-11-20 | email | The number of exported sends differs from the daily statistics. | 3 | 2
--> events_agree | 2026-11-20 | without a channel | The number of exported sends differs from the daily statistics. | 0 | 1
--> required_values | 2026-11-20 | events.channel | Values are missing. | 0 | 1

-- events_agree: right by channel, and yet the wrong campaign
update events set campaign_id = 'c-email' where event_id = '2026-11-20 webhook send_success 1';
--> events_agree | 2026-11-20 | c-email | The number of exported sends differs from the daily statistics. | 3 | 4
--> events_agree | 2026-11-20 | c-webhook | The number of exported sends differs from the daily statistics. | 3 | 2

-- events_have_senders
update events set campaign_id = 'c-gone' where event_name = 'close_button_click' and date = '2026-11-20';
--> events_have_senders | 2026-11-20 | c-gone | Events name a campaign or user journey that the daily statistics lack. | 0 | 4

-- ids_known
update events set user_id = 'undefined' where date = '2026-11-20';
--> ids_known | 2026-11-20 | undefined | More than 1% of the records have this id, which is nobody’s. | 0 | 55

-- clicks_by_many
insert into events by name
  select events.* replace (event_id || ' ' || i as event_id, 'u1' as user_id)
  from events, range(120) as numbers (i) where event_name = 'push_click' and date = '2026-11-20';
--> coverage_rows | 2026-11-20 | events | The rows of a day differ from those that were loaded. | 55 | 175
--> clicks_by_many | 2026-11-20 | c-push-notification | One person has most of the clicks. | 0 | 121
--> events_agree | 2026-11-20 | push-notification | The number of exported clicks differs from the daily statistics. | 1 | 121

-- events_in_window: a day whose export is loaded is named
insert into ops.exports (key, date, state) values ('2026-11-19.1', '2026-11-19', 'loaded');
update events set date = '2026-11-19', occurred_at = occurred_at - interval 1 day
  where event_name = 'close_button_click' and date = '2026-11-20';
--> events_in_window | 2026-11-20 | events | Records are outside the window of their export, the oldest of them on 2026-11-19; `dawnload exports resume 2026-11-19.1` reads the export of that day again at no cost. | 0 | 4

-- events_in_window
update events set date = '2026-11-21', occurred_at = occurred_at + interval 1 day
  where event_name = 'close_button_click' and date = '2026-11-20';
--> events_in_window | 2026-11-20 | events | Records are outside the window of their export. | 0 | 4

-- days_missing
insert into ops.days (stream, date, state)
  select stream, date, if(stream = 'campaigns' and date in ('2026-11-17', '2026-11-18'), 'missing', 'loaded')
  from ops.coverage;
--> days_missing | 2026-11-17 | campaigns | Days are missing, the last of them is 2026-11-18. | 0 | 2

-- days_missing
insert into ops.days (stream, date, state) values ('events', '2026-11-18', 'waits'), ('events', '2026-11-17', 'removed');
--> days_missing | 2026-11-18 | events | Days need your decision, the last of them is 2026-11-18. | 0 | 1

-- volume_unusual: too few on one channel; on another one no two weeks are alike, so that nothing is unusual
delete from ops.coverage where stream <> 'statistics';
delete from daily_statistics_by_subchannel; delete from daily_conversions_by_subchannel;
delete from campaign_metrics; delete from campaign_metric_dimensions; delete from events;
delete from sent_emails; delete from text_messages; delete from text_message_attachments;
delete from friendtalk_messages; delete from alimtalk_messages; delete from brand_messages;
delete from in_app_messages; delete from in_web_messages; delete from sent_push_messages;
delete from web_push_messages; delete from webhook_messages; delete from message_buttons;
insert into ops.coverage by name
  select 'statistics' as stream, date '2026-11-16' - n::integer as date, 2 as rows from range(1, 57) t(n);
insert into daily_statistics by name
  select
    channel || ' past ' || n as statistic_id, date '2026-11-16' - n::integer as date, 'campaign' as resource_type,
    'c-' || channel as campaign_id, channel, 1000 + if(channel = 'email', 700 * (n // 7 % 5), 10 * (n % 5)) as message_sent,
    0 as message_failed
  from range(1, 57) t(n), (values ('email'), ('push-notification')) as channels (channel);
update daily_statistics set message_sent = 1000, message_failed = 0
  where channel in ('email', 'push-notification') and date between '2026-11-16' and '2026-11-19';
update daily_statistics set message_sent = if(channel = 'email', 6000, 0), message_failed = 0, delivered = 0, click = 0
  where channel in ('email', 'push-notification') and date = '2026-11-20';
--> volume_unusual | 2026-11-20 | push-notification | Far fewer messages than usual: 1020 is the median of the same weekday of 8 weeks, give or take 15. | 1020 | 0

-- marts_key in the models
insert into marts.daily_contents from marts.daily_contents where date = '2026-11-20' limit 1;
--> marts_key | 2026-11-20 | marts.daily_contents | Several rows have the same grain. | 0 | 1

-- marts_agree_events in the models
update marts.daily_events set events = events + 1
  where date = '2026-11-20' and event_name = 'close_button_click';
delete from marts.daily_failures where date = '2026-11-20' and channel = 'email';
update marts.daily_fatigue set messages = 0
  where date = '2026-11-20' and channel = 'email' and window_days = 28;
delete from marts.daily_response_times where date = '2026-11-20';
update marts.daily_send_hours set succeeded = 0 where date = '2026-11-20' and channel = 'email';
--> marts_agree_events | 2026-11-20 | marts.daily_events events | The mart does not add up to its rows. | 55 | 56
--> marts_agree_events | 2026-11-20 | marts.daily_failures failed | The mart does not add up to its rows. | 20 | 18
--> marts_agree_events | 2026-11-20 | marts.daily_fatigue messages | The mart does not add up to its rows. | 21 | 18
--> marts_agree_events | 2026-11-20 | marts.daily_response_times responses | The mart does not add up to its rows. | 1 | 0
--> marts_agree_events | 2026-11-20 | marts.daily_send_hours succeeded | The mart does not add up to its rows. | 30 | 27

-- marts_agree_statistics in the models
create or replace view marts.channel_days as
  select * replace (sent + 1 as sent) from (
  select date, channel, sum(sent) as sent, sum(failed) as failed, sum(delivered) as delivered,
  sum(clicked) as clicked, sum(conversions) as conversions, sum(direct_conversions) as direct_conversions
  from marts.message_days group by all
  ) where date = '2026-11-20' or date < '2000-01-01';
--> marts_agree_statistics | 2026-11-16 | marts.channel_days clicked | The mart does not add up to its rows. | 1 | 0
--> marts_agree_statistics | 2026-11-16 | marts.channel_days delivered | The mart does not add up to its rows. | 2 | 0
--> marts_agree_statistics | 2026-11-16 | marts.channel_days failed | The mart does not add up to its rows. | 20 | 0
--> marts_agree_statistics | 2026-11-16 | marts.channel_days sent | The mart does not add up to its rows. | 50 | 0
--> marts_agree_statistics | 2026-11-17 | marts.channel_days clicked | The mart does not add up to its rows. | 1 | 0
--> marts_agree_statistics | 2026-11-17 | marts.channel_days delivered | The mart does not add up to its rows. | 2 | 0
--> marts_agree_statistics | 2026-11-17 | marts.channel_days failed | The mart does not add up to its rows. | 20 | 0
--> marts_agree_statistics | 2026-11-17 | marts.channel_days sent | The mart does not add up to its rows. | 50 | 0
--> marts_agree_statistics | 2026-11-18 | marts.channel_days clicked | The mart does not add up to its rows. | 1 | 0
--> marts_agree_statistics | 2026-11-18 | marts.channel_days delivered | The mart does not add up to its rows. | 2 | 0
--> marts_agree_statistics | 2026-11-18 | marts.channel_days failed | The mart does not add up to its rows. | 20 | 0
--> marts_agree_statistics | 2026-11-18 | marts.channel_days sent | The mart does not add up to its rows. | 50 | 0
--> marts_agree_statistics | 2026-11-19 | marts.channel_days clicked | The mart does not add up to its rows. | 1 | 0
--> marts_agree_statistics | 2026-11-19 | marts.channel_days delivered | The mart does not add up to its rows. | 2 | 0
--> marts_agree_statistics | 2026-11-19 | marts.channel_days failed | The mart does not add up to its rows. | 20 | 0
--> marts_agree_statistics | 2026-11-19 | marts.channel_days sent | The mart does not add up to its rows. | 50 | 0
--> marts_agree_statistics | 2026-11-20 | marts.channel_days sent | The mart does not add up to its rows. | 50 | 60

-- calendar_key in the models
create or replace view calendar as
  select * from (values (date '2026-11-20')) as days (date) cross join range(2);
--> calendar_key | 2026-11-20 | calendar | A day is listed more than once. | 1 | 2
