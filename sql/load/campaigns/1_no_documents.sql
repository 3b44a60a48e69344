-- A range without campaigns: nothing was asked, so there is nothing to read.

create or replace temp table documents (
    row_id bigint,
    pull varchar,
    campaign_id varchar,
    window_start timestamptz,
    window_end timestamptz,
    document json,
    extra json
);
