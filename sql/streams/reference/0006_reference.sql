-- Reference data: catalogs (E2), brand templates (E4, E5), alimtalk templates (E10) and opt-outs (E12).
--
-- A history has one row per version. valid_from and valid_to are the KST days of the first and the last snapshot that
-- showed the version; valid_to is null while the latest snapshot shows it. The view beside a history has its open versions.

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
    status_read_on date,
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

-- A typed view for each catalog: catalog.<name>.
create schema catalog;
