-- What analysts find: every table and view with its columns. Written by schema.test.ts (UPDATE_GOLDEN=1).

table main.alimtalk_messages -- Alimtalk messages (chatapp-alimtalk): the content that came with an event. One row per event that carried one.
    event_id varchar -- Id of the event; joins events.
    date date -- KST day.
    export_date date -- KST day of the export that the row came with.
    plus_friend_id varchar -- plusFriendId, the channel of the sender.
    sender_key varchar -- senderKey, the key of the sender's profile.
    recipient_no varchar -- Number of the recipient: as given, hashed (HMAC-SHA-256) or null, by the setting privacy.recipients.
    template_code varchar -- templateCode of the alimtalk template.
    content varchar -- Text of the message.
    template_extra varchar -- templateExtra, the additional text of the template.
    extra json -- Fields outside the specification, and values that did not fit, as given.

table main.brand_messages -- Brand messages (chatapp-brand-message): the content that came with an event. One row per event that carried one.
    event_id varchar -- Id of the event; joins events.
    date date -- KST day.
    export_date date -- KST day of the export that the row came with.
    template_name varchar -- templateName of the brand message.
    extra json -- Fields outside the specification, and values that did not fit, as given.

view main.calendar -- The KST days that the warehouse spans, gaps included. One row per KST day, from the first to the last that any stream covers.
    date date -- KST day.
    weekday integer -- 1 for Monday to 7 for Sunday.
    iso_week varchar -- ISO week, such as 2026-W47.
    month varchar -- Month, such as 2026-11.
    is_weekend boolean -- Whether it is a Saturday or a Sunday.

table main.campaign_collections -- Which window was asked of each campaign (E19), and how fresh the answer was. One row per campaign and pull.
    campaign_id varchar -- Campaign that was asked for.
    pull varchar -- Id of the pull that it came with.
    window_start timestamp with time zone -- First instant of the window.
    window_end timestamp with time zone -- End of the window, not included.
    last_collected_at timestamp with time zone -- When the service last collected the figures. It names no zone; KST is assumed.
    last_collected_text varchar -- The same, as given.
    pulled_at timestamp with time zone -- When the service answered.
    metrics bigint -- How many metrics the answer held.
    extra json -- Fields of the answer outside the specification, as given.

table main.campaign_metric_dimensions -- Campaign statistics by day, broken down by dimension (E19). One row per campaign, metric, conversion type, day and dimension value.
    campaign_id varchar -- Campaign that was asked for.
    metric_type varchar -- standard (value is a count) or conversion (value is a sum).
    metric_name varchar -- Name of the metric, such as send_success.
    conversion_type varchar -- Such as sales_conversion; null for standard metrics and before 2025-07-06.
    date date -- Day as the service gives it, taken as a KST day.
    dimension_key varchar -- What the value is broken down by.
    dimension_value varchar -- Which part of it.
    value decimal(18,4) -- Count or sum of that part; exact to four decimals.
    pull varchar -- Id of the pull that it came with.
    extra json -- Fields outside the specification, and values that did not fit, as given.

table main.campaign_metric_totals -- The totals that the service gives beside its daily values (E19). One row per campaign, pull, metric and conversion type.
    campaign_id varchar -- Campaign that was asked for.
    pull varchar -- Id of the pull; its window is in campaign_collections.
    metric_type varchar -- standard (value is a count) or conversion (value is a sum).
    metric_name varchar -- Name of the metric, such as send_success.
    conversion_type varchar -- Such as sales_conversion; null for standard metrics and before 2025-07-06.
    total decimal(18,4) -- Total over the window as the service computes it (totalCount or totalSum).
    extra json -- Fields outside the specification, and values that did not fit, as given.

table main.campaign_metrics -- Campaign statistics by day (E19). One row per campaign, metric, conversion type and day.
    campaign_id varchar -- Campaign that was asked for.
    metric_type varchar -- standard (value is a count) or conversion (value is a sum).
    metric_name varchar -- Name of the metric, such as send_success.
    conversion_type varchar -- Such as sales_conversion; null for standard metrics and before 2025-07-06.
    date date -- Day as the service gives it, taken as a KST day.
    value decimal(18,4) -- Count or sum of the day; exact to four decimals, since sums may be money.
    pull varchar -- Id of the pull that it came with; see campaign_collections.
    extra json -- Fields outside the specification, and values that did not fit, as given.

