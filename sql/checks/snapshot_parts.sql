-- severity: warn
-- scope: full
-- depends_on: catalogs, brand_templates
-- meaning: Some items or fields name a catalog that is not in the list of catalogs, or some buttons name a template
--   that does not exist. Joins drop them. The catalog or template was deleted while the lists were read; the next run
--   corrects it.

with parts as (
    select 'catalog_items' as subject, valid_from, catalog_name as whole_name
    from catalog_items
    where catalog_name not in (select catalog_name from catalogs where catalog_name is not null)
    union all
    select 'catalog_fields', valid_from, catalog_name
    from catalog_fields
    where catalog_name not in (select catalog_name from catalogs where catalog_name is not null)
    union all
    select 'brand_template_buttons', buttons.valid_from, buttons.template_id
    from brand_template_buttons as buttons
    anti join brand_templates as templates
        on
            buttons.template_id is not distinct from templates.template_id
            and buttons.sender_key is not distinct from templates.sender_key
)

select
    max(valid_from) as date,
    subject,
    'Rows belong to nothing: ' || whole_name || '.' as finding,
    '0' as expected,
    count(*) as actual
from parts
group by subject, whole_name;
