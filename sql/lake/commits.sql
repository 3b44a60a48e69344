-- The newest first.

select number, commit_id, writer, epoch_ms(committed_at) as committed_at_ms, command, version, days, rows
from lake.{ops}.lake_commits
order by number desc
limit {limit};
