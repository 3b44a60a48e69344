delete from ops.dictionary;

insert into ops.dictionary
select entry.schema_name, entry.relation_name, entry.column_name, entry.en, entry.ko, entry.label
from (
    select unnest(from_json(
        getvariable('words'),
        '[{
            "schema_name": "varchar",
            "relation_name": "varchar",
            "column_name": "varchar",
            "en": "varchar",
            "ko": "varchar",
            "label": "varchar"
        }]'
    )) as entry
);
