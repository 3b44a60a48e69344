-- grain: one KST month of requests.
--
-- An accepted request is billed even if its pages did not arrive. An ambiguous one may be billed.

with requests as (
    select
        strftime(requested_at at time zone 'Asia/Seoul', '%Y-%m') as month,
        billed,
        records,
        coalesce(billed_records, records, estimated_records) as billed_records,
        estimated_records,
        price_per_record
    from ops.exports
    where billed <> 'no'
)

select
    month,
    count(*) as exports,
    count(*) filter (where billed = 'maybe') as ambiguous_exports,
    count(*) filter (where billed_records is null) as unsized_exports,
    sum(records)::bigint as records,
    sum(estimated_records)::bigint as estimated_records,
    sum(marts.price_of(billed_records, price_per_record))::double as fee,
    1000 * sum(marts.price_of(billed_records, price_per_record))::double / nullif(sum(billed_records), 0) as fee_per_thousand
from requests
group by month;
