/** The tables that an export fills (`sql/load/events/7_insert.sql`). */

export interface EventTable {
  readonly name: string;
  /** The columns that identify a row. */
  readonly key: string;
  /** The columns that identify the record of a row. */
  readonly record: string;
}

export const EVENT_TABLES: readonly EventTable[] = [
  { name: 'events', key: 'event_id, event_name, occurred_at', record: 'event_id, event_name, occurred_at' },
  { name: 'text_messages', key: 'event_id', record: 'event_id' },
  { name: 'text_message_attachments', key: 'event_id, position', record: 'event_id' },
  { name: 'sent_emails', key: 'event_id', record: 'event_id' },
  { name: 'friendtalk_messages', key: 'event_id', record: 'event_id' },
  { name: 'alimtalk_messages', key: 'event_id', record: 'event_id' },
  { name: 'brand_messages', key: 'event_id', record: 'event_id' },
  { name: 'in_app_messages', key: 'event_id', record: 'event_id' },
  { name: 'in_web_messages', key: 'event_id', record: 'event_id' },
  { name: 'sent_push_messages', key: 'event_id', record: 'event_id' },
  { name: 'web_push_messages', key: 'event_id', record: 'event_id' },
  { name: 'webhook_messages', key: 'event_id', record: 'event_id' },
  { name: 'message_buttons', key: 'event_id, position', record: 'event_id' },
  { name: 'other_messages', key: 'event_id', record: 'event_id' },
];
