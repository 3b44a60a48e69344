-- severity: warn
-- stream: events
-- scope: full
-- depends_on: events, brand_templates, alimtalk_templates
-- meaning: Messages were sent by a template that no snapshot shows, so its text, status and buttons are unknown. It was made
--   and deleted between two snapshots, or its sender key or channel is not among those of the setting `reference`.
-- Checks the days from the day before the first snapshot of that kind to the last snapshot; the events of that earlier day come in
-- the same night. Reports each template once. The name of a free-form brand message need not be the name of a template.

with snapshots as (
    select
        if(stream = 'brand_templates', 'brand', 'alimtalk') as template_kind,
        min(date) as first_date,
        max(date) as last_date
    from ops.snapshots
    where stream in ('brand_templates', 'alimtalk_templates')
    group by stream
)

select
    min(used.date) as date,
    used.template_kind || ' ' || used.template as subject,
    'The last message by this template was sent on ' || max(used.date) || '.' as finding,
    '0' as expected,
    sum(used.sent) as actual
from marts.daily_templates as used
inner join snapshots
    on used.template_kind = snapshots.template_kind and used.date between snapshots.first_date - 1 and snapshots.last_date
anti join marts.template_versions as versions
    on used.template_kind = versions.template_kind and used.template = versions.template
where used.template_kind = 'alimtalk' or not regexp_matches(coalesce(used.channel_subtype, ''), '(?i)free|자유')
group by used.template_kind, used.template;
