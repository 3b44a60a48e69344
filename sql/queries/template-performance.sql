-- title: Brand and alimtalk templates
-- title_ko: 브랜드·알림톡 템플릿
-- chart: bar template_name sent by template_kind
-- first: template_name template_kind sent failure_rate click_rate status text
-- subject: contents
-- question: How does each brand and alimtalk template perform, with the text, status and buttons it had then?
-- question_ko: 브랜드·알림톡 템플릿은 당시의 본문, 상태, 버튼별로 성과가 어떤가요?
-- words: unused templates, templates never used, templates not used, 미사용 템플릿, 안 쓰는 템플릿, 사용하지 않은 템플릿, best template, best templates, 템플릿별 클릭률, 템플릿 성과, email templates, template click rate
-- params:
--   start (date, default last_date - 27): first KST day; by default the range has 28 days
--   end (date, default max(date)): last KST day; by default the latest available day
--   kind (varchar, default null, one of brand alimtalk): only templates of this kind
--   template (varchar, default null): only the brand template with this name, or the alimtalk template with this code
--   campaign (varchar, default null): only the campaign or user journey with this id
--   per (varchar, default 'version', one of version template): a row for each version of a template, or one with its latest version
--   least_sent (bigint, default 1, from 0): only rows with at least this many messages
-- sentences:
--   select coalesce(any_value(template_name), template) as template, sum(sent) as sent, min(min(first_date)) over () as first_date,
--   max(max(last_date)) over () as last_date from answer group by template order by 2 desc limit 1
--     en: The template “{template}” was used the most {first_date~last_date}: {sent} {sent#message|messages}, failed ones included.
--     ko: {first_date~last_date} 발송은 ‘{template}’ 템플릿이 가장 많습니다({sent}건, 실패 포함).
--   select count(*) as unused, list_sort(list(name))[:3] as names, if(unused > 3, format(' and {} more', unused - 3), '') as more_en, if(unused > 3,
--   format(' 외 {}개', unused - 3), '') as more_ko from (select distinct coalesce(template_name, template) as name from marts.template_versions as versions where
--   valid_to is null and state is null and marts.matches('kind', template_kind) and not exists (from marts.template_days, marts.period('events', days := 28)
--   where template_days.template = versions.template and date between first_date and last_date)) where coalesce(getvariable('template'), getvariable('campaign'))
--   is null and exists (from answer) having unused > 0
--     en: {unused} {unused#template that is not refused was|templates that are not refused were} not used on these days with events: {names}{more_en}.
--     ko: 이벤트 데이터가 있는 날짜에 사용하지 않은 템플릿은 {unused}개입니다(반려·중단 제외): {names}{more_ko}.

with params as (
    select
        *,
        marts.choice('per', ['version', 'template']) as per,
        coalesce(getvariable('least_sent')::bigint, 1) as least_sent
    from marts.period('events', days := 28)
),
days as (
    select
        template_days.*,
        -- Only snapshots show which version was used.
        case
            when params.per = 'version' then struct_pack(template_id, channel_id, version_from, template_known)
        end as version
    from marts.template_days
    inner join params on template_days.date between params.first_date and params.last_date
    where marts.matches('kind', template_days.template_kind) and marts.matches('template', template_days.template)
        and marts.matches('campaign', coalesce(template_days.campaign_id, template_days.user_journey_id))
),
sums as (
    select
        template_kind,
        template,
        sender_key,
        channel,
        version,
        sum(sent)::bigint as sent,
        sum(failed)::bigint as failed,
        sum(succeeded)::bigint as succeeded,
        sum(delivered)::bigint as delivered,
        sum(clicked)::bigint as clicked,
        min(date) as first_date,
        max(date) as last_date,
        max(candidates) as candidates,
        arg_max(days, (date, template_id, channel_id)) as latest
    from days
    group by all
),
-- The rate of an event that is not counted is null. A person may click twice, so intervals count at most one click per message.
rates as (
    select
        sums.*,
        case when channel_counters.counts_deliveries then sums.delivered end as deliveries,
        case when channel_counters.counts_clicks then sums.clicked end as clicks,
        marts.wilson_interval(sums.failed, nullif(sums.sent, 0)) as likely_failures,
        case
            when channel_counters.counts_deliveries
            then marts.wilson_interval(least(sums.delivered, sums.succeeded), nullif(sums.succeeded, 0))
        end as likely_deliveries,
        case
            when channel_counters.counts_clicks
            then marts.wilson_interval(least(sums.clicked, sums.succeeded), nullif(sums.succeeded, 0))
        end as likely_clicks
    from sums
    left join marts.channel_counters on sums.channel is not distinct from channel_counters.channel
)
select
    rates.latest.template_name as template_name,
    rates.template_kind,
    rates.template,
    rates.sent,
    round(rates.failed / nullif(rates.sent, 0), 6) as failure_rate,
    round(rates.clicks / nullif(rates.succeeded, 0), 6) as click_rate,
    rates.latest.status as status,
    rates.latest.template_known as template_known,
    rates.failed,
    rates.deliveries as delivered,
    rates.clicks as clicked,
    round(if(rates.likely_failures.low < 0, 0, rates.likely_failures.low), 6) as failure_rate_low,
    round(rates.likely_failures.high, 6) as failure_rate_high,
    round(rates.deliveries / nullif(rates.succeeded, 0), 6) as delivery_rate,
    round(if(rates.likely_deliveries.low < 0, 0, rates.likely_deliveries.low), 6) as delivery_rate_low,
    round(rates.likely_deliveries.high, 6) as delivery_rate_high,
    round(if(rates.likely_clicks.low < 0, 0, rates.likely_clicks.low), 6) as click_rate_low,
    round(rates.likely_clicks.high, 6) as click_rate_high,
    rates.latest.text as text,
    rates.latest.buttons as buttons,
    rates.first_date,
    rates.last_date,
    rates.latest.status_read_on as status_read_on,
    rates.latest.version_from as version_from,
    rates.latest.version_to as version_to,
    rates.candidates,
    rates.channel,
    rates.latest.template_id as template_id,
    rates.sender_key,
    rates.latest.channel_id as channel_id
from rates
cross join params
where rates.sent >= params.least_sent
order by
    sum(rates.sent) over (partition by rates.template_kind, rates.template) desc,
    rates.template_kind,
    rates.template,
    rates.first_date desc,
    rates.sent desc,
    rates.channel,
    rates.sender_key,
    rates.latest.version_from desc,
    rates.latest.template_id;
