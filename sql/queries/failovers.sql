-- title: Texts instead of failed messages
-- title_ko: 실패 메시지의 대체 문자
-- chart: bar resource_name failover_succeeded by channel
-- subject: failures
-- question: How many failed messages reached people as a text instead?
-- question_ko: 실패한 메시지 중 대체 문자로 전달된 것은 몇 건인가요?
-- words: replaced by sms, replaced by a text, fallback text messages, 대체 발송, fallback, fallback rate, fallback sms, alimtalk to sms, 대체 발송 비율
-- params:
--   start (date, default last_date - 27): first KST day; by default the range has 28 days
--   end (date, default max(date)): last KST day; by default the latest available day
--   channel (varchar, default null): only this channel, such as push-notification
-- sentences:
--   select sum(failed) as failed, sum(failover_succeeded) as rescued, sum(failover_succeeded) / sum(failed) as rate, string_agg(distinct
--   channel, ', ' order by channel) as channels from answer having failed > 0 and rescued <= failed
--     en: {rescued} of {failed} failed {failed#message|messages} with text failover went out as a text instead ({rate}; {channels:channels}).
--     ko: 대체 발송을 설정한 {channels:channels}에서 실패한 {failed}건 중 {rescued}건({rate})이 문자로 대체 발송되었습니다.

with period as (from marts.period('events', days := 28))
select
    failovers.channel,
    failovers.resource_name,
    sum(failovers.failed)::bigint as failed,
    sum(failovers.failover_succeeded)::bigint as failover_succeeded,
    -- If there are more texts than failures, some are for failures of earlier days.
    round(
        if(
            sum(failovers.failover_succeeded + failovers.failover_failed) <= sum(failovers.failed),
            sum(failovers.failover_succeeded) / nullif(sum(failovers.failed), 0),
            null
        ),
        6
    ) as rescue_rate,
    sum(failovers.failover_failed)::bigint as failover_failed,
    round(
        sum(failovers.failover_succeeded) / nullif(sum(failovers.failover_succeeded + failovers.failover_failed), 0), 6
    ) as failover_success_rate,
    min(failovers.date) as first_date,
    max(failovers.date) as last_date,
    failovers.resource_id
from marts.failovers
inner join period on failovers.date between period.first_date and period.last_date
where marts.matches('channel', failovers.channel)
group by failovers.channel, failovers.resource_name, failovers.resource_id
order by failover_succeeded desc, failovers.channel, failovers.resource_id;
