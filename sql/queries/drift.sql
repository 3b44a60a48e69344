-- title: Fields that differ from the specification
-- title_ko: 명세와 다른 필드
-- subject: the data
-- question: Which fields differ from the specification, and since when?
-- question_ko: 메시지 서비스 명세와 다른 필드는 무엇이고, 언제부터 달라졌나요?
-- words: settings changed, new fields, what changed in the data, unknown fields
-- params:
--   stream (varchar, default null, one of statistics statistics_by_subchannel campaigns events catalogs brand_templates alimtalk_templates opt_outs): only this stream
-- sentences:
--   select count(*) as fields from answer having fields > 0
--     en: {fields} {fields#field differs|fields differ} from the specification.
--     ko: 메시지 서비스 명세와 다른 필드가 {fields}개 있습니다.
--   select 1 where not exists (from answer)
--     en: All fields match the specification.
--     ko: 모든 필드가 메시지 서비스 명세와 같습니다.

select * from ops.schema_drift
where marts.matches('stream', schema_drift.stream)
order by schema_drift.stream, schema_drift.place, schema_drift.field, schema_drift.kind;
