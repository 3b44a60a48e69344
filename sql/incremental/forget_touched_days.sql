delete from ops.touched_days;
