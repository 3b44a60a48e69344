-- title: Unused templates
-- subject: contents
-- question: Which templates were not used for 90 days, as far as the events held can tell?
-- params:
--   end (date, default max(date)): last KST day that is looked at; unless given, the last one held
--   days (bigint, default 90): how many days without use
--   kind (varchar, default null, one of brand alimtalk): only templates of this kind
-- In other DuckDB clients, set parameters before: set variable days = 30;
-- sentences:
--   select count(*) as templates, any_value(days_needed) as days from answer where verdict_code = 'unused' having templates > 0
--     en: {templates} {templates#template was|templates were} not used for {days} days.
--     ko: {days}일 동안 쓰지 않은 템플릿은 {templates}개입니다.
--   select count(*) as templates, any_value(days_held) as held, any_value(days_needed) as needed from answer where verdict_code
--   = 'days_missing' having templates > 0
--     en: Of {templates} {templates#template|templates} it cannot be told: events of {held} of the {needed} days are held.
--     ko: 템플릿 {templates}개는 알 수 없습니다. 필요한 {needed}일 중 {held}일의 이벤트만 있습니다.
--     as: note
--   select 1 where not exists (from answer)
--     en: Every template was used, or none is known: templates come with reference.alimtalk_templates and reference.brand_templates.
--     ko: 모든 템플릿을 사용했거나, 알려진 템플릿이 없습니다. 템플릿은 reference.alimtalk_templates와 reference.brand_templates로 수집합니다.
-- example:
--   template_kind  template        verdict_code  last_used_date  days_unused  days_held  days_needed  known_since  …
--   alimtalk       tpl-draft-03    days_missing                               19         90           2026-11-21   …
--   alimtalk       tpl-event-2968  days_missing                               19         90           2026-11-21   …
--   alimtalk       tpl-old-01      days_missing                               19         90           2026-11-21   …

with params as (
    select *, coalesce(getvariable('days')::bigint, 90) as length
    from marts.period('events')
),
held as (
    select count(coverage.date) as days_held
    from params
    inner join ops.coverage
        on coverage.stream = 'events' and coverage.date between params.last_date - params.length::integer + 1 and params.last_date
),
-- Templates of the same name that events cannot tell apart all count as used.
uses as (
    select
        daily_templates.template_kind,
        daily_templates.template,
        max(daily_templates.date) as last_used_date,
        sum(daily_templates.sent)::bigint as sent
    from marts.daily_templates
    inner join params on daily_templates.date <= params.last_date
    group by daily_templates.template_kind, daily_templates.template
),
templates as (
    select
        template_kind,
        template_id,
        channel_id,
        sender_key,
        arg_max(template_versions, valid_from) as latest,
        min(valid_from) as known_since,
        -- The creation day is known where the service gives it, or where an earlier snapshot lacks the template.
        coalesce(min(created_date), if(known_since > any_value(first_snapshot), known_since, null)) as new_since
    from (
        select *, min(valid_from) over (partition by template_kind) as first_snapshot
        from marts.template_versions
    ) as template_versions
    group by template_kind, template_id, channel_id, sender_key
    having bool_or(valid_to is null)
)
select
    templates.template_kind,
    templates.latest.template as template,
    case
        when held.days_held < params.length then 'days_missing'
        when templates.new_since > params.last_date - params.length::integer + 1 then 'too_new'
        else 'unused'
    end as verdict_code,
    uses.last_used_date,
    params.last_date - uses.last_used_date as days_unused,
    held.days_held,
    params.length as days_needed,
    templates.known_since,
    templates.new_since,
    templates.latest.status as status,
    templates.latest.status_read_on as status_read_on,
    templates.latest.template_name as template_name,
    coalesce(uses.sent, 0) as sent,
    templates.template_id,
    templates.channel_id,
    templates.sender_key
from templates
cross join params
cross join held
left join uses
    on templates.template_kind = uses.template_kind and templates.latest.template = uses.template
where
    marts.matches('kind', templates.template_kind)
    and coalesce(uses.last_used_date <= params.last_date - params.length::integer, true)
    and params.last_date is not null
order by
    list_position(['unused', 'days_missing', 'too_new'], verdict_code),
    uses.last_used_date nulls first,
    templates.template_kind,
    template,
    templates.template_id,
    templates.channel_id,
    templates.sender_key;
