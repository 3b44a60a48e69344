-- The statistics of campaigns (E19).

create table campaign_metrics (
    campaign_id varchar,
    metric_type varchar,
    metric_name varchar,
    conversion_type varchar,
    date date,
    value decimal(18, 4),
    pull varchar,
    extra json
);

create table campaign_metric_dimensions (
    campaign_id varchar,
    metric_type varchar,
    metric_name varchar,
    conversion_type varchar,
    date date,
    dimension_key varchar,
    dimension_value varchar,
    value decimal(18, 4),
    pull varchar,
    extra json
);

create table campaign_metric_totals_history (
    campaign_id varchar,
    pull varchar,
    metric_type varchar,
    metric_name varchar,
    conversion_type varchar,
    total decimal(18, 4),
    extra json
);

create table campaign_collections_history (
    campaign_id varchar,
    pull varchar,
    window_start timestamptz,
    window_end timestamptz,
    last_collected_at timestamptz,
    last_collected_text varchar,
    pulled_at timestamptz,
    metrics bigint,
    extra json
);

-- Grain: one campaign, from its latest pull. Each night pulls the lookback days again.
create view campaign_collections as
from campaign_collections_history
qualify row_number() over (partition by campaign_id order by pulled_at desc, pull desc, window_end desc) = 1;

create view campaign_metric_totals as
from campaign_metric_totals_history
semi join campaign_collections using (campaign_id, pull);

-- Grain: one campaign and KST day of the last month whose numbers the service had collected too early (by the latest pull of the
-- day). Campaigns without messages and clicks on the day are left out.
create view ops.unfinished_campaigns as
with days_asked as (
    select
        campaign_id,
        last_collected_at,
        pulled_at,
        pull,
        unnest(generate_series(
            (window_start at time zone 'Asia/Seoul')::date, ((window_end - interval 1 second) at time zone 'Asia/Seoul')::date, interval 1 day
        ))::date as date
    from campaign_collections_history
)

select date, campaign_id, last_collected_at
from days_asked
where
    date > (select max(date) - 31 from ops.coverage where stream = 'campaigns')
    and (campaign_id, date) in (select (campaign_id, date) from daily_statistics where message_sent > 0 or click > 0)
qualify
    row_number() over (partition by campaign_id, date order by pulled_at desc, pull desc) = 1
    and last_collected_at < (date + 1)::timestamp at time zone 'Asia/Seoul';
