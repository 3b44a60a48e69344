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
    extra json -- Fields outside the specification, as given; the whole text if a value did not fit its column.

view main.alimtalk_templates -- The alimtalk templates of each channel (E10), as the latest snapshot shows them. One row per template of a channel.
    channel_id varchar -- Channel of the alimtalk template, as configured.
    template_code varchar -- Code of the template; alimtalks name it.
    template_name varchar -- Name of the template.
    status_code varchar -- Status, as given.
    content varchar -- Text of the template.
    template json -- The template as given.
    copy bigint -- 1, or counted on where the list holds templates of the same code, or without any.
    valid_from date -- KST day of the first snapshot that showed this version.

table main.alimtalk_templates_history -- The alimtalk templates of each channel (E10), version by version. One row per template of a channel and version.
    channel_id varchar -- Channel of the alimtalk template, as configured.
    template_code varchar -- Code of the template; alimtalks name it.
    template_name varchar -- Name of the template.
    status_code varchar -- Status, as given.
    content varchar -- Text of the template.
    template json -- The template as given.
    copy bigint -- 1, or counted on where the list holds templates of the same code, or without any.
    valid_from date -- KST day of the first snapshot that showed this version.
    valid_to date -- KST day of the last snapshot that showed this version; null while the latest one shows it.

table main.brand_messages -- Brand messages (chatapp-brand-message): the content that came with an event. One row per event that carried one.
    event_id varchar -- Id of the event; joins events.
    date date -- KST day.
    export_date date -- KST day of the export that the row came with.
    template_name varchar -- templateName of the brand message.
    extra json -- Fields outside the specification, as given; the whole text if a value did not fit its column.

view main.brand_template_buttons -- The buttons of brand-message templates, as the latest snapshot shows them. One row per button of a template.
    template_id varchar -- Id of the template.
    sender_key varchar -- senderKey, the key of the sender's profile.
    position bigint -- Place in the list, from 1.
    button_type varchar -- Type, such as WL for a link.
    button_name varchar -- Words on the button.
    link_mo varchar -- Link on telephones (linkMo).
    link_pc varchar -- Link on computers (linkPc).
    link_and varchar -- Link on Android (linkAnd).
    link_ios varchar -- Link on iOS (linkIos).
    extra json -- Fields outside the specification, as given; the whole text if a value did not fit its column.
    valid_from date -- KST day of the first snapshot that showed this version.

table main.brand_template_buttons_history -- The buttons of brand-message templates, version by version. One row per button of a template and version.
    template_id varchar -- Id of the template.
    sender_key varchar -- senderKey, the key of the sender's profile.
    position bigint -- Place in the list, from 1.
    button_type varchar -- Type, such as WL for a link.
    button_name varchar -- Words on the button.
    link_mo varchar -- Link on telephones (linkMo).
    link_pc varchar -- Link on computers (linkPc).
    link_and varchar -- Link on Android (linkAnd).
    link_ios varchar -- Link on iOS (linkIos).
    extra json -- Fields outside the specification, as given; the whole text if a value did not fit its column.
    valid_from date -- KST day of the first snapshot that showed this version.
    valid_to date -- KST day of the last snapshot that showed this version; null while the latest one shows it.

view main.brand_templates -- The brand-message templates of each sender (E4, E5), as the latest snapshot shows them. One row per template of a sender.
    template_id varchar -- Id of the template.
    template_name varchar -- Name of the template; brand messages name it.
    sender_key varchar -- senderKey, the key of the sender's profile.
    template_type varchar -- Type, such as text or image.
    content_text varchar -- Text, which may hold #{variables}.
    image_url varchar -- Address of the image (imageUrl).
    image_link varchar -- Link of the image.
    coupon json -- Coupon, as given.
    failover_type varchar -- Type of the text that goes out instead: sms or lms.
    failover_title varchar -- Title of the text that goes out instead.
    failover_body varchar -- Body of the text that goes out instead.
    failover_sender varchar -- Number that the text comes from.
    unsubscribe_number varchar -- 080 number for opting out.
    status varchar -- Status at the messenger (E5), as given.
    created_at timestamp with time zone -- When the template was made.
    updated_at timestamp with time zone -- When the template was changed last.
    template json -- The template as given.
    extra json -- Fields outside the specification, as given; the whole text if a value did not fit its column.
    valid_from date -- KST day of the first snapshot that showed this version.

table main.brand_templates_history -- The brand-message templates of each sender (E4, E5), version by version. One row per template of a sender and version.
    template_id varchar -- Id of the template.
    template_name varchar -- Name of the template; brand messages name it.
    sender_key varchar -- senderKey, the key of the sender's profile.
    template_type varchar -- Type, such as text or image.
    content_text varchar -- Text, which may hold #{variables}.
    image_url varchar -- Address of the image (imageUrl).
    image_link varchar -- Link of the image.
    coupon json -- Coupon, as given.
    failover_type varchar -- Type of the text that goes out instead: sms or lms.
    failover_title varchar -- Title of the text that goes out instead.
    failover_body varchar -- Body of the text that goes out instead.
    failover_sender varchar -- Number that the text comes from.
    unsubscribe_number varchar -- 080 number for opting out.
    status varchar -- Status at the messenger (E5), as given.
    created_at timestamp with time zone -- When the template was made.
    updated_at timestamp with time zone -- When the template was changed last.
    template json -- The template as given.
    extra json -- Fields outside the specification, as given; the whole text if a value did not fit its column.
    valid_from date -- KST day of the first snapshot that showed this version.
    valid_to date -- KST day of the last snapshot that showed this version; null while the latest one shows it.

view main.calendar -- The KST days that the warehouse spans, gaps included. One row per KST day, from the first to the last that any stream of days covers.
    date date -- KST day.
    weekday integer -- 1 for Monday to 7 for Sunday.
    weekday_ko varchar -- The weekday in Korean, such as 월.
    iso_week varchar -- ISO week, such as 2026-W47.
    month varchar -- Month, such as 2026-11.
    is_weekend boolean -- Whether it is a Saturday or a Sunday.
    is_public_holiday boolean -- Whether it is a public holiday of Korea.
    public_holiday varchar -- Name of the public holiday; null otherwise.
    public_holiday_ko varchar -- Its name in Korean.
    is_workday boolean -- Whether it is neither on a weekend nor a public holiday.

table main.campaign_collections -- Which window was asked of each campaign (E19), and how fresh the answer was. One row per campaign and pull.
    campaign_id varchar -- Campaign that was asked for.
    pull varchar -- Id of the pull that it came with.
    window_start timestamp with time zone -- First instant of the window.
    window_end timestamp with time zone -- End of the window, not included.
    last_collected_at timestamp with time zone -- When the service last collected the figures. It names no zone; KST is assumed.
    last_collected_text varchar -- The same, as given.
    pulled_at timestamp with time zone -- When the service answered.
    metrics bigint -- How many metrics the answer held.
    extra json -- Fields of the answer outside the specification, as given; all but its rows if a value did not fit.

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
    extra json -- Fields outside the specification, as given; the whole text if a value did not fit its column.

table main.campaign_metric_totals -- The totals that the service gives beside its daily values (E19). One row per campaign, pull, metric and conversion type.
    campaign_id varchar -- Campaign that was asked for.
    pull varchar -- Id of the pull; its window is in campaign_collections.
    metric_type varchar -- standard (value is a count) or conversion (value is a sum).
    metric_name varchar -- Name of the metric, such as send_success.
    conversion_type varchar -- Such as sales_conversion; null for standard metrics and before 2025-07-06.
    total decimal(18,4) -- Total over the window as the service computes it (totalCount or totalSum).
    extra json -- Fields outside the specification, as given; the whole text if a value did not fit its column.

table main.campaign_metrics -- Campaign statistics by day (E19). One row per campaign, metric, conversion type and day.
    campaign_id varchar -- Campaign that was asked for.
    metric_type varchar -- standard (value is a count) or conversion (value is a sum).
    metric_name varchar -- Name of the metric, such as send_success.
    conversion_type varchar -- Such as sales_conversion; null for standard metrics and before 2025-07-06.
    date date -- Day as the service gives it, taken as a KST day.
    value decimal(18,4) -- Count or sum of the day; exact to four decimals, since sums may be money.
    pull varchar -- Id of the pull that it came with; see campaign_collections.
    extra json -- Fields outside the specification, as given; the whole text if a value did not fit its column.

view main.campaign_tags -- Tags that campaigns have had. One row per campaign and tag.
    campaign_id varchar -- Campaign.
    tag varchar -- Tag of campaigns.
    channels varchar[] -- Channels that it sent through.
    first_date date -- First KST day on which the campaign had it.
    last_date date -- Last KST day on which the campaign had it.

view main.campaign_variants -- Variants of campaigns that are A/B tests, by the latest name. One row per campaign and variant.
    campaign_id varchar -- Campaign.
    variant_id varchar -- Variant.
    variant_name varchar -- Its latest name; its id if it never had one.
    former_names varchar[] -- Names that it had before, the latest first.
    channels varchar[] -- Channels that it sent through.
    first_date date -- First KST day with a count.
    last_date date -- Last KST day with a count.

view main.campaigns -- Campaigns with messages in the daily statistics, by the latest name. One row per campaign.
    campaign_id varchar -- Campaign.
    campaign_name varchar -- Its latest name; its id if it never had one.
    former_names varchar[] -- Names that it had before, the latest first.
    tags varchar[] -- Its latest tags.
    channels varchar[] -- Channels that it sent through.
    first_date date -- First KST day with a count.
    last_date date -- Last KST day with a count.

view main.catalog_fields -- The declared fields of catalogs (E2), as the latest snapshot shows them. One row per field of a catalog.
    catalog_name varchar -- Name of the catalog.
    position bigint -- Place in the list, from 1.
    name varchar -- Name of the field.
    type varchar -- string, number, boolean, time, array, object or geo.
    extra json -- Fields outside the specification, as given; the whole text if a value did not fit its column.
    valid_from date -- KST day of the first snapshot that showed this version.

