-- Checks look only at the days that changed: findings of the other days stay, with what they mean, and a check that is
-- new or was changed looks at all days once.
-- ops.checks.meaning: what a finding of the check means, and what to do about it.
-- ops.check_versions: one row per check whose findings stand in ops.checks for all days; fingerprint: of its text.

alter table ops.checks add column meaning varchar;

create table ops.check_versions (
    name varchar,
    fingerprint varchar
);
