-- severity: stop
-- stream: events
-- scope: incremental
-- meaning: A mart has more than one row for one value of its grain, so joins and sums count twice. Run `dawnload
--   rebuild`; report it if it persists.
-- Checks the marts that are tables. The others are views, which group by their grain or rely on a key that statistics_key checks.
-- marts_agree_statistics compares marts.conversions with its rows.

with keys as (
    select
        'marts.daily_events' as subject,
        date,
        hash(
            channel, event_name, resource_type, campaign_id, experiment_group_name, user_journey_id, user_journey_node_id
        ) as key
    from marts.daily_events
    union all
    select
        'marts.daily_failures',
        date,
        hash(channel, event_name, failure_key, resource_type, campaign_id, user_journey_id, user_journey_node_id)
    from marts.daily_failures
    union all
    select
        'marts.daily_send_hours',
        date,
        hash(sent_date, weekday, hour, channel, resource_type, campaign_id, user_journey_id)
    from marts.daily_send_hours
    union all
    select
        'marts.daily_response_times',
        date,
        hash(channel, resource_type, campaign_id, user_journey_id, user_journey_node_id, response, seconds)
    from marts.daily_response_times
    union all
    select
        'marts.daily_fatigue',
        date,
        hash(sent_date, channel, resource_type, campaign_id, user_journey_id, window_days, at_least)
    from marts.daily_fatigue
    union all
    select 'marts.daily_contents', date, hash(channel, content_kind, content) from marts.daily_contents
    union all
    select 'marts.identities', date, hash(weaker_id) from marts.identities
    union all
    select 'marts.daily_identities', date, hash(strongest_id) from marts.daily_identities
    union all
    select 'marts.daily_people', date, hash(person, channel, resource_type, campaign_id, user_journey_id)
    from marts.daily_people
    union all
    select 'marts.first_messages', date, hash(person) from marts.first_messages
    union all
    select 'marts.first_node_messages', date, hash(visit) from marts.first_node_messages
    union all
    select
        'marts.daily_templates',
        date,
        hash(
            template_kind, template, sender_key, plus_friend_id,
            channel, channel_subtype, resource_type, campaign_id, user_journey_id
        )
    from marts.daily_templates
    union all
    select
        'marts.daily_recipient_messages',
        date,
        hash(sent_date, hour, channel, resource_type, campaign_id, user_journey_id, template_kind, template)
    from marts.daily_recipient_messages
    union all
    select 'marts.daily_opt_out_messages', date, hash(request, channel, is_delivered) from marts.daily_opt_out_messages
    union all
    select 'marts.weekly_people', week, hash(person) from marts.weekly_people
),

repeated as (
    select subject, date, count(*) - 1 as too_many
    from keys
    where date in (select date from batch_days)
    group by subject, date, key
    having count(*) > 1
)

select
    date,
    subject,
    'Several rows have the same grain.' as finding,
    '0' as expected,
    sum(too_many) as actual
from repeated
group by date, subject;
