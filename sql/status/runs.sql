-- The latest runs, newest first, whatever the clock said then.
select
  run_id,
  command,
  epoch_ms(started_at)::double as started_at_ms,
  epoch_ms(finished_at)::double as finished_at_ms,
  exit_code::double as exit_code,
  outcome
from ops.runs
order by rowid desc
limit 5;
