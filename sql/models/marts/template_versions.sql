-- grain: one version of a brand or alimtalk template.
--
-- Both kinds have the same columns. template is what messages call it: the name of a brand template, or the code of an alimtalk
-- template. The buttons of a brand template are those on the first day of the version. The list of brand templates lacks the
-- status, which is read for new and changed templates, and again after some days (status_read_on).

with brand_buttons as (
    select
        versions.template_id,
        versions.sender_key,
        versions.valid_from,
        to_json(
            list(
                {
                    'type': buttons.button_type,
                    'name': buttons.button_name,
                    'link_mo': buttons.link_mo,
                    'link_pc': buttons.link_pc,
                    'link_and': buttons.link_and,
                    'link_ios': buttons.link_ios
                }
                order by buttons.position
            )
        ) as buttons
    from brand_templates_history as versions
    inner join brand_template_buttons_history as buttons
        on
            versions.template_id is not distinct from buttons.template_id
            and versions.sender_key is not distinct from buttons.sender_key
            and versions.valid_from >= buttons.valid_from
            and versions.valid_from <= coalesce(buttons.valid_to, 'infinity')
    group by all
),

versions as (
    select
        'brand' as template_kind,
        versions.template_name as template,
        versions.template_id,
        versions.sender_key,
        null as channel_id,
        null as plus_friend_id,
        versions.template_name,
        versions.status,
        marts.template_state(versions.status) as state,
        versions.status_read_on,
        versions.content_text as text,
        brand_buttons.buttons,
        (versions.created_at at time zone 'Asia/Seoul')::date as created_date,
        versions.valid_from,
        versions.valid_to
    from brand_templates_history as versions
    left join brand_buttons
        on
            versions.template_id is not distinct from brand_buttons.template_id
            and versions.sender_key is not distinct from brand_buttons.sender_key
            and versions.valid_from = brand_buttons.valid_from
    union all by name
    select
        'alimtalk' as template_kind,
        template_code as template,
        template_code as template_id,
        coalesce(template ->> '$.senderKey', template ->> '$.sender_key') as sender_key,
        channel_id,
        coalesce(template ->> '$.plusFriendId', template ->> '$.plus_friend_id') as plus_friend_id,
        template_name,
        status_code as status,
        marts.template_state(status_code) as state,
        null as status_read_on,
        content as text,
        template -> '$.buttons' as buttons,
        try_cast(coalesce(template ->> '$.createDate', template ->> '$.createdAt') as date) as created_date,
        valid_from,
        valid_to
    from alimtalk_templates_history
)

select *
from versions
where template is not null;
