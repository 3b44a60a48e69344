insert into ops.migrations (number, name, applied_at) values ($number, $name, $applied_at);