table main.catalog_fields_history -- The declared fields of catalogs (E2), version by version. One row per field of a catalog and version.
    catalog_name varchar -- Name of the catalog.
    position bigint -- Place in the list, from 1.
    name varchar -- Name of the field.
    type varchar -- string, number, boolean, time, array, object or geo.
    extra json -- Fields outside the specification, as given; the whole text if a value did not fit its column.
    valid_from date -- KST day of the first snapshot that showed this version.
    valid_to date -- KST day of the last snapshot that showed this version; null while the latest one shows it.

view main.catalog_items -- The items of catalogs (E2), whole; catalog.<name> has their fields as columns, as the latest snapshot shows them. One row per item of a catalog.
    catalog_name varchar -- Name of the catalog.
    item_id varchar -- Id of the catalog item.
    item json -- The item as given.
    valid_from date -- KST day of the first snapshot that showed this version.

table main.catalog_items_history -- The items of catalogs (E2), whole; catalog.<name> has their fields as columns, version by version. One row per item of a catalog and version.
    catalog_name varchar -- Name of the catalog.
    item_id varchar -- Id of the catalog item.
    item json -- The item as given.
    valid_from date -- KST day of the first snapshot that showed this version.
    valid_to date -- KST day of the last snapshot that showed this version; null while the latest one shows it.

view main.catalogs -- The catalogs of the service (E2), as the latest snapshot shows them. One row per catalog.
    catalog_name varchar -- Name of the catalog.
    description varchar -- Description of the catalog.
    data_classification varchar -- Classification of its data; non_personal.
    num_items bigint -- How many items the service says it has.
    fields json -- Its fields, as given; catalog_fields has them one by one.
    extra json -- Fields outside the specification, as given; the whole text if a value did not fit its column.
    valid_from date -- KST day of the first snapshot that showed this version.

table main.catalogs_history -- The catalogs of the service (E2), version by version. One row per catalog and version.
    catalog_name varchar -- Name of the catalog.
    description varchar -- Description of the catalog.
    data_classification varchar -- Classification of its data; non_personal.
    num_items bigint -- How many items the service says it has.
    fields json -- Its fields, as given; catalog_fields has them one by one.
    extra json -- Fields outside the specification, as given; the whole text if a value did not fit its column.
    valid_from date -- KST day of the first snapshot that showed this version.
    valid_to date -- KST day of the last snapshot that showed this version; null while the latest one shows it.

table main.daily_conversions -- Conversions of daily_statistics (E17). One row per statistic, conversion and type.
    statistic_id varchar -- The row of daily_statistics that it belongs to.
    date date -- KST day, as in that row.
    name varchar -- Name of the conversion.
    type varchar -- total_count_conversion or direct_count_conversion.
    count bigint -- How many.
    position integer -- Place in the list of the statistic, from 1.
    extra json -- Fields outside the specification, as given; the whole text if a value did not fit its column.

table main.daily_conversions_by_subchannel -- Conversions of daily_statistics_by_subchannel (E18). One row per statistic, conversion and type.
    statistic_id varchar -- The row of daily_statistics_by_subchannel that it belongs to.
    date date -- KST day, as in that row.
    name varchar -- Name of the conversion.
    type_label varchar -- Type of the conversion as the service words it, in its own language.
    count bigint -- How many.
    position integer -- Place in the list of the statistic, from 1.
    extra json -- Fields outside the specification, as given; the whole text if a value did not fit its column.

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
    extra json -- Fields outside the specification, as given; the whole text if a value did not fit its column.

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
    extra json -- Fields outside the specification, as given; the whole text if a value did not fit its column.

view main.emails -- E-mails (email): the content that came with an event. One row per event that carried one.
    event_id varchar -- Id of the event; joins events.
    date date -- KST day.
    export_date date -- KST day of the export that the row came with.
    title varchar -- Subject.
    body_html varchar -- HTML body.
    body_text varchar -- Plain text body.
    extra json -- Fields outside the specification, as given; the whole text if a value did not fit its column.
    content_id varchar -- Content that was sent, a hash of its texts; joins message_contents. Null where there is no text.

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
    occurred_at timestamp with time zone -- When it happened, to the microsecond; null if the service gave no readable time. Its KST day is in date: occurred_at::date is a day of the session's time zone.
    date date -- KST day on which it happened; the day of the export if the time is not known.
    channel_subtype varchar -- Finer kind of the channel, as given.
    brand_message_target varchar -- Target of a brand message, as given.
    export_date date -- KST day of the export that the record came with; differs from date only for strays.
    extra json -- Fields outside the specification, as given; the whole text if a value did not fit its column.

table main.friendtalk_messages -- Friendtalk messages (chatapp-friendtalk): the content that came with an event. One row per event that carried one.
    event_id varchar -- Id of the event; joins events.
    date date -- KST day.
    export_date date -- KST day of the export that the row came with.
    plus_friend_id varchar -- plusFriendId, the channel of the sender.
    sender_key varchar -- senderKey, the key of the sender's profile.
    recipient_no varchar -- Number of the recipient: as given, hashed (HMAC-SHA-256) or null, by the setting privacy.recipients.
    content varchar -- Text of the message.
    is_ad boolean -- Whether it is advertising.
    extra json -- Fields outside the specification, as given; the whole text if a value did not fit its column.

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
    extra json -- Fields outside the specification, as given; the whole text if a value did not fit its column.

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
    extra json -- Fields outside the specification, as given; the whole text if a value did not fit its column.

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
    extra json -- Fields outside the specification, as given; the whole text if a value did not fit its column.

table main.message_contents -- Texts of e-mails and push notifications, stored once however many received them. One row per content.
    content_id varchar -- Content that was sent, a hash of its texts; joins message_contents. Null where there is no text.
    title varchar -- Title of a push notification; null for e-mails, whose title may differ by recipient.
    body varchar -- Text of a push notification, or the text body of an e-mail.
    html varchar -- HTML body of an e-mail; null otherwise.

view main.opt_outs -- Recipients who opted out by an 080 number (E12), as the latest snapshot shows them. One row per opt-out.
    unsubscribe_number varchar -- 080 number for opting out.
    recipient varchar -- Recipient, under the setting privacy.recipients like every other one.
    requested_at timestamp with time zone -- When the recipient opted out.
    copy bigint -- 1, or counted on where the list holds the same again.
    extra json -- Fields outside the specification, as given; the whole text if a value did not fit its column.
    valid_from date -- KST day of the first snapshot that showed this version.

table main.opt_outs_history -- Recipients who opted out by an 080 number (E12), version by version. One row per opt-out and version.
    unsubscribe_number varchar -- 080 number for opting out.
    recipient varchar -- Recipient, under the setting privacy.recipients like every other one.
    requested_at timestamp with time zone -- When the recipient opted out.
    copy bigint -- 1, or counted on where the list holds the same again.
    extra json -- Fields outside the specification, as given; the whole text if a value did not fit its column.
    valid_from date -- KST day of the first snapshot that showed this version.
    valid_to date -- KST day of the last snapshot that showed this version; null while the latest one shows it.

table main.other_messages -- Messages of channels that the specification does not know, and message_data of no known form. One row per event that carried one.
    event_id varchar -- Id of the event; joins events.
    date date -- KST day.
    export_date date -- KST day of the export that the row came with.
    channel varchar -- Neutral channel name with hyphens, such as push-notification or chatapp-alimtalk.
    message_data json -- The message, as given; a recipient number by the setting privacy.recipients.

table main.public_holidays -- Public holidays of Korea, substitute and temporary ones included. One row per public holiday.
    date date -- Day of the holiday.
    name varchar -- Its name in English.
    name_ko varchar -- Its name in Korean.

view main.push_messages -- Push notifications (push-notification): the content that came with an event. One row per event that carried one.
    event_id varchar -- Id of the event; joins events.
    date date -- KST day.
    export_date date -- KST day of the export that the row came with.
    title varchar -- Title of the message.
    body varchar -- Text of the message.
    link varchar -- Link that a tap opens.
    extra json -- Fields outside the specification, as given; the whole text if a value did not fit its column.
    content_id varchar -- Content that was sent, a hash of its texts; joins message_contents. Null where there is no text.

table main.sent_emails -- E-mails, each with the id of its content; emails shows both together. One row per event that carried one.
    event_id varchar -- Id of the event; joins events.
    date date -- KST day.
    export_date date -- KST day of the export that the row came with.
    title varchar -- Subject.
    content_id varchar -- Content that was sent, a hash of its texts; joins message_contents. Null where there is no text.
    extra json -- Fields outside the specification, as given; the whole text if a value did not fit its column.

table main.sent_push_messages -- Push notifications, each with the id of its content; push_messages shows both together. One row per event that carried one.
    event_id varchar -- Id of the event; joins events.
    date date -- KST day.
    export_date date -- KST day of the export that the row came with.
    link varchar -- Link that a tap opens.
    content_id varchar -- Content that was sent, a hash of its texts; joins message_contents. Null where there is no text.
    extra json -- Fields outside the specification, as given; the whole text if a value did not fit its column.

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
    extra json -- Fields outside the specification, as given; the whole text if a value did not fit its column.

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
    extra json -- Fields outside the specification, as given; the whole text if a value did not fit its column.

view main.user_journey_nodes -- Nodes of user journeys that sent messages, by the latest name. One row per user journey and node.
    user_journey_id varchar -- User journey.
    user_journey_node_id varchar -- Node.
    user_journey_node_name varchar -- Its latest name; its id if it never had one.
    former_names varchar[] -- Names that it had before, the latest first.
    channels varchar[] -- Channels that it sent through.
    first_date date -- First KST day with a count.
    last_date date -- Last KST day with a count.

view main.user_journeys -- User journeys with messages in the daily statistics, by the latest name. One row per user journey.
    user_journey_id varchar -- User journey.
    user_journey_name varchar -- Its latest name; its id if it never had one.
    former_names varchar[] -- Names that it had before, the latest first.
    nodes bigint -- How many of its nodes sent messages.
    channels varchar[] -- Channels that it sent through.
    first_date date -- First KST day with a count.
    last_date date -- Last KST day with a count.

view main.variant_names -- All names that the variants of a campaign have or had, for joining by name; a name of two variants is left out. One row per campaign and name of a variant.
    campaign_id varchar -- Campaign.
    variant_name varchar -- A name of the variant, or its id.
    variant_id varchar -- Variant.

