delete from ops.checks where name = '{name}';
