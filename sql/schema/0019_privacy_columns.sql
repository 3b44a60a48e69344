-- The rules of privacy.columns under which the rows of this file were written, such as `device_id: drop, user_id: hash`;
-- null if every column is kept.
alter table ops.privacy add column columns varchar;

-- Whether people can be counted: a record whose id is dropped belongs to nobody.
create macro marts.counts_people() as
    coalesce((select not regexp_matches(columns, '\b(service_)?(user|device)_id: drop') from ops.privacy), true);