table main.verdict_words -- The sentences of verdicts on A/B tests; words in braces are replaced by what was measured. One row per verdict.
    verdict_code varchar -- Code of the verdict, or of a sentence that is added to one.
    sentence varchar -- The sentence in English.
    sentence_ko varchar -- The sentence in Korean.

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
    extra json -- Fields outside the specification, as given; the whole text if a value did not fit its column.

table main.webhook_messages -- Webhook calls (webhook): what was called with an event. One row per event that carried one.
    event_id varchar -- Id of the event; joins events.
    date date -- KST day.
    export_date date -- KST day of the export that the row came with.
    url varchar -- Address that was called.
    method varchar -- HTTP method.
    headers json -- Headers, as given.
    data json -- Body, as given.
    extra json -- Fields outside the specification, as given; the whole text if a value did not fit its column.

view marts.ab_tests -- Every variant of every A/B test, compared with the baseline variant, with a verdict that daily looks do not spoil. One row per campaign, channel, metric and variant.
    campaign_id varchar -- Campaign.
    campaign_name varchar -- Name of the campaign.
    channel varchar -- Neutral channel name with hyphens, such as push-notification or chatapp-alimtalk.
    metric varchar -- click or conversion.
    variant_id varchar -- Variant.
    variant_name varchar -- Newest name of the variant, or its id where it has none.
    is_baseline boolean -- Whether it is the variant that the others are compared with.
    baseline_name varchar -- Name of the variant that it is compared with.
    unit varchar -- What is counted: person where events are held, else message.
    size bigint -- People who got messages, or successful sends, by the unit.
    successes bigint -- People who clicked, or clicks or conversions of at most one for each message.
    rate double -- Successes by size, from 0 to 1.
    difference double -- Rate less that of the baseline; null for the baseline.
    difference_low double -- Lower end of the interval of the difference, valid at every look (confidence sequence).
    difference_high double -- Upper end of the interval of the difference, valid at every look (confidence sequence).
    lift double -- Difference by the rate of the baseline: 0.1 is a tenth better.
    p_value double -- How often chance alone ever shows such a difference, over all looks and comparisons of the test.
    unequal_groups_p_value double -- How often chance alone ever splits people so unlike the intended split (sample ratio mismatch).
    size_needed bigint -- How many of the unit each side needs to show the smallest effect of interest with the wanted power.
    messages_per_person double -- Messages per person, weighed by messages; null without events.
    sent bigint -- Attempted sends, failed ones included. Sent is not reached.
    days bigint -- Days from the first send to the last day that the statistics cover.
    days_without_events bigint -- Sending days of the campaign of which no events are held.
    verdict_code varchar -- better, worse, no_difference, inconclusive, too_early, people_unknown, people_dropped, converters_unknown, unequal_groups, baseline, hold_out or alone.
    verdict varchar -- The verdict in plain words.
    verdict_ko varchar -- The verdict in plain words, in Korean.

view marts.campaign_days -- Performance of each campaign by day. One row per KST day, campaign and channel.
    date date -- KST day.
    campaign_id varchar -- Campaign.
    campaign_name varchar -- Its latest name; its id if it never had one.
    channel varchar -- Neutral channel name with hyphens, such as push-notification or chatapp-alimtalk.
    tags varchar[] -- Its latest tags.
    goal varchar -- Conversion that counts, by its name; the main goal, unless the session names another. Null where it is not counted.
    sent bigint -- Attempted sends, failed ones included. Sent is not reached.
    failed bigint -- Failed sends.
    succeeded bigint -- Sends that did not fail.
    delivered bigint -- Deliveries; null where the channel does not report them.
    clicked bigint -- Clicks; null where the channel does not report them.
    conversions bigint -- Conversions of the goal (total_count_conversion); null where it is not counted.
    direct_conversions bigint -- Direct ones of those conversions (direct_count_conversion); null where the goal is not counted.
    failure_rate double -- Failed of attempted sends, from 0 to 1.
    delivery_rate double -- Deliveries by deliverable messages, from 0 to 1; null where the channel does not report deliveries.
    click_rate double -- Clicks by clickable messages; null where the channel does not report clicks. Machines click too, so see quick_click_share; rates are not comparable across channels.
    conversion_rate double -- Conversions by convertible messages; null where the goal is not counted.
    deliverable bigint -- Successful sends whose delivery is reported: delivery rates divide by them.
    clickable bigint -- Successful sends whose click is reported, of in-app and in-web messages those that were shown: click rates divide by them.
    convertible bigint -- Successful sends whose conversion to the goal is reported: conversion rates divide by them.
    goals varchar[] -- Goals whose conversions would be added up. Of several there is no sum and no rate; name one with the variable goal.

view marts.campaign_lifetimes -- Performance of each campaign over all days held, and its last 28 days against the 28 before. One row per campaign and channel.
    campaign_id varchar -- Campaign.
    campaign_name varchar -- Its latest name; its id if it never had one.
    channel varchar -- Neutral channel name with hyphens, such as push-notification or chatapp-alimtalk.
    tags varchar[] -- Its latest tags.
    first_sent_date date -- First KST day with a send.
    last_sent_date date -- Last KST day with a send.
    days_sent bigint -- Days with a send.
    sent bigint -- Attempted sends, failed ones included. Sent is not reached.
    failed bigint -- Failed sends.
    succeeded bigint -- Sends that did not fail.
    delivered bigint -- Deliveries; null where the channel does not report them.
    clicked bigint -- Clicks; null where the channel does not report them.
    conversions bigint -- Conversions of the goal (total_count_conversion); null where it is not counted.
    direct_conversions bigint -- Direct ones of those conversions (direct_count_conversion); null where the goal is not counted.
    failure_rate double -- Failed of attempted sends, from 0 to 1.
    delivery_rate double -- Deliveries by deliverable messages, from 0 to 1; null where the channel does not report deliveries.
    click_rate double -- Clicks by clickable messages; null where the channel does not report clicks. Machines click too, so see quick_click_share; rates are not comparable across channels.
    conversion_rate double -- Conversions by convertible messages; null where the goal is not counted.
    deliverable bigint -- Successful sends whose delivery is reported: delivery rates divide by them.
    clickable bigint -- Successful sends whose click is reported, of in-app and in-web messages those that were shown: click rates divide by them.
    convertible bigint -- Successful sends whose conversion to the goal is reported: conversion rates divide by them.
    goals varchar[] -- Goals whose conversions would be added up. Of several there is no sum and no rate; name one with the variable goal.
    recent_sent bigint -- Sends of the last 28 days held.
    previous_sent bigint -- Sends of the 28 days before; null unless all of them are held.
    recent_click_rate double -- Click rate of the last 28 days held.
    previous_click_rate double -- Click rate of the 28 days before; null unless all of them are held.
    recent_conversion_rate double -- Conversion rate of the last 28 days held.
    previous_conversion_rate double -- Conversion rate of the 28 days before; null unless all of them are held.
    sent_change double -- Recent by previous sends, less one: 0.1 is a tenth more. Null unless all 56 days are held, and of a campaign that was first sent after the first week of them.
    click_rate_change double -- Recent by previous click rate, less one; null as sent_change is.
    conversion_rate_change double -- Recent by previous conversion rate, less one; null as sent_change is.
    recent_days_missing bigint -- Days of the recent window that are not held; then nothing is compared.
    previous_days_missing bigint -- Days of the window before that are not held; then nothing is compared.

view marts.channel_counters -- What each channel counts: deliveries and clicks. A rate of what nobody counts is null. One row per channel.
    channel varchar -- Neutral channel name with hyphens, such as push-notification or chatapp-alimtalk.
    counts_deliveries boolean -- Whether the statistics or the events of the channel have deliveries.
    counts_clicks boolean -- Whether the statistics or the events of the channel have clicks.
    deliveries_since date -- First KST day with deliveries; rates divide by messages from then on.
    clicks_since date -- First KST day with clicks; rates divide by messages from then on.

view marts.channel_days -- Performance of each channel by day. One row per KST day and channel.
    date date -- KST day.
    channel varchar -- Neutral channel name with hyphens, such as push-notification or chatapp-alimtalk.
    sent bigint -- Attempted sends, failed ones included. Sent is not reached.
    failed bigint -- Failed sends.
    succeeded bigint -- Sends that did not fail.
    delivered bigint -- Deliveries; null where the channel does not report them.
    clicked bigint -- Clicks; null where the channel does not report them.
    conversions bigint -- Conversions of the goal (total_count_conversion); null where it is not counted.
    direct_conversions bigint -- Direct ones of those conversions (direct_count_conversion); null where the goal is not counted.
    failure_rate double -- Failed of attempted sends, from 0 to 1.
    delivery_rate double -- Deliveries by deliverable messages, from 0 to 1; null where the channel does not report deliveries.
    click_rate double -- Clicks by clickable messages; null where the channel does not report clicks. Machines click too, so see quick_click_share; rates are not comparable across channels.
    conversion_rate double -- Conversions by convertible messages; null where the goal is not counted.
    deliverable bigint -- Successful sends whose delivery is reported: delivery rates divide by them.
    clickable bigint -- Successful sends whose click is reported, of in-app and in-web messages those that were shown: click rates divide by them.
    convertible bigint -- Successful sends whose conversion to the goal is reported: conversion rates divide by them.
    goals varchar[] -- Goals whose conversions would be added up. Of several there is no sum and no rate; name one with the variable goal.

view marts.cohort_retention -- People by the week of their first message: who still clicks so many weeks later. One row per week of first messages and number of weeks since.
    cohort_week date -- Week of the first message held, by its Monday.
    weeks_since bigint -- Weeks since the week of the first message; 0 is that week itself.
    week date -- Week of activity, by its Monday.
    users bigint -- People of the cohort.
    messaged_users bigint -- People who got a message in that week.
    clickers bigint -- People of the cohort who clicked in that week.
    click_retention double -- Clickers of that week by the people of the cohort, from 0 to 1.
    clicker_share double -- Of those of the cohort who got a message in that week, the share who clicked in it; from 0 to 1.
    is_complete boolean -- Whether all seven days of the week are held; the numbers of a week in progress still grow.

