/** Paid exports: each message to a person, and each reaction to it (E20, E21). */
import { EVENTS } from '../../ground/streams.js';
import type { Shapes } from '../../ground/fields.js';
import type { Stream } from '../stream.js';
import { exportContradictions, EXPORT_SETTINGS } from './settings.js';

const IN_APP = {
  string: 'messageType chatBubbleType title content imageUrl header',
  any: 'attachment',
  list: 'buttons',
};
const COMMERCE = { string: 'title', number: 'regularPrice discountPrice discountRate' };

/** The fields of a record of an export (E21), of its message by channel, and of the lists inside messages. */
export const EVENT_FIELDS: Shapes = {
  record: {
    string:
      'id user_id {brand}_user_id device_id {brand}_device_id channel event_name failure_reason resource_title ' +
      'resource_type campaign_id experiment_group_name user_journey_id user_journey_node_id',
    epoch: 'time',
    document: 'message_data',
    object: { channel_metadata: 'channel_metadata' },
  },
  channel_metadata: { string: 'channel_subtype brand_message_target' },
  'message_data:text-message': {
    string: 'requestId templateId title body sendNo messageType countryCode adYn',
    recipient: 'recipientNo',
    time: 'requestDate',
    list: 'attachFileList',
  },
  attachment: { string: 'fileName filePath saveFileName uploadType', text: 'fileId' },
  'message_data:email': { string: 'title body.html body.text', object: { body: 'message_data:email.body' } },
  'message_data:email.body': { string: 'html text' },
  'message_data:chatapp-friendtalk': {
    string: 'plusFriendId senderKey content',
    recipient: 'recipientNo',
    boolean: 'isAd',
    list: 'buttons',
  },
  'message_data:chatapp-alimtalk': {
    string: 'plusFriendId senderKey templateCode content',
    recipient: 'recipientNo',
    // The specification does not describe its contents.
    text: 'templateExtra',
    list: 'buttons',
  },
  'message_data:chatapp-brand-message': { string: 'templateName' },
  'message_data:in-app-message': { ...IN_APP, object: { commerce: 'message_data:in-app-message.commerce' } },
  'message_data:in-app-message.commerce': COMMERCE,
  'message_data:in-web-message': { ...IN_APP, object: { commerce: 'message_data:in-web-message.commerce' } },
  'message_data:in-web-message.commerce': COMMERCE,
  'message_data:push-notification': { string: 'title body link' },
  'message_data:web-push-notification': {
    object: { '{brand}': 'message_data:web-push-notification.service' },
  },
  // The service does not document the keys under `text` and `any`; some of its web notifications have lists and objects there.
  'message_data:web-push-notification.service': {
    string: 'ti bd u ic bg im',
    text: 'cid mid sd tg vb ri',
    any: 'data ac',
  },
  'message_data:webhook': { string: 'url method', any: 'headers data' },
  button: { string: 'type name linkMo linkPc schemeIos schemeAndroid', whole: 'ordering' },
};

export const events: Stream = {
  choices: [EVENTS],
  lands: [EVENTS],
  tables: { events: /^(\w*message\w*|events|\w*emails)$/ },
  grain: 'day',
  paid: true,
  divisible: true,
  fields: EVENT_FIELDS,
  settings: EXPORT_SETTINGS,
  contradictions: exportContradictions,
  on: ({ exports }) => (exports.budget === undefined ? [] : [EVENTS]),
  pull: async (...args) => (await import('./pull.js')).pullEvents(...args),
  load: async (...args) => (await import('./load.js')).loadEvents(...args),
};
