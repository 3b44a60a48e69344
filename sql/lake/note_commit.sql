insert into lake.{ops}.lake_commits (number, commit_id, writer, committed_at, command, version, days, rows)
values ({number}, {commit}, {writer}, {at}::timestamptz, {command}, {version}, {days}, {rows});
