insert into ops.checks (checked_at, name, severity, stream, date, subject, finding, expected, actual)
values ($checkedAt, $name, $severity, $stream, $date::date, $subject, $finding, $expected, $actual);
