-- What analysts find: every table and view with its columns. Written by schema.test.ts (UPDATE_GOLDEN=1).

table main.alimtalk_messages -- Alimtalk messages (chatapp-alimtalk): one row per event that carried one.
    event_id varchar -- Id of the event; joins events.
    date date -- KST day of the event.
    export_date date -- KST day of the export that the row came with.
    plus_friend_id varchar -- plusFriendId, the channel of the sender.
    sender_key varchar -- senderKey.
    recipient_no varchar -- Number of the recipient: as given, hashed (HMAC-SHA-256) or null, by the setting privacy.recipients.
    template_code varchar -- templateCode.
    content varchar -- Text of the message.
    template_extra varchar -- templateExtra.
    extra json -- Keys outside the specification, and values that did not fit, as given.

table main.brand_messages -- Brand messages (chatapp-brand-message): one row per event that carried one.
    event_id varchar -- Id of the event; joins events.
    date date -- KST day of the event.
    export_date date -- KST day of the export that the row came with.
    template_name varchar -- templateName.
    extra json -- Keys outside the specification, and values that did not fit, as given.

view main.calendar -- null
    date date -- null
    weekday integer -- null
    weekday_ko varchar -- null
    iso_week varchar -- null
    month varchar -- null
    is_weekend boolean -- null
    is_public_holiday boolean -- null
    public_holiday varchar -- null
    public_holiday_ko varchar -- null
    is_workday boolean -- null

table main.campaign_collections -- One row per campaign and pull (E19): which window was asked for and how fresh the answer was.
    campaign_id varchar -- Campaign that was asked for.
    pull varchar -- Id of the pull.
    window_start timestamp with time zone -- First instant of the window.
    window_end timestamp with time zone -- End of the window, not included.
    last_collected_at timestamp with time zone -- When the service last collected the figures. It names no zone; KST is assumed.
    last_collected_text varchar -- The same, as given.
    pulled_at timestamp with time zone -- When the service answered.
    metrics bigint -- How many metrics the answer held.
    extra json -- Fields of the answer outside the specification, as given.

table main.campaign_metric_dimensions -- campaign_metrics by dimension (E19): one row per campaign, metric, conversion type, day and dimension value.
    campaign_id varchar -- Campaign that was asked for.
    metric_type varchar -- standard (value is a count) or conversion (value is a sum).
    metric_name varchar -- Name of the metric.
    conversion_type varchar -- Such as sales_conversion; null for standard metrics and before 2025-07-06.
    date date -- Day as the service gives it, taken as a KST day.
    dimension_key varchar -- What the value is broken down by.
    dimension_value varchar -- Which part of it.
    value decimal(18,4) -- Count or sum of that part; exact to four decimals.
    pull varchar -- Id of the pull that it came with.
    extra json -- Fields outside the specification, and values that did not fit, as given.

table main.campaign_metric_totals -- The totals that the service gives beside its daily values (E19): one row per campaign, pull and metric.
    campaign_id varchar -- Campaign that was asked for.
    pull varchar -- Id of the pull; its window is in campaign_collections.
    metric_type varchar -- standard or conversion.
    metric_name varchar -- Name of the metric.
    conversion_type varchar -- Such as sales_conversion; null for standard metrics.
    total decimal(18,4) -- Total over the window as the service computes it (totalCount or totalSum).
    extra json -- Fields of the metric outside the specification, and values that did not fit, as given.

table main.campaign_metrics -- Campaign statistics (E19): one row per campaign, metric, conversion type and day.
    campaign_id varchar -- Campaign that was asked for.
    metric_type varchar -- standard (value is a count) or conversion (value is a sum).
    metric_name varchar -- Name of the metric, such as send_success.
    conversion_type varchar -- Such as sales_conversion; null for standard metrics and before 2025-07-06.
    date date -- Day as the service gives it, taken as a KST day.
    value decimal(18,4) -- Count or sum of the day; exact to four decimals, since sums may be money.
    pull varchar -- Id of the pull that it came with; see campaign_collections.
    extra json -- Fields outside the specification, and values that did not fit, as given.

