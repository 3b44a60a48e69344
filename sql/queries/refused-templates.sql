-- title: Refused templates still sent
-- title_ko: 반려 템플릿의 발송
-- chart: bar template sent by resource_name
-- subject: contents
-- question: Which templates are still sent although they were refused or suspended, and by which campaign?
-- question_ko: 반려되거나 중단되었는데도 발송 중인 템플릿은 무엇이고, 어느 캠페인인가요?
-- words: rejected templates, 반려된 템플릿
-- params:
--   start (date, default last_date - 27): first KST day; by default the range has 28 days
--   end (date, default max(date)): last KST day; by default the latest available day
--   campaign (varchar, default null): only the campaign or user journey with this id
-- given:
--   used as (select resource_id, resource_name, coalesce(template_name, template) as name, sum(sent)::bigint as sent, any_value(state) as state,
--   max(status_since) as since_day, min(first_date) as first_date, max(last_date) as last_date from answer group by resource_id, resource_name,
--   template_name, template),
--   replacements as (select resource_id, resource_name, count(*) as templates, max(since_day) as since_day, min(first_date) as first_date, max(last_date)
--   as last_date, array_to_string(list(format('“{}” ({}, {:,d})', name, state, sent) order by sent desc, name)[:3], ', ') || if(count(*) > 3, format('
--   and {} more', count(*) - 3), '') as parts_en, array_to_string(list(format('‘{}’({}, {:,d}건)', name, if(state = 'refused', '반려', '중단'), sent)
--   order by sent desc, name)[:3], ', ') || if(count(*) > 3, format(' 외 {}개', count(*) - 3), '') as parts_ko, row_number() over (order by sum(sent)
--   desc, resource_name) as place from used group by resource_id, resource_name)
-- sentences:
--   select list_sort(list(distinct coalesce(template_name, template)))[:3] as templates, sum(sent) as sent from answer where template_known in
--   ('that day', 'earlier') having sent > 0
--     en: Refused or suspended templates were sent: {templates} ({sent} messages, failed ones included).
--     ko: 반려·중단된 템플릿({templates})으로 {sent}건을 발송했습니다(실패 포함).
--     as: finding
--   select list_sort(list(distinct coalesce(template_name, template)))[:3] as templates, sum(sent) as sent from answer where template_known =
--   'later' having sent > 0
--     en: Refused or suspended now: {templates}. The list was read after {sent} messages were sent, failed ones included, so the
--       status at that time is unknown.
--     ko: {templates} 템플릿은 현재 반려·중단 상태입니다. 상태는 발송 후에 확인한 것이어서, {sent}건(실패 포함) 발송 당시에도 반려·중단 상태였는지는 알 수 없습니다.
--   from replacements where place <= 3 order by place
--     en: Replace {templates#the template|templates} of “{resource_name}” that {templates#is|are} refused or suspended (checked {since_day}; messages
--       {first_date~last_date}, failed ones included): {parts_en}.
--     ko: ‘{resource_name}’의 반려·중단된 템플릿을 교체하세요({since_day} 확인, {first_date~last_date} 발송, 실패 포함): {parts_ko}.
--     as: to do
--   select count(*) as others from replacements where place > 3 having others > 0
--     en: Replace refused or suspended templates of {others} more {others#campaign or user journey|campaigns and user journeys}; `refused-templates` lists them.
--     ko: 다른 캠페인·유저 여정 {others}개의 반려·중단된 템플릿도 교체하세요(목록: `refused-templates`).
--     as: to do
--   select 1 where not exists (from answer) and exists (from ops.snapshots where stream like '%templates') and exists (from
--   ops.coverage where stream = 'events')
--     en: No message used a template that is known to be refused or suspended.
--     ko: 반려·중단된 템플릿으로 발송한 메시지가 없습니다.

with period as (from marts.period('events', days := 28))
-- Before a template's first snapshot, its status is unknown; template_known is then `later`.
select
    template_days.template_kind,
    template_days.template,
    template_days.state,
    template_days.status,
    template_days.template_known,
    coalesce(campaigns.campaign_name, user_journeys.user_journey_name) as resource_name,
    sum(template_days.sent)::bigint as sent,
    sum(template_days.failed)::bigint as failed,
    round(sum(template_days.failed) / nullif(sum(template_days.sent), 0), 6) as failure_rate,
    min(template_days.date) as first_date,
    max(template_days.date) as last_date,
    min(template_days.version_from) as status_since,
    max(template_days.status_read_on) as status_read_on,
    max(template_days.candidates) as candidates,
    template_days.template_name,
    template_days.text,
    template_days.template_id,
    template_days.channel_id,
    coalesce(template_days.campaign_id, template_days.user_journey_id) as resource_id
from marts.template_days
inner join period on template_days.date between period.first_date and period.last_date
left join campaigns on template_days.campaign_id = campaigns.campaign_id
left join user_journeys on template_days.user_journey_id = user_journeys.user_journey_id
where
    template_days.state is not null
    and template_days.sent > 0
    and marts.matches('campaign', coalesce(template_days.campaign_id, template_days.user_journey_id))
group by all
order by
    template_days.template_known desc, sent desc, template_days.template_kind, template_days.template, resource_id, template_days.status;
