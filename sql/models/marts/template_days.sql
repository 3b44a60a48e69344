-- grain: one KST day, kind of template, template, sender, channel, sub-channel, and campaign or user journey.
-- also_in: main
--
-- Each day uses the latest version of the template from a snapshot on or before that day, or else the earliest
-- version. template_known shows where the version comes from:
-- - `that day`: the day's own snapshot;
-- - `earlier`: an earlier snapshot, because the template was deleted later, or nights are missing;
-- - `later`: the template's first snapshot, which is after the day;
-- - `unknown`: no snapshot has the template.
-- Templates of the same name are distinguished by their sender if the day and the snapshot both name it. candidates counts the
-- templates that still match. Of these, the row uses one that existed on that day, or else the latest, or else the first by id.

with days as (
    select *, struct_pack(template_kind, template, sender_key, plus_friend_id) as use
    from marts.daily_templates
),

candidates as (
    select
        used.date,
        use,
        versions,
        coalesce(
            use.sender_key in (versions.sender_key, versions.channel_id)
            or use.plus_friend_id in (versions.plus_friend_id, versions.channel_id),
            false
        ) as is_of_sender,
        case
            when used.date < versions.valid_from then 'later'
            when used.date > versions.valid_to then 'earlier'
            else 'that day'
        end as known
    from (select distinct date, use from days) as used
    inner join marts.template_versions as versions
        on use.template_kind = versions.template_kind and use.template = versions.template
),

told as (
    select *
    from candidates
    qualify is_of_sender = bool_or(is_of_sender) over (partition by date, use)
),

chosen as (
    select
        date,
        use,
        known,
        versions as version,
        count(distinct (versions.template_id, versions.sender_key, versions.channel_id)) over same_use as candidates
    from told
    window same_use as (partition by date, use)
    qualify
        row_number() over (
            same_use
            order by
                list_position(['that day', 'earlier', 'later'], known),
                if(known = 'later', versions.valid_from, null),
                versions.valid_from desc,
                versions.template_id,
                versions.sender_key,
                versions.channel_id,
                versions.text,
                versions.status,
                versions.template_name,
                versions.buttons::varchar
        ) = 1
)

select
    days.* exclude (use),
    coalesce(days.campaign_id, days.user_journey_id) as resource_id,
    resources.resource_name,
    coalesce(chosen.known, 'unknown') as template_known,
    coalesce(chosen.candidates, 0) as candidates,
    chosen.version.template_id as template_id,
    chosen.version.channel_id as channel_id,
    chosen.version.template_name as template_name,
    chosen.version.status as status,
    chosen.version.state as state,
    chosen.version.status_read_on as status_read_on,
    chosen.version.text as text,
    chosen.version.buttons as buttons,
    chosen.version.valid_from as version_from,
    chosen.version.valid_to as version_to
from days
left join chosen using (date, use)
left join marts.resources
    on days.campaign_id is not distinct from resources.campaign_id and days.user_journey_id is not distinct from resources.user_journey_id;