view main.campaign_tags -- null
    campaign_id varchar -- null
    tag varchar -- null
    channels varchar[] -- null
    first_date date -- null
    last_date date -- null

view main.campaign_variants -- null
    campaign_id varchar -- null
    variant_id varchar -- null
    variant_name varchar -- null
    former_names varchar[] -- null
    channels varchar[] -- null
    first_date date -- null
    last_date date -- null

view main.campaigns -- null
    campaign_id varchar -- null
    campaign_name varchar -- null
    former_names varchar[] -- null
    tags varchar[] -- null
    channels varchar[] -- null
    first_date date -- null
    last_date date -- null

table main.daily_conversions -- Conversions of daily_statistics (E17): one row per statistic and conversion.
    statistic_id varchar -- The row of daily_statistics that it belongs to.
    date date -- KST day, as in that row.
    name varchar -- Name of the conversion.
    type varchar -- total_count_conversion or direct_count_conversion.
    count bigint -- How many.
    position integer -- Place in the list of the statistic, from 1.
    extra json -- Fields outside the specification, and values that did not fit, as given.

table main.daily_conversions_by_subchannel -- Conversions of daily_statistics_by_subchannel (E18): one row per statistic and conversion.
    statistic_id varchar -- The row of daily_statistics_by_subchannel that it belongs to.
    date date -- KST day, as in that row.
    name varchar -- Name of the conversion.
    type_label varchar -- Type of the conversion as the service words it, in its own language.
    count bigint -- How many.
    position integer -- Place in the list of the statistic, from 1.
    extra json -- Fields outside the specification, and values that did not fit, as given.

table main.daily_statistics -- Daily counts (E17): one row per KST day, campaign or user journey, variant or node, and channel.
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

table main.daily_statistics_by_subchannel -- Daily counts (E18): one row per KST day, resource, variant or node, channel, sub-channel and target.
    statistic_id varchar -- Stable id of the row: a hash of its grain. Not the ids of daily_statistics.
    date date -- KST day that was asked for.
    resource_type varchar -- campaign or user-journey, where the service says so.
    resource_id varchar -- Campaign or user journey.
    resource_name varchar -- Its name on that day.
    node_id varchar -- Node of a user journey; null for campaigns.
    node_name varchar -- Name of the node (the service spells the field node_mane).
    variant_id varchar -- Variant of an A/B test; null otherwise.
    variant_name varchar -- Name of the variant.
    channel varchar -- Neutral channel name with hyphens.
    channel_sub varchar -- Sub-channel, as given.
    brand_message_target varchar -- Target of a brand message, as given.
    tags varchar[] -- Tags of the campaign.
    message_sent bigint -- Attempted sends, failed ones included.
    message_failed bigint -- Failed sends.
    delivered bigint -- Deliveries; null where the channel does not report them.
    click bigint -- Clicks; null where the channel does not report them.
    ordinal integer -- 1, or counted on where the service gave the same grain more than once.
    extra json -- Fields outside the specification, and values that did not fit, as given.

table main.emails -- E-mails (email): one row per event that carried one.
    event_id varchar -- Id of the event; joins events.
    date date -- KST day of the event.
    export_date date -- KST day of the export that the row came with.
    title varchar -- Subject.
    body_html varchar -- HTML body.
    body_text varchar -- Plain text body.
    extra json -- Keys outside the specification, and values that did not fit, as given.

table main.events -- Campaign events (E21): one row per export record, that is per id, event name and time.
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

table main.friendtalk_messages -- Friendtalk messages (chatapp-friendtalk): one row per event that carried one.
    event_id varchar -- Id of the event; joins events.
    date date -- KST day of the event.
    export_date date -- KST day of the export that the row came with.
    plus_friend_id varchar -- plusFriendId, the channel of the sender.
    sender_key varchar -- senderKey.
    recipient_no varchar -- Number of the recipient: as given, hashed (HMAC-SHA-256) or null, by the setting privacy.recipients.
    content varchar -- Text of the message.
    is_ad boolean -- Whether it is advertising.
    extra json -- Keys outside the specification, and values that did not fit, as given.

