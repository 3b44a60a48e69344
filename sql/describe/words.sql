select schema_name, relation_name, column_name, en, ko, label from ops.dictionary order by rowid;
