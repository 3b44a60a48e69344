-- grain: one opt-out that a message to the same recipient precedes by at most 72 hours.
--
-- An opt-out belongs to the last message before it on any channel; on a channel that reports deliveries, to the last delivered one.
-- Two opt-outs may follow one message, so count(distinct event_id) counts messages.

select
    preceding.* exclude (is_delivered),
    coalesce(preceding.campaign_id, preceding.user_journey_id) as resource_id,
    resources.resource_name
from marts.daily_opt_out_messages as preceding
inner join (select distinct channel, counted_as from marts.recipient_messages) as channels
    on preceding.channel is not distinct from channels.channel
left join marts.resources
    on preceding.campaign_id is not distinct from resources.campaign_id and preceding.user_journey_id is not distinct from resources.user_journey_id
where channels.counted_as = 'sent' or preceding.is_delivered
qualify
    row_number() over (
        partition by preceding.request order by preceding.sent_at desc, preceding.event_id desc, preceding.channel
    ) = 1;