view marts.content_performance -- Performance of templates, push titles and subjects over all days held (from events). One row per channel, kind of content and content.
    channel varchar -- Neutral channel name with hyphens, such as push-notification or chatapp-alimtalk.
    content_kind varchar -- template_code, template_name or title.
    content varchar -- Template code, template name or title.
    sent bigint -- Attempted sends, failed ones included. Sent is not reached.
    failed bigint -- Failed sends.
    succeeded bigint -- Sends that did not fail.
    delivered bigint -- Deliveries; null where the channel does not report them.
    clicked bigint -- Clicks; null where the channel does not report them.
    failure_rate double -- Failed of attempted sends, from 0 to 1.
    delivery_rate double -- Deliveries by deliverable messages, from 0 to 1; null where the channel does not report deliveries.
    click_rate double -- Clicks by clickable messages; null where the channel does not report clicks. Machines click too, so see quick_click_share; rates are not comparable across channels.
    first_date date -- First KST day with an event.
    last_date date -- Last KST day with an event.

table marts.conversions -- All conversions by name (E17). One message may bring several, so names do not add up. One row per KST day, campaign or user journey, variant or node, channel and conversion name.
    date date -- KST day.
    resource_type varchar -- campaign or user-journey.
    resource_id varchar -- Campaign or user journey.
    variant_id varchar -- Variant of an A/B test; null otherwise.
    user_journey_node_id varchar -- Node of the user journey that sent the message.
    channel varchar -- Neutral channel name with hyphens, such as push-notification or chatapp-alimtalk.
    conversion_name varchar -- Name of the conversion.
    conversions bigint -- Conversions of that name (total_count_conversion).
    direct_conversions bigint -- Direct ones of those conversions (direct_count_conversion).
    other_conversions bigint -- Conversions of types that the specification does not name.
    statistic_id varchar -- Stable id of the row: a hash of its day, resource, variant or node, and channel.

table marts.daily_contents -- Events by the content of their message, day by day: what content_performance adds up. One row per KST day, channel, kind of content and content.
    date date -- KST day.
    channel varchar -- Neutral channel name with hyphens, such as push-notification or chatapp-alimtalk.
    content_kind varchar -- template_code, template_name or title.
    content varchar -- Template code, template name or title.
    sent bigint -- Attempted sends, failed ones included. Sent is not reached.
    failed bigint -- Failed sends.
    succeeded bigint -- Sends that did not fail.
    delivered bigint -- Deliveries; 0 also where the channel does not report them.
    clicked bigint -- Clicks; 0 also where the channel does not report them.

table marts.daily_events -- Events counted by day. One row per KST day, channel, event name, campaign or user journey, and group or node.
    date date -- KST day.
    channel varchar -- Neutral channel name with hyphens, such as push-notification or chatapp-alimtalk.
    event_name varchar -- What happened, such as send_success or push_click; an open vocabulary.
    kind varchar -- succeeded, failed, failover_sent, failover_failed, delivered, opened, clicked or closed; null for a name that tells none.
    resource_type varchar -- campaign or user-journey.
    campaign_id varchar -- Campaign; null for user journeys.
    experiment_group_name varchar -- Group of an A/B test; null otherwise.
    user_journey_id varchar -- User journey; null for campaigns.
    user_journey_node_id varchar -- Node of the user journey.
    events bigint -- How many events.
    users bigint -- Distinct people, by what was known of their ids on that day; a record without an id is nobody's.

table marts.daily_failures -- Failures counted by day and reason. One row per KST day, channel, event name, reason, campaign or user journey, and node.
    date date -- KST day.
    channel varchar -- Neutral channel name with hyphens, such as push-notification or chatapp-alimtalk.
    event_name varchar -- What happened, such as send_success or push_click; an open vocabulary.
    kind varchar -- failed, failover_failed, or what else the event means that has a reason.
    failure_reason varchar -- Why, as the service words it; null if it did not say.
    resource_type varchar -- campaign or user-journey.
    campaign_id varchar -- Campaign; null for user journeys.
    user_journey_id varchar -- User journey; null for campaigns.
    user_journey_node_id varchar -- Node of the user journey.
    failures bigint -- How many failures.

table marts.daily_fatigue -- Messages and clicks by how many messages had reached the reader before, day by day: what tells of message fatigue. People who get more differ in other ways too. One row per KST day, channel, campaign or user journey, window and number of messages before.
    date date -- KST day of the message, or of the click.
    channel varchar -- Neutral channel name with hyphens, such as push-notification or chatapp-alimtalk.
    resource_type varchar -- campaign or user-journey.
    campaign_id varchar -- Campaign; null for user journeys.
    user_journey_id varchar -- User journey; null for campaigns.
    window_days integer -- Length of the window: the 7 or 28 days before the day of the message.
    at_least integer -- Least messages that had reached the reader in the window; 6 stands for 6 to 10, 11 for 11 to 20, 21 for more.
    messages bigint -- Messages that were sent that day; displays are left out.
    clicks bigint -- Clicks of that day on messages of at most seven days before.

table marts.daily_identities -- To which person an id belonged that stood alone in a record of that day. One row per KST day and id that belongs to a stronger one.
    date date -- KST day.
    strongest_id ubigint -- Hash of the strongest id of the record.
    person ubigint -- Hash of the user, or of the strongest other id as long as no user is known of it; null without any id.

table marts.daily_opt_out_messages -- The last message of each channel in the 72 hours before an opt-out of its recipient. One row per opt-out, channel, and whether the message is known to be delivered.
    date date -- KST day of the request.
    request ubigint -- Hash of the opt-out: its number, recipient and time.
    unsubscribe_number varchar -- 080 number for opting out.
    requested_at timestamp with time zone -- When the recipient opted out.
    channel varchar -- Neutral channel name with hyphens, such as push-notification or chatapp-alimtalk.
    is_delivered boolean -- Whether the message is known to be delivered.
    event_id varchar -- Id of the message that precedes it.
    resource_type varchar -- campaign or user-journey.
    campaign_id varchar -- Campaign; null for user journeys.
    user_journey_id varchar -- User journey; null for campaigns.
    template_kind varchar -- brand, alimtalk, or text where the message is a text.
    template varchar -- What messages call it: the name of a brand template, the code of an alimtalk template, the id of a text template.
    sent_at timestamp with time zone -- When the message was sent.
    sent_date date -- KST day of sending.
    hour integer -- KST hour of sending, 0 to 23.

table marts.daily_people -- How many messages reached each person on a day, and their clicks: what reach, pressure and cohorts are made of. One row per KST day, person, channel, resource type, and campaign or user journey.
    date date -- KST day.
    person ubigint -- Hash of the user, or of the strongest other id as long as no user is known of it; null without any id.
    channel varchar -- Neutral channel name with hyphens, such as push-notification or chatapp-alimtalk.
    resource_type varchar -- campaign or user-journey.
    campaign_id varchar -- Campaign; null for user journeys.
    user_journey_id varchar -- User journey; null for campaigns.
    messages integer -- Messages that reached the person, which means that they were sent and did not fail; texts sent instead of a failed message too; displays are apart.
    failover_texts integer -- Of these, texts that were sent instead of a failed message.
    displays integer -- In-app and in-web messages that the person was shown.
    clicks integer -- Clicks.

table marts.daily_pressure -- People by how many messages they got in the 7 and 28 days up to a day: what message_pressure is made of. One row per KST day, window and number of messages that a person got in it.
    date date -- KST day.
    window_days integer -- Length of the window, 7 or 28 days, that ends with the day.
    at_least integer -- Fewest messages of the group: its order.
    messages_per_person varchar -- How many messages a person got in the window, such as 3 or 6-10.
    users bigint -- Distinct people.
    messages bigint -- Messages that reached them, texts sent instead of a failed message too; displays are apart.
    displays bigint -- In-app and in-web messages that they were shown.
    clickable bigint -- Messages on channels that reported a click within the window.
    clicks bigint -- Clicks on messages; those on displays are left out.
    clickers bigint -- Distinct people who clicked.

table marts.daily_recipient_messages -- Messages that name their recipient, by hour and template, day by day: what recipient_messages adds up. One row per KST day of a record, day and KST hour of sending, channel, campaign or user journey, and template.
    date date -- KST day.
    sent_date date -- KST day of sending.
    hour integer -- Hour of the day in Korea, 0 to 23.
    channel varchar -- Neutral channel name with hyphens, such as push-notification or chatapp-alimtalk.
    resource_type varchar -- campaign or user-journey.
    campaign_id varchar -- Campaign; null for user journeys.
    user_journey_id varchar -- User journey; null for campaigns.
    template_kind varchar -- brand, alimtalk, or text where the message is a text.
    template varchar -- What messages call it: the name of a brand template, the code of an alimtalk template, the id of a text template.
    sent bigint -- Messages sent, texts instead of them among them.
    delivered bigint -- Messages delivered.

table marts.daily_response_times -- Responses by the time since sending, day by day: what response_times adds up. Times are rounded by at most 2 %. One row per KST day of the response, channel, campaign or user journey, node, kind of response, and time that it took.
    date date -- KST day of the response.
    channel varchar -- Neutral channel name with hyphens, such as push-notification or chatapp-alimtalk.
    resource_type varchar -- campaign or user-journey.
    campaign_id varchar -- Campaign; null for user journeys.
    user_journey_id varchar -- User journey; null for campaigns.
    user_journey_node_id varchar -- Node of the user journey.
    response varchar -- delivered or clicked.
    seconds double -- Seconds from sending to the response, right to 2 %; on which side of a minute, an hour and a day is exact.
    responses bigint -- How many responses.
    quick_clicks bigint -- Clicks within two seconds of delivery, or of sending where no delivery is known, as link scanners make them.

table marts.daily_send_hours -- Sends by weekday and hour, with the clicks of a day on them. For click rates, use send_hours. One row per KST day, day, weekday and hour of sending, channel, and campaign or user journey.
    date date -- KST day of the send, or of the click.
    sent_date date -- KST day of sending.
    weekday integer -- Weekday of the send, 1 for Monday to 7 for Sunday.
    hour integer -- Hour of the send in Korea, 0 to 23.
    channel varchar -- Neutral channel name with hyphens, such as push-notification or chatapp-alimtalk.
    resource_type varchar -- campaign or user-journey.
    campaign_id varchar -- Campaign; null for user journeys.
    user_journey_id varchar -- User journey; null for campaigns.
    succeeded bigint -- Sends that did not fail.
    failed bigint -- Failed sends.
    clicked bigint -- Clicks of that day on messages sent in that hour.
    shown bigint -- In-app and in-web messages sent in that hour that were shown on that day; 0 on other channels.