view main.campaign_tags -- Tags that campaigns have had. One row per campaign and tag.
    campaign_id varchar -- Campaign.
    tag varchar -- Tag of campaigns.
    first_date date -- First KST day on which the campaign had it.
    last_date date -- Last KST day on which the campaign had it.

view main.campaign_variants -- Variants of campaigns that are A/B tests, by the latest name. One row per campaign and variant.
    campaign_id varchar -- Campaign.
    variant_id varchar -- Variant.
    variant_name varchar -- Its latest name.
    channels varchar[] -- Channels that it sent through.
    first_date date -- First KST day with a count.
    last_date date -- Last KST day with a count.

view main.campaigns -- Campaigns with messages in the daily statistics, by the latest name. One row per campaign.
    campaign_id varchar -- Campaign.
    campaign_name varchar -- Its latest name.
    tags varchar[] -- Its latest tags.
    channels varchar[] -- Channels that it sent through.
    first_date date -- First KST day with a count.
    last_date date -- Last KST day with a count.

table main.daily_conversions -- Conversions of daily_statistics (E17). One row per statistic, conversion and type.
    statistic_id varchar -- The row of daily_statistics that it belongs to.
    date date -- KST day, as in that row.
    name varchar -- Name of the conversion.
    type varchar -- total_count_conversion or direct_count_conversion.
    count bigint -- How many.
    position integer -- Place in the list of the statistic, from 1.
    extra json -- Fields outside the specification, and values that did not fit, as given.

table main.daily_conversions_by_subchannel -- Conversions of daily_statistics_by_subchannel (E18). One row per statistic, conversion and type.
    statistic_id varchar -- The row of daily_statistics_by_subchannel that it belongs to.
    date date -- KST day, as in that row.
    name varchar -- Name of the conversion.
    type_label varchar -- Type of the conversion as the service words it, in its own language.
    count bigint -- How many.
    position integer -- Place in the list of the statistic, from 1.
    extra json -- Fields outside the specification, and values that did not fit, as given.

table main.daily_statistics -- Daily counts (E17): what was sent, and what became of it. One row per KST day, campaign or user journey, variant or node, and channel.
    statistic_id varchar -- Stable id of the row: a hash of its day, resource, variant or node, and channel.
    date date -- KST day on which the counted events occurred.
    resource_type varchar -- campaign or user-journey.
    campaign_id varchar -- Campaign; null for user journeys.
    campaign_name varchar -- Name of the campaign on that day.
    variant_id varchar -- Variant of an A/B test; null otherwise.
    variant_name varchar -- Name of the variant.
    user_journey_id varchar -- User journey; null for campaigns.
    user_journey_name varchar -- Name of the user journey on that day.
    user_journey_node_id varchar -- Node of the user journey that sent the message.
    user_journey_node_name varchar -- Name of the node.
    channel varchar -- Neutral channel name with hyphens, such as push-notification or chatapp-alimtalk.
    tags varchar[] -- Tags of the campaign.
    message json -- Content of the message; its structure differs by channel.
    message_sent bigint -- Attempted sends, failed ones included.
    message_failed bigint -- Failed sends.
    delivered bigint -- Deliveries; null where the channel does not report them.
    click bigint -- Clicks; null where the channel does not report them.
    ordinal integer -- 1, or counted on where the service gave the same grain more than once.
    extra json -- Fields outside the specification, and values that did not fit, as given.

table main.daily_statistics_by_subchannel -- Daily counts by sub-channel and target (E18). One row per KST day, campaign or user journey, variant or node, channel, sub-channel and target.
    statistic_id varchar -- Stable id of the row: a hash of its grain. Not the ids of daily_statistics.
    date date -- KST day that was asked for.
    resource_type varchar -- campaign or user-journey, where the service says so.
    resource_id varchar -- Campaign or user journey.
    resource_name varchar -- Its name on that day.
    node_id varchar -- Node of a user journey; null for campaigns.
    node_name varchar -- Name of the node (the service spells the field node_mane).
    variant_id varchar -- Variant of an A/B test; null otherwise.
    variant_name varchar -- Name of the variant.
    channel varchar -- Neutral channel name with hyphens, such as push-notification or chatapp-alimtalk.
    channel_sub varchar -- Sub-channel, as given.
    brand_message_target varchar -- Target of a brand message, as given.
    tags varchar[] -- Tags of the campaign.
    message_sent bigint -- Attempted sends, failed ones included.
    message_failed bigint -- Failed sends.
    delivered bigint -- Deliveries; null where the channel does not report them.
    click bigint -- Clicks; null where the channel does not report them.
    ordinal integer -- 1, or counted on where the service gave the same grain more than once.
    extra json -- Fields outside the specification, and values that did not fit, as given.

