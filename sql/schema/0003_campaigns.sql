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
comment on table campaign_metrics is 'Campaign statistics (E19): one row per campaign, metric, conversion type and day.';
comment on column campaign_metrics.campaign_id is 'Campaign that was asked for.';
comment on column campaign_metrics.metric_type is 'standard (value is a count) or conversion (value is a sum).';
comment on column campaign_metrics.metric_name is 'Name of the metric, such as send_success.';
comment on column campaign_metrics.conversion_type is 'Such as sales_conversion; null for standard metrics and before 2025-07-06.';
comment on column campaign_metrics.date is 'Day as the service gives it, taken as a KST day.';
comment on column campaign_metrics.value is 'Count or sum of the day; exact to four decimals, since sums may be money.';
comment on column campaign_metrics.pull is 'Id of the pull that it came with; see campaign_collections.';
comment on column campaign_metrics.extra is 'Fields outside the specification, and values that did not fit, as given.';

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
comment on table campaign_metric_dimensions is 'campaign_metrics by dimension (E19): one row per campaign, metric, conversion type, day and dimension value.';
comment on column campaign_metric_dimensions.campaign_id is 'Campaign that was asked for.';
comment on column campaign_metric_dimensions.metric_type is 'standard (value is a count) or conversion (value is a sum).';
comment on column campaign_metric_dimensions.metric_name is 'Name of the metric.';
comment on column campaign_metric_dimensions.conversion_type is 'Such as sales_conversion; null for standard metrics and before 2025-07-06.';
comment on column campaign_metric_dimensions.date is 'Day as the service gives it, taken as a KST day.';
comment on column campaign_metric_dimensions.dimension_key is 'What the value is broken down by.';
comment on column campaign_metric_dimensions.dimension_value is 'Which part of it.';
comment on column campaign_metric_dimensions.value is 'Count or sum of that part; exact to four decimals.';
comment on column campaign_metric_dimensions.pull is 'Id of the pull that it came with.';
comment on column campaign_metric_dimensions.extra is 'Fields outside the specification, and values that did not fit, as given.';

create table campaign_metric_totals (
    campaign_id varchar,
    pull varchar,
    metric_type varchar,
    metric_name varchar,
    conversion_type varchar,
    total decimal(18, 4),
    extra json
);
comment on table campaign_metric_totals is 'The totals that the service gives beside its daily values (E19): one row per campaign, pull and metric.';
comment on column campaign_metric_totals.campaign_id is 'Campaign that was asked for.';
comment on column campaign_metric_totals.pull is 'Id of the pull; its window is in campaign_collections.';
comment on column campaign_metric_totals.metric_type is 'standard or conversion.';
comment on column campaign_metric_totals.metric_name is 'Name of the metric.';
comment on column campaign_metric_totals.conversion_type is 'Such as sales_conversion; null for standard metrics.';
comment on column campaign_metric_totals.total is 'Total over the window as the service computes it (totalCount or totalSum).';
comment on column campaign_metric_totals.extra is 'Fields of the metric outside the specification, and values that did not fit, as given.';

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
comment on table campaign_collections is 'One row per campaign and pull (E19): which window was asked for and how fresh the answer was.';
comment on column campaign_collections.campaign_id is 'Campaign that was asked for.';
comment on column campaign_collections.pull is 'Id of the pull.';
comment on column campaign_collections.window_start is 'First instant of the window.';
comment on column campaign_collections.window_end is 'End of the window, not included.';
comment on column campaign_collections.last_collected_at is 'When the service last collected the figures. It names no zone; KST is assumed.';
comment on column campaign_collections.last_collected_text is 'The same, as given.';
comment on column campaign_collections.pulled_at is 'When the service answered.';
comment on column campaign_collections.metrics is 'How many metrics the answer held.';
comment on column campaign_collections.extra is 'Fields of the answer outside the specification, as given.';
