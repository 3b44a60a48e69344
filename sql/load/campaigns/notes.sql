insert into ops.load_notes by name
with odd as (
    select
        -- A note needs a day of the pull to go with.
        coalesce(
            least(greatest(date, getvariable('first_day')), getvariable('last_day')), getvariable('first_day')
        ) as noted_on,
        date,
        campaign_id
    from staged_dailies
    where date is null or date not between first_date and last_date
)

select
    'campaigns' as stream,
    noted_on as date,
    getvariable('pull') as pull,
    if(date is null, 'undated', 'outside_range') as note,
    campaign_id as subject,
    count(*) as records
from odd
where noted_on in (select date from days)
group by all;