table main.emails -- E-mails (email): the content that came with an event. One row per event that carried one.
    event_id varchar -- Id of the event; joins events.
    date date -- KST day.
    export_date date -- KST day of the export that the row came with.
    title varchar -- Subject.
    body_html varchar -- HTML body.
    body_text varchar -- Plain text body.
    extra json -- Fields outside the specification, and values that did not fit, as given.

table main.events -- Campaign events (E21): sends, failures, deliveries, clicks and whatever else the service reports. One row per export record, that is one id, event name and time.
    event_id varchar -- Id of the record. The message tables refer to it.
    user_id varchar -- User, by the id that the customer gave.
    service_user_id varchar -- User, by the id of the service.
    device_id varchar -- Device, by the id that the customer gave.
    service_device_id varchar -- Device, by the id of the service.
    channel varchar -- Neutral channel name with hyphens, such as push-notification or chatapp-alimtalk.
    event_name varchar -- What happened, such as send_success or push_click; an open vocabulary.
    failure_reason varchar -- Why a send failed; null otherwise.
    resource_title varchar -- Title of the campaign or user journey.
    resource_type varchar -- campaign or user-journey.
    campaign_id varchar -- Campaign; null for user journeys.
    experiment_group_name varchar -- Group of an A/B test; null otherwise.
    user_journey_id varchar -- User journey; null for campaigns.
    user_journey_node_id varchar -- Node of the user journey.
    occurred_at timestamp with time zone -- When it happened, to the microsecond; null if the service gave no readable time.
    date date -- KST day on which it happened; the day of the export if the time is not known.
    channel_subtype varchar -- Finer kind of the channel, as given.
    brand_message_target varchar -- Target of a brand message, as given.
    export_date date -- KST day of the export that the record came with; differs from date only for strays.
    extra json -- Fields outside the specification, and values that did not fit, as given.

table main.friendtalk_messages -- Friendtalk messages (chatapp-friendtalk): the content that came with an event. One row per event that carried one.
    event_id varchar -- Id of the event; joins events.
    date date -- KST day.
    export_date date -- KST day of the export that the row came with.
    plus_friend_id varchar -- plusFriendId, the channel of the sender.
    sender_key varchar -- senderKey, the key of the sender's profile.
    recipient_no varchar -- Number of the recipient: as given, hashed (HMAC-SHA-256) or null, by the setting privacy.recipients.
    content varchar -- Text of the message.
    is_ad boolean -- Whether it is advertising.
    extra json -- Fields outside the specification, and values that did not fit, as given.

table main.in_app_messages -- In-app messages (in-app-message): the content that came with an event. One row per event that carried one.
    event_id varchar -- Id of the event; joins events.
    date date -- KST day.
    export_date date -- KST day of the export that the row came with.
    message_type varchar -- messageType, such as SMS, LMS, MMS or COMMERCE.
    chat_bubble_type varchar -- chatBubbleType, such as WIDE_ITEM_LIST.
    title varchar -- Title of the message.
    content varchar -- Text of the message.
    image_url varchar -- Address of the image (imageUrl).
    header varchar -- Header of the message.
    commerce_title varchar -- Name of the product (commerce.title).
    commerce_regular_price decimal(18,4) -- Regular price (commerce.regularPrice).
    commerce_discount_price decimal(18,4) -- Discounted price (commerce.discountPrice).
    commerce_discount_rate decimal(18,4) -- Discount rate (commerce.discountRate).
    attachment json -- attachment, as given.
    extra json -- Fields outside the specification, and values that did not fit, as given.