table main.in_app_messages -- In-app messages (in-app-message): one row per event that carried one.
    event_id varchar -- Id of the event; joins events.
    date date -- KST day of the event.
    export_date date -- KST day of the export that the row came with.
    message_type varchar -- messageType, such as COMMERCE.
    chat_bubble_type varchar -- chatBubbleType, such as WIDE_ITEM_LIST.
    title varchar -- Title.
    content varchar -- Text of the message.
    image_url varchar -- imageUrl.
    header varchar -- Header.
    commerce_title varchar -- commerce.title.
    commerce_regular_price decimal(18,4) -- commerce.regularPrice.
    commerce_discount_price decimal(18,4) -- commerce.discountPrice.
    commerce_discount_rate decimal(18,4) -- commerce.discountRate.
    attachment json -- attachment, as given.
    extra json -- Keys outside the specification, and values that did not fit, as given.

table main.in_web_messages -- In-web messages (in-web-message): one row per event that carried one.
    event_id varchar -- Id of the event; joins events.
    date date -- KST day of the event.
    export_date date -- KST day of the export that the row came with.
    message_type varchar -- messageType, such as COMMERCE.
    chat_bubble_type varchar -- chatBubbleType, such as WIDE_ITEM_LIST.
    title varchar -- Title.
    content varchar -- Text of the message.
    image_url varchar -- imageUrl.
    header varchar -- Header.
    commerce_title varchar -- commerce.title.
    commerce_regular_price decimal(18,4) -- commerce.regularPrice.
    commerce_discount_price decimal(18,4) -- commerce.discountPrice.
    commerce_discount_rate decimal(18,4) -- commerce.discountRate.
    attachment json -- attachment, as given.
    extra json -- Keys outside the specification, and values that did not fit, as given.

table main.message_buttons -- Buttons of friendtalk, alimtalk, in-app and in-web messages: one row per button.
    event_id varchar -- Id of the event; joins events.
    date date -- KST day of the event.
    export_date date -- KST day of the export that the row came with.
    position integer -- Place in the list, from 1.
    ordering integer -- ordering, as given.
    type varchar -- Type, such as WL.
    name varchar -- Label.
    link_mo varchar -- linkMo: link on mobile.
    link_pc varchar -- linkPc: link on a computer.
    scheme_ios varchar -- schemeIos.
    scheme_android varchar -- schemeAndroid.
    extra json -- Keys outside the specification, and values that did not fit, as given.

table main.other_messages -- Messages of channels that the specification does not know, and message_data of no known form: one row per event.
    event_id varchar -- Id of the event; joins events.
    date date -- KST day of the event.
    export_date date -- KST day of the export that the row came with.
    channel varchar -- Neutral channel name with hyphens.
    message_data json -- The message, as given; a recipient number by the setting privacy.recipients.

table main.public_holidays -- Public holidays of Korea, substitute and temporary ones included: one row per day.
    date date -- KST day.
    name varchar -- Name in English.
    name_ko varchar -- Name in Korean.

table main.push_messages -- Push notifications (push-notification): one row per event that carried one.
    event_id varchar -- Id of the event; joins events.
    date date -- KST day of the event.
    export_date date -- KST day of the export that the row came with.
    title varchar -- Title.
    body varchar -- Text.
    link varchar -- Link that a tap opens.
    extra json -- Keys outside the specification, and values that did not fit, as given.

table main.text_message_attachments -- Attachments of text messages (attachFileList): one row per file.
    event_id varchar -- Id of the event; joins events.
    date date -- KST day of the event.
    export_date date -- KST day of the export that the row came with.
    position integer -- Place in the list, from 1.
    file_id varchar -- fileId.
    file_name varchar -- fileName.
    file_path varchar -- filePath.
    save_file_name varchar -- saveFileName.
    upload_type varchar -- uploadType.
    extra json -- Keys outside the specification, and values that did not fit, as given.

