insert into ops.budget (records_per_run, records_per_month, price_per_record, start_date, noted_at)
values ($recordsPerRun, $recordsPerMonth, $pricePerRecord, $startDate::date, $notedAt);