table marts.daily_templates -- Events by the template of their message, day by day: what template_days joins with versions. One row per KST day, kind of template, template, sender, channel, sub-channel, and campaign or user journey.
    date date -- KST day.
    template_kind varchar -- brand, alimtalk, or text where the message is a text.
    template varchar -- What messages call it: the name of a brand template, the code of an alimtalk template, the id of a text template.
    sender_key varchar -- senderKey, the key of the sender's profile.
    plus_friend_id varchar -- plusFriendId, the channel of the sender.
    channel varchar -- Neutral channel name with hyphens, such as push-notification or chatapp-alimtalk.
    channel_subtype varchar -- Sub-channel, as given.
    resource_type varchar -- campaign or user-journey.
    campaign_id varchar -- Campaign; null for user journeys.
    user_journey_id varchar -- User journey; null for campaigns.
    sent bigint -- Attempted sends, failed ones included. Sent is not reached.
    failed bigint -- Failed sends.
    succeeded bigint -- Sends that did not fail.
    delivered bigint -- Deliveries in the events.
    clicked bigint -- Clicks in the events.

table marts.daily_variant_people -- People of A/B tests by day: who got messages of which variant, and who clicked. What experiment_arms counts. One row per KST day, campaign, channel, variant name and person.
    date date -- KST day.
    campaign_id varchar -- Campaign.
    channel varchar -- Neutral channel name with hyphens, such as push-notification or chatapp-alimtalk.
    variant_name varchar -- Name of the variant, as the events give it (experiment_group_name).
    person ubigint -- Hash of the user, or of the strongest other id as long as no user is known of it; null without any id.
    sent bigint -- Attempted sends, failed ones included. Sent is not reached.
    succeeded bigint -- Sends that did not fail.
    delivered bigint -- Deliveries and shows.
    clicked bigint -- Clicks.

view marts.event_people -- Each event by the person whom it is about, whichever id it names. Ids that appear together belong to one person. One row per export record.
    date date -- KST day.
    occurred_at timestamp with time zone -- When it happened, to the microsecond; null if the service gave no readable time. Its KST day is in date: occurred_at::date is a day of the session's time zone.
    person ubigint -- Hash of the user, or of the strongest other id as long as no user is known of it; null without any id.
    channel varchar -- Neutral channel name with hyphens, such as push-notification or chatapp-alimtalk.
    event_name varchar -- What happened, such as send_success or push_click; an open vocabulary.
    kind varchar -- succeeded, failed, failover_sent, failover_failed, delivered, opened, clicked or closed; null for a name that tells none.
    resource_type varchar -- campaign or user-journey.
    campaign_id varchar -- Campaign; null for user journeys.
    experiment_group_name varchar -- Group of an A/B test; null otherwise.
    user_journey_id varchar -- User journey; null for campaigns.
    user_journey_node_id varchar -- Node of the user journey.
    event_id varchar -- Id of the record; joins events and the message tables.

view marts.experiment_arms -- What is known of each variant of an A/B test, over all days held; ab_tests compares them. One row per campaign, channel and variant.
    campaign_id varchar -- Campaign.
    campaign_name varchar -- Name of the campaign.
    channel varchar -- Neutral channel name with hyphens, such as push-notification or chatapp-alimtalk.
    variant_id varchar -- Variant.
    variant_name varchar -- Newest name of the variant, or its id where it has none.
    names varchar[] -- All names that the variant has or had, its id first.
    first_date date -- First KST day with a send.
    sent bigint -- Attempted sends, failed ones included. Sent is not reached.
    succeeded bigint -- Sends that did not fail.
    clickable bigint -- Successful sends whose clicks the channel counts.
    clicked bigint -- Clicks; null where the channel does not report them.
    conversions bigint -- Conversions of the goal (total_count_conversion); null where it is not counted.
    people_sent bigint -- People to whom a message was sent, failed ones included; null without events.
    people bigint -- People who got a message or were shown one; null without events.
    clickers bigint -- Those of them who clicked; null without events.
    messages_per_person double -- Messages per person, weighed by messages; null without events.
    days_without_events bigint -- Sending days of the campaign of which no events are held.

view marts.export_spend -- What the paid exports of each month cost. One row per KST month of requests.
    month varchar -- Month, such as 2026-11.
    exports bigint -- Exports that are paid, ambiguous ones included.
    ambiguous_exports bigint -- Of these, requests whose outcome is not known: they may have been billed.
    records bigint -- Records received.
    estimated_records bigint -- Records expected before the requests.
    cost double -- Records by the price of one: received ones, or expected ones as long as they are not.
    cost_per_thousand double -- Cost of a thousand records.

view marts.failovers -- Messages that failed on their channel and were tried again as a text. A text may go out the day after: add up days before dividing. One row per KST day, channel, and campaign or user journey with such messages.
    date date -- KST day.
    channel varchar -- Neutral channel name with hyphens, such as push-notification or chatapp-alimtalk.
    resource_type varchar -- campaign or user-journey.
    campaign_id varchar -- Campaign; null for user journeys.
    user_journey_id varchar -- User journey; null for campaigns.
    resource_name varchar -- Name of the campaign or user journey.
    failed bigint -- Messages that failed on their own channel.
    failover_sent bigint -- Texts that went out instead.
    failover_failed bigint -- Texts that failed as well.
    failover_success_rate double -- Texts that went out, of those tried; from 0 to 1.
    rescue_rate double -- Failed messages that reached the person as a text, from 0 to 1; null on a day with more texts than failures, some of which are of the day before.

view marts.failure_reasons -- Why sends fail, over all days held, and whether the rate of such failures grows. One row per channel, event name and failure reason.
    channel varchar -- Neutral channel name with hyphens, such as push-notification or chatapp-alimtalk.
    event_name varchar -- What happened, such as send_success or push_click; an open vocabulary.
    failure_reason varchar -- Why, as the service words it; null if it did not say.
    failures bigint -- How many failures.
    share_of_failures double -- Share of the failures of that channel and event, from 0 to 1.
    failure_rate double -- Failures by all attempts on the channel, from 0 to 1; a text instead is held against the attempts at such texts.
    recent_failures bigint -- Failures of the last seven days.
    recent_failure_rate double -- Failures by attempts of the last seven days, from 0 to 1.
    previous_failures bigint -- Failures of the seven days before; null unless all of them are held.
    previous_failure_rate double -- Failures by attempts of the seven days before, from 0 to 1; null unless all of them are held.
    change double -- Recent by previous failure rate, less one: 0.1 is a tenth more. Null unless all fourteen days are held.
    trend varchar -- rising, falling, new or gone: the rate changed by 1.5 times or more, and by more than chance. unclear: such a difference may be chance. steady: less. quiet: no such failure. Null unless all fourteen days are held.
    recent_days_missing bigint -- Days of the recent window that are not held; then nothing is compared.
    previous_days_missing bigint -- Days of the window before that are not held; then nothing is compared.
    first_date date -- First KST day with such a failure.
    last_date date -- Last KST day with such a failure.

table marts.first_messages -- The day of the first message of each person, for cohorts; people only by a hash. One row per person.
    person ubigint -- Hash of the user, or of the strongest other id as long as no user is known of it; null without any id.
    date date -- KST day of the first message held.
    cohort_week date -- Week of the first message held, by its Monday.

table marts.first_node_messages -- The first event of each person at each node of a user journey, for the order of steps; people only by a hash. One row per person, user journey and node.
    visit ubigint -- Hash of the person, the user journey and the node.
    person ubigint -- Hash of the user, or of the strongest other id as long as no user is known of it; null without any id.
    user_journey_id varchar -- User journey.
    user_journey_node_id varchar -- Node.
    date date -- KST day of the first event.
    first_at timestamp with time zone -- When the first event was.

view marts.freshness -- How far each stream reaches, and how many of its days are missing. One row per stream.
    stream varchar -- statistics, statistics_by_subchannel, campaigns, events, catalogs, brand_templates, alimtalk_templates or opt_outs.
    first_date date -- First KST day held.
    last_date date -- Last KST day held.
    days_held bigint -- How many KST days are held.
    days_missing bigint -- Days between the first and the last that are not held; 0 for reference data, whose snapshots hold all that there is.
    days_behind_newest bigint -- Days behind the stream that reaches furthest; for reference data, nights without a snapshot since the last one.
    last_pulled_at timestamp with time zone -- When the service answered last.
    rows bigint -- Rows of all days held; for reference data, those of the last snapshot.

view marts.goals -- The goals (names of conversions) of each campaign and user journey, and which one is its main goal. One row per campaign or user journey, channel and goal.
    resource_type varchar -- campaign or user-journey.
    resource_id varchar -- Campaign or user journey.
    channel varchar -- Neutral channel name with hyphens, such as push-notification or chatapp-alimtalk.
    goal varchar -- Name of the conversion.
    is_main boolean -- Whether it is the main goal, as ops.main_goals has it.
    is_configured boolean -- Whether the configuration names a goal for the campaign.
    conversions bigint -- Conversions over all days held (total_count_conversion).
    direct_conversions bigint -- Direct ones of those conversions (direct_count_conversion).
    first_date date -- First KST day on which it was reported.
    last_date date -- Last KST day on which it was reported.

table marts.identities -- Which ids belong to which stronger one, since when; ids only by a hash. One row per id that has appeared with a stronger one.
    weaker_id ubigint -- Hash of the kind of id and the id.
    weaker_kind varchar -- service_user_id, device_id or service_device_id.
    stronger_id ubigint -- Hash of the strongest id of the first record in which it had a stronger one.
    date date -- KST day of that record; the link holds from it on.

