-- A failed commit must leave its data files where they are: if the catalog took it and only the answer was lost, they are the
-- table.

attach {warehouse} as lake (
    type iceberg,
    endpoint {uri},
    access_delegation_mode {delegation},
    remove_files_on_delete false,
    {authorization}
);
