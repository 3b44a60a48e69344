-- Answers that would have wiped most of a day and did not replace it. Grain: one pull, KST day and campaign (of E19).

create table ops.held_back (
    stream varchar,
    date date,
    campaign_id varchar,
    pull varchar,
    pulled_at timestamptz,
    rows bigint,
    messages bigint
);
