-- What the configuration says of A/B tests, as JSON, in the place of what it said before.

delete from ops.experiments;

insert into ops.experiments
select
    row.campaign_id,
    row.baseline,
    row.goal,
    row.smallest_effect,
    row.alpha,
    row.power,
    row.split,
    row.hold_outs,
    row.conversions_per_person
from (
    select
        unnest(
            from_json(
                getvariable('experiments'),
                '[{
                    "campaign_id": "VARCHAR", "baseline": "VARCHAR", "goal": "VARCHAR", "smallest_effect": "DOUBLE",
                    "alpha": "DOUBLE", "power": "DOUBLE", "split": "MAP(VARCHAR, DOUBLE)", "hold_outs": ["VARCHAR"],
                    "conversions_per_person": "DOUBLE"
                }]'
            )
        ) as row
) as given;
