-- A warehouse small enough to reckon every answer of sql/queries by hand.
-- The statistics hold 2026-11-01 to 03; 2026-10-01 is there too, and too old for the default range of 28 days.

insert into ops.coverage by name
select unnest([
    {stream: 'statistics', date: date '2026-10-01', rows: 1},
    {stream: 'statistics', date: date '2026-11-01', rows: 3},
    {stream: 'statistics', date: date '2026-11-02', rows: 4},
    {stream: 'statistics', date: date '2026-11-03', rows: 3},
    {stream: 'statistics_by_subchannel', date: date '2026-11-01', rows: 3},
    {stream: 'statistics_by_subchannel', date: date '2026-11-03', rows: 1},
    {stream: 'campaigns', date: date '2026-11-01', rows: 2},
    {stream: 'campaigns', date: date '2026-11-02', rows: 2},
    {stream: 'campaigns', date: date '2026-11-03', rows: 0},
    {stream: 'events', date: date '2026-11-02', rows: 8},
    {stream: 'events', date: date '2026-11-03', rows: 2},
], recursive := true);

insert into ops.days (stream, date, state) select stream, date, 'loaded' from ops.coverage;

-- A push campaign with two variants, renamed on the second day; an e-mail, which has no deliveries; a text message,
-- which has neither deliveries nor clicks, and of which nothing went out; two pushes of which one was not counted.
insert into daily_statistics by name
select
    statistic_id, date, 'campaign' as resource_type, campaign_id, campaign_name, variant_id, variant_name,
    channel, tags, message_sent, message_failed, delivered, click, 1 as ordinal
from (values
    ('s0', date '2026-10-01', 'c-old', '지난 세일', null, null, 'push-notification', ['sale'], 999, 0, 900, 99),
    ('s1', date '2026-11-01', 'c-sale', '가을 세일', 'v-a', 'A', 'push-notification', ['autumn', 'sale'], 100, 10, 80, 9),
    ('s2', date '2026-11-01', 'c-sale', '가을 세일', 'v-b', 'B', 'push-notification', ['autumn', 'sale'], 100, 20, 70, 16),
    ('s3', date '2026-11-02', 'c-sale', '가을 세일 연장', 'v-a', 'A', 'push-notification', ['autumn', 'sale'], 50, 0, 45, 9),
    ('s4', date '2026-11-01', 'c-mail', '뉴스레터', null, null, 'email', ['news', 'sale'], 200, 0, null, 30),
    ('s5', date '2026-11-02', 'c-text', '문자 공지', null, null, 'text-message', []::varchar[], 0, 0, null, null),
    ('s9', date '2026-11-03', 'c-mix', '집계 안 됨', null, null, 'push-notification', null, 10, 0, null, null),
    ('s10', date '2026-11-03', 'c-mix2', '집계 됨', null, null, 'push-notification', null, 10, 0, 5, 1)
) as given (
    statistic_id, date, campaign_id, campaign_name, variant_id, variant_name,
    channel, tags, message_sent, message_failed, delivered, click
);

-- A user journey of two nodes.
insert into daily_statistics by name
select
    statistic_id, date, 'user-journey' as resource_type, 'j-1' as user_journey_id, '온보딩' as user_journey_name,
    user_journey_node_id, user_journey_node_name, channel, []::varchar[] as tags,
    message_sent, message_failed, delivered, click, 1 as ordinal
from (values
    ('s6', date '2026-11-02', 'n-1', '환영', 'push-notification', 100, 0, 90, 4),
    ('s7', date '2026-11-02', 'n-2', '쿠폰', 'chatapp-alimtalk', 30, 3, null, null),
    ('s8', date '2026-11-03', 'n-2', '쿠폰', 'chatapp-alimtalk', 20, 0, null, null)
) as given (
    statistic_id, date, user_journey_node_id, user_journey_node_name, channel,
    message_sent, message_failed, delivered, click
);

insert into daily_conversions by name
select statistic_id, date, name, type, count, 1 as position
from (values
    ('s1', date '2026-11-01', '구매', 'total_count_conversion', 5),
    ('s1', date '2026-11-01', '구매', 'direct_count_conversion', 2),
    ('s1', date '2026-11-01', '가입', 'total_count_conversion', 1),
    ('s2', date '2026-11-01', '구매', 'total_count_conversion', 8),
    ('s2', date '2026-11-01', '구매', 'direct_count_conversion', 4),
    ('s6', date '2026-11-02', '구매', 'total_count_conversion', 3),
    ('s6', date '2026-11-02', '구매', 'direct_count_conversion', 0)
) as given (statistic_id, date, name, type, count);

insert into daily_statistics_by_subchannel by name
select
    statistic_id, date, resource_id, channel, channel_sub, brand_message_target,
    message_sent, message_failed, delivered, click, 1 as ordinal
from (values
    ('b1', date '2026-11-01', 'c-1', 'text-message', 'SMS', null, 100, 1, null, null),
    ('b2', date '2026-11-01', 'c-1', 'text-message', 'LMS', null, 50, 5, null, null),
    ('b3', date '2026-11-01', 'c-2', 'chatapp-brand-message', 'basic', 'M', 40, 0, null, 8),
    ('b4', date '2026-11-03', 'c-3', 'text-message', 'SMS', null, 100, 3, null, null)
) as given (
    statistic_id, date, resource_id, channel, channel_sub, brand_message_target,
    message_sent, message_failed, delivered, click
);