table main.in_web_messages -- In-web messages (in-web-message): the content that came with an event. One row per event that carried one.
    event_id varchar -- Id of the event; joins events.
    date date -- KST day.
    export_date date -- KST day of the export that the row came with.
    message_type varchar -- messageType, such as SMS, LMS, MMS or COMMERCE.
    chat_bubble_type varchar -- chatBubbleType, such as WIDE_ITEM_LIST.
    title varchar -- Title of the message.
    content varchar -- Text of the message.
    image_url varchar -- Address of the image (imageUrl).
    header varchar -- Header of the message.
    commerce_title varchar -- Name of the product (commerce.title).
    commerce_regular_price decimal(18,4) -- Regular price (commerce.regularPrice).
    commerce_discount_price decimal(18,4) -- Discounted price (commerce.discountPrice).
    commerce_discount_rate decimal(18,4) -- Discount rate (commerce.discountRate).
    attachment json -- attachment, as given.
    extra json -- Fields outside the specification, and values that did not fit, as given.

table main.message_buttons -- Buttons of friendtalk, alimtalk, in-app and in-web messages. One row per button of a message.
    event_id varchar -- Id of the event; joins events.
    date date -- KST day.
    export_date date -- KST day of the export that the row came with.
    position integer -- Place in the list, from 1.
    ordering integer -- ordering, as given.
    type varchar -- Type of the button, such as WL.
    name varchar -- Label of the button.
    link_mo varchar -- linkMo: link on mobile.
    link_pc varchar -- linkPc: link on a computer.
    scheme_ios varchar -- schemeIos: link into the iOS app.
    scheme_android varchar -- schemeAndroid: link into the Android app.
    extra json -- Fields outside the specification, and values that did not fit, as given.

table main.other_messages -- Messages of channels that the specification does not know, and message_data of no known form. One row per event that carried one.
    event_id varchar -- Id of the event; joins events.
    date date -- KST day.
    export_date date -- KST day of the export that the row came with.
    channel varchar -- Neutral channel name with hyphens, such as push-notification or chatapp-alimtalk.
    message_data json -- The message, as given; a recipient number by the setting privacy.recipients.

table main.push_messages -- Push notifications (push-notification): the content that came with an event. One row per event that carried one.
    event_id varchar -- Id of the event; joins events.
    date date -- KST day.
    export_date date -- KST day of the export that the row came with.
    title varchar -- Title of the message.
    body varchar -- Text of the message.
    link varchar -- Link that a tap opens.
    extra json -- Fields outside the specification, and values that did not fit, as given.

table main.text_message_attachments -- Attachments of text messages (attachFileList). One row per file of a text message.
    event_id varchar -- Id of the event; joins events.
    date date -- KST day.
    export_date date -- KST day of the export that the row came with.
    position integer -- Place in the list, from 1.
    file_id varchar -- fileId of the attachment.
    file_name varchar -- fileName, as the sender named it.
    file_path varchar -- filePath at the service.
    save_file_name varchar -- saveFileName, as the service stores it.
    upload_type varchar -- uploadType, as given.
    extra json -- Fields outside the specification, and values that did not fit, as given.

table main.text_messages -- Text messages (text-message): the content that came with an event. One row per event that carried one.
    event_id varchar -- Id of the event; joins events.
    date date -- KST day.
    export_date date -- KST day of the export that the row came with.
    request_id varchar -- requestId of the sending.
    request_date timestamp -- requestDate; it names no zone, KST is assumed.
    template_id varchar -- templateId, as given.
    title varchar -- Title (LMS and MMS).
    body varchar -- Text of the message.
    send_no varchar -- Number of the sender.
    recipient_no varchar -- Number of the recipient: as given, hashed (HMAC-SHA-256) or null, by the setting privacy.recipients.
    message_type varchar -- messageType, such as SMS, LMS, MMS or COMMERCE.
    country_code varchar -- countryCode of the recipient.
    ad_yn varchar -- Y for advertising, N otherwise.
    extra json -- Fields outside the specification, and values that did not fit, as given.

view main.user_journey_nodes -- Nodes of user journeys that sent messages, by the latest name. One row per user journey and node.
    user_journey_id varchar -- User journey.
    user_journey_node_id varchar -- Node.
    user_journey_node_name varchar -- Its latest name.
    channels varchar[] -- Channels that it sent through.
    first_date date -- First KST day with a count.
    last_date date -- Last KST day with a count.

view main.user_journeys -- User journeys with messages in the daily statistics, by the latest name. One row per user journey.
    user_journey_id varchar -- User journey.
    user_journey_name varchar -- Its latest name.
    nodes bigint -- How many of its nodes sent messages.
    channels varchar[] -- Channels that it sent through.
    first_date date -- First KST day with a count.
    last_date date -- Last KST day with a count.

