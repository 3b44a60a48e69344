-- What models and checks still have to look at: a night costs what its days cost, however old the warehouse is.

create table ops.touched_days (
    stream varchar,
    date date
);
comment on table ops.touched_days is 'Days that a load changed since models and checks last ran; empty in a published file.';
comment on column ops.touched_days.stream is 'statistics, statistics_by_subchannel, campaigns or events.';
comment on column ops.touched_days.date is 'KST day; for events the day on which they happened.';

insert into ops.touched_days
select stream, date from ops.coverage
union
select 'events', date from events;
