-- What the specification says a document may hold, by place; everything else is drift.
--
-- kind: scalar (text, number, boolean), list, object, any (kept as it comes), or a scalar that must be readable as
-- whole, number, boolean, day, time, or epoch (microseconds). part: the place of the fields inside an object.
-- The session knows `brand`: the word before _user_id and _device_id, and the name of the web-push object.

create or replace temp table fields as
select place, kind, field, part
from (
    select
        'record' as place,
        'scalar' as kind,
        unnest([
            'id', 'user_id', getvariable('brand') || '_user_id', 'device_id', getvariable('brand') || '_device_id',
            'channel', 'event_name', 'failure_reason', 'resource_title', 'resource_type', 'campaign_id',
            'experiment_group_name', 'user_journey_id', 'user_journey_node_id'
        ]) as field,
        null as part
    union all select 'record', 'epoch', 'time', null
    union all select 'record', 'any', 'message_data', null
    union all select 'record', 'object', 'channel_metadata', 'channel_metadata'
    union all select 'channel_metadata', 'scalar', unnest(['channel_subtype', 'brand_message_target']), null

    union all select 'message_data:text-message', 'scalar', unnest([
        'requestId', 'templateId', 'title', 'body', 'sendNo', 'recipientNo', 'messageType', 'countryCode', 'adYn'
    ]), null
    union all select 'message_data:text-message', 'time', 'requestDate', null
    union all select 'message_data:text-message', 'list', 'attachFileList', null
    union all select 'attachment', 'scalar', unnest([
        'fileId', 'fileName', 'filePath', 'saveFileName', 'uploadType'
    ]), null

    union all select 'message_data:email', 'scalar', unnest(['title', 'body.html', 'body.text']), null
    union all select 'message_data:email', 'object', 'body', 'message_data:email.body'
    union all select 'message_data:email.body', 'scalar', unnest(['html', 'text']), null

    union all select 'message_data:chatapp-friendtalk', 'scalar', unnest([
        'plusFriendId', 'senderKey', 'recipientNo', 'content'
    ]), null
    union all select 'message_data:chatapp-friendtalk', 'boolean', 'isAd', null
    union all select 'message_data:chatapp-friendtalk', 'list', 'buttons', null

    union all select 'message_data:chatapp-alimtalk', 'scalar', unnest([
        'plusFriendId', 'senderKey', 'recipientNo', 'templateCode', 'content'
    ]), null
    union all select 'message_data:chatapp-alimtalk', 'any', 'templateExtra', null
    union all select 'message_data:chatapp-alimtalk', 'list', 'buttons', null

    union all select 'message_data:chatapp-brand-message', 'scalar', 'templateName', null

    union all select 'message_data:in-app-message', 'scalar', unnest([
        'messageType', 'chatBubbleType', 'title', 'content', 'imageUrl', 'header'
    ]), null
    union all select 'message_data:in-app-message', 'any', 'attachment', null
    union all select 'message_data:in-app-message', 'list', 'buttons', null
    union all select 'message_data:in-app-message', 'object', 'commerce', 'message_data:in-app-message.commerce'
    union all select 'message_data:in-app-message.commerce', 'scalar', 'title', null
    union all select 'message_data:in-app-message.commerce', 'number', unnest([
        'regularPrice', 'discountPrice', 'discountRate'
    ]), null

    union all select 'message_data:in-web-message', 'scalar', unnest([
        'messageType', 'chatBubbleType', 'title', 'content', 'imageUrl', 'header'
    ]), null
    union all select 'message_data:in-web-message', 'any', 'attachment', null
    union all select 'message_data:in-web-message', 'list', 'buttons', null
    union all select 'message_data:in-web-message', 'object', 'commerce', 'message_data:in-web-message.commerce'
    union all select 'message_data:in-web-message.commerce', 'scalar', 'title', null
    union all select 'message_data:in-web-message.commerce', 'number', unnest([
        'regularPrice', 'discountPrice', 'discountRate'
    ]), null

    union all select 'message_data:push-notification', 'scalar', unnest(['title', 'body', 'link']), null

    union all
    select
        'message_data:web-push-notification',
        'object',
        getvariable('brand'),
        'message_data:web-push-notification.service'
    union all select 'message_data:web-push-notification.service', 'scalar', unnest([
        'ti', 'bd', 'cid', 'mid', 'u', 'ic', 'bg', 'im'
    ]), null
    -- The service explains none of these keys, and the web's own notifications put lists and objects there.
    union all select 'message_data:web-push-notification.service', 'any', unnest([
        'sd', 'tg', 'vb', 'ri', 'data', 'ac'
    ]), null

    union all select 'message_data:webhook', 'scalar', unnest(['url', 'method']), null
    union all select 'message_data:webhook', 'any', unnest(['headers', 'data']), null

    union all select 'button', 'scalar', unnest([
        'type', 'name', 'linkMo', 'linkPc', 'schemeIos', 'schemeAndroid'
    ]), null
    union all select 'button', 'whole', 'ordering', null

    union all select 'statistic', 'scalar', unnest([
        'resource_type', 'campaign_id', 'campaign_name', 'variant_id', 'variant_name', 'user_journey_id',
        'user_journey_name', 'user_journey_node_id', 'user_journey_node_name', 'channel'
    ]), null
    union all select 'statistic', 'day', 'date', null
    union all select 'statistic', 'whole', unnest(['message_sent', 'message_failed', 'delivered', 'click']), null
    union all select 'statistic', 'any', 'message', null
    union all select 'statistic', 'list', unnest(['tags', 'conversion']), null

    union all select 'statistic_by_subchannel', 'scalar', unnest([
        'resource_type', 'resource_id', 'resource_name', 'node_id', 'node_mane', 'node_name', 'variant_id',
        'variant_name', 'channel', 'channel_sub', 'brand_message_target'
    ]), null
    union all select 'statistic_by_subchannel', 'day', 'date', null
    union all
    select 'statistic_by_subchannel', 'whole', unnest(['message_sent', 'message_failed', 'delivered', 'click']), null
    union all select 'statistic_by_subchannel', 'list', unnest(['tags', 'conversion']), null

    union all select 'conversion', 'scalar', unnest(['name', 'type']), null
    union all select 'conversion', 'whole', 'count', null

    union all select 'answer', 'time', 'lastCollectedAt', null
    union all select 'answer', 'list', 'stats', null
    union all select 'metric', 'scalar', unnest(['metricType', 'metricName', 'conversionType']), null
    union all select 'metric', 'number', unnest(['totalSum', 'totalCount']), null
    union all select 'metric', 'list', unnest(['dailySums', 'dailyCounts']), null
    union all select 'daily', 'day', 'date', null
    union all select 'daily', 'number', unnest(['sum', 'count']), null
    union all select 'daily', 'list', unnest(['dimensionSums', 'dimensionCounts']), null
    union all select 'dimension', 'scalar', unnest(['dimensionKey', 'dimensionValue']), null
    union all select 'dimension', 'number', unnest(['sum', 'count']), null
) as specification;
