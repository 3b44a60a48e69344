-- severity: warn
-- scope: incremental
-- depends_on: catalogs, brand_templates, alimtalk_templates, opt_outs
-- meaning: The history of reference data has two versions for the same day, or a version that ends before it begins.
--   Joins with it count twice or find nothing. Run `dawnload rebuild`; report it if it persists.
-- Checks things with an id that have a version starting on a changed day. The table beside a history has the versions that have not
-- ended, so its keys are those of the last day.

with versions as (
    select 'catalogs' as subject, hash(catalog_name) as key, valid_from, valid_to
    from catalogs_history
    union all
    select 'catalog_fields', hash(catalog_name, position), valid_from, valid_to
    from catalog_fields_history
    union all
    select 'catalog_items', hash(catalog_name, item_id), valid_from, valid_to
    from catalog_items_history
    where item_id is not null
    union all
    select 'brand_templates', hash(template_id, sender_key), valid_from, valid_to
    from brand_templates_history
    where template_id is not null
    union all
    select 'brand_template_buttons', hash(template_id, sender_key, position), valid_from, valid_to
    from brand_template_buttons_history
    union all
    select 'alimtalk_templates', hash(channel_id, template_code, copy), valid_from, valid_to
    from alimtalk_templates_history
    union all
    select 'opt_outs', hash(unsubscribe_number, recipient, requested_at, copy), valid_from, valid_to
    from opt_outs_history
),

changed as (
    select distinct subject, key
    from versions
    where valid_from in (select date from batch_days)
),

followed as (
    select
        versions.subject,
        versions.valid_from,
        versions.valid_to,
        lag(coalesce(versions.valid_to, 'infinity')) over thing as former_valid_to
    from versions
    semi join changed on versions.subject = changed.subject and versions.key = changed.key
    window thing as (
        partition by versions.subject, versions.key order by versions.valid_from, versions.valid_to nulls last
    )
),

wrong as (
    select
        subject,
        valid_from,
        case
            when valid_to < valid_from then 'A version ends before it begins.'
            when former_valid_to >= valid_from then 'Two versions of one row begin on the same day.'
        end as finding
    from followed
)

select
    valid_from as date,
    subject || '_history' as subject,
    finding,
    '0' as expected,
    count(*) as actual
from wrong
where finding is not null
group by all;
