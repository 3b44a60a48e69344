-- title: People in a holdout
-- title_ko: 홀드아웃 고객
-- subject: people
-- question: Which users of a holdout get no messages, and which may get them?
-- question_ko: 홀드아웃의 미발송 그룹과 발송 그룹에는 누가 있나요?
-- words: holdout list, 홀드아웃 명단
-- params:
--   holdout (varchar, default null): only the holdout with this name
--   user (varchar, default null): only the user with this id
-- sentences:
--   select holdout, count(*) as people, count(*) filter (holdout_arm = 'holdout') as held_out from answer group by holdout order by holdout
--     en: {held_out} of {people} {people#user|users} of “{holdout}” {held_out#gets|get} no messages.
--     ko: 홀드아웃 ‘{holdout}’: 고객 {people}명 중 {held_out}명이 미발송 그룹입니다.
--   select 1 from answer where regexp_full_match(user_id, '[0-9a-f]{64}') limit 1
--     en: User ids are hashed, so the service does not know them. A push needs the ids of the service.
--     ko: 사용자 ID가 해시되어 있어 메시지 서비스에서 식별할 수 없습니다. `push`에는 해시하지 않은 ID가 필요합니다.
--     as: note
--   select count(distinct holdout) as holdouts from answer having holdouts > 1
--     en: A push sends one row for each user. Choose one of the {holdouts} holdouts with `holdout`.
--     ko: `push`는 고객마다 한 행만 보냅니다. 홀드아웃 {holdouts}개 중 하나를 `holdout`으로 고르세요.
--     as: note
--   select 1 where not exists (from answer) and not exists (from ops.holdouts)
--     en: No holdout. Name one under `holdouts` in the settings to measure what messages bring.
--     ko: 홀드아웃이 없습니다. 메시지 효과를 측정하려면 설정의 `holdouts`에 지정하세요.
--   select 1 where not exists (from answer) and exists (from ops.holdouts) and not exists (from own.holdouts)
--     en: Nobody has been assigned to a holdout yet.
--     ko: 아직 홀드아웃에 배정한 고객이 없습니다.
--   select 1 from own.holdouts having count(*) > 0 and count(user_id) = 0
--     en: Nobody in a holdout has a user id. The holdout names people by another id, or `privacy.columns` drops user ids.
--     ko: 홀드아웃에 사용자 ID가 없습니다. 다른 ID로 배정했거나 `privacy.columns` 설정에서 사용자 ID를 저장하지 않습니다.

-- The answer has the columns that push user-properties needs: a user, and the property to set. A person in both groups gets no
-- messages.
select
    user_id,
    holdout,
    min(arm) as holdout_arm
from own.holdouts
where user_id is not null and marts.matches('holdout', holdout) and marts.matches('user', user_id)
group by holdout, user_id
order by holdout, user_id;
