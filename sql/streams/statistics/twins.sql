-- Twins are rows of E17 or E18 with the same key but other counts or messages. The load keeps the largest row and notes all of
-- them. These statements decide whether the rows are added up: the service may have split a statistic (after its text was edited),
-- repeated it, or restated it. Separate statistics decide: E17 for E18; E18 or E19 for E17. The result does not depend on the order
-- of loads.

-- name: rows
-- params: first_day date, last_day date
-- The twins on the days of this load, usually none. Returns their number.
create or replace temp table twin_rows as
select
    * exclude (given),
    generate_subscripts(given, 1) as nth,
    unnest(given) as document,
    counter(document ->> '$.message_sent') as message_sent,
    counter(document ->> '$.message_failed') as message_failed,
    counter(document ->> '$.delivered') as delivered,
    counter(document ->> '$.click') as click
from (
    select stream, date, statistic_id, given_rows -> '$[*]' as given
    from ops.load_notes
    where given_rows is not null and date between $first_day::date and $last_day::date
) as noted;

select count(*) as twins
from twin_rows;

-- name: decide
create or replace temp table verdicts as
with statistics as (
    select
        'statistics' as stream,
        statistic_id,
        date,
        campaign_id,
        json_array(coalesce(campaign_id, user_journey_id), user_journey_node_id, variant_id, channel)::varchar as key,
        columns(['message_sent', 'message_failed', 'delivered', 'click'])
    from daily_statistics
    where date in (select date from twin_rows)
    union all by name
    select
        'statistics_by_subchannel' as stream,
        statistic_id,
        date,
        json_array(resource_id, node_id, variant_id, channel)::varchar as key,
        columns(['message_sent', 'message_failed', 'delivered', 'click'])
    from daily_statistics_by_subchannel
    where date in (select date from twin_rows)
),

given as (
    select *, 1 as nth
    from statistics
    anti join twin_rows using (stream, date, statistic_id)
    union all by name
    select statistics.stream, statistics.date, campaign_id, key, twin_rows.* exclude (stream, date, document)
    from twin_rows
    inner join statistics using (stream, date, statistic_id)
),

-- The counts of each resource in each stream, with the largest rows and with the sums.
totals as (
    select
        stream,
        date,
        campaign_id,
        key,
        bool_or(nth > 1) as has_twins,
        {
            sent: coalesce(sum(message_sent) filter (nth = 1), 0),
            failed: coalesce(sum(message_failed) filter (nth = 1), 0),
            delivered: coalesce(sum(delivered) filter (nth = 1), 0),
            click: coalesce(sum(click) filter (nth = 1), 0)
        } as largest,
        {
            sent: coalesce(sum(message_sent), 0),
            failed: coalesce(sum(message_failed), 0),
            delivered: coalesce(sum(delivered), 0),
            click: coalesce(sum(click), 0)
        } as summed
    from given
    group by stream, date, campaign_id, key
),

-- E19 counts the successful sends of a campaign over all variants and channels.
detailed as (
    select date, campaign_id, sum(value) as sends
    from campaign_metrics
    where metric_type = 'standard' and metric_name = 'send_success' and date in (select date from twin_rows)
    group by date, campaign_id
),

sends as (
    select date, campaign_id, sum(largest.sent - largest.failed) as largest, sum(summed.sent - summed.failed) as summed
    from totals
    where stream = 'statistics' and campaign_id is not null
    group by date, campaign_id
),

of_statistics as (
    select
        totals.*,
        case
            when subchannels.largest = totals.largest then 'largest'
            when subchannels.largest = totals.summed then 'summed'
            when detailed.sends = sends.largest then 'largest'
            when detailed.sends = sends.summed then 'summed'
        end as verdict
    from totals
    left join totals as subchannels
        on
            subchannels.stream = 'statistics_by_subchannel'
            and not subchannels.has_twins
            and totals.date = subchannels.date
            and totals.key = subchannels.key
    left join sends on totals.date = sends.date and totals.campaign_id = sends.campaign_id
    left join detailed on totals.date = detailed.date and totals.campaign_id = detailed.campaign_id
    where totals.stream = 'statistics'
),

of_subchannels as (
    select
        totals.*,
        case counted.counts when totals.largest then 'largest' when totals.summed then 'summed' end as verdict
    from totals
    left join (
        select
            date,
            key,
            case when not has_twins or verdict = 'largest' then largest when verdict = 'summed' then summed end as counts
        from of_statistics
    ) as counted using (date, key)
    where totals.stream = 'statistics_by_subchannel'
)

select statistics.stream, statistics.date, statistics.statistic_id, decided.verdict
from (from of_statistics union all from of_subchannels) as decided
inner join statistics using (stream, date, key)
where (statistics.stream, statistics.date, statistics.statistic_id) in (select (stream, date, statistic_id) from twin_rows);

-- name: apply
-- Applies the decision to a table: its rows get the counts of the largest row, or the sum.
create or replace temp table counted_rows as
select twin_rows.*
from twin_rows
inner join verdicts using (stream, date, statistic_id)
where stream = '{stream}' and (nth = 1 or verdict = 'summed');

update {table}
set message_sent = counted.message_sent, message_failed = counted.message_failed, delivered = counted.delivered, click = counted.click
from (
    select date, statistic_id, sum(columns(['message_sent', 'message_failed', 'delivered', 'click']))::bigint
    from counted_rows
    group by date, statistic_id
) as counted
where {table}.date = counted.date and {table}.statistic_id = counted.statistic_id;

delete from {conversions}
using counted_rows as largest
where
    {conversions}.date = largest.date
    and {conversions}.statistic_id = largest.statistic_id
    and largest.nth = 1
    and {conversions}.position > coalesce(json_array_length(largest.document, '$.conversion'), 0);

insert into {conversions} by name
select
    statistic_id,
    date,
    conversion ->> '$.name' as name,
    conversion ->> '$.type' as {type},
    counter(conversion ->> '$.count') as count,
    (row_number() over (partition by date, statistic_id order by nth, position))::integer as position
from (
    select statistic_id, date, nth, unnest(given) as conversion, generate_subscripts(given, 1) as position
    from (select *, document -> '$.conversion[*]' as given from counted_rows) as counted
) as conversions
qualify nth > 1;

-- name: note
-- Records the decision, and marks the days as dirty for models and checks.
update ops.load_notes
set note = case
    when verdicts.verdict = 'summed' then 'summed'
    when verdicts.verdict is null and verdicts.stream = 'statistics_by_subchannel' then 'undecided'
    when equal.counts = 1 then 'repeated'
    else 'other_counts'
end
from verdicts
inner join (
    select
        stream,
        date,
        statistic_id,
        count(distinct (message_sent, message_failed, delivered, click, document -> '$.conversion')) as counts
    from twin_rows
    group by stream, date, statistic_id
) as equal using (stream, date, statistic_id)
where
    load_notes.given_rows is not null
    and load_notes.stream = verdicts.stream
    and load_notes.date = verdicts.date
    and load_notes.statistic_id = verdicts.statistic_id;

insert into ops.touched_days
select distinct stream, date from verdicts;
