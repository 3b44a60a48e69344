-- grain: one KST day, campaign or user journey, variant or node, and channel: a row of the daily statistics.
-- also_in: main
--
-- deliverable, clickable and convertible count the successful messages whose deliveries, clicks and conversions are known. Rates
-- are shares of these (marts.performance). They are null if the channel does not count the event. In-app and in-web messages are
-- never deliverable; they are clickable when they are shown. goals is the goal as a list, because conversions of several goals are
-- not added up. Conversions count only one goal, because a person may reach several: the main goal of the campaign or user journey
-- (marts.goals), or the session's goal: `set variable goal = '구매 완료'`. From the first day on which a channel reports the goal, days
-- without conversions have 0; before that day they are null. If more messages failed than were sent, succeeded is null.

with goals as (
    select resource_type, resource_id, channel, goal, first_date
    from marts.goals
    where case when getvariable('goal') is null then is_main else goal = getvariable('goal')::varchar end
)

select
    daily_statistics.date,
    daily_statistics.resource_type,
    coalesce(daily_statistics.campaign_id, daily_statistics.user_journey_id) as resource_id,
    coalesce(daily_statistics.campaign_name, daily_statistics.user_journey_name) as resource_name,
    daily_statistics.campaign_id,
    daily_statistics.campaign_name,
    daily_statistics.variant_id,
    daily_statistics.variant_name,
    daily_statistics.user_journey_id,
    daily_statistics.user_journey_name,
    daily_statistics.user_journey_node_id,
    daily_statistics.user_journey_node_name,
    daily_statistics.channel,
    daily_statistics.tags,
    daily_statistics.message_sent as sent,
    daily_statistics.message_failed as failed,
    if(
        daily_statistics.message_failed > daily_statistics.message_sent,
        null,
        daily_statistics.message_sent - daily_statistics.message_failed
    ) as succeeded,
    daily_statistics.delivered,
    daily_statistics.click as clicked,
    goals.goal,
    case when goals.goal is not null then if(conversions.statistic_id is null, 0, conversions.conversions) end as conversions,
    case
        when goals.goal is not null
            then if(conversions.statistic_id is null, if(daily_statistics.click is null, null, 0), conversions.direct_conversions)
    end as direct_conversions,
    case when daily_statistics.delivered is not null and not marts.is_display(daily_statistics.channel) then succeeded end as deliverable,
    case
        when daily_statistics.click is not null
            then marts.clickable_messages(daily_statistics.channel, succeeded, daily_statistics.delivered)
    end as clickable,
    case
        when goals.goal is not null and (conversions.statistic_id is null or conversions.conversions is not null) then succeeded
    end as convertible,
    case when goals.goal is not null then [goals.goal] end as goals,
    daily_statistics.statistic_id
from daily_statistics
left join goals
    on
        daily_statistics.resource_type = goals.resource_type
        and coalesce(daily_statistics.campaign_id, daily_statistics.user_journey_id) = goals.resource_id
        and daily_statistics.channel is not distinct from goals.channel
        and daily_statistics.date >= goals.first_date
left join marts.conversions
    on
        daily_statistics.date = conversions.date
        and daily_statistics.statistic_id = conversions.statistic_id
        and goals.goal = conversions.conversion_name;
