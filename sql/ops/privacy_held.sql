-- No row of ops.privacy and loads all the same: a version that did not note it made the file.

select
    privacy.recipients,
    privacy.key_fingerprint,
    exists (from ops.loads) as has_rows
from (values (1)) as always (one)
left join ops.privacy as privacy on true;
