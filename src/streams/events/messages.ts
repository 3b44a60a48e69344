/** The tables of events and messages. `scripts/messages.js` derives their SQL from the list of fields. */
interface MessageTable {
  readonly table: string;
  readonly place: string;
  /** The list inside messages whose elements are the rows, and the key that may enclose the list. */
  readonly list?: string;
  readonly within?: string;
  /** Columns whose values are stored once for all equal messages, with their names in `message_contents`. */
  readonly contents?: Readonly<Partial<Record<'title' | 'body' | 'html', string>>>;
}

const MESSAGES = [
  { table: 'text_messages', place: 'message_data:text-message' },
  {
    table: 'sent_emails',
    place: 'message_data:email',
    contents: { body: 'body_text', html: 'body_html' },
  },
  { table: 'friendtalk_messages', place: 'message_data:chatapp-friendtalk' },
  { table: 'alimtalk_messages', place: 'message_data:chatapp-alimtalk' },
  { table: 'brand_messages', place: 'message_data:chatapp-brand-message' },
  { table: 'in_app_messages', place: 'message_data:in-app-message' },
  { table: 'in_web_messages', place: 'message_data:in-web-message' },
  {
    table: 'sent_push_messages',
    place: 'message_data:push-notification',
    contents: { title: 'title', body: 'body' },
  },
  { table: 'web_push_messages', place: 'message_data:web-push-notification' },
  { table: 'webhook_messages', place: 'message_data:webhook' },
] as const satisfies readonly MessageTable[];

/** Tables with one row for each element of a list inside a message. */
const ELEMENTS = [
  { table: 'text_message_attachments', place: 'attachment', list: 'attachFileList' },
  // The buttons of a WIDE_ITEM_LIST are inside `attachment`.
  { table: 'message_buttons', place: 'button', list: 'buttons', within: 'attachment' },
] as const;

/** The table for messages of unknown channels, and for messages that are not JSON objects. */
export const OTHERS = 'other_messages';

export const FILLED: readonly MessageTable[] = [...MESSAGES, ...ELEMENTS];

/** The tables of messages. Each is filled by the section of the same name in `sql/streams/events/messages.sql`. */
export const MESSAGE_TABLES = [...[...MESSAGES, ...ELEMENTS].map(({ table }) => table), OTHERS] as const;

/** The tables whose texts are stored in `message_contents`. */
export const WITH_CONTENTS: readonly string[] = FILLED.flatMap(({ table, contents }) =>
  contents === undefined ? [] : [table],
);

interface EventTable {
  readonly name: string;
  /** What a row is: a record, its message, or an element of a list in the message. */
  readonly rows: 'records' | 'messages' | 'elements';
  /** The columns that identify a row, and those that identify its record. */
  readonly key: string;
  readonly record: string;
}

const EVENT = 'event_id, event_name, occurred_at';

/** The tables that a load of E21 fills. */
export const EVENT_TABLES: readonly EventTable[] = [
  { name: 'events', rows: 'records', key: EVENT, record: EVENT },
  ...[...MESSAGES, { table: OTHERS }].map(
    ({ table: name }) => ({ name, rows: 'messages', key: 'event_id', record: 'event_id' }) as const,
  ),
  ...ELEMENTS.map(
    ({ table: name }) => ({ name, rows: 'elements', key: 'event_id, position', record: 'event_id' }) as const,
  ),
];

export const isOfMessages = (place: string): boolean => place.startsWith('message_data:');

export const channelOf = (place: string): string => place.replace('message_data:', '');

/** The channels whose messages have a table of their own. */
export const CHANNELS: readonly string[] = MESSAGES.map(({ place }) => channelOf(place));
