-- Models and seeds as they are made now; what was noted of them before goes, and of models that are no more.

delete from ops.models where relation in (select unnest(getvariable('former_relations')));
delete from ops.model_days where relation in (select unnest(getvariable('former_relations')));

insert into ops.models by name
select
    unnest(getvariable('relations')) as relation,
    unnest(getvariable('kinds')) as kind,
    unnest(getvariable('fingerprints')) as fingerprint;
