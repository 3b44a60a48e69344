-- title: Reasons for failed sends
-- title_ko: 발송 실패 사유
-- chart: bar cause failed, bar failure_reason failed by channel
-- subject: failures
-- question: Why do sends fail, and are the reasons growing?
-- question_ko: 발송은 왜 실패하고, 늘어나는 사유는 무엇인가요?
-- words: why do messages fail, why messages fail, failed push, 푸시 실패, failed messages, which channel fails most, email bounce, 알림톡 실패 사유, 실패 많은 채널, cause, causes, reason, reasons, bounce, bounces, 원인, 실패 원인, 실패 이유, 실패 사유, 반송, spam complaint, spam complaints, invalid token, bounce rate, hard bounce, hard bounces, soft bounce, soft bounces, email bounces, undelivered, blocked, error codes, 수신 차단, 바운스
-- also: exports
-- params:
--   channel (varchar, default null): only this channel, such as push-notification
--   by (varchar, default 'reason', one of reason cause): a row for each reason, or for each cause over all channels
-- given:
--   causes as (select nullif(cause, 'not identified') as cause, sum(failed) as failed, sum(sum(failed)) over () as of_all, sum(failed) / of_all as rate from answer group by all),
--   unexplained as (select coalesce(sum(failed), 0) as failed, max(rate) as unknown_rate from causes where cause is null)
-- sentences:
--   select list(failure_reason order by recent_failed desc)[:3] as failure_reason, count(*) as number from answer where trend = 'rising'
--   and failure_reason is not null having number > 0
--     en: More failures this week: {failure_reason}.
--     ko: 이번 주에 {failure_reason} 사유의 실패가 늘었습니다.
--     as: finding
--   select 1 from answer where trend is not null having count(*) filter (trend = 'rising') = 0 and count(*) > 0
--     en: No failure reason increased significantly this week.
--     ko: 이번 주에 유의미하게 늘어난 실패 사유는 없습니다.
--   select list(cause order by cause) as cause, count(*) as number, failed, of_all, rate, if(number > 1, ' each', '') as each_en, if(number > 1, '각각 ', '') as
--   each_ko from causes where cause is not null and failed < of_all and failed >= (select failed from unexplained) group by failed, of_all, rate order by failed desc limit 1
--     en: The main known {number#cause of failures is|causes of failures are} {cause}: {rate}{each_en} ({failed} of {of_all}).
--     ko: 확인된 실패 원인은 {cause}{이/가} {each_ko}{rate}({of_all}건 중 {failed}건)로 가장 많습니다.
--   select causes.*, unknown_rate from causes, unexplained where cause is not null and unexplained.failed > (select max(failed) from causes where
--   cause is not null) order by causes.failed desc, cause limit 1
--     en: No cause is known for {unknown_rate} of failures; “{cause}” follows with {rate} ({failed} of {of_all}).
--     ko: 실패의 {unknown_rate}는 원인을 알 수 없습니다. 확인된 원인 중에는 ‘{cause}’{이/가} {rate}({of_all}건 중 {failed}건)로 가장 많습니다.
--   select list(distinct failure_reason order by failure_reason) as failure_reason, string_agg(distinct channel, ', ' order by channel) as channels, failed,
--   min(first_date) as first_date, max(last_date) as last_date, count(*) as number, if(number > 1, ' each', '') as each_en, if(number > 1, ' 각 ', ' ') as
--   each_ko from answer where failure_reason is not null and coalesce(getvariable('by')::varchar, 'reason') = 'reason' group by failed order by failed desc limit 1
--     en: The most frequent failure {number#reason is|reasons are} {failure_reason} ({channels:channels}): {failed} messages{each_en} {first_date~last_date}.
--     ko: 가장 많은 실패 사유는 {failure_reason}입니다({channels:channels}, {first_date~last_date}{each_ko}{failed}건).
--   select sum(failed) as failed, sum(failed) filter (marts.event_kind(event_name) = 'failover_failed') as texts from answer having texts > 0
--     en: {texts} of these {failed} failures are of texts sent instead of failed messages. Daily statistics do not count them.
--     ko: 이 실패 {failed}건 중 {texts}건은 실패한 메시지 대신 보낸 문자입니다. 일별 통계에는 포함되지 않습니다.
--     as: note
--   select 1 from answer where trend is null and coalesce(getvariable('by')::varchar, 'reason') = 'reason' limit 1
--     en: Trends need the events of two complete weeks.
--     ko: 이벤트 데이터가 2주 치 모두 있으면 추세를 표시합니다.
--     as: note
--   select 1 where not exists (from answer) and exists (from ops.coverage where stream = 'events')
--     en: No message failed on the days with events.
--     ko: 이벤트 데이터가 있는 날짜에 실패한 발송이 없습니다.

-- The trend compares the failure rates of the last seven days with those of the seven days before. It is null unless all 14 days
-- are available.
with reasons as (from marts.failure_reasons where marts.matches('channel', channel)),
causes as (
    select
        if(len(marts.members_of(list(channels))) = 1, any_value(channels[1]), 'all') as channel,
        coalesce(cause, 'not identified') as cause,
        array_to_string(list(failure_reason order by failed desc, failure_reason)[:4], ' · ') as failure_reason,
        sum(failed)::bigint as failed,
        sum(recent_failed)::bigint as recent_failed,
        sum(previous_failed)::bigint as previous_failed,
        min(first_date) as first_date,
        max(last_date) as last_date
    from (
        select
            cause,
            failure_reason,
            list(distinct channel) as channels,
            sum(failed) as failed,
            sum(recent_failed) as recent_failed,
            sum(previous_failed) as previous_failed,
            min(first_date) as first_date,
            max(last_date) as last_date
        from reasons
        group by cause, failure_reason
    )
    group by cause
),
wanted as (
    select * from reasons where marts.choice('by', ['reason', 'cause']) = 'reason'
    union all by name
    select * from causes where marts.choice('by', ['reason', 'cause']) = 'cause'
)
select
    channel,
    failure_reason,
    cause,
    code,
    failed,
    round(failure_rate, 6) as failure_rate,
    round(change, 6) as change,
    trend,
    recent_failed,
    previous_failed,
    event_name,
    round(failed / sum(failed) over (), 6) as share_of_failed,
    round(recent_failure_rate, 6) as recent_failure_rate,
    round(previous_failure_rate, 6) as previous_failure_rate,
    recent_days_without_events,
    previous_days_without_events,
    first_date,
    last_date
from wanted
order by failed desc, channel, event_name, failure_reason;