insert into campaign_metrics by name
select campaign_id, metric_type, metric_name, conversion_type, date, value, 'p1' as pull
from (values
    ('c-sale', 'standard', 'send_success', null, date '2026-11-01', 170),
    ('c-sale', 'standard', 'send_success', null, date '2026-11-02', 50),
    ('c-sale', 'conversion', '구매', 'sales_conversion', date '2026-11-01', 129000.5),
    ('c-none', 'standard', 'send_success', null, date '2026-11-01', 1)
) as given (campaign_id, metric_type, metric_name, conversion_type, date, value);

-- Half an hour past midnight and half an hour before it, in Korea: other days, and other hours, in most other zones.
insert into events by name
select
    event_id, user_id, channel, event_name, failure_reason, 'campaign' as resource_type, campaign_id,
    occurred_at::timestamptz as occurred_at, date, date as export_date
from (values
    ('e1', 'u1', 'push-notification', 'send_success', null, 'c-sale', '2026-11-02 00:30:00+09:00', date '2026-11-02'),
    ('e1', 'u1', 'push-notification', 'push_click', null, 'c-sale', '2026-11-02 23:30:00+09:00', date '2026-11-02'),
    ('e2', 'u2', 'push-notification', 'send_success', null, 'c-sale', '2026-11-02 00:59:59+09:00', date '2026-11-02'),
    ('e3', 'u3', 'push-notification', 'send_failure', 'NotRegistered', 'c-sale', '2026-11-02 09:00:00+09:00', date '2026-11-02'),
    ('e4', 'u3', 'push-notification', 'send_failure', 'NotRegistered', 'c-mix', '2026-11-02 09:00:00+09:00', date '2026-11-02'),
    ('e5', 'u4', 'push-notification', 'send_failure', '푸시 토큰이 만료되었습니다', 'c-sale', '2026-11-02 10:00:00+09:00', date '2026-11-02'),
    ('e6', 'u5', 'chatapp-alimtalk', 'send_failure', null, 'c-talk', '2026-11-02 10:00:00+09:00', date '2026-11-02'),
    ('e6', 'u5', 'chatapp-alimtalk', 'failover_text_message_send_failure', '4420', 'c-talk', '2026-11-02 10:00:01+09:00', date '2026-11-02'),
    ('e7', 'u1', 'in-app-message', 'close_button_click', null, 'c-app', '2026-11-03 23:00:00+09:00', date '2026-11-03'),
    ('e8', 'u1', 'in-app-message', 'main_button_click', null, 'c-app', null, date '2026-11-03')
) as given (event_id, user_id, channel, event_name, failure_reason, campaign_id, occurred_at, date);

-- The first one was requested on 1 November in Korea, which was still October in London.
insert into ops.exports by name
select
    key, date, state, billed, records, estimated_records, 0.5 as price_per_record,
    requested_at::timestamptz as requested_at, updated_at::timestamptz as updated_at
from (values
    ('2026-10-30.1', date '2026-10-30', 'loaded', 'yes', 1000, 900, '2026-10-31 23:30:00+09:00', '2026-10-31 23:40:00+09:00'),
    ('2026-10-31.1', date '2026-10-31', 'loaded', 'yes', 2000, 1900, '2026-11-01 00:30:00+09:00', '2026-11-01 00:40:00+09:00'),
    ('2026-11-01.1', date '2026-11-01', 'processing', 'yes', null, 300, '2026-11-02 07:10:00+09:00', '2026-11-02 07:20:00+09:00'),
    ('2026-11-02.1', date '2026-11-02', 'ambiguous', 'maybe', null, null, '2026-11-03 07:05:00+09:00', '2026-11-03 07:10:00+09:00'),
    ('2026-11-03.1', date '2026-11-03', 'failed', 'no', null, 500, '2026-11-04 07:05:00+09:00', '2026-11-04 07:10:00+09:00')
) as given (key, date, state, billed, records, estimated_records, requested_at, updated_at);

insert into ops.drift_by_day by name
select *
from (values
    ('events', date '2026-11-02', 'record', 'locale', 'unknown', 'VARCHAR', 8),
    ('events', date '2026-11-03', 'record', 'locale', 'unknown', 'VARCHAR', 2),
    ('statistics', date '2026-11-01', 'record', 'click', 'type', 'VARCHAR', 1)
) as given (stream, date, place, field, kind, example_type, records);

insert into ops.restatements by name
select
    date, detected_at::timestamptz as detected_at, statistic_id, counter, kind, before, after
from (values
    (date '2026-11-01', '2026-11-03 07:10:00+09:00', 's1', 'click', 'changed', 8, 9),
    (date '2026-11-01', '2026-11-03 07:10:00+09:00', 's-gone', 'message_sent', 'vanished', 12, null),
    (date '2026-10-01', '2026-10-03 07:10:00+09:00', 's0', 'click', 'changed', 90, 99)
) as given (date, detected_at, statistic_id, counter, kind, before, after);

insert into ops.checks by name
select
    timestamptz '2026-11-04 07:30:00+09:00' as checked_at, name, severity, stream, date, subject, finding, expected, actual
from (values
    ('events_match_statistics', 'warn', 'events', date '2026-11-02', 'push-notification', 'fewer send_success events than messages sent', '150', '2'),
    ('events_match_statistics', 'warn', 'events', date '2026-11-01', 'push-notification', 'fewer send_success events than messages sent', '170', '1'),
    ('one_row_per_statistic', 'stop', 'statistics', date '2026-11-01', 's1', 'a statistic has two rows', '1', '2')
) as given (name, severity, stream, date, subject, finding, expected, actual);

-- What a load does for the days that it changed.
insert into ops.touched_days
select stream, date from ops.coverage
union
select 'events', date from events;

insert into ops.message_prices values
    ('push-notification', null, 2.5), ('text-message', 'sms', 9), ('text-message', 'lms', 28);
