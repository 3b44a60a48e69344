-- E12. If privacy.recipients is `drop`, recipients who opt out at the same instant differ only in their number, which
-- is not stored.

insert into staged_opt_outs by name
with read as (
    select *, json_transform(document, shape('opt_out')) as o
    from documents
),

named as (
    select
        list,
        date,
        pull,
        o."unsubscribeNo" as unsubscribe_number,
        recipient(o."recipientNo") as recipient,
        korean_time(o."requestDate") at time zone 'Asia/Seoul' as requested_at,
        extra
    from read
)

select
    *,
    row_number() over (partition by list, date, pull, unsubscribe_number, recipient, requested_at order by extra::varchar) as copy
from named;

create or replace temp table extras as
select 'opt_out' as place, date, extra from staged_opt_outs semi join days using (pull, date) where extra is not null;
