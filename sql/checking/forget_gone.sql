-- Checks that are no more leave nothing behind.

delete from ops.checks where name not in (select unnest(getvariable('check_names')));
delete from ops.check_versions where name not in (select unnest(getvariable('check_names')));
