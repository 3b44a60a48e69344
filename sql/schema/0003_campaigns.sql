-- Campaign statistics in detail: E19.

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

create table campaign_metric_totals (
    campaign_id varchar,
    pull varchar,
    metric_type varchar,
    metric_name varchar,
    conversion_type varchar,
    total decimal(18, 4),
    extra json
);

create table campaign_collections (
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
