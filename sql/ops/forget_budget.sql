delete from ops.budget;
