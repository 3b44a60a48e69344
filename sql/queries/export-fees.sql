-- title: Export fees by month
-- title_ko: 월별 이벤트 내보내기 비용
-- chart: bar month records
-- subject: the data
-- question: How many event records were paid for in each month, and what were the fees?
-- question_ko: 월별로 비용을 낸 이벤트 레코드는 몇 건이고, 비용은 얼마인가요?
-- words: what exports cost, export cost, 내보내기 비용, vendor fees, fees of exports, cost us exports, next month cost
-- params:
--   start (date, default null): first KST day on which exports were requested; the whole month counts
--   end (date, default null): last KST day on which exports were requested; the whole month counts
-- sentences:
--   select month, records, exports - ambiguous_exports as exports from answer where records > 0 order by month desc limit 1
--     en: {exports} paid {exports#export|exports} returned {records} records in {month}.
--     ko: {month}에 내보내기 {exports}건으로 유료 레코드 {records}건을 받았습니다.
--   select month, fee, currency from answer where fee > 0 order by month desc limit 1
--     en: Export fees in {month}: {fee:price}.
--     ko: {month}의 이벤트 내보내기 비용은 {fee:price}입니다.
--   select month, ambiguous_exports as exports from answer where ambiguous_exports > 0 order by month
--     en: The billing of {exports} {exports#export|exports} of {month} is unknown. {exports#Its|Their} expected records are
--       counted.
--     ko: {month}의 내보내기 {exports}건은 청구 여부를 알 수 없어 예상 레코드 수로 계산했습니다.
--     as: note
--   select month, unsized_exports as exports from answer where unsized_exports > 0 order by month
--     en: Not counted: {exports} {exports#export|exports} of {month} of unknown size.
--     ko: {month}의 내보내기 {exports}건은 크기를 알 수 없어 레코드 수와 비용에서 제외했습니다.
--     as: note
--   select 1 where exists (from answer) and not exists (from answer where fee > 0)
--     en: Fees are unknown because `exports.price_per_record` is not set.
--     ko: 레코드당 단가(exports.price_per_record)를 설정하지 않아 비용을 표시하지 않습니다.
--   select 1 where not exists (from answer)
--     en: No export was paid for.
--     ko: 유료 내보내기가 없습니다.

select
    -- If the price is unknown, so is the fee; it is not 0.
    export_fees.* replace (if(fee_per_thousand > 0, fee, null) as fee, nullif(fee_per_thousand, 0) as fee_per_thousand),
    budget.currency
from marts.export_fees
left join ops.budget on true
where
    (getvariable('start') is null or export_fees.month >= strftime(getvariable('start')::date, '%Y-%m'))
    and (getvariable('end') is null or export_fees.month <= strftime(getvariable('end')::date, '%Y-%m'))
order by export_fees.month;