view marts.journey_funnels -- Each user journey as a funnel: nodes in the order in which people get their first messages, each held against the one before. It compares the sends of one window, not the same people. One row per user journey and node.
    user_journey_id varchar -- User journey.
    user_journey_name varchar -- Name of the user journey.
    step bigint -- Place in the funnel: by typical_position, else by the day of the first send, then by sends. The service does not tell the order of nodes.
    user_journey_node_id varchar -- Node.
    user_journey_node_name varchar -- Name of the node.
    channels varchar[] -- Channels that it sent through.
    sent bigint -- Attempted sends, failed ones included. Sent is not reached.
    failed bigint -- Failed sends.
    succeeded bigint -- Sends that did not fail.
    delivered bigint -- Deliveries; null where the channel does not report them.
    clicked bigint -- Clicks; null where the channel does not report them.
    conversions bigint -- Conversions of the goal (total_count_conversion); null where it is not counted.
    click_rate double -- Clicks by clickable messages; null where the channel does not report clicks. Machines click too, so see quick_click_share; rates are not comparable across channels.
    conversion_rate double -- Conversions by convertible messages; null where the goal is not counted.
    share_of_first double -- Sends by those of the first step, from 0 to 1.
    share_of_previous double -- Sends by those of the step before, from 0 to 1.
    drop_off double -- Share lost since the step before, from 0 to 1; null where a step sends more than the one before.
    typical_position double -- Which of a person's nodes it is by the first event at each, for the median person with more than one who came into the journey after the first 14 days of events; null of fewer than ten such people.
    began_on date -- First KST day with a send.
    first_date date -- First KST day with a count.
    last_date date -- Last KST day with a count.

view marts.journey_node_days -- Performance of each node of a user journey by day. One row per KST day, user journey, node and channel.
    date date -- KST day.
    user_journey_id varchar -- User journey.
    user_journey_name varchar -- Its latest name; its id if it never had one.
    user_journey_node_id varchar -- Node of the user journey that sent the message.
    user_journey_node_name varchar -- Its latest name; its id if it never had one.
    channel varchar -- Neutral channel name with hyphens, such as push-notification or chatapp-alimtalk.
    goal varchar -- Conversion that counts, by its name; the main goal, unless the session names another. Null where it is not counted.
    sent bigint -- Attempted sends, failed ones included. Sent is not reached.
    failed bigint -- Failed sends.
    succeeded bigint -- Sends that did not fail.
    delivered bigint -- Deliveries; null where the channel does not report them.
    clicked bigint -- Clicks; null where the channel does not report them.
    conversions bigint -- Conversions of the goal (total_count_conversion); null where it is not counted.
    direct_conversions bigint -- Direct ones of those conversions (direct_count_conversion); null where the goal is not counted.
    failure_rate double -- Failed of attempted sends, from 0 to 1.
    delivery_rate double -- Deliveries by deliverable messages, from 0 to 1; null where the channel does not report deliveries.
    click_rate double -- Clicks by clickable messages; null where the channel does not report clicks. Machines click too, so see quick_click_share; rates are not comparable across channels.
    conversion_rate double -- Conversions by convertible messages; null where the goal is not counted.
    deliverable bigint -- Successful sends whose delivery is reported: delivery rates divide by them.
    clickable bigint -- Successful sends whose click is reported, of in-app and in-web messages those that were shown: click rates divide by them.
    convertible bigint -- Successful sends whose conversion to the goal is reported: conversion rates divide by them.
    goals varchar[] -- Goals whose conversions would be added up. Of several there is no sum and no rate; name one with the variable goal.

view marts.message_days -- The daily statistics with the conversions of one goal beside them: what the other performance marts add up. The newest days still rise; the query restatements-by-age says by how much. One row per KST day, campaign or user journey, variant or node, and channel.
    date date -- KST day.
    resource_type varchar -- campaign or user-journey.
    resource_id varchar -- Campaign or user journey.
    resource_name varchar -- Name of the campaign or user journey.
    campaign_id varchar -- Campaign; null for user journeys.
    campaign_name varchar -- Name of the campaign.
    variant_id varchar -- Variant of an A/B test; null otherwise.
    variant_name varchar -- Name of the variant.
    user_journey_id varchar -- User journey; null for campaigns.
    user_journey_name varchar -- Name of the user journey.
    user_journey_node_id varchar -- Node of the user journey that sent the message.
    user_journey_node_name varchar -- Name of the node.
    channel varchar -- Neutral channel name with hyphens, such as push-notification or chatapp-alimtalk.
    tags varchar[] -- Tags of the campaign.
    sent bigint -- Attempted sends, failed ones included. Sent is not reached.
    failed bigint -- Failed sends.
    succeeded bigint -- Sends that did not fail.
    delivered bigint -- Deliveries; null where the channel does not report them.
    clicked bigint -- Clicks; null where the channel does not report them.
    goal varchar -- Conversion that counts, by its name; the main goal, unless the session names another. Null where it is not counted.
    conversions bigint -- Conversions of the goal (total_count_conversion); null where it is not counted.
    direct_conversions bigint -- Direct ones of those conversions (direct_count_conversion); null where the goal is not counted.
    deliverable bigint -- Successful sends whose delivery is reported: delivery rates divide by them.
    clickable bigint -- Successful sends whose click is reported, of in-app and in-web messages those that were shown: click rates divide by them.
    convertible bigint -- Successful sends whose conversion to the goal is reported: conversion rates divide by them.
    goals varchar[] -- Goals whose conversions would be added up. Of several there is no sum and no rate; name one with the variable goal.
    statistic_id varchar -- Stable id of the row: a hash of its day, resource, variant or node, and channel.

view marts.message_pressure -- How many messages people get within 7 and 28 days, and how they click then: message fatigue. People who get more differ in other ways too, so a lower rate is not only the messages' doing. One row per KST day, window and number of messages that a person got in it.
    date date -- Last KST day of the window.
    window_days integer -- Length of the window, 7 or 28 days, that ends with the day.
    at_least integer -- Fewest messages of the group: its order.
    messages_per_person varchar -- How many messages a person got in the window, such as 3 or 6-10.
    users bigint -- Distinct people.
    share_of_users double -- Share of the people who got any message in the window, from 0 to 1.
    messages bigint -- Messages that reached them, texts sent instead of a failed message too; displays are apart.
    displays bigint -- In-app and in-web messages that they were shown.
    clicks bigint -- Clicks on messages; those on displays are left out.
    click_rate double -- Clicks by messages on channels that report clicks.
    clickers bigint -- Distinct people who clicked.
    clicker_share double -- People who clicked, of those who got messages; from 0 to 1.
    days_held bigint -- Days of the window that are held; fewer than its length show fewer messages than there were.

table marts.message_responses -- Each delivery and click beside the message that it is on, whichever id of the person either of them names. One row per delivery or click whose message is known.
    date date -- KST day of the response.
    channel varchar -- Neutral channel name with hyphens, such as push-notification or chatapp-alimtalk.
    resource_type varchar -- campaign or user-journey.
    campaign_id varchar -- Campaign; null for user journeys.
    user_journey_id varchar -- User journey; null for campaigns.
    user_journey_node_id varchar -- Node of the user journey.
    response varchar -- delivered or clicked.
    person ubigint -- Hash of the user, or of the strongest other id as long as no user is known of it; null without any id.
    sent_at timestamp with time zone -- When the message was sent, at most seven days before.
    seconds double -- Seconds from sending to the response.

view marts.opt_out_requests -- Opt-outs by 080 number, those that vanished again among them. One row per opt-out.
    date date -- KST day of the request, or of the first snapshot where it has no readable time.
    unsubscribe_number varchar -- 080 number for opting out.
    recipient varchar -- Recipient, under the setting privacy.recipients like every other one.
    requested_at timestamp with time zone -- When it was requested.
    first_seen date -- KST day of the first snapshot that showed it.
    last_seen date -- KST day of the last snapshot that showed it; null while the latest one does.
    vanished_date date -- KST day of the first snapshot without it; null while the latest one shows it.

view marts.opt_outs_after_messages -- Opt-outs with the message that they follow: the last one to the same recipient within 72 hours. One row per opt-out that such a message precedes.
    date date -- KST day of the request.
    request ubigint -- Hash of the opt-out: its number, recipient and time.
    unsubscribe_number varchar -- 080 number for opting out.
    requested_at timestamp with time zone -- When the recipient opted out.
    event_id varchar -- Id of the message that precedes it.
    channel varchar -- Neutral channel name with hyphens, such as push-notification or chatapp-alimtalk.
    resource_type varchar -- campaign or user-journey.
    campaign_id varchar -- Campaign; null for user journeys.
    user_journey_id varchar -- User journey; null for campaigns.
    template_kind varchar -- brand, alimtalk, or text where the message is a text.
    template varchar -- What messages call it: the name of a brand template, the code of an alimtalk template, the id of a text template.
    sent_at timestamp with time zone -- When the message was sent.
    sent_date date -- KST day of sending.
    hour integer -- KST hour of sending, 0 to 23.

view marts.people -- Which ids belong to which person as of now; ids and people only by a hash. One row per id that has appeared with a stronger one.
    weaker_id ubigint -- Hash of the kind of id and the id.
    person ubigint -- Hash of the user, or of the strongest other id as long as no user is known of it; null without any id.

view marts.recipient_messages -- Messages that an opt-out of their recipient could follow. One row per KST day and hour of sending, channel, campaign or user journey, and template.
    date date -- KST day of sending.
    hour integer -- Hour of the day in Korea, 0 to 23.
    channel varchar -- Neutral channel name with hyphens, such as push-notification or chatapp-alimtalk.
    resource_type varchar -- campaign or user-journey.
    campaign_id varchar -- Campaign; null for user journeys.
    user_journey_id varchar -- User journey; null for campaigns.
    template_kind varchar -- brand, alimtalk, or text where the message is a text.
    template varchar -- What messages call it: the name of a brand template, the code of an alimtalk template, the id of a text template.
    counted_as varchar -- What the messages are: delivered where events of the channel tell of deliveries, else sent.
    messages bigint -- Messages delivered or sent, by counted_as.

