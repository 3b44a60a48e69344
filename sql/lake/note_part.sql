insert into cleared_parts values ('{relation}', null);

insert into pushed_parts values ('{relation}', null, {version});
