-- title: User journeys as funnels
-- question: Where do people drop out of each user journey?
-- params:
--   journey (varchar, default null): id of the one user journey to look at
-- In other DuckDB clients, set parameters before: set variable journey = 'journey-id';
-- example:
--   user_journey_name  step  user_journey_node_name  channels           sent  failed  delivered  clicked  …
--   신규 회원 온보딩   1     환영 푸시               push-notification  3492  100     3137       150      …
--   신규 회원 온보딩   2     첫 구매 쿠폰            chatapp-alimtalk   2626  101                         …
--   신규 회원 온보딩   3     이용 안내 메일          email              1871  34                 70       …

with params as (
    select getvariable('journey')::varchar as only_journey
)
-- The service does not tell the order of nodes; people only drop out on the way, so the busiest counts as the first.
select
    journey_funnels.user_journey_name,
    journey_funnels.step,
    journey_funnels.user_journey_node_name,
    array_to_string(journey_funnels.channels, ', ') as channels,
    journey_funnels.sent,
    journey_funnels.failed,
    journey_funnels.delivered,
    journey_funnels.clicked,
    journey_funnels.conversions,
    round(journey_funnels.share_of_first, 4) as share_of_first,
    round(journey_funnels.drop_off, 4) as drop_off,
    round(journey_funnels.click_rate, 4) as click_rate,
    round(journey_funnels.conversion_rate, 4) as conversion_rate,
    journey_funnels.user_journey_id,
    journey_funnels.user_journey_node_id
from marts.journey_funnels
cross join params
where params.only_journey is null or journey_funnels.user_journey_id = params.only_journey
order by journey_funnels.user_journey_id, journey_funnels.step;
