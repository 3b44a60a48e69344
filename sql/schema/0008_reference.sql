-- Reference data: catalogs (E2), brand templates (E4, E5), alimtalk templates (E10) and opt-outs (E12).
--
-- A history holds one row per version. valid_from and valid_to are the KST days of the first and the last snapshot that
-- showed the version; valid_to is null while the latest snapshot shows it. The table beside it is the open rows.

create table catalogs_history (
    catalog_name varchar,
    description varchar,
    data_classification varchar,
    num_items bigint,
    fields json,
    extra json,
    valid_from date,
    valid_to date
);

create table catalog_fields_history (
    catalog_name varchar,
    position bigint,
    name varchar,
    type varchar,
    extra json,
    valid_from date,
    valid_to date
);

create table catalog_items_history (
    catalog_name varchar,
    item_id varchar,
    item json,
    valid_from date,
    valid_to date
);

create table brand_templates_history (
    template_id varchar,
    template_name varchar,
    sender_key varchar,
    template_type varchar,
    content_text varchar,
    image_url varchar,
    image_link varchar,
    coupon json,
    failover_type varchar,
    failover_title varchar,
    failover_body varchar,
    failover_sender varchar,
    unsubscribe_number varchar,
    status varchar,
    created_at timestamptz,
    updated_at timestamptz,
    template json,
    extra json,
    valid_from date,
    valid_to date
);

create table brand_template_buttons_history (
    template_id varchar,
    sender_key varchar,
    position bigint,
    button_type varchar,
    button_name varchar,
    link_mo varchar,
    link_pc varchar,
    link_and varchar,
    link_ios varchar,
    extra json,
    valid_from date,
    valid_to date
);

create table alimtalk_templates_history (
    channel_id varchar,
    template_code varchar,
    template_name varchar,
    status_code varchar,
    content varchar,
    template json,
    copy bigint,
    valid_from date,
    valid_to date
);

create table opt_outs_history (
    unsubscribe_number varchar,
    recipient varchar,
    requested_at timestamptz,
    copy bigint,
    extra json,
    valid_from date,
    valid_to date
);

create view catalogs as select * exclude (valid_to) from catalogs_history where valid_to is null;
create view catalog_fields as select * exclude (valid_to) from catalog_fields_history where valid_to is null;
create view catalog_items as select * exclude (valid_to) from catalog_items_history where valid_to is null;
create view brand_templates as select * exclude (valid_to) from brand_templates_history where valid_to is null;
create view brand_template_buttons as select * exclude (valid_to) from brand_template_buttons_history where valid_to is null;
create view alimtalk_templates as select * exclude (valid_to) from alimtalk_templates_history where valid_to is null;
create view opt_outs as select * exclude (valid_to) from opt_outs_history where valid_to is null;

-- One row for each list that was read whole, and KST day: what its snapshot of that day held. A list is a catalog's items,
-- the templates of a sender key or a channel, or what a stream has but one of.
create table ops.snapshots (
    stream varchar,
    list varchar,
    date date,
    rows bigint,
    announced bigint,
    pull varchar,
    pulled_at timestamptz
);

-- A typed view for each catalog: catalog.<name>.
create schema catalog;

-- The catalogs whose items are looked for in messages (reference.item_mentions), and the first snapshot of each.
create table ops.item_mentions (
    catalog_name varchar,
    items_since date
);

-- Streams of snapshots: a list as it is today. They have no past days to miss; how old the last one is matters.
create macro marts.is_snapshot(stream) as
    stream in ('catalogs', 'brand_templates', 'alimtalk_templates', 'opt_outs');

-- The effect of a template's status on sending. Statuses are an open vocabulary: these are the beginnings of their words.
create macro marts.template_state(status) as case
    when regexp_matches(status, '(?i)(^|[^a-z])(rej|refus|den[iy]|declin|return|tsc04$)|반려|거절|거부|불가') then 'refused'
    when regexp_matches(status, '(?i)(^|[^a-z])(stop|stp$|susp|block|paus|dorman|inactiv|disab|banned)|중단|중지|정지|차단|휴면')
    then 'suspended'
end;

-- How often chance alone is at least as far off as so many successes, on either side, where each of so many trials succeeds
-- with that chance: exact, at most 1.
create macro marts.binomial_at_most(successes, trials, chance) as case
    when successes < 0 then 0
    else list_sum(
        list_transform(
            range((successes + 1)::bigint),
            lambda i: exp(
                lgamma(trials + 1) - lgamma(i + 1) - lgamma(trials - i + 1)
                + i * ln(chance) + (trials - i) * ln(1 - chance)
            )
        )
    )
end;

create macro marts.binomial_p(successes, trials, chance) as least(
    1,
    2 * marts.binomial_at_most(successes, trials, chance),
    greatest(0, 2 * (1 - marts.binomial_at_most(successes - 1, trials, chance)))
);

-- The 95 % interval (Newcombe's) of the difference of two rates, made of the intervals of each.
create macro marts.difference_interval(successes, trials, other_successes, other_trials) as {
    'low': successes / trials - other_successes / other_trials - sqrt(
        pow(successes / trials - marts.wilson_interval(successes, trials).low, 2)
        + pow(marts.wilson_interval(other_successes, other_trials).high - other_successes / other_trials, 2)
    ),
    'high': successes / trials - other_successes / other_trials + sqrt(
        pow(marts.wilson_interval(successes, trials).high - successes / trials, 2)
        + pow(other_successes / other_trials - marts.wilson_interval(other_successes, other_trials).low, 2)
    )
};
