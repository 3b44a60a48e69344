select distinct stream from ops.touched_days;
