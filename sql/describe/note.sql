delete from ops.descriptions;
insert into ops.descriptions values (getvariable('fingerprint'));