table main.text_messages -- Text messages (text-message): one row per event that carried one.
    event_id varchar -- Id of the event; joins events.
    date date -- KST day of the event.
    export_date date -- KST day of the export that the row came with.
    request_id varchar -- requestId.
    request_date timestamp -- requestDate; it names no zone, KST is assumed.
    template_id varchar -- templateId.
    title varchar -- Title (LMS and MMS).
    body varchar -- Text of the message.
    send_no varchar -- Number of the sender.
    recipient_no varchar -- Number of the recipient: as given, hashed (HMAC-SHA-256) or null, by the setting privacy.recipients.
    message_type varchar -- messageType, such as SMS, LMS or MMS.
    country_code varchar -- countryCode.
    ad_yn varchar -- Y for advertising, N otherwise.
    extra json -- Keys outside the specification, and values that did not fit, as given.

view main.user_journey_nodes -- null
    user_journey_id varchar -- null
    user_journey_node_id varchar -- null
    user_journey_node_name varchar -- null
    former_names varchar[] -- null
    channels varchar[] -- null
    first_date date -- null
    last_date date -- null

view main.user_journeys -- null
    user_journey_id varchar -- null
    user_journey_name varchar -- null
    former_names varchar[] -- null
    nodes bigint -- null
    channels varchar[] -- null
    first_date date -- null
    last_date date -- null

table main.web_push_messages -- Web push notifications (web-push-notification): one row per event that carried one. The service shortens the keys and does not explain them.
    event_id varchar -- Id of the event; joins events.
    date date -- KST day of the event.
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
    extra json -- Keys outside the specification, and values that did not fit, as given.

table main.webhook_messages -- Webhook calls (webhook): one row per event that carried one.
    event_id varchar -- Id of the event; joins events.
    date date -- KST day of the event.
    export_date date -- KST day of the export that the row came with.
    url varchar -- Address that was called.
    method varchar -- HTTP method.
    headers json -- Headers, as given.
    data json -- Body, as given.
    extra json -- Keys outside the specification, and values that did not fit, as given.

view marts.ab_tests -- null
    campaign_id varchar -- null
    campaign_name varchar -- null
    channel varchar -- null
    metric varchar -- null
    variant_id varchar -- null
    variant_name varchar -- null
    is_baseline boolean -- null
    baseline_name varchar -- null
    days bigint -- null
    sent bigint -- null
    messages bigint -- null
    successes bigint -- null
    rate double -- null
    difference double -- null
    difference_low double -- null
    difference_high double -- null
    lift double -- null
    p_value double -- null
    guarded_p_value double -- null
    unequal_groups_p_value double -- null
    messages_needed bigint -- null
    verdict_code varchar -- null
    verdict varchar -- null

view marts.campaign_days -- null
    date date -- null
    campaign_id varchar -- null
    campaign_name varchar -- null
    channel varchar -- null
    tags varchar[] -- null
    sent bigint -- null
    failed bigint -- null
    succeeded bigint -- null
    delivered bigint -- null
    clicked bigint -- null
    conversions bigint -- null
    direct_conversions bigint -- null
    failure_rate double -- null
    delivery_rate double -- null
    click_rate double -- null
    conversion_rate double -- null

view marts.campaign_lifetimes -- null
    campaign_id varchar -- null
    campaign_name varchar -- null
    channel varchar -- null
    tags varchar[] -- null
    first_sent_date date -- null
    last_sent_date date -- null
    days_sent bigint -- null
    sent bigint -- null
    failed bigint -- null
    succeeded bigint -- null
    delivered bigint -- null
    clicked bigint -- null
    conversions bigint -- null
    direct_conversions bigint -- null
    failure_rate double -- null
    delivery_rate double -- null
    click_rate double -- null
    conversion_rate double -- null
    recent_sent bigint -- null
    previous_sent bigint -- null
    recent_click_rate double -- null
    previous_click_rate double -- null
    recent_conversion_rate double -- null
    previous_conversion_rate double -- null
    sent_change double -- null
    click_rate_change double -- null
    conversion_rate_change double -- null