table main.web_push_messages -- Web push notifications (web-push-notification). The service shortens the keys and does not explain them. One row per event that carried one.
    event_id varchar -- Id of the event; joins events.
    date date -- KST day.
    export_date date -- KST day of the export that the row came with.
    ti varchar -- ti: the title.
    bd varchar -- bd: the body.
    cid varchar -- cid, as given.
    mid varchar -- mid, as given.
    u varchar -- u: the address that a click opens.
    ic varchar -- ic: the icon.
    bg varchar -- bg, as given.
    im varchar -- im: the image.
    sd varchar -- sd, as given.
    tg varchar -- tg, as given.
    vb varchar -- vb, as given.
    ri varchar -- ri, as given.
    data json -- data, as given.
    ac json -- ac: the actions, as given.
    extra json -- Fields outside the specification, and values that did not fit, as given.

table main.webhook_messages -- Webhook calls (webhook): what was called with an event. One row per event that carried one.
    event_id varchar -- Id of the event; joins events.
    date date -- KST day.
    export_date date -- KST day of the export that the row came with.
    url varchar -- Address that was called.
    method varchar -- HTTP method.
    headers json -- Headers, as given.
    data json -- Body, as given.
    extra json -- Fields outside the specification, and values that did not fit, as given.

table ops.checks -- What the last round of checks (sql/checks) found; no rows means sound. One row per finding.
    checked_at timestamp with time zone -- When the checks ran.
    name varchar -- Name of the check, as its file under sql/checks.
    severity varchar -- stop (do not trust that part) or warn (look at it).
    stream varchar -- Stream concerned.
    date date -- KST day concerned; null where it is no single day.
    subject varchar -- What exactly, for example a table, a statistic or a field.
    finding varchar -- The finding in one sentence.
    expected varchar -- What should have been.
    actual varchar -- What is.

table ops.coverage -- The days that the warehouse holds whole. One row per stream and KST day.
    stream varchar -- statistics, statistics_by_subchannel, campaigns or events.
    date date -- KST day; for events the day of the export window.
    rows bigint -- Rows of that day in the fact table of the stream, for events the distinct records of the export; zero is a day on which nothing happened.
    loaded_at timestamp with time zone -- When the day was loaded into this file.
    pull varchar -- Id of the pull that the day came with.
    pulled_at timestamp with time zone -- When the service answered that pull.

table ops.descriptions -- What the descriptions in this file were written from, so that an ordinary night need not look at them. One row per file, only ever one row.
    fingerprint varchar -- Hash of the dictionary, and of the tables, views and columns with their comments.

table ops.dictionary -- What every schema, table, view and column means, in English and Korean: the texts of `dawnload docs`, inside the file. One row per schema, one table or view, or one column.
    schema_name varchar -- Schema.
    relation_name varchar -- Table or view; null for the schema itself.
    column_name varchar -- Column; null for the table or view itself.
    en varchar -- What it is, in English; of a table or view also its grain.
    ko varchar -- What it is, in Korean; of a table or view also its grain.
    label varchar -- Short Korean label of a column, for the heads of reports.

table ops.drift_by_day -- Fields that differ from the specification, by day; ops.schema_drift sums it up. One row per stream, KST day, place, field and kind.
    stream varchar -- Stream in which the field was seen.
    date date -- KST day of the pull that holds it.
    place varchar -- Where: record, channel_metadata, message_data:<channel>, button, attachment, conversion, metric, channel.
    field varchar -- Name of the field; for place channel the unknown channel.
    kind varchar -- unknown (not in the specification), type (a value that does not fit), missing (required and absent).
    example_type varchar -- JSON type of one such value; the value itself is never kept here.
    records bigint -- In how many records.

table ops.exports -- Paid exports (E20) of the ledger, as it stood when the warehouse was published. One row per paid export.
    key varchar -- Key of the export in the ledger.
    window_start timestamp with time zone -- First instant of the window.
    window_end timestamp with time zone -- End of the window, not included.
    date date -- KST day of the window.
    state varchar -- State in the ledger, such as requested, ambiguous, landed or abandoned.
    export_id varchar -- Id that the service gave; null until it is known.
    message_data boolean -- Whether the messages themselves were asked for.
    records bigint -- Records received.
    pages bigint -- Pages received.
    estimated_records bigint -- Records expected from the daily statistics before the request.
    price_per_record double -- Price of one record by the configuration of the day.
    requested_at timestamp with time zone -- When the paid request was sent.
    updated_at timestamp with time zone -- When the state last changed.
    note varchar -- What a person wrote, or the reason of the state.

