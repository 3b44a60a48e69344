-- Restatements: each counter whose value differs from the one that is replaced, in the warehouse or in an earlier pull
-- of this load.

insert into ops.restatements by name
with replacements as (
    select versions.*
    from versions
    left join ops.coverage on coverage.stream = 'statistics' and versions.date = coverage.date
    where versions.version > 1 or coverage.date is not null
),

statistics as (
    select 0 as version, date, statistic_id, message_sent, message_failed, delivered, click
    from daily_statistics
    where date in (select date from replacements)
    union all
    select versions.version, date, statistic_id, message_sent, message_failed, delivered, click
    from staged_statistics
    inner join versions using (pull, date)
),

conversions as (
    select 0 as version, date, statistic_id, type, name, count
    from daily_conversions
    where date in (select date from replacements)
    union all
    select versions.version, date, statistic_id, type, name, count
    from staged_conversions
    inner join versions using (pull, date)
),

counters as (
    select version, date, statistic_id, counter, value
    from statistics
    unpivot include nulls (value for counter in (message_sent, message_failed, delivered, click))
    union all
    select version, date, statistic_id, concat_ws(':', 'conversion', type, name), sum(count)::bigint
    from conversions
    group by all
),

before as (
    select version + 1 as version, date, statistic_id, counter, value
    from counters
),

changes as (
    select
        coalesce(before.version, after.version) as version,
        coalesce(before.date, after.date) as date,
        coalesce(before.statistic_id, after.statistic_id) as statistic_id,
        coalesce(before.counter, after.counter) as counter,
        case
            when before.statistic_id is null then 'appeared'
            when after.statistic_id is null then 'vanished'
            else 'changed'
        end as kind,
        before.value as before,
        after.value as after
    from before
    full join counters as after using (version, date, statistic_id, counter)
    where before.value is distinct from after.value
),

-- A statistic that is missing in the new answer is described by the replaced day.
subjects as (
    select date, statistic_id, any_value(subject) as subject
    from (
        select
            date,
            statistic_id,
            {
                'resource_type': resource_type,
                'campaign_id': campaign_id,
                'variant_id': variant_id,
                'user_journey_id': user_journey_id,
                'user_journey_node_id': user_journey_node_id,
                'channel': channel
            } as subject
        from (
            select date, statistic_id, resource_type, campaign_id, variant_id, user_journey_id, user_journey_node_id, channel
            from daily_statistics
            where date in (select date from replacements)
            union all
            select date, statistic_id, resource_type, campaign_id, variant_id, user_journey_id, user_journey_node_id, channel
            from staged_statistics
            inner join versions using (pull, date)
        )
    )
    group by date, statistic_id
)

select
    replacements.pulled_at as detected_at,
    changes.* exclude (version),
    unnest(subjects.subject),
    replacements.pull
from changes
inner join replacements using (version, date)
left join subjects using (date, statistic_id);
