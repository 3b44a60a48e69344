-- What a warehouse remembers of paid exports, from the ledger as it stood then: all but those that it tracks today.
select
  key,
  epoch_ms(window_start)::double as window_start_ms,
  epoch_ms(window_end)::double as window_end_ms,
  date::varchar as date,
  state,
  export_id,
  message_data,
  records::double as records,
  pages::double as pages,
  estimated_records::double as estimated_records,
  price_per_record,
  epoch_ms(requested_at)::double as requested_at_ms,
  epoch_ms(updated_at)::double as updated_at_ms,
  note
from ops.exports
where key not in (select unnest(from_json($tracked, '["VARCHAR"]')))
order by key;
