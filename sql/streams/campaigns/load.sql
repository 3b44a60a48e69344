-- Loads the detailed statistics of campaigns (E19), in the order of the steps. Answers are unfolded level by level.
-- needs: asked, days, first_days, held_back_sizes, loaded_rows, versions
-- leaves: extras, sizes

-- name: read
-- params: paths text[], path_pulls text[], campaigns text[], window_starts timestamptz[], window_ends timestamptz[],
--   files text[], largest_object bigint
-- Reads the answers of the pulls. The parameters list files and requests in the same order.
create or replace temp table asked_campaigns as
select
    unnest($paths) as file,
    unnest($path_pulls) as pull,
    unnest($campaigns) as campaign_id,
    unnest($window_starts)::timestamptz as window_start,
    unnest($window_ends)::timestamptz as window_end;

create or replace temp table documents as
with answers as (
    select
        filename,
        case
            when json_type(data) is distinct from 'OBJECT' or json_type(data, '$.stats') is distinct from 'ARRAY'
            then error('not an answer with statistics: ' || filename)
            else nfc_json(data::varchar)
        end as document
    from read_json(
        $files,
        format = 'unstructured',
        records = true,
        columns = {data: 'JSON', error: 'JSON'},
        maximum_object_size = $largest_object,
        filename = true
    )
),

redacted as (
    select
        filename,
        if(may_be_personal(document), _redacted_document(document, 'document', treatment()), document) as document
    from answers
)

select asked_campaigns.* exclude (file), fitting(document, odd) as document, extra_of(odd) as extra
from (select *, _judged(document, 'answer', treatment()) as odd from redacted) as judged
inner join asked_campaigns on judged.filename = asked_campaigns.file;

-- name: none
-- Used if the range has no campaigns: nothing was requested, so files are missing.
create or replace temp table documents (
    pull varchar,
    campaign_id varchar,
    window_start timestamptz,
    window_end timestamptz,
    document json,
    extra json
);

-- name: answers
create or replace temp table staged_answers as
select
    * exclude (document, a),
    korean_day(epoch_us(window_start)) as first_date,
    korean_day(epoch_us(window_end) - 1) as last_date,
    -- The text has no time zone. The service's days are Korean, so Korean time is assumed. The text is kept too.
    korean_time(a."lastCollectedAt") at time zone 'Asia/Seoul' as last_collected_at,
    a."lastCollectedAt" as last_collected_text,
    document -> '$.stats[*]' as stats
from (select *, json_transform(document, shape('answer')) as a from documents) as read;

-- name: unfold
-- Unfolds the next level: its documents are the elements of a list in {staged}, with all columns of their row except {own}.
create or replace temp table documents as
select * exclude (odd) replace (fitting(document, odd) as document), extra_of(odd) as extra
from (
    select *, _judged(document::varchar, '{place}', treatment()) as odd
    from (select * exclude ({list}, extra, {own}), unnest({list}) as document from {staged}) as unfolded
) as judged;

-- name: metrics
create or replace temp table staged_metrics as
select
    * exclude (document, m),
    m."metricType" as metric_type,
    m."metricName" as metric_name,
    m."conversionType" as conversion_type,
    coalesce(number(m."totalSum"), quantity(m."totalCount")) as total,
    (document -> '$.dailySums[*]') || (document -> '$.dailyCounts[*]') as dailies
from (select *, json_transform(document, shape('metric')) as m from documents) as read;

-- name: dailies
create or replace temp table staged_dailies as
select
    * exclude (document, d),
    _day(d.date)::date as date,
    coalesce(number(d.sum), quantity(d.count)) as value,
    (document -> '$.dimensionSums[*]') || (document -> '$.dimensionCounts[*]') as dimensions
from (select *, json_transform(document, shape('daily')) as d from documents) as read;

-- name: dimensions
create or replace temp table staged_dimensions as
select
    * exclude (document, d),
    d."dimensionKey" as dimension_key,
    d."dimensionValue" as dimension_value,
    coalesce(number(d.sum), quantity(d.count)) as value
from (select *, json_transform(document, shape('dimension')) as d from documents) as read;

-- name: days
-- params: complete boolean, gone_pulls text[], gone_campaigns text[]
-- Assigns each day of a campaign to the latest pull that covers it: either the pull requested this campaign and day, or it is
-- complete and lacks the campaign, which then has no rows. So loading an older pull later changes nothing.
create or replace temp table later as
select
    campaign_id,
    unnest(generate_series(korean_day(epoch_us(window_start)), korean_day(epoch_us(window_end) - 1), interval 1 day))::date as date,
    pulled_at,
    pull
from campaign_collections_history
where pulled_at >= (select min(pulled_at) from asked);

create or replace temp table asked_campaign_days as
select campaigns.campaign_id, versions.date, versions.pull, versions.pulled_at
from (
    select distinct campaign_id from campaign_metrics
    union
    select campaign_id from staged_answers
) as campaigns
cross join versions
anti join later
    on
        campaigns.campaign_id = later.campaign_id
        and versions.date = later.date
        and (later.pulled_at, later.pull) > (versions.pulled_at, versions.pull)
