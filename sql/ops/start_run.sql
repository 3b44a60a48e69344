insert into ops.runs (run_id, command, started_at, version, process_id)
values ($runId, $command, $startedAt, $version, $processId);