table ops.load_notes -- What a load found odd and dealt with, by day; the checks report it. One row per pull, KST day, note and subject.
    stream varchar -- Stream of the pull.
    date date -- KST day that the note is about; it goes when the day is replaced.
    pull varchar -- Id of the pull.
    note varchar -- repeated, shared_id, stray, no_id, no_time, no_event_name, mended, outside_range, other_day, undated or same_grain.
    subject varchar -- What it concerns, where there is more to say than the day.
    records bigint -- How many records.

table ops.loads -- Pulls of the landing zone that this warehouse has loaded. One row per pull.
    pull varchar -- Id of the pull in the landing zone.
    stream varchar -- statistics, statistics_by_subchannel, campaigns or events.
    first_day date -- First KST day that was asked for.
    last_day date -- Last KST day that was asked for.
    pulled_at timestamp with time zone -- When the service answered. Of two pulls of one day the later one counts.
    complete boolean -- False when a part could not be had (some campaign of a campaign pull).
    rows bigint -- Rows that the pull brought into the fact table of its stream.
    loaded_at timestamp with time zone -- When it was loaded into this file; a rebuild sets it anew.

table ops.migrations -- Changes of the schema that this file has seen. One row per migration.
    number integer -- Number of the migration, as in the name of its file under sql/schema.
    name varchar -- Name of the migration.
    applied_at timestamp with time zone -- When it was applied to this file.

table ops.restatements -- Counters of daily_statistics that a later pull of the same day changed. One row per changed counter of one statistic and pull.
    detected_at timestamp with time zone -- When the service gave the new value.
    date date -- KST day of the statistic.
    statistic_id varchar -- The statistic, as in daily_statistics.
    counter varchar -- message_sent, message_failed, delivered, click, or conversion:<type>:<name>.
    kind varchar -- changed, appeared (the row was not there before) or vanished (it is not there any more).
    before bigint -- Value held until then; null where there was none.
    after bigint -- Value held from then on; null where there is none.
    pull varchar -- Id of the pull that brought the change.

table ops.runs -- Runs of the job since the warehouse was last rebuilt. One row per run.
    run_id varchar -- Id of the run, as in its log lines.
    command varchar -- Command that ran, without its secrets.
    started_at timestamp with time zone -- When it began.
    finished_at timestamp with time zone -- When it ended; null if it never said so.
    exit_code integer -- Exit code of the command.
    outcome varchar -- done, incomplete or failed.
    summary json -- What it did, in numbers.
    version varchar -- Version of dawnload.
    process_id bigint -- Id of the process.

view ops.schema_drift -- Fields that the service sends otherwise than specified. Nothing is lost: see the extra columns. One row per stream, place, field and kind.
    stream varchar -- Stream in which the field was seen.
    place varchar -- Where: record, channel_metadata, message_data:<channel>, button, attachment, conversion, metric, channel.
    field varchar -- Name of the field; for place channel the unknown channel.
    kind varchar -- unknown (not in the specification), type (a value that does not fit), missing (required and absent).
    example_type varchar -- JSON type of one such value; the value itself is never kept here.
    first_date date -- First KST day on which it was seen.
    last_date date -- Last KST day on which it was seen.
    records bigint -- In how many records of the days now held.

table ops.set_aside -- Rows of events and message tables that another export holds too; they come back if that one is replaced without them. One row per row that was set aside.
    table_name varchar -- Table that the row would stand in.
    event_id varchar -- Id of the record.
    event_name varchar -- Event name of the record; null for rows of message tables.
    occurred_at timestamp with time zone -- Time of the record; null for rows of message tables.
    date date -- KST day on which the event happened.
    export_date date -- KST day of the export that the row came with.
    content json -- The row itself.

table ops.touched_days -- Days that a load changed since models and checks last ran; empty in a published file. One row per stream and KST day, perhaps repeated.
    stream varchar -- statistics, statistics_by_subchannel, campaigns or events.
    date date -- KST day; for events the day on which they happened.
