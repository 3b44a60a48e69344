update ops.runs
set finished_at = $finishedAt, exit_code = $exitCode, outcome = $outcome, summary = $summary::json
where run_id = $runId;
