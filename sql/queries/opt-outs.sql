-- title: Opt-outs by day and number
-- title_ko: 날짜·번호별 수신거부
-- chart: line date opt_outs by unsubscribe_number
-- subject: opt-outs
-- question: How many opt-outs are requested on each day by each 080 number, and how many disappear later?
-- question_ko: 080 번호별로 하루에 수신거부가 몇 건 접수되고, 나중에 목록에서 삭제된 것은 몇 건인가요?
-- words: how many people unsubscribed, number of unsubscribes, unsubscribe rate, opt-out, opt-outs, opt out, 수신 거부, 수신거부율, 수신거부 늘었나, 수신거부 추이, unsubscribe trend, opted out, 수신거부
-- params:
--   start (date, default last_date - 27): first KST day; by default the range has 28 days
--   end (date, default max(date)): last KST day; by default the day before the latest snapshot
--   number (varchar, default null): only this 080 number
-- sentences:
--   select sum(opt_outs) as opt_outs, sum(vanished) as vanished, min(date) as first_date, max(date) as last_date from answer having
--   count(*) > 0
--     en: {opt_outs} {opt_outs#opt-out|opt-outs} came through 080 numbers {first_date~last_date}.
--     ko: {first_date~last_date}에 080 번호로 수신거부 {opt_outs}건이 접수되었습니다.
--   select last_date - 6 as first_date, last_date, coalesce(sum(opt_outs) filter (date > last_date - 7), 0) as week,
--   coalesce(sum(opt_outs) filter (date between last_date - 13 and last_date - 7), 0) as before, abs(week - before) > 3 * sqrt(week + before) as is_clear, if(is_clear, '', ' That difference may be chance.') as chance_en,
--   if(is_clear, '', ' 우연히 생길 수 있는 차이입니다.') as chance_ko from answer group by last_date, days having days >= 14 and
--   week <> before
--     en: {first_date~last_date}: {week} opt-outs, versus {before} in the seven days before.{chance_en}
--     ko: 최근 7일({first_date~last_date})은 {week}건, 전주는 {before}건입니다.{chance_ko}
--   select 1 from answer having sum(opt_outs) > 0
--     en: Requests are counted: one recipient may ask several times.
--     ko: 접수 건수 기준이며, 한 사람이 여러 번 요청할 수 있습니다.
--     as: note
--   select 1 from answer having sum(opt_outs) > 0
--     en: `opt-outs-after-messages` shows which messages they follow.
--     ko: 어떤 메시지 이후에 늘었는지는 `opt-outs-after-messages`에서 볼 수 있습니다.
--     as: note

-- The day of a snapshot is left out, because it was not over yet.
with period as (
    select coalesce(getvariable('end')::date, last_held - 1) as last_day, coalesce(getvariable('start')::date, last_day - (marts.days_asked(28) - 1)) as first_day
    from marts.period('opt_outs', days := 28)
),
-- An opt-out counts on the day of its request, which may be before the first snapshot. It disappears on the day of the first
-- snapshot without it.
changes as (
    select date, unsubscribe_number, 1 as opted_out, 0 as vanished
    from marts.opt_out_requests
    union all
    select vanished_date, unsubscribe_number, 0, 1
    from marts.opt_out_requests
    where vanished_date is not null
)
select
    changes.date,
    changes.unsubscribe_number,
    sum(changes.opted_out)::bigint as opt_outs,
    sum(changes.vanished)::bigint as vanished,
    sum(sum(changes.opted_out - changes.vanished)) over (
        partition by changes.unsubscribe_number order by changes.date
    )::bigint as standing,
    (select last_day from period) as last_date,
    (select last_day - first_day + 1 from period) as days
from changes
where marts.matches('number', changes.unsubscribe_number)
group by changes.date, changes.unsubscribe_number
qualify changes.date between (select first_day from period) and (select last_day from period)
order by changes.date, changes.unsubscribe_number;
