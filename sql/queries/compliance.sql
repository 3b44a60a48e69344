-- title: Rules for ads
-- title_ko: 광고 발송 점검
-- chart: bar resource_name ads by channel
-- first: resource_name channel ads unmarked_ads late_mark_ads without_opt_out night_ads example_text
-- subject: failures
-- question: Which campaigns sent ads at night (21:00 to 08:00 KST), ads that do not begin with “(광고)”, or ads without a way to opt out?
-- question_ko: 야간(21시~8시)에 광고를 보냈거나, ‘(광고)’로 시작하지 않거나 수신거부 방법을 빠뜨린 캠페인은 무엇인가요?
-- words: ads law, 광고 표시 누락, 야간 발송, 정보통신망법, advertising law, night ads, ads at night, legal, (광고), 광고성 정보
-- also: exports event_days
-- params:
--   start (date, default last_date - 27): first KST day; by default the range has 28 days
--   end (date, default max(date)): last KST day; by default the latest available day
--   channel (varchar, default null): only this channel, such as text-message
--   campaign (varchar, default null): only the campaign or user journey with this id
-- given:
--   wrong as (select *, unnest([{'rule': 'opt-out', 'wrong': without_opt_out, 'en': 'without a way to opt out', 'ko': '수신거부 방법 누락', 'example': ''},
--   {'rule': 'mark', 'wrong': unmarked_ads, 'en': 'without “(광고)”', 'ko': '‘(광고)’ 표시 누락', 'example': ''}, {'rule': 'place', 'wrong': late_mark_ads, 'en':
--   'with “(광고)” not at the beginning', 'ko': '‘(광고)’ 표시 위치 오류', 'example': left(example_text, 20) || '…'}, {'rule': 'night', 'wrong': night_ads, 'en':
--   'sent between 21:00 and 08:00', 'ko': '야간(21시~8시) 발송', 'example': ''}], recursive := true) from answer),
--   faulty as (select resource_id, resource_name, channel, ads, first_date, last_date, sum(wrong) as wrong_ads, string_agg(format('{:,d} {}', wrong, en) ||
--   if(example = '', '', format(' (“{}”)', example)), ', ' order by wrong desc, rule) as parts_en, string_agg(ko || if(example = '', '', format('(‘{}’)',
--   example)) || format(' {:,d}건', wrong), ', ' order by wrong desc, rule) as parts_ko from wrong where wrong > 0 group by resource_id, resource_name,
--   channel, ads, first_date, last_date),
--   corrections as (select *, row_number() over (order by wrong_of_all desc, resource_name, wrong_ads desc, channel) as place
--   from (select *, sum(wrong_ads) over (partition by resource_name) as wrong_of_all from faulty))
-- sentences:
--   select min(first_date) as first_date, max(last_date) as last_date, string_agg(format('{:,d} {}', wrong, en), ', ' order by wrong desc, rule) as parts_en,
--   string_agg(format('{} {:,d}건', ko, wrong), ', ' order by wrong desc, rule) as parts_ko from (select rule, en, ko, sum(wrong)::bigint as wrong,
--   min(first_date) as first_date, max(last_date) as last_date from wrong where wrong > 0 group by all) having count(*) > 0
--     en: By their texts, ads {first_date~last_date} break rules: {parts_en}.
--     ko: {first_date~last_date} 광고 문구 기준으로 {parts_ko}이 있습니다.
--   select sum(ads) as ads from answer having sum(night_ads + unmarked_ads + late_mark_ads + without_opt_out) = 0
--     en: All {ads} {ads#ad|ads} went out between 08:00 and 21:00, beginning with “(광고)” and with a way to opt out.
--     ko: 광고 {ads}건 모두 ‘(광고)’로 시작하고 수신거부 방법이 있으며, 8시~21시에 발송했습니다.
--   select 1 from answer having sum(night_ads) = 0 and sum(unmarked_ads + late_mark_ads + without_opt_out) > 0
--     en: No ad went out at night (21:00 to 08:00).
--     ko: 야간(21시~8시)에 발송한 광고는 없습니다.
--   from corrections where place <= 3 order by place
--     en: Correct the ads of “{resource_name}” ({channel}, {ads} {ads#ad|ads} {first_date~last_date}): {parts_en}.
--     ko: ‘{resource_name}’({channel}) 광고를 고치세요. {first_date~last_date} 발송 {ads}건에서 발견된 문제: {parts_ko}.
--     as: to do
--   select count(distinct resource_name) as others from corrections where resource_name not in (select resource_name from corrections where place <= 3)
--   having others > 0
--     en: Correct the ads of {others} more {others#campaign or user journey|campaigns and user journeys}; `compliance` lists them.
--     ko: 다른 캠페인·유저 여정 {others}개의 광고도 고치세요(목록: `compliance`).
--     as: to do
--   select 1 from answer limit 1
--     en: Failed sends are left out.
--     ko: 발송에 실패한 광고는 제외합니다.
--     as: note
--   select 1 from answer limit 1
--     en: A text needs a free 080 number. A friendtalk message may instead name the menu for blocking the channel.
--       The messenger may add both to a friendtalk message that is flagged as an ad. The exports show the text alone.
--     ko: 문자에는 무료 수신거부 번호(080)가, 친구톡에는 번호 또는 채널 차단 방법 안내가 있어야 합니다. 친구톡을 광고로 보내면 메신저가 ‘(광고)’와 수신거부 안내를 자동으로 붙이기도 합니다. 데이터에는 본문만 있으니 실제 수신 화면을 확인하세요.
--     as: note
--   select 1 from answer limit 1
--     en: Ads are texts and friendtalk messages that are marked as ads or begin with “(광고)”. Push, e-mail and brand messages are not checked. Ads at night need a separate consent.
--     ko: 광고로 표시했거나 ‘(광고)’로 시작하는 문자와 친구톡만 점검하며, 푸시·이메일·브랜드 메시지는 점검하지 않습니다. 야간 광고에는 별도 동의가 필요합니다.
--     as: note
--   select 1 where not exists (from answer) and exists (from ops.coverage where stream = 'events')
--     en: No text or friendtalk message is an ad on the days with events.
--     ko: 이벤트 데이터가 있는 날짜에 광고 문자나 친구톡이 없습니다.

with period as (from marts.period('events', days := 28)),
texts as (
    select
        date,
        event_id,
        is_ad,
        concat_ws(chr(10), title, text) as whole,
        regexp_matches(whole, '[(\[（]\s*광\s*고\s*[)\]）]') as has_mark,
        regexp_matches(whole, '^\s*[(\[（]\s*광\s*고\s*[)\]）]') as is_marked,
        len(marts.shown_numbers(whole)) > 0
        or (shape = 'friendtalk' and regexp_matches(whole, '수신\s*거부|채널\s*차단')) as has_opt_out
    from marts.message_texts
    inner join period on message_texts.date between period.first_date and period.last_date
    where shape in ('text', 'friendtalk') and (is_ad or is_marked)
),
messages as (
    select
        sends.date,
        sends.channel,
        coalesce(sends.campaign_id, sends.user_journey_id) as resource_id,
        hour(sends.occurred_at at time zone 'Asia/Seoul') as sent_hour,
        texts.* exclude (date)
    from marts.counted_events as sends
    inner join texts on sends.date = texts.date and sends.event_id = texts.event_id
    where
        marts.event_kind(sends.event_name) = 'succeeded'
        and sends.channel in ('text-message', 'chatapp-friendtalk')
        and marts.matches('channel', sends.channel)
        and marts.matches('campaign', coalesce(sends.campaign_id, sends.user_journey_id))
    qualify row_number() over (partition by sends.event_id order by sends.occurred_at, sends.event_name) = 1
)
-- A mark or a number counts as missing only if the text is known.
select
    coalesce(any_value(resources.resource_name), messages.resource_id) as resource_name,
    messages.channel,
    count(*) as ads,
    count(*) filter (sent_hour >= 21 or sent_hour < 8) as night_ads,
    count(*) filter (whole <> '' and not has_mark) as unmarked_ads,
    count(*) filter (has_mark and not is_marked) as late_mark_ads,
    count(*) filter (whole <> '' and not has_opt_out) as without_opt_out,
    max(date) as last_date,
    min(date) as first_date,
    left(
        arg_max(
            regexp_replace(whole, '\s+', ' ', 'g'),
            {'is_late': has_mark and not is_marked, 'is_wrong': not is_marked or not has_opt_out, 'text': whole}
        ),
        200
    ) as example_text,
    messages.resource_id
from messages
left join (select distinct resource_id, resource_name from marts.resources) as resources
    on messages.resource_id = resources.resource_id
group by messages.channel, messages.resource_id
order by night_ads + unmarked_ads + late_mark_ads + without_opt_out desc, ads desc, messages.resource_id, messages.channel;
