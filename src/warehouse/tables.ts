/** The tables that an export fills, in the order of filling, each by the statement `sql/load/events/<table>.sql`. */

export interface EventTable {
  readonly name: string;
  /** What tells its rows apart within one export. */
  readonly key: string;
}

export const EVENT_TABLES: readonly EventTable[] = [
  { name: 'events', key: 'event_id, event_name, occurred_at' },
  { name: 'text_messages', key: 'event_id' },
  { name: 'text_message_attachments', key: 'event_id, position' },
  { name: 'sent_emails', key: 'event_id' },
  { name: 'friendtalk_messages', key: 'event_id' },
  { name: 'alimtalk_messages', key: 'event_id' },
  { name: 'brand_messages', key: 'event_id' },
  { name: 'in_app_messages', key: 'event_id' },
  { name: 'in_web_messages', key: 'event_id' },
  { name: 'sent_push_messages', key: 'event_id' },
  { name: 'web_push_messages', key: 'event_id' },
  { name: 'webhook_messages', key: 'event_id' },
  { name: 'message_buttons', key: 'event_id, position' },
  { name: 'other_messages', key: 'event_id' },
];

/** The channels whose messages have a table of their own. */
export const MESSAGE_CHANNELS = [
  'text-message',
  'email',
  'chatapp-friendtalk',
  'chatapp-alimtalk',
  'chatapp-brand-message',
  'in-app-message',
  'in-web-message',
  'push-notification',
  'web-push-notification',
  'webhook',
] as const;
