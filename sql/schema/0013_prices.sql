-- The currency of exports.price_per_record, and what records cost: exact, with the digits of the price.

alter table ops.budget add column currency varchar;

create macro marts.price_of(records, price_per_record) as
    records::decimal(18, 0) * coalesce(price_per_record, 0)::decimal(19, 12);
