-- title: Pushes
-- title_ko: 푸시백 이력
-- subject: the data
-- question: What did each push send back to the service, and what did it leave out or lose?
-- params:
--   start (date, default last_date - 27): first KST day on which pushes began
--   end (date, default max(date)): last KST day; unless given, that of the newest push
-- sentences:
--   select count(*) as pushes, sum(sent) as sent, sum(rejected) as rejected, sum(unchanged) as unchanged from answer having pushes >
--   0
--     en: {pushes} {pushes#push|pushes}: the service took {sent} rows; {rejected} were rejected, and {unchanged} left out, because they
--       had not changed.
--     ko: 되돌려 보내기 {pushes}건으로 {sent}행을 보냈고 {rejected}행이 거절되었습니다. 바뀌지 않은 {unchanged}행은 보내지 않았습니다.
--   select target from answer where state = 'ambiguous'
--     en: A push to {target} waits for a decision (`dawnload push list`): it is not known whether the service has its rows.
--     ko: {target}에 보낸 건이 결정을 기다리고 있습니다(`dawnload push list`). 서비스가 행을 받았는지 알 수 없습니다.
--     as: to do

with begun as (
    select *, begun_at at time zone 'Asia/Seoul' as begun_at_kst, begun_at_kst::date as date
    from ops.pushes
),
params as (
    select
        coalesce(getvariable('end')::date, max(date)) as last_date,
        coalesce(getvariable('start')::date, last_date - 27) as first_date
    from begun
)
select
    begun.push_id,
    begun.begun_at_kst,
    begun.target,
    begun.name,
    begun.state,
    begun.rows,
    begun.sent,
    begun.unchanged,
    begun.rejected,
    begun.unknown,
    begun.erased,
    begun.calls,
    begun.note
from begun
inner join params on begun.date between params.first_date and params.last_date
order by begun.begun_at desc, begun.push_id desc;
