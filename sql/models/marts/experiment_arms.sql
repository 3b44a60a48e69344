-- grain: one campaign, channel and variant of an A/B test, over all loaded days.
--
-- Messages come from the daily statistics (E17), people from the events (E21), whose groups have a present or former name of a
-- variant. variance_factor multiplies the variance by message, because a person's messages may behave as one: it is the sum of
-- squares of the messages per person, divided by their sum. It is an estimate, because messages on days without events are assumed
-- to reach the same people. clickers leaves out clicks by machines (message_responses). first_days has the same people by the day
-- of their first message. A person who got messages of two variants belongs to no arm; people_crossed counts them at the variant
-- they got first, and crossed_from only those who got it on an earlier day than another one.

with arms as (
    select
        campaign_id,
        channel,
        variant_id,
        min(date) filter (sent > 0) as first_date,
        sum(sent)::bigint as sent,
        sum(succeeded)::bigint as succeeded,
        sum(clickable)::bigint as clickable,
        sum(clicked)::bigint as clicked,
        sum(conversions)::bigint as conversions
    from marts.message_days
    where campaign_id is not null and variant_id is not null
    group by campaign_id, channel, variant_id
),

days_without_events as (
    select message_days.campaign_id, count(distinct message_days.date) as days
    from marts.message_days
    anti join ops.coverage on message_days.date = coverage.date and coverage.stream = 'events'
    where message_days.variant_id is not null and message_days.sent > 0
    group by message_days.campaign_id
),

receivers as (
    select
        variant_names.campaign_id,
        days.channel,
        variant_names.variant_id,
        -- A person first seen as a device and later as a user counts once.
        coalesce(people.person, days.person) as person,
        min(days.date) filter (days.sent > 0 or days.succeeded > 0 or days.delivered > 0) as first_date,
        sum(days.sent) as sent,
        -- In-app and in-web messages are shown, not sent, so a shown one counts as received.
        greatest(sum(days.succeeded), sum(days.delivered)) as received,
        sum(days.clicked) as clicked,
        sum(days.machine_clicks) as machine_clicks
    from marts.daily_variant_people as days
    inner join variant_names
        on days.campaign_id = variant_names.campaign_id and days.variant_name = variant_names.variant_name
    left join marts.people as people on days.person = people.weaker_id
    group by all
),

-- The messages of all people in the events, including people who crossed.
messages as (
    select campaign_id, channel, variant_id, sum(received)::bigint as received
    from receivers
    group by campaign_id, channel, variant_id
),

crossed as (
    select campaign_id, person
    from receivers
    where received > 0
    group by campaign_id, person
    having count(distinct variant_id) > 1
),

crossed_first as (
    select
        campaign_id,
        channel,
        variant_id,
        count(*) as people_crossed,
        count(*) filter (first_dates[1] < first_dates[2]) as crossed_from
    from (
        select
            campaign_id,
            channel,
            person,
            arg_min(variant_id, (first_date, variant_id)) as variant_id,
            list(first_date order by first_date) as first_dates
        from receivers
        semi join crossed using (campaign_id, person)
        where received > 0
        group by campaign_id, channel, person
    ) as first_variants
    group by campaign_id, channel, variant_id
),

first_days as (
    select
        campaign_id,
        channel,
        variant_id,
        first_date as date,
        count(*) as people_sent,
        count(*) filter (received > 0) as people,
        count(*) filter (received > 0 and clicked > 0) as clickers,
        sum(received)::bigint as received,
        sum(received * received) as squares,
        sum(machine_clicks)::bigint as machine_clicks
    from receivers
    anti join crossed using (campaign_id, person)
    where first_date is not null
    group by campaign_id, channel, variant_id, first_date
),

counted as (
    select
        campaign_id,
        channel,
        variant_id,
        sum(people_sent)::bigint as people_sent,
        sum(people)::bigint as people,
        sum(clickers)::bigint as clickers,
        list({'date': date, 'people_sent': people_sent, 'people': people, 'clickers': clickers} order by date) as first_days,
        sum(machine_clicks)::bigint as machine_clicks,
        sum(squares) / nullif(sum(received), 0) as variance_factor
    from first_days
    group by campaign_id, channel, variant_id
)

select
    arms.campaign_id,
    campaigns.campaign_name,
    arms.channel,
    arms.variant_id,
    coalesce(campaign_variants.variant_name, arms.variant_id) as variant_name,
    list_distinct([arms.variant_id, campaign_variants.variant_name] || campaign_variants.former_names) as names,
    arms.first_date,
    arms.sent,
    arms.succeeded,
    arms.clickable,
    arms.clicked,
    arms.conversions,
    counted.people_sent,
    counted.people,
    counted.clickers,
    counted.first_days,
    coalesce(counted.machine_clicks, 0) as machine_clicks,
    coalesce(crossed_first.people_crossed, 0) as people_crossed,
    coalesce(crossed_first.crossed_from, 0) as crossed_from,
    counted.variance_factor * greatest(1, arms.succeeded / nullif(messages.received, 0)) as variance_factor,
    coalesce(days_without_events.days, 0) as days_without_events
from arms
inner join campaigns on arms.campaign_id = campaigns.campaign_id
inner join campaign_variants
    on arms.campaign_id = campaign_variants.campaign_id and arms.variant_id = campaign_variants.variant_id
left join counted
    on
        arms.campaign_id = counted.campaign_id
        and arms.channel is not distinct from counted.channel
        and arms.variant_id = counted.variant_id
left join messages
    on
        arms.campaign_id = messages.campaign_id
        and arms.channel is not distinct from messages.channel
        and arms.variant_id = messages.variant_id
left join crossed_first
    on
        arms.campaign_id = crossed_first.campaign_id
        and arms.channel is not distinct from crossed_first.channel
        and arms.variant_id = crossed_first.variant_id
left join days_without_events on arms.campaign_id = days_without_events.campaign_id;
