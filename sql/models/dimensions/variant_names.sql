-- grain: one campaign and name that one of its variants has or had, its id among them; a name of two variants is left out.

with all_names as (
    select campaign_id, variant_id, unnest(list_distinct([variant_id, variant_name] || former_names)) as variant_name
    from campaign_variants
)

select
    campaign_id,
    variant_name,
    any_value(variant_id) as variant_id
from all_names
where variant_name is not null
group by campaign_id, variant_name
having count(*) = 1;