view marts.channel_days -- null
    date date -- null
    channel varchar -- null
    sent bigint -- null
    failed bigint -- null
    succeeded bigint -- null
    delivered bigint -- null
    clicked bigint -- null
    conversions bigint -- null
    direct_conversions bigint -- null
    failure_rate double -- null
    delivery_rate double -- null
    click_rate double -- null
    conversion_rate double -- null

view marts.cohort_retention -- null
    cohort_week date -- null
    weeks_since bigint -- null
    week date -- null
    users bigint -- null
    messaged_users bigint -- null
    clickers bigint -- null
    click_retention double -- null
    clicker_share double -- null

view marts.content_performance -- null
    channel varchar -- null
    content_kind varchar -- null
    content varchar -- null
    sent bigint -- null
    failed bigint -- null
    succeeded bigint -- null
    delivered bigint -- null
    clicked bigint -- null
    failure_rate double -- null
    delivery_rate double -- null
    click_rate double -- null
    first_date date -- null
    last_date date -- null

view marts.conversions -- null
    date date -- null
    resource_type varchar -- null
    resource_id varchar -- null
    resource_name varchar -- null
    variant_id varchar -- null
    variant_name varchar -- null
    user_journey_node_id varchar -- null
    user_journey_node_name varchar -- null
    channel varchar -- null
    conversion_name varchar -- null
    conversions bigint -- null
    direct_conversions bigint -- null
    other_conversions bigint -- null
    succeeded bigint -- null
    statistic_id varchar -- null

view marts.conversions_by_subchannel -- null
    date date -- null
    resource_id varchar -- null
    resource_name varchar -- null
    node_id varchar -- null
    node_name varchar -- null
    variant_id varchar -- null
    variant_name varchar -- null
    channel varchar -- null
    channel_sub varchar -- null
    brand_message_target varchar -- null
    conversion_name varchar -- null
    type_label varchar -- null
    conversions bigint -- null
    succeeded bigint -- null
    statistic_id varchar -- null

table marts.daily_contents -- null
    date date -- null
    channel varchar -- null
    content_kind varchar -- null
    content varchar -- null
    sent bigint -- null
    failed bigint -- null
    succeeded bigint -- null
    delivered bigint -- null
    clicked bigint -- null

table marts.daily_events -- null
    date date -- null
    channel varchar -- null
    event_name varchar -- null
    kind varchar -- null
    resource_type varchar -- null
    campaign_id varchar -- null
    experiment_group_name varchar -- null
    user_journey_id varchar -- null
    user_journey_node_id varchar -- null
    events bigint -- null
    users bigint -- null

table marts.daily_failures -- null
    date date -- null
    channel varchar -- null
    event_name varchar -- null
    kind varchar -- null
    failure_reason varchar -- null
    resource_type varchar -- null
    campaign_id varchar -- null
    user_journey_id varchar -- null
    user_journey_node_id varchar -- null
    failures bigint -- null

table marts.daily_pressure -- null
    date date -- null
    window_days integer -- null
    at_least integer -- null
    messages_per_person varchar -- null
    users bigint -- null
    messages bigint -- null
    clickable bigint -- null
    clicks bigint -- null
    clickers bigint -- null

table marts.daily_response_times -- null
    date date -- null
    channel varchar -- null
    resource_type varchar -- null
    campaign_id varchar -- null
    user_journey_id varchar -- null
    user_journey_node_id varchar -- null
    response varchar -- null
    responses bigint -- null
    p50_seconds double -- null
    p90_seconds double -- null
    p99_seconds double -- null
    within_minute bigint -- null
    within_hour bigint -- null
    within_day bigint -- null