view marts.response_times -- Time from sending to delivery and to click, over all days held. Percentiles are right to 2 %. One row per channel, campaign or user journey, and kind of response.
    channel varchar -- Neutral channel name with hyphens, such as push-notification or chatapp-alimtalk.
    resource_type varchar -- campaign or user-journey.
    campaign_id varchar -- Campaign; null for user journeys.
    user_journey_id varchar -- User journey; null for campaigns.
    resource_name varchar -- Name of the campaign or user journey.
    response varchar -- delivered or clicked.
    responses bigint -- How many responses.
    p50_seconds double -- Seconds from sending to the response: half are faster.
    p90_seconds double -- Seconds from sending to the response: nine of ten are faster.
    p99_seconds double -- Seconds from sending to the response: 99 of 100 are faster.
    share_within_minute double -- Responses within a minute, from 0 to 1.
    share_within_hour double -- Responses within an hour, from 0 to 1.
    share_within_day double -- Responses within a day, from 0 to 1.
    quick_click_share double -- Clicks within two seconds of delivery, or of sending where no delivery is known, of the clicks whose message is known; from 0 to 1. As many are a link scanner's or a mail privacy service's.
    first_date date -- First KST day with a response.
    last_date date -- Last KST day with a response.

view marts.restated_days -- Counts that changed after the service had first given them. One row per counter of a statistic that changed.
    date date -- KST day of the statistic.
    statistic_id varchar -- The statistic, as in daily_statistics.
    resource_type varchar -- campaign or user-journey.
    resource_id varchar -- Campaign or user journey.
    resource_name varchar -- Name of the campaign or user journey.
    variant_id varchar -- Variant of an A/B test; null otherwise.
    variant_name varchar -- Name of the variant.
    user_journey_node_id varchar -- Node of the user journey that sent the message.
    user_journey_node_name varchar -- Name of the node.
    channel varchar -- Neutral channel name with hyphens, such as push-notification or chatapp-alimtalk.
    counter varchar -- message_sent, message_failed, delivered, click, or conversion:<type>:<name>.
    changes bigint -- How often it changed.
    kind varchar -- changed, appeared (there was no value at first) or vanished (there is none any more).
    first_value bigint -- What it was at first; null where there was none.
    last_value bigint -- What it is now; null where there is none any more.
    difference bigint -- Last value less the first; a value that is not there counts as 0.
    first_changed_at timestamp with time zone -- When it changed first.
    last_changed_at timestamp with time zone -- When it changed last.
    days_after bigint -- Days from the day itself to the last change.

view marts.send_hours -- Sends by day, weekday and hour of sending, with the messages that their clicks divide by. One row per KST day, day, weekday and hour of sending, channel, and campaign or user journey.
    date date -- KST day of the send, or of the click.
    sent_date date -- KST day of sending.
    weekday integer -- Weekday of the send, 1 for Monday to 7 for Sunday.
    hour integer -- Hour of the send in Korea, 0 to 23.
    channel varchar -- Neutral channel name with hyphens, such as push-notification or chatapp-alimtalk.
    resource_type varchar -- campaign or user-journey.
    campaign_id varchar -- Campaign; null for user journeys.
    user_journey_id varchar -- User journey; null for campaigns.
    succeeded bigint -- Sends that did not fail.
    failed bigint -- Failed sends.
    clickable bigint -- Successful sends whose click is reported, of in-app and in-web messages those that were shown: click rates divide by them.
    clicked bigint -- Clicks of that day on messages sent in that hour; null before the channel's first click.

view marts.send_time_heatmap -- When messages are sent, and how people click on those sent then. One row per channel, weekday and hour of sending in Korea.
    channel varchar -- Neutral channel name with hyphens, such as push-notification or chatapp-alimtalk.
    weekday integer -- Weekday of the send, 1 for Monday to 7 for Sunday.
    hour integer -- Hour of the send in Korea, 0 to 23.
    succeeded bigint -- Sends that did not fail.
    failed bigint -- Failed sends.
    clickable bigint -- Successful sends whose click is reported, of in-app and in-web messages those that were shown: click rates divide by them.
    clicked bigint -- Clicks on messages sent in that hour, within seven days; null where the channel reports none.
    click_rate double -- Clicks by clickable messages; null where the channel does not report clicks. Machines click too, so see quick_click_share; rates are not comparable across channels.

view marts.tag_days -- Performance of each tag by day. A message counts for each tag of its campaign, so tags do not add up. One row per KST day, tag and channel.
    date date -- KST day.
    tag varchar -- Tag of campaigns.
    channel varchar -- Neutral channel name with hyphens, such as push-notification or chatapp-alimtalk.
    sent bigint -- Attempted sends, failed ones included. Sent is not reached.
    failed bigint -- Failed sends.
    succeeded bigint -- Sends that did not fail.
    delivered bigint -- Deliveries; null where the channel does not report them.
    clicked bigint -- Clicks; null where the channel does not report them.
    conversions bigint -- Conversions of the goal (total_count_conversion); null where it is not counted.
    direct_conversions bigint -- Direct ones of those conversions (direct_count_conversion); null where the goal is not counted.
    failure_rate double -- Failed of attempted sends, from 0 to 1.
    delivery_rate double -- Deliveries by deliverable messages, from 0 to 1; null where the channel does not report deliveries.
    click_rate double -- Clicks by clickable messages; null where the channel does not report clicks. Machines click too, so see quick_click_share; rates are not comparable across channels.
    conversion_rate double -- Conversions by convertible messages; null where the goal is not counted.
    deliverable bigint -- Successful sends whose delivery is reported: delivery rates divide by them.
    clickable bigint -- Successful sends whose click is reported, of in-app and in-web messages those that were shown: click rates divide by them.
    convertible bigint -- Successful sends whose conversion to the goal is reported: conversion rates divide by them.
    goals varchar[] -- Goals whose conversions would be added up. Of several there is no sum and no rate; name one with the variable goal.

view marts.template_days -- Brand and alimtalk templates by day, with the text, status and buttons of that day. One row per KST day, kind of template, template, sender, channel, sub-channel, and campaign or user journey.
    date date -- KST day.
    template_kind varchar -- brand, alimtalk, or text where the message is a text.
    template varchar -- What messages call it: the name of a brand template, the code of an alimtalk template, the id of a text template.
    sender_key varchar -- senderKey, the key of the sender's profile.
    plus_friend_id varchar -- plusFriendId, the channel of the sender.
    channel varchar -- Neutral channel name with hyphens, such as push-notification or chatapp-alimtalk.
    channel_subtype varchar -- Sub-channel, as given.
    resource_type varchar -- campaign or user-journey.
    campaign_id varchar -- Campaign; null for user journeys.
    user_journey_id varchar -- User journey; null for campaigns.
    sent bigint -- Attempted sends, failed ones included. Sent is not reached.
    failed bigint -- Failed sends.
    succeeded bigint -- Sends that did not fail.
    delivered bigint -- Deliveries in the events.
    clicked bigint -- Clicks in the events.
    template_known varchar -- Which version this is: that day; earlier, the last one before the day; later, the first one after it; unknown, none.
    candidates bigint -- How many templates the message could have been of.
    template_id varchar -- Id of the template.
    channel_id varchar -- Channel of the alimtalk template, as configured.
    template_name varchar -- Name of the template.
    status varchar -- Status of the template, as given.
    state varchar -- refused or suspended, where the status says so; else null.
    text varchar -- Text of the template.
    buttons json -- Buttons of the template.
    version_from date -- KST day of the first snapshot that showed the version.
    version_to date -- KST day of the last snapshot that showed the version; null while the latest one shows it.

view marts.template_versions -- Brand and alimtalk templates in one shape, version by version. One row per version of a template.
    template_kind varchar -- brand, alimtalk, or text where the message is a text.
    template varchar -- What messages call it: the name of a brand template, the code of an alimtalk template, the id of a text template.
    template_id varchar -- Id of the template.
    sender_key varchar -- Sender of the template, where the service names it.
    channel_id varchar -- Channel of the alimtalk template, as configured.
    plus_friend_id varchar -- Channel of the sender, where the service names it.
    template_name varchar -- Name of the template.
    status varchar -- Status of the template, as given.
    state varchar -- refused or suspended, where the status says so; else null.
    text varchar -- Text of the template.
    buttons json -- Buttons of the template.
    created_date date -- KST day on which it was made, where the service tells.
    valid_from date -- KST day of the first snapshot that showed this version.
    valid_to date -- KST day of the last snapshot that showed this version; null while the latest one shows it.

view marts.variant_days -- Performance of each variant of A/B tests by day. One row per KST day, campaign, variant and channel.
    date date -- KST day.
    campaign_id varchar -- Campaign.
    campaign_name varchar -- Its latest name; its id if it never had one.
    variant_id varchar -- Variant.
    variant_name varchar -- Its latest name; its id if it never had one.
    channel varchar -- Neutral channel name with hyphens, such as push-notification or chatapp-alimtalk.
    goal varchar -- Conversion that counts, by its name; the main goal, unless the session names another. Null where it is not counted.
    sent bigint -- Attempted sends, failed ones included. Sent is not reached.
    failed bigint -- Failed sends.
    succeeded bigint -- Sends that did not fail.
    delivered bigint -- Deliveries; null where the channel does not report them.
    clicked bigint -- Clicks; null where the channel does not report them.
    conversions bigint -- Conversions of the goal (total_count_conversion); null where it is not counted.
    direct_conversions bigint -- Direct ones of those conversions (direct_count_conversion); null where the goal is not counted.
    failure_rate double -- Failed of attempted sends, from 0 to 1.
    delivery_rate double -- Deliveries by deliverable messages, from 0 to 1; null where the channel does not report deliveries.
    click_rate double -- Clicks by clickable messages; null where the channel does not report clicks. Machines click too, so see quick_click_share; rates are not comparable across channels.
    conversion_rate double -- Conversions by convertible messages; null where the goal is not counted.
    deliverable bigint -- Successful sends whose delivery is reported: delivery rates divide by them.
    clickable bigint -- Successful sends whose click is reported, of in-app and in-web messages those that were shown: click rates divide by them.
    convertible bigint -- Successful sends whose conversion to the goal is reported: conversion rates divide by them.
    goals varchar[] -- Goals whose conversions would be added up. Of several there is no sum and no rate; name one with the variable goal.

view marts.weekly_cohorts -- Cohorts by week of activity: what cohort_retention is made of. One row per week of first messages and week of activity.
    cohort_week date -- Week of the first message held, by its Monday.
    week date -- Week of activity, by its Monday.
    messaged_users bigint -- People who got a message in that week.
    clickers bigint -- Distinct people who clicked.
    messaged_clickers bigint -- People who got a message in that week and clicked in it.

