/**
 * The tables of E21's messages. Their columns and the statements that fill them are derived from the list of fields:
 * the field `recipientNo` of `message_data:text-message` becomes the column `recipient_no` of `text_messages`, and the
 * kind of the field determines the conversion.
 */
import { isReadAs, TEXTS, pointerTo, type Field, type Kind } from '../ground/fields.js';
import { listOf, statement } from './session.js';
import { DOCUMENTS, type Documents } from './landed-files.js';

interface MessageTable {
  readonly table: string;
  readonly place: string;
  /** Columns that are stored once for all messages with the same values, mapped to their names in `message_contents`. */
  readonly contents?: Readonly<Partial<Record<'title' | 'body' | 'html', string>>>;
}

const MESSAGES: readonly MessageTable[] = [
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
];

/** Tables with one row for each element of a list inside a message. */
const ELEMENTS = [
  { table: 'text_message_attachments', place: 'attachment', list: 'attachFileList' },
  // The buttons of a WIDE_ITEM_LIST are inside its attachment.
  { table: 'message_buttons', place: 'button', list: 'buttons', within: 'attachment' },
] as const;

/** The table of messages of unknown channels, and of messages that are not an object. */
const OTHERS = 'other_messages';

const FILLED: readonly MessageTable[] = [...MESSAGES, ...ELEMENTS];

interface EventTable {
  readonly name: string;
  /** The columns that identify a row. */
  readonly key: string;
  /** The columns that identify the record (event) that a row belongs to. */
  readonly record: string;
}

const EVENT = 'event_id, event_name, occurred_at';

/** The tables that a load of E21 fills. */
export const EVENT_TABLES: readonly EventTable[] = [
  { name: 'events', key: EVENT, record: EVENT },
  ...[...MESSAGES, { table: OTHERS }].map(({ table }) => ({
    name: table,
    key: 'event_id',
    record: 'event_id',
  })),
  ...ELEMENTS.map(({ table }) => ({ name: table, key: 'event_id, position', record: 'event_id' })),
];

/** The channels whose messages have a table of their own, as a SQL list. */
export const CHANNELS = listOf(MESSAGES.map(({ place }) => channelOf(place)));

/** A select of the column `extra` of every message table, with the place of the specification that it belongs to. */
export const EXTRAS = unionOf(
  FILLED.map(({ table, place }) => `select '${place}' as place, export_date, extra from ${table}`),
);

/** Every row of every message table by its key, under the name that readers use: `emails` for `sent_emails`. */
export const MESSAGE_ROWS = unionOf(
  EVENT_TABLES.slice(1).map(({ name, key }) => {
    const position = key === 'event_id' ? '1 as position' : 'position';
    return `select '${name.replace(/^sent_/, '')}' as subject, event_id, ${position}, date, export_date from ${name}`;
  }),
);

/** Values for the placeholders of `load/events/6_hand_over`. */
export function handedOver(): Record<'tables' | 'contents', string> {
  const tables = FILLED.map(({ table, contents = {} }) => ({
    table,
    left_out: ['records', 'nonconforming', ...Object.values(contents)].join(', '),
  }));
  const files = [...tables, { table: OTHERS, left_out: 'records' }].map((names) =>
    statement('load/events/6_hand_over/table', names),
  );
  const contents = MESSAGES.flatMap(({ table, contents: { title, body, html } = {} }) => {
    if (body === undefined) return [];
    return [
      `select content_id, ${title ?? null} as title, ${body} as body, ${html ?? null} as html from ${table}`,
    ];
  });
  return { tables: files.join(''), contents: unionOf(contents) };
}

/**
 * Values for the placeholders of `load/events/4_unfold`: a relation for each list, and the keys of objects inside
 * messages.
 */
export function unfolded(fields: readonly Field[]): Record<'lists' | 'parts', string> {
  const holders = (key: string): string[] =>
    fields.flatMap(({ place, field }) => (field === key && isOfMessages(place) ? [channelOf(place)] : []));
  const lists = ELEMENTS.map(({ place, list, ...more }) => {
    const elements = 'within' in more ? [list, `${more.within}.${list}`] : [list];
    return statement('load/events/4_unfold/list', {
      place,
      elements: elements.map((path) => `(message -> '$.${path}[*]')`).join(' || '),
      channels: listOf(holders(list)),
    });
  });
  const parts = fields.flatMap(({ place, field, part }) =>
    part === null || !isOfMessages(place)
      ? []
      : [keysOf(place, part, `coalesce(json_keys(message, '${pointerTo(field)}'), [])`)],
  );
  const elements = ELEMENTS.map(({ place }) =>
    keysOf(place, place, `if(starts_with(document, '{'), json_keys(document), null)`),
  );
  return { lists: lists.join(''), parts: unionOf([...parts, ...elements]) };
}