table marts.daily_send_hours -- null
    date date -- null
    weekday integer -- null
    hour integer -- null
    channel varchar -- null
    resource_type varchar -- null
    campaign_id varchar -- null
    user_journey_id varchar -- null
    succeeded bigint -- null
    failed bigint -- null
    clicked bigint -- null

view marts.export_spend -- null
    month varchar -- null
    exports bigint -- null
    ambiguous_exports bigint -- null
    records bigint -- null
    estimated_records bigint -- null
    cost double -- null
    cost_per_thousand double -- null

view marts.failovers -- null
    date date -- null
    channel varchar -- null
    resource_type varchar -- null
    campaign_id varchar -- null
    user_journey_id varchar -- null
    resource_name varchar -- null
    failed bigint -- null
    failover_sent bigint -- null
    failover_failed bigint -- null
    failover_success_rate double -- null
    rescue_rate double -- null

view marts.failure_reasons -- null
    channel varchar -- null
    event_name varchar -- null
    failure_reason varchar -- null
    failures bigint -- null
    share_of_failures double -- null
    failure_rate double -- null
    recent_failures bigint -- null
    previous_failures bigint -- null
    change double -- null
    trend varchar -- null
    first_date date -- null
    last_date date -- null

table marts.first_messages -- null
    person ubigint -- null
    date date -- null
    cohort_week date -- null

view marts.freshness -- null
    stream varchar -- null
    first_date date -- null
    last_date date -- null
    days_held bigint -- null
    days_missing bigint -- null
    days_behind_newest bigint -- null
    last_pulled_at timestamp with time zone -- null
    rows bigint -- null

view marts.journey_funnels -- null
    user_journey_id varchar -- null
    user_journey_name varchar -- null
    step bigint -- null
    user_journey_node_id varchar -- null
    user_journey_node_name varchar -- null
    channels varchar[] -- null
    sent bigint -- null
    failed bigint -- null
    succeeded bigint -- null
    delivered bigint -- null
    clicked bigint -- null
    conversions bigint -- null
    click_rate double -- null
    conversion_rate double -- null
    share_of_first double -- null
    share_of_previous double -- null
    drop_off double -- null
    first_date date -- null
    last_date date -- null

view marts.journey_node_days -- null
    date date -- null
    user_journey_id varchar -- null
    user_journey_name varchar -- null
    user_journey_node_id varchar -- null
    user_journey_node_name varchar -- null
    channel varchar -- null
    sent bigint -- null
    failed bigint -- null
    succeeded bigint -- null
    delivered bigint -- null
    clicked bigint -- null
    conversions bigint -- null
    direct_conversions bigint -- null
    failure_rate double -- null
    delivery_rate double -- null
    click_rate double -- null
    conversion_rate double -- null

view marts.message_days -- null
    date date -- null
    resource_type varchar -- null
    resource_id varchar -- null
    resource_name varchar -- null
    campaign_id varchar -- null
    campaign_name varchar -- null
    variant_id varchar -- null
    variant_name varchar -- null
    user_journey_id varchar -- null
    user_journey_name varchar -- null
    user_journey_node_id varchar -- null
    user_journey_node_name varchar -- null
    channel varchar -- null
    tags varchar[] -- null
    sent bigint -- null
    failed bigint -- null
    succeeded bigint -- null
    delivered bigint -- null
    clicked bigint -- null
    conversions bigint -- null
    direct_conversions bigint -- null
    deliverable bigint -- null
    clickable bigint -- null
    statistic_id varchar -- null

view marts.message_pressure -- null
    date date -- null
    window_days integer -- null
    at_least integer -- null
    messages_per_person varchar -- null
    users bigint -- null
    share_of_users double -- null
    messages bigint -- null
    clicks bigint -- null
    click_rate double -- null
    clickers bigint -- null
    clicker_share double -- null
    days_held bigint -- null

