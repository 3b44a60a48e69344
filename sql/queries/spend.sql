-- title: Spend on exports by month
-- question: How many event records were paid for in each month, and what did they cost?
-- params:
--   start (date, default null): first KST day on which exports were requested; its month counts whole
--   end (date, default null): last KST day on which exports were requested; its month counts whole
-- In other DuckDB clients, set parameters before: set variable start = '2026-11-01'; set variable "end" = '2026-11-30';
-- example:
--   month    exports  ambiguous_exports  records  estimated_records  cost    cost_per_thousand  currency
--   2026-11  19       0                  58802    58000              5880.2  100

select
    export_spend.month,
    export_spend.exports,
    export_spend.ambiguous_exports,
    export_spend.records,
    export_spend.estimated_records,
    export_spend.cost,
    export_spend.cost_per_thousand,
    budget.currency
from marts.export_spend
left join ops.budget on true
where
    (getvariable('start') is null or export_spend.month >= strftime(getvariable('start')::date, '%Y-%m'))
    and (getvariable('end') is null or export_spend.month <= strftime(getvariable('end')::date, '%Y-%m'))
order by export_spend.month;
