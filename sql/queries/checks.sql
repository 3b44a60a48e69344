-- title: Open findings
-- title_ko: 데이터 검사에서 발견된 문제
-- first: severity name date subject finding meaning expected actual
-- subject: the data
-- question: What did the last round of checks find?
-- question_ko: 최근 데이터 검사에서 발견된 문제는 무엇인가요?
-- words: statistics and events agree, events agree with statistics, events match statistics, statistics and events disagree, 통계와 이벤트 일치, 통계 이벤트 차이, duplicate events, duplicate records, duplicate rows, events twice, stored twice, 중복 이벤트, 이벤트 중복, 중복 데이터, broken data, odd data, data quality, 데이터 품질, 이상한 데이터, unknown people, did the run succeed, night run, errors in the data, 데이터 오류
-- params:
--   severity (varchar, default null, one of stop warn): only findings of this severity
--   top (bigint, default null): how many findings of each check to show, newest first; by default all
-- given:
--   tests as (select distinct name, severity, findings_of_check from answer)
-- sentences:
--   select sum(findings_of_check) as findings, count(*) as tests from tests having tests > 0
--     en: {tests} {tests#check|checks} found {findings} {findings#problem|problems}.
--     ko: 데이터 검사 {tests}개에서 문제 {findings}건이 발견되었습니다.
--   select sum(findings_of_check) as stops from tests where severity = 'stop' having stops > 0
--     en: Checks found {stops} serious {stops#problem|problems}, so these numbers may be wrong.
--     ko: 수치를 왜곡하는 문제가 {stops}건 발견되었습니다.
--     as: alert
--   select sum(findings_of_check) as stops from tests where severity = 'stop' having stops > 0
--     en: Run `dawnload query checks severity=stop`: {stops} {stops#problem|problems} may make these numbers wrong.
--     ko: `dawnload query checks severity=stop`으로 확인하세요. 수치를 왜곡하는 문제가 {stops}건 있습니다.
--     as: to do
--   select 1 where not exists (from answer)
--     en: The latest checks found no problems.
--     ko: 마지막 데이터 검사에서 문제가 발견되지 않았습니다.

select
    checks.severity,
    checks.name,
    checks.date,
    checks.finding,
    checks.expected,
    checks.actual,
    checks.subject,
    checks.stream,
    checks.meaning,
    checks.checked_at at time zone 'Asia/Seoul' as checked_at_kst,
    count(*) over (partition by checks.name) as findings_of_check
from ops.checks
where marts.matches('severity', checks.severity)
qualify
    getvariable('top') is null
    or row_number() over (
        partition by checks.name
        order by checks.date desc, checks.stream, checks.subject, checks.finding, checks.expected, checks.actual
    ) <= getvariable('top')::bigint
-- Findings that stop publishing come before warnings.
order by
    checks.severity = 'stop' desc, checks.name, checks.date desc, checks.stream, checks.subject, checks.finding, checks.expected,
    checks.actual;
