-- The findings of these checks stand there for all days.

delete from ops.check_versions where name in (select unnest(getvariable('changed_checks')));

insert into ops.check_versions by name
select unnest(getvariable('changed_checks')) as name, unnest(getvariable('fingerprints')) as fingerprint;
