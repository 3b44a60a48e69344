-- Marts, and what keeps a night's work as large as its days, however old the warehouse is.

create schema marts;

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

create table ops.models (
    relation varchar,
    kind varchar,
    fingerprint varchar
);
comment on table ops.models is 'One row per model (sql/models) and seed (sql/seeds) that the warehouse holds.';
comment on column ops.models.relation is 'Schema and name of the view or table.';
comment on column ops.models.kind is 'view (computed when asked), table (kept, and brought forward day by day) or seed (comes with the package).';
comment on column ops.models.fingerprint is 'Tells a model that was changed since, which is then made anew for all days.';

-- What an event means, by its name. Names are an open vocabulary: of unknown ones the ending tells, or null.
create macro marts.event_kind(event_name) as case
    when event_name = 'send_success' then 'succeeded'
    when event_name = 'send_failure' then 'failed'
    when event_name = 'failover_text_message_send_success' then 'failover_sent'
    when event_name = 'failover_text_message_send_failure' then 'failover_failed'
    -- Closing a message is no interest in it.
    when event_name = 'close_button_click' then 'closed'
    when ends_with(event_name, '_click') then 'clicked'
    when ends_with(event_name, '_delivered') or ends_with(event_name, '_show') then 'delivered'
    when ends_with(event_name, '_open') then 'opened'
end;

create table public_holidays (
    date date,
    name varchar,
    name_ko varchar
);
comment on table public_holidays is 'Public holidays of Korea, substitute and temporary ones included: one row per day.';
comment on column public_holidays.date is 'KST day.';
comment on column public_holidays.name is 'Name in English.';
comment on column public_holidays.name_ko is 'Name in Korean.';
