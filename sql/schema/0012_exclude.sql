-- Staff and test people, whom the settings leave out of what is counted by events (exclude).

-- Those of them who have an event or a row in an own table, and their devices. Grain: one id as a number, as in marts.event_people.
create table ops.excluded_people (
    person bigint
);

-- The ids of their records, as events have them. Grain: the four ids of a record.
create table ops.excluded_ids (
    user_id varchar,
    service_user_id varchar,
    device_id varchar,
    service_device_id varchar
);

-- Grain: one export record that is not counted.
create table ops.excluded_events (
    event_id varchar,
    date date
);

-- How many are left out. Grain: one row, while the settings list an id.
create table ops.exclusions (
    -- Ids that the settings list.
    listed bigint,
    -- Those of them that have an event.
    people bigint,
    events bigint,
    first_date date,
    last_date date
);

-- Whether an id, of any kind, is one of them.
create macro marts.is_excluded(given_id) as exists (
    from ops.excluded_people
    where
        person in (
            marts.strongest_id(given_id, null, null, null),
            marts.strongest_id(null, given_id, null, null),
            marts.strongest_id(null, null, given_id, null),
            marts.strongest_id(null, null, null, given_id)
        )
);
