-- Models and checks have to look at these days again.

insert into ops.touched_days
select getvariable('stream'), date from days
except
select stream, date from ops.touched_days;
