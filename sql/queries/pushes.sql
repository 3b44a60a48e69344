-- title: Pushes
-- title_ko: 서비스 전송 이력
-- subject: the data
-- question: What did each push send back to the service, and what did it leave out or lose?
-- question_ko: 메시지 서비스로 보낸 전송마다 무엇을 보냈고, 무엇이 제외되거나 유실되었나요?
-- params:
--   start (date, default last_date - 27): first KST day on which pushes began
--   end (date, default max(date)): last KST day; by default the day of the latest push
-- sentences:
--   select count(*) as pushes, sum(sent) as sent, sum(rejected) as rejected, sum(unchanged) as unchanged from answer having pushes >
--   0
--     en: {pushes} {pushes#push|pushes}: the service accepted {sent} rows and rejected {rejected}. {unchanged} unchanged rows were
--       not sent.
--     ko: 서비스 전송 {pushes}건: {sent}행 전송, {rejected}행 거부. 바뀌지 않은 {unchanged}행은 보내지 않았습니다.
--   select target from answer where state = 'ambiguous'
--     en: Your decision is needed for a push to {target}: it is unknown whether the service got its rows. See `dawnload push list`.
--     ko: {target} 전송은 담당자 확인이 필요합니다. 메시지 서비스가 행을 받았는지 알 수 없습니다. `dawnload push list`로 확인하세요.
--     as: to do

with begun as (
    select *, begun_at at time zone 'Asia/Seoul' as begun_at_kst, begun_at_kst::date as date
    from ops.pushes
),
params as (
    select
        coalesce(getvariable('end')::date, max(date)) as last_date,
        coalesce(getvariable('start')::date, last_date - (marts.days_asked(28) - 1)) as first_date
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
