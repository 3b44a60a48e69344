-- severity: warn
-- scope: full
-- meaning: A setting below `experiments` names a campaign or a variant that is not known, so no A/B test is judged by it.
--   Correct the name in dawnload.yaml, or wait until the campaign is sent; the next run judges again.

with named as (
    select campaign_id, {'setting': 'baseline', 'name': baseline} as one
    from ops.experiments
    where campaign_id <> 'default'
    union all
    select campaign_id, {'setting': 'split', 'name': unnest(list_distinct(flatten(list_transform(map_values(split), lambda shares: map_keys(shares)))))}
    from ops.experiments
    where campaign_id <> 'default'
    union all
    select campaign_id, {'setting': 'hold_outs', 'name': unnest(hold_outs)}
    from ops.experiments
    where campaign_id <> 'default'
),

judged as (
    -- A campaign without variants is not a test, so every variant in its settings is unknown.
    select
        campaigns.campaign_id,
        list(distinct variant_id) filter (variant_id is not null)
        || list(distinct variant_name) filter (variant_name is not null) as names
    from campaigns
    left join campaign_variants on campaigns.campaign_id = campaign_variants.campaign_id
    group by campaigns.campaign_id
)

select
    null::date as date,
    named.campaign_id || ' ' || named.one.setting as subject,
    'The campaign has no such variant.' as finding,
    array_to_string(list_sort(judged.names), ', ') as expected,
    named.one.name as actual
from named
inner join judged on named.campaign_id = judged.campaign_id
where named.one.name is not null and list_contains(marts.lower_case(judged.names), lower(named.one.name)) is distinct from true
union all
select null, campaign_id, 'No data has a campaign with this id yet.', null, null
from ops.experiments
where campaign_id <> 'default' and campaign_id not in (select campaigns.campaign_id from campaigns);