view marts.response_times -- null
    channel varchar -- null
    resource_type varchar -- null
    campaign_id varchar -- null
    user_journey_id varchar -- null
    resource_name varchar -- null
    response varchar -- null
    responses bigint -- null
    p50_seconds double -- null
    p90_seconds double -- null
    p99_seconds double -- null
    share_within_minute double -- null
    share_within_hour double -- null
    share_within_day double -- null
    first_date date -- null
    last_date date -- null

view marts.restated_days -- null
    date date -- null
    statistic_id varchar -- null
    resource_type varchar -- null
    resource_id varchar -- null
    resource_name varchar -- null
    channel varchar -- null
    counter varchar -- null
    changes bigint -- null
    first_value bigint -- null
    last_value bigint -- null
    difference bigint -- null
    first_changed_at timestamp with time zone -- null
    last_changed_at timestamp with time zone -- null
    days_after bigint -- null

view marts.send_time_heatmap -- null
    channel varchar -- null
    weekday integer -- null
    hour integer -- null
    succeeded bigint -- null
    failed bigint -- null
    clicked bigint -- null
    click_rate double -- null

view marts.tag_days -- null
    date date -- null
    tag varchar -- null
    channel varchar -- null
    sent bigint -- null
    failed bigint -- null
    succeeded bigint -- null
    delivered bigint -- null
    clicked bigint -- null
    conversions bigint -- null
    direct_conversions bigint -- null
    failure_rate double -- null
    delivery_rate double -- null
    click_rate double -- null
    conversion_rate double -- null

view marts.variant_days -- null
    date date -- null
    campaign_id varchar -- null
    campaign_name varchar -- null
    variant_id varchar -- null
    variant_name varchar -- null
    channel varchar -- null
    sent bigint -- null
    failed bigint -- null
    succeeded bigint -- null
    delivered bigint -- null
    clicked bigint -- null
    conversions bigint -- null
    direct_conversions bigint -- null
    failure_rate double -- null
    delivery_rate double -- null
    click_rate double -- null
    conversion_rate double -- null

table marts.weekly_cohorts -- null
    cohort_week date -- null
    week date -- null
    messaged_users bigint -- null
    clickers bigint -- null

table ops.checks -- What the last round of checks (sql/checks) found; no rows means sound.
    checked_at timestamp with time zone -- When the checks ran.
    name varchar -- Name of the check, as its file under sql/checks.
    severity varchar -- stop (do not trust that part) or warn (look at it).
    stream varchar -- Stream concerned.
    date date -- KST day concerned; null where it is no single day.
    subject varchar -- What exactly, for example a table, a statistic or a field.
    finding varchar -- The finding in one sentence.
    expected varchar -- What should have been.
    actual varchar -- What is.

table ops.coverage -- One row per stream and KST day that the warehouse holds whole.
    stream varchar -- statistics, statistics_by_subchannel, campaigns or events.
    date date -- KST day; for events the day of the export window.
    rows bigint -- Rows of that day in the fact table of the stream, for events the distinct records of the export; zero is a day on which nothing happened.
    loaded_at timestamp with time zone -- When the day was loaded into this file.
    pull varchar -- Id of the pull that the day came with.
    pulled_at timestamp with time zone -- When the service answered that pull.

table ops.drift_by_day -- Fields that differ from the specification, by day; ops.schema_drift sums it up.
    stream varchar -- Stream in which the field was seen.
    date date -- KST day of the pull that holds it.
    place varchar -- Where: record, channel_metadata, message_data:<channel>, button, attachment, conversion, metric, channel.
    field varchar -- Name of the field; for place channel the unknown channel.
    kind varchar -- unknown (not in the specification), type (a value that does not fit), missing (required and absent).
    example_type varchar -- JSON type of one such value; the value itself is never kept here.
    records bigint -- In how many records.

table ops.exports -- One row per paid export (E20) of the ledger, as it stood when the warehouse was published.
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