where
    -- A campaign that was deleted at the service keeps its rows.
    (
        $complete
        and (versions.pull, campaigns.campaign_id) not in (select (unnest($gone_pulls), unnest($gone_campaigns)))
    )
    -- An incomplete pull replaces only the days that it has.
    or exists (
        select 1
        from staged_answers
        where
            staged_answers.pull = versions.pull
            and staged_answers.campaign_id = campaigns.campaign_id
            and versions.date between staged_answers.first_date and staged_answers.last_date
    );

-- Compares the rows of a campaign in each pull with the rows they would replace. A day that would become empty is held back.

create or replace temp table sizes as
with there as (
    select campaign_id, date, count(*) as rows
    from campaign_metrics
    where (campaign_id, date) in (select (campaign_id, date) from asked_campaign_days)
    group by campaign_id, date
),

given as (
    select pull, campaign_id, date, count(*) as rows
    from staged_dailies
    where date between first_date and last_date
    group by pull, campaign_id, date
),

steps as (
    select
        asked_campaign_days.date,
        asked_campaign_days.campaign_id,
        asked_campaign_days.pull,
        asked_campaign_days.pulled_at,
        coalesce(given.rows, 0) as rows,
        0::bigint as messages,
        coalesce(lag(coalesce(given.rows, 0)) over by_version, there.rows) as rows_before,
        0::bigint as messages_before
    from asked_campaign_days
    left join given using (pull, campaign_id, date)
    left join there on asked_campaign_days.campaign_id = there.campaign_id and asked_campaign_days.date = there.date
    window by_version as (
        partition by asked_campaign_days.campaign_id, asked_campaign_days.date
        order by asked_campaign_days.pulled_at, asked_campaign_days.pull
    )
)

select *
from steps
semi join staged_answers using (pull, campaign_id)
where rows_before is not null;

-- name: replaced
-- params: complete boolean
delete from asked_campaign_days where (campaign_id, date) in (select (campaign_id, date) from held_back_sizes);

create or replace temp table free_days as
select campaign_id, date, arg_max(pull, {pulled_at: pulled_at, pull: pull}) as pull
from asked_campaign_days
group by campaign_id, date;

delete from ops.held_back
using free_days
where
    held_back.stream = 'campaigns'
    and held_back.campaign_id = free_days.campaign_id
    and held_back.date = free_days.date
    and held_back.pulled_at < (select asked.pulled_at from asked where asked.pull = free_days.pull);

delete from campaign_metrics where (campaign_id, date) in (select (campaign_id, date) from free_days);
delete from campaign_metric_dimensions where (campaign_id, date) in (select (campaign_id, date) from free_days);

insert into campaign_metrics by name
select staged_dailies.* exclude (first_date, last_date, dimensions)
from staged_dailies
semi join free_days using (pull, campaign_id, date)
where staged_dailies.date between staged_dailies.first_date and staged_dailies.last_date;

insert into campaign_metric_dimensions by name
select staged_dimensions.* exclude (first_date, last_date)
from staged_dimensions
semi join free_days using (pull, campaign_id, date)
where staged_dimensions.date between staged_dimensions.first_date and staged_dimensions.last_date;

insert into campaign_metric_totals_history by name
select staged_metrics.* exclude (first_date, last_date, dailies)
from staged_metrics
semi join first_days using (pull);

insert into campaign_collections_history by name
select staged_answers.* exclude (first_date, last_date, stats), asked.pulled_at, len(stats) as metrics
from staged_answers
inner join asked using (pull)
semi join first_days using (pull);

insert into loaded_rows
select staged_dailies.pull, count(*)
from staged_dailies
semi join asked_campaign_days using (pull, campaign_id, date)
where staged_dailies.date between staged_dailies.first_date and staged_dailies.last_date
group by staged_dailies.pull;

insert into ops.load_notes by name
with odd as (
    select
        pull,
        -- Notes must be on a day of the pull, so other days are moved into the pull's range.
        coalesce(least(greatest(staged_dailies.date, asked.first_day), asked.last_day), asked.first_day) as noted_on,
        staged_dailies.date as given_date,
        campaign_id
    from staged_dailies
    inner join asked using (pull)
    where
        staged_dailies.date is null
        or staged_dailies.date not between staged_dailies.first_date and staged_dailies.last_date
)

select
    'campaigns' as stream,
    noted_on as date,
    odd.pull,
    if(given_date is null, 'undated', 'outside_range') as note,
    campaign_id as subject,
    count(*) as records
from odd
inner join days on odd.pull = days.pull and odd.noted_on = days.date
group by all;

create or replace temp table extras as
with found as (
    select 'answer' as place, pull, null::date as date, extra from staged_answers
    union all
    select 'metric', pull, null, extra from staged_metrics
    union all
    select 'daily', pull, date, extra from staged_dailies
    union all
    select 'dimension', pull, date, extra from staged_dimensions
),

dated as (
    select
        found.place,
        found.pull,
        if((found.pull, found.date) in (select (pull, date) from versions), found.date, first_days.date) as date,
        found.extra
    from found
    inner join first_days using (pull)
    where found.extra is not null
)

select place, date, extra
from dated
semi join days using (pull, date);

-- An incomplete pull covers no day, but may change the number of rows on covered days.

update ops.coverage
set rows = (select count(*) from campaign_metrics where campaign_metrics.date = coverage.date)
where not $complete and stream = 'campaigns' and date in (select date from days);
