-- grain: one variant of a campaign that is an A/B test, by its latest name, or by its id if it never had one.

select id as campaign_id, part as variant_id, name as variant_name, * exclude (id, part, name)
from marts.named(campaign_id, variant_id, variant_name);
