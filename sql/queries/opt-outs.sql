-- title: Opt-outs by day and number
-- subject: opt-outs
-- question: How many recipients opt out on each day by each 080 number, and how many opt-outs vanish again?
-- params:
--   start (date, default last_date - 27): first KST day; unless given, 28 days in all
--   end (date, default max(date)): last KST day; unless given, that of the last snapshot
--   number (varchar, default null): only this 080 number
-- sentences:
--   select sum(opt_outs) as opt_outs, sum(vanished) as vanished, min(date) as first_date, max(date) as last_date from answer having
--   count(*) > 0
--     en: {first_date~last_date}, {opt_outs} {opt_outs#opt-out was|opt-outs were} requested by 080 numbers.
--     ko: {first_date~last_date}에 080 번호로 수신거부 {opt_outs}건이 접수되었습니다.

with period as (from marts.period('opt_outs', days := 28)),
-- An opt-out counts on the day of its request, which may be before the first snapshot, and vanishes on the day of the first
-- snapshot without it.
changes as (
    select date, unsubscribe_number, 1 as opted_out, 0 as vanished
    from marts.opt_out_requests
    union all
    select vanished_date, unsubscribe_number, 0, 1
    from marts.opt_out_requests
    where vanished_date is not null
),
days as (
    select
        date,
        unsubscribe_number,
        sum(opted_out)::bigint as opt_outs,
        sum(vanished)::bigint as vanished
    from changes
    group by date, unsubscribe_number
),
with_standing as (
    select *, sum(opt_outs - vanished) over (partition by unsubscribe_number order by date)::bigint as standing
    from days
)
select
    with_standing.date,
    with_standing.unsubscribe_number,
    with_standing.opt_outs,
    with_standing.vanished,
    with_standing.standing
from with_standing
inner join period on with_standing.date between period.first_date and period.last_date
where marts.matches('number', with_standing.unsubscribe_number)
order by with_standing.date, with_standing.unsubscribe_number;
