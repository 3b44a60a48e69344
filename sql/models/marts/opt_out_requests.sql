-- grain: one opt-out, by its number, recipient and time.
--
-- Unknown recipients (privacy.recipients: drop) may be several people, so requests in the same second are counted separately. date
-- is the KST day of the request, or of the first snapshot if the request has no readable time. vanished_date is the day of the
-- first snapshot without the opt-out.

with requests as (
    select
        unsubscribe_number,
        recipient,
        requested_at,
        min(valid_from) as first_seen,
        if(bool_or(valid_to is null), null, max(valid_to)) as last_seen
    from opt_outs_history
    group by unsubscribe_number, recipient, requested_at, if(recipient is null, copy, null)
),

snapshots as (
    select distinct date
    from ops.snapshots
    where stream = 'opt_outs'
)

select
    coalesce((requests.requested_at at time zone 'Asia/Seoul')::date, requests.first_seen) as date,
    requests.unsubscribe_number,
    requests.recipient,
    requests.requested_at,
    requests.first_seen,
    requests.last_seen,
    if(requests.last_seen is null, null, coalesce(snapshots.date, requests.last_seen + 1)) as vanished_date
from requests
asof left join snapshots on requests.last_seen < snapshots.date;
