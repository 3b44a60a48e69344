delete from ops.checks;