table ops.load_notes -- What a load found odd and dealt with, by day; the checks report it.
    stream varchar -- Stream of the pull.
    date date -- KST day that the note is about; it goes when the day is replaced.
    pull varchar -- Id of the pull.
    note varchar -- repeated, shared_id, stray, no_id, no_time, no_event_name, mended, outside_range, other_day, undated or same_grain.
    subject varchar -- What it concerns, where there is more to say than the day.
    records bigint -- How many records.

table ops.loads -- One row per pull of the landing zone that this warehouse has loaded.
    pull varchar -- Id of the pull in the landing zone.
    stream varchar -- statistics, statistics_by_subchannel, campaigns or events.
    first_day date -- First KST day that was asked for.
    last_day date -- Last KST day that was asked for.
    pulled_at timestamp with time zone -- When the service answered. Of two pulls of one day the later one counts.
    complete boolean -- False when a part could not be had (some campaign of a campaign pull).
    rows bigint -- Rows that the pull brought into the fact table of its stream.
    loaded_at timestamp with time zone -- When it was loaded into this file; a rebuild sets it anew.

table ops.migrations -- One row per change of the schema that this file has seen.
    number integer -- Number of the migration, as in the name of its file under sql/schema.
    name varchar -- Name of the migration.
    applied_at timestamp with time zone -- When it was applied to this file.

table ops.models -- One row per model (sql/models) and seed (sql/seeds) that the warehouse holds.
    relation varchar -- Schema and name of the view or table.
    kind varchar -- view (computed when asked), table (kept, and brought forward day by day) or seed (comes with the package).
    fingerprint varchar -- Tells a model that was changed since, which is then made anew for all days.

table ops.restatements -- One row per counter of daily_statistics that a later pull of the same day changed.
    detected_at timestamp with time zone -- When the service gave the new value.
    date date -- KST day of the statistic.
    statistic_id varchar -- The statistic, as in daily_statistics.
    counter varchar -- message_sent, message_failed, delivered, click, or conversion:<type>:<name>.
    kind varchar -- changed, appeared (the row was not there before) or vanished (it is not there any more).
    before bigint -- Value held until then; null where there was none.
    after bigint -- Value held from then on; null where there is none.
    pull varchar -- Id of the pull that brought the change.

table ops.runs -- One row per run of the job since the warehouse was last rebuilt.
    run_id varchar -- Id of the run, as in its log lines.
    command varchar -- Command that ran, without its secrets.
    started_at timestamp with time zone -- When it began.
    finished_at timestamp with time zone -- When it ended; null if it never said so.
    exit_code integer -- Exit code of the command.
    outcome varchar -- done, incomplete or failed.
    summary json -- What it did, in numbers.
    version varchar -- Version of dawnload.
    process_id bigint -- Id of the process.

view ops.schema_drift -- One row per field that the service sends otherwise than specified. Nothing is lost: see the extra columns.
    stream varchar -- Stream in which the field was seen.
    place varchar -- Where: record, channel_metadata, message_data:<channel>, button, attachment, conversion, metric, channel.
    field varchar -- Name of the field; for place channel the unknown channel.
    kind varchar -- unknown (not in the specification), type (a value that does not fit), missing (required and absent).
    example_type varchar -- JSON type of one such value; never the value.
    first_date date -- First KST day on which it was seen.
    last_date date -- Last KST day on which it was seen.
    records bigint -- In how many records of the days now held.

table ops.set_aside -- Rows of events and message tables that another export holds too; they come back if that one is replaced without them.
    table_name varchar -- Table that the row would stand in.
    event_id varchar -- Id of the record.
    event_name varchar -- Event name of the record; null for rows of message tables.
    occurred_at timestamp with time zone -- Time of the record; null for rows of message tables.
    date date -- KST day on which the event happened.
    export_date date -- KST day of the export that the row came with.
    content json -- The row itself.

table ops.touched_days -- Days that a load changed since models and checks last ran; empty in a published file.
    stream varchar -- statistics, statistics_by_subchannel, campaigns or events.
    date date -- KST day; for events the day on which they happened.
