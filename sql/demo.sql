-- The end of the demo: answers of bundled queries as sentences and small tables of text. `{answer}` is the select of the
-- query. The column `sentence` is the same in every row.

-- name: last_week
with answer as ({answer}),
-- One row for each channel.
channels as (
    select
        channel_or_campaign as channel,
        max(value) filter (measure = 'sent') as sent,
        max(previous) filter (measure = 'sent') as previous,
        max(value) filter (measure = 'failure_rate') as failure_rate,
        max(value) filter (measure = 'click_rate') as click_rate,
        max(days_missing + previous_days_missing) = 0 as is_whole
    from answer
    group by channel_or_campaign
),
totals as (
    select sum(sent) as sent, sum(previous) as previous, bool_and(is_whole) as is_whole from channels
)
select
    format('Sent {:,} messages in the last seven days', totals.sent::bigint)
        || case
            when not totals.is_whole or totals.previous = 0 then '.'
            else format(
                ', {:.1f} % {} than in the week before.',
                100 * abs(totals.sent / totals.previous - 1),
                if(totals.sent < totals.previous, 'fewer', 'more')
            )
        end as sentence,
    channels.channel,
    format('{:,}', channels.sent::bigint) as sent,
    coalesce(format('{:,}', channels.previous::bigint), '–') as "week before",
    coalesce(format('{:.1f} %', 100 * channels.failure_rate), '–') as failed,
    coalesce(format('{:.1f} %', 100 * channels.click_rate), '–') as clicked
from channels
cross join totals
order by channels.sent desc, channels.channel
limit 10;

-- name: most_clicked
with answer as ({answer})
select
    format(
        '“{}” was clicked most in the last 28 days: {:,} clicks, {:.1f} % of its messages.',
        first_value(campaign_name) over (order by rank),
        first_value(clicked) over (order by rank)::bigint,
        100 * first_value(click_rate) over (order by rank)
    ) as sentence,
    campaign_name as campaign,
    format('{:,}', sent::bigint) as sent,
    format('{:,}', clicked::bigint) as clicked,
    coalesce(format('{:.1f} %', 100 * click_rate), '–') as "click rate"
from answer
order by rank
limit 5;

-- name: tests
-- Clicks only: conversions have no verdict as long as nobody says how often one person converts.
with answer as ({answer}),
variants as (
    select *, verdict_code in ('better', 'worse') as is_decided
    from answer
    where metric = 'click' and verdict_code <> 'baseline'
),
totals as (
    select
        count(distinct campaign_id) as tests,
        count(distinct campaign_id) filter (is_decided) as decided,
        first(format('; in “{}” {}', campaign_name, rtrim(split_part(verdict, '. ', 1), '.')) order by sent desc)
            filter (is_decided) as example
    from variants
)
select
    format('A/B tests of clicks: {} of {} decided{}.', totals.decided, totals.tests, coalesce(totals.example, '')) as sentence,
    variants.campaign_name as campaign,
    variants.variant_name as variant,
    format('{:,} ', variants.size::bigint) || if(variants.unit = 'person', 'people', 'messages') as "in it",
    coalesce(format('{:.1f} %', 100 * variants.rate), '–') as "click rate",
    replace(variants.verdict_code, '_', ' ') as verdict
from variants
cross join totals
order by variants.is_decided desc, variants.sent desc, variants.campaign_id, variants.variant_name
limit 6;