function keysOf(at: string, place: string, keys: string): string {
  const { relation, condition } = documentsAt(at);
  return `select '${at}' as place, '${place}' as specified, ${keys} as keys from ${relation} where ${condition} group by all`;
}

/**
 * Values for the placeholders of `load/events/5_messages/all`: the tables of a batch, and the places with nonconforming
 * documents.
 */
export function staged(fields: readonly Field[]): Record<'tables' | 'places', string> {
  return {
    tables: FILLED.map((table) => tableOf(table, fields)).join(''),
    places: unionOf(
      FILLED.map(({ table, place }) => `select '${place}' as place, nonconforming from ${table}`),
    ),
  };
}

interface Column {
  readonly name: string;
  /** The SQL expression of the value; if the field has two possible keys, the first value that is present. */
  readonly given: string;
  readonly kind: Kind;
}

/** Returns the statement that makes one table. The fields of an object inside the documents become columns too. */
function tableOf({ table, place, contents }: MessageTable, fields: readonly Field[]): string {
  const own = fields.filter((field) => field.place === place && field.part === null);
  const part = fields.find((field) => field.place === place && field.part !== null);
  const inner = part === undefined ? [] : fields.filter((field) => field.place === part.part);
  // If the document has no other fields, its columns get no prefix.
  const prefix = part === undefined || own.length === 0 ? '' : `${part.field}_`;
  const columns = columnsOf([
    ...inner.map(({ field, kind }) => ({ name: snakeCase(prefix + field), given: `part."${field}"`, kind })),
    ...own.map(({ field, kind }) => ({ name: snakeCase(field), given: `m."${field}"`, kind })),
  ]);
  const { relation, document, condition } = documentsAt(place);
  const object = part === undefined ? 'null' : `m."${part.field}"`;
  const { title = null, body = null, html = null } = contents ?? {};
  return statement('load/events/5_messages/table', {
    table,
    place,
    relation,
    document,
    condition,
    part: part === undefined ? 'null' : `json_transform(${object}, shape('${part.part}'))`,
    columns: [
      ...(relation === 'messages' ? [] : ['position']),
      ...columns.flatMap(({ name, given, kind }) =>
        kind === 'list' ? [] : [`${converted(kind, given)} as ${name}`],
      ),
      ...(contents === undefined ? [] : [`content_id(${title}, ${body}, ${html}) as content_id`]),
    ].join(',\n    '),
    nonconforming: [
      ...holdsNoText(document, place, own),
      ...(part === undefined ? [] : [`is_no_object(${object})`]),
      ...holdsNoText(object, part?.part ?? '', inner),
      ...columns.flatMap(({ name, given, kind }) => {
        if (kind === 'list') return [`is_no_list(${given})`];
        return isReadAs(kind) ? [`is_unreadable(${given}, ${name})`] : [];
      }),
    ].join('\n    or '),
  });
}

/** Merges columns of the same name into one. */
function columnsOf(columns: readonly Column[]): Column[] {
  return [...new Set(columns.map(({ name }) => name))].flatMap((name) => {
    const [first, second] = columns.filter((column) => column.name === name);
    if (first === undefined || second === undefined) return first ?? [];
    return { ...first, given: `coalesce(${first.given}, ${second.given})` };
  });
}

function converted(kind: Kind, given: string): string {
  if (kind === 'recipient' || kind === 'number') return `${kind}(${given})`;
  if (kind === 'time') return `korean_time(${given})`;
  if (kind === 'boolean') return `try_cast(${given} as boolean)`;
  if (kind === 'whole') return `try_cast(whole(${given}) as integer)`;
  return kind === 'text' ? `${given} ->> '$'` : given;
}

/** The condition that a document has another type in a field that the specification defines as text. */
function holdsNoText(document: string, place: string, fields: readonly Field[]): string[] {
  return fields.some(({ kind }) => TEXTS.includes(kind)) ? [`holds_no_text(${document}, '${place}')`] : [];
}

export function isOfMessages(place: string): boolean {
  return place.startsWith('message_data:');
}

function channelOf(place: string): string {
  return place.replace('message_data:', '');
}

/** The rows of a batch that hold the documents of a place. */
export function documentsAt(place: string): Documents {
  if (!isOfMessages(place)) return { ...DOCUMENTS, relation: `${place}s` };
  const condition = `carries = '${channelOf(place)}'`;
  return { ...DOCUMENTS, relation: 'messages', document: 'message', condition };
}

/** Converts `body.html` and `bodyHtml` to `body_html`. */
function snakeCase(field: string): string {
  return field.replaceAll('.', '_').replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function unionOf(selects: readonly string[]): string {
  return selects.join('\nunion all\n');
}