table marts.weekly_people -- People by week: who got a message, and who clicked; what weekly_cohorts is made of. People only by a hash. One row per week and person.
    week date -- Week of activity, by its Monday.
    person ubigint -- Hash of the user, or of the strongest other id as long as no user is known of it; null without any id.
    messaged boolean -- Whether the person got a message in that week.
    clicked boolean -- Whether the person clicked in that week.

table ops.budget -- The settings of the paid exports of the last run. One row per file.
    records_per_run bigint -- exports.budget.records_per_run; null without a budget.
    records_per_month bigint -- exports.budget.records_per_month; null without a budget.
    price_per_record double -- exports.price_per_record.
    start_date date -- exports.start_date, the first KST day to export.
    noted_at timestamp with time zone -- When the run noted it.
    currency varchar -- exports.currency, the word that follows prices; null where none is set.

table ops.check_versions -- The checks that have looked at all days; one that was changed since looks at all of them again. One row per check.
    name varchar -- Name of the check, as its file under sql/checks.
    fingerprint varchar -- Tells a check that was changed since, which then looks at all days again.

table ops.checks -- What the last round of checks (sql/checks) found; no rows means sound. One row per finding.
    checked_at timestamp with time zone -- When the check that found it ran; findings of days that did not change since stay as they are.
    name varchar -- Name of the check, as its file under sql/checks.
    severity varchar -- stop (do not trust that part) or warn (look at it).
    stream varchar -- Stream concerned.
    date date -- KST day concerned; null where it is no single day.
    subject varchar -- What exactly, for example a table, a statistic or a field.
    finding varchar -- The finding in one sentence.
    expected varchar -- What should have been.
    actual varchar -- What is.
    meaning varchar -- What a finding of this check means, and what to do about it.

table ops.coverage -- The days that the warehouse holds whole. One row per stream and KST day.
    stream varchar -- statistics, statistics_by_subchannel, campaigns, events, catalogs, brand_templates, alimtalk_templates or opt_outs.
    date date -- KST day; for events the day of the export window, for reference data that of the snapshot.
    rows bigint -- Rows of that day in the fact table of the stream, for events the distinct records of the export, also where they have left the file (ops.removed_days); zero is a day on which nothing happened.
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

table ops.erasures -- Erasures of persons (dawnload forget), as the register lists them; nothing here names a person. One row per erasure.
    line bigint -- Line of data/private/erasures.jsonl.
    sum varchar -- Checksum of that line.
    erased_at timestamp with time zone -- When the erasure began.
    persons bigint -- How many persons were named.
    records bigint -- Records that were cut from landed pages.
    rows bigint -- Rows of this file that held these persons.
    late_records bigint -- Records that arrived after it and were cut before they were loaded.

table ops.experiments -- How A/B tests are judged, from the configuration; the row default speaks for all campaigns that are not named. One row per campaign that the configuration names.
    campaign_id varchar -- Campaign, or default.
    baseline varchar -- Name or id of the variant that the others are compared with; null for control, or the first one.
    goal varchar -- Name of the conversion that counts; null for the one with most conversions.
    smallest_effect double -- The smallest difference that matters, as a share of the baseline's rate.
    alpha double -- How often a winner may be named where there is none.
    power double -- How often a difference of the smallest effect is to be found.
    split map(varchar, double) -- Intended share of each variant; null for an equal split.
    hold_outs varchar[] -- Variants that get no messages.
    conversions_per_person double -- How often one person converts at most; null where that is unknown, and then conversions get no verdict.

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

table ops.held_back -- Answers that would have wiped most of a day, and did not replace it; a row goes when the day is replaced. One row per pull, KST day and campaign.
    stream varchar -- Stream of the pull.
    date date -- KST day that was not replaced.
    campaign_id varchar -- Campaign whose day it is (E19); null for whole days.
    pull varchar -- Id of the pull.
    pulled_at timestamp with time zone -- When the answer came.
    rows bigint -- Rows that the answer holds of the day.
    messages bigint -- Messages that the answer holds of the day.

table ops.load_notes -- What a load found odd and dealt with, by day; the checks report it. One row per pull, KST day, note and subject.
    stream varchar -- Stream of the pull.
    date date -- KST day that the note is about; it goes when the day is replaced.
    pull varchar -- Id of the pull.
    note varchar -- repeated, shared_id, stray, odd_time, no_id, no_time, no_event_name, mended, elsewhere, message_elsewhere, outside_range, other_day, undated or same_grain.
    subject varchar -- What it concerns, where there is more to say than the day.
    records bigint -- How many records.

table ops.loads -- Pulls of the landing zone that this warehouse has loaded. One row per pull.
    pull varchar -- Id of the pull in the landing zone.
    stream varchar -- statistics, statistics_by_subchannel, campaigns, events, catalogs, brand_templates, alimtalk_templates or opt_outs.
    first_day date -- First KST day that was asked for.
    last_day date -- Last KST day that was asked for.
    pulled_at timestamp with time zone -- When the service answered. Of two pulls of one day the later one counts.
    complete boolean -- False when a part could not be had (some campaign of a campaign pull).
    rows bigint -- Rows that the pull brought into the fact table of its stream.
    loaded_at timestamp with time zone -- When it was loaded into this file; a rebuild sets it anew.

table ops.main_goals -- The main goal of each campaign and user journey, chosen once or named in the configuration. One row per campaign or user journey.
    resource_id varchar -- Campaign or user journey.
    goal varchar -- Name of the conversion that counts.
    chosen_on date -- KST day of the run that chose it, or that read it in the configuration first.
    chosen_by varchar -- rule (the one with most conversions on that day) or setting.

table ops.migrations -- Changes of the schema that this file has seen. One row per migration.
    number integer -- Number of the migration, as in the name of its file under sql/schema.
    name varchar -- Name of the migration.
    applied_at timestamp with time zone -- When it was applied to this file.

table ops.model_days -- What each incremental model holds of each day; tells other copies of the warehouse which days changed. One row per model and KST day (or week) with rows.
    relation varchar -- Table of the model.
    date date -- KST day, or the Monday of the week where rows are by week.
    rows bigint -- Rows of the day.
    digest varchar -- Digest of these rows, whatever their order.

table ops.models -- Models of marts and dimensions, and seeds, as they were last written. One row per model or seed.
    relation varchar -- Table or view that it makes.
    kind varchar -- view, table or seed.
    fingerprint varchar -- Hash of its definition, and of those that it is made of.

table ops.privacy -- The setting of privacy under which the rows of this file were written. One row per file.
    recipients varchar -- keep, hash or drop, as privacy.recipients was.
    key_fingerprint varchar -- Tells one key of the hashes from another; null where nothing is hashed.
    columns varchar -- The rules of privacy.columns, such as `device_id: drop, user_id: hash`; null if every column is kept.

table ops.pushes -- Pushes, answers of queries that went back to the service; as the ledger had them when the file was published. One row per push.
    push_id varchar -- Key of the push in dawnload push list.
    target varchar -- Where the rows went, such as journey uj-1.
    name varchar -- Name of the push in the configuration; null if a person started it.
    state varchar -- sending, stopped, ambiguous, abandoned or done.
    begun_at timestamp with time zone -- When it began.
    updated_at timestamp with time zone -- Last change of its state.
    rows bigint -- Rows of the query.
    sent bigint -- Rows that the service says it took.
    unchanged bigint -- Rows left out because they equal the last acknowledged ones.
    rejected bigint -- Rows that did not fit, or that the service refused; see dawnload push rejected.
    unknown bigint -- Rows that the service may have; they are not sent again by themselves.
    erased bigint -- Rows left out because their persons were erased.
    calls bigint -- Calls to the service.
    note varchar -- Why it stopped or is ambiguous.

table ops.removed_days -- Days of events whose records left this file by the setting retention.events; daily aggregates stay. With a lake, the lake holds them. One row per KST day of an export.
    date date -- KST day of the export (export_date of its rows).
    rows bigint -- Events that left the file.
    removed_at timestamp with time zone -- When they left.

table ops.restatements -- Counters of daily_statistics that a later pull of the same day changed. One row per changed counter of one statistic and pull.
    detected_at timestamp with time zone -- When the service gave the new value.
    date date -- KST day of the statistic.
    statistic_id varchar -- The statistic, as in daily_statistics.
    counter varchar -- message_sent, message_failed, delivered, click, or conversion:<type>:<name>.
    kind varchar -- changed, appeared (the row was not there before) or vanished (it is not there any more).
    before bigint -- Value held until then; null where there was none.
    after bigint -- Value held from then on; null where there is none.
    pull varchar -- Id of the pull that brought the change.
    resource_type varchar -- campaign or user-journey.
    campaign_id varchar -- Campaign; null for user journeys.
    variant_id varchar -- Variant of an A/B test; null otherwise.
    user_journey_id varchar -- User journey; null for campaigns.
    user_journey_node_id varchar -- Node of the user journey that sent the message.
    channel varchar -- Neutral channel name with hyphens, such as push-notification or chatapp-alimtalk.

table ops.retention -- What left by the settings under retention. One row per run and place.
    removed_at timestamp with time zone -- When the run removed it.
    place varchar -- What it left, as events or opt_outs of this file, or landed folders.
    first_day date -- The earliest KST day of what was removed.
    last_day date -- The latest KST day of what was removed.
    days bigint -- How many days it was of.
    items bigint -- Rows of this file, or folders of the landing zone.

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

table ops.snapshots -- The lists of reference data that were read whole. One row per list and KST day.
    stream varchar -- catalogs, brand_templates, alimtalk_templates or opt_outs.
    list varchar -- The name of a catalog, a sender key, a channel, or * where the stream has but one list.
    date date -- KST day of the snapshot.
    rows bigint -- How many rows the list had.
    announced bigint -- How many rows the service announced; null where it announces none.
    pull varchar -- Id of the pull that it came with.
    pulled_at timestamp with time zone -- When the service answered.

table ops.touched_days -- Days that a load changed since models and checks last ran; empty in a published file. One row per stream and KST day, perhaps repeated.
    stream varchar -- statistics, statistics_by_subchannel, campaigns, events, catalogs, brand_templates, alimtalk_templates or opt_outs.
    date date -- KST day; for events the day on which they happened.
