// Writes `sql/streams/events/messages.sql`: the statements about the tables of messages, which are derived from the list of
// fields. The field `recipientNo` of `message_data:text-message` becomes the column `recipient_no` of `text_messages`, and the kind of
// the field determines the conversion. The build writes the file, which is not committed.
import { fieldsFor, isReadAs, pointerTo, specificationOf } from '../dist/src/ground/fields.js';
import { EVENT_FIELDS } from '../dist/src/streams/events/index.js';
import {
  channelOf,
  EVENT_TABLES,
  FILLED,
  isOfMessages,
  OTHERS,
} from '../dist/src/streams/events/messages.js';
import { listOf } from '../dist/src/warehouse/session.js';

/** The word of the brand is a placeholder, which is filled when a statement runs. */
const fields = fieldsFor('{brand}', EVENT_FIELDS);

const { shapes, keys, texts } = specificationOf(fields);

/** A list as a literal: a variable would be copied wherever it is read. */
const literal = (names) => `[${listOf(names)}]`;

const unionOf = (selects) => selects.join('\nunion all\n');

/** `body.html` and `bodyHtml` become `body_html`. */
const snakeCase = (field) =>
  field.replaceAll('.', '_').replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

// The documents of a table: messages of a channel, or the elements of a list inside messages.

/** The channels whose messages have the documents. */
function channelsOf({ place, list }) {
  const holders = list === undefined ? [{ place }] : fields.filter(({ field }) => field === list);
  return holders
    .map((holder) => holder.place)
    .filter(isOfMessages)
    .map(channelOf);
}

function documentsOf(table) {
  const condition = `carries in (${listOf(channelsOf(table))})`;
  const { list, within } = table;
  if (list === undefined) return `select records, message as document from messages where ${condition}`;
  const paths = within === undefined ? [list] : [list, `${within}.${list}`];
  return `select records, unnest(given) as document, generate_subscripts(given, 1)::integer as position
    from (
        select records, ${paths.map((path) => `(message -> '$.${path}[*]')`).join(' || ')} as given
        from messages
        where ${condition}
    ) as lists`;
}

// The columns of the tables.

function rowsOf(table) {
  const { place, contents } = table;
  const own = fields.filter((field) => field.place === place && field.part === null);
  const part = fields.find((field) => field.place === place && field.part !== null);
  const inner = part === undefined ? [] : fields.filter((field) => field.place === part.part);
  // If the document has no other fields, its columns get no prefix.
  const prefix = part === undefined || own.length === 0 ? '' : `${part.field}_`;
  const columns = columnsOf([
    ...inner.map(({ field, kind }) => ({
      name: snakeCase(prefix + field),
      given: `m."${part.field}"."${field}"`,
      kind,
    })),
    ...own.map(({ field, kind }) => ({ name: snakeCase(field), given: `m."${field}"`, kind })),
  ]);
  const { title = null, body = null, html = null } = contents ?? {};
  const values = [
    ...(table.list === undefined ? [] : ['position']),
    ...columns.flatMap(({ name, given, kind }) =>
      kind === 'list' ? [] : [`${converted(kind, given)} as ${name}`],
    ),
    ...(contents === undefined ? [] : [`content_id(${title}, ${body}, ${html}) as content_id`]),
  ];
  const pointers = part === undefined ? [] : [pointerTo(part.field)];
  const odd = [
    `not starts_with(document, '{')`,
    `not has_usual_keys(keys[1], ${literal(keys[place])})`,
    'holds_no_text(types)',
    ...(part === undefined
      ? []
      : [
          `not has_usual_keys(keys[2], ${literal(keys[part.part])})`,
          // Empty, or not an object.
          `(m."${part.field}" is not null and len(keys[2]) = 0)`,
        ]),
    ...columns.flatMap(({ given, kind }) => {
      if (kind === 'list') return [`is_no_list(${given})`];
      if (kind === 'number') return [`loses_digits(${given})`];
      return isReadAs(kind) ? [`is_unreadable(${given}, ${converted(kind, given)})`] : [];
    }),
  ];
  return `with documents as (
    ${documentsOf(table)}
),

given as (
    select
        *,
        json_transform(document, '${shapes[place]}') as m,
        json_keys(document, ${literal(['', ...pointers])}) as keys,
        json_type(document, ${literal(texts[place])}) as types
    from documents
),

judged as (
    select
        *,
        case
            when
                ${odd.join('\n                or ')}
            then parts_of(_judged(document::varchar, '${place}', treatment()))
        end as odd
    from given
),

divided as (
    select * replace (coalesce(json_transform(odd.fitting, '${shapes[place]}'), m) as m)
    from judged
)

select
    records,
    ${values.join(',\n    ')},
    odd.extra
from divided`;
}

/** Merges columns of the same name into one, whose value is the first that is present. */
function columnsOf(columns) {
  return [...new Set(columns.map(({ name }) => name))].map((name) => {
    const [first, second] = columns.filter((column) => column.name === name);
    return second === undefined ? first : { ...first, given: `coalesce(${first.given}, ${second.given})` };
  });
}

function converted(kind, given) {
  if (kind === 'recipient')
    return `case when is_hashed(${given}) then ${given} else _recipient(${given}, treatment()) end`;
  if (kind === 'number') return `number(${given})`;
  if (kind === 'time') return `korean_time(${given})`;
  if (kind === 'boolean') return `try_cast(${given} as boolean)`;
  if (kind === 'whole') return `try_cast(whole(${given}) as integer)`;
  return kind === 'text' ? `${given} ->> '$'` : given;
}

// The files of a batch.

const copied = (select, name) => `copy (
${select}
) to ($batch || '/${name}.parquet') (format parquet, compression lz4_raw, parquet_version v2);
`;

function sectionOf({ table, ...of }) {
  const rows = rowsOf(of);
  if (of.contents === undefined)
    return `${copied(`select unnest(records, max_depth := 2), * exclude (records) from (\n${rows}\n) as filled`, table)}`;
  const { title = null, body, html = null } = of.contents;
  const leftOut = ['records', ...Object.values(of.contents)];
  return `create or replace table ${table} as
${rows};

${copied(`select unnest(records, max_depth := 2), * exclude (${leftOut.join(', ')}) from ${table}`, table)}
-- Each distinct content once.
${copied(
  `select content_id, any_value(${title}) as title, any_value(${body}) as body, any_value(${html}) as html
from ${table}
where content_id is not null
group by content_id`,
  `${table}.contents`,
)}
drop table ${table};
`;
}

const carried = [...FILLED.map((of) => [of.table, channelsOf(of)]), [OTHERS, ['other']]].flatMap(
  ([table, channels]) => channels.map((channel) => `('${channel}', '${table}')`),
);

const rows = EVENT_TABLES.slice(1).map(({ name, rows: kind }) => {
  const position = kind === 'messages' ? '1 as position' : 'position';
  return `select '${name.replace(/^sent_/, '')}' as subject, event_id, ${position}, date, export_date from ${name}`;
});

export const messageStatements = `-- The statements about the tables of messages. Written by scripts/messages.js from the list of fields: change that.
-- needs: messages, staged
-- leaves: message_extras

-- name: begin
-- params: batch text
-- Writes the batch's records, without messages, to a temporary file that the load reads. Returns the tables that its messages belong to;
-- the section with the name of a table fills it.
${copied('select * exclude (is_candidate, carries, message) from staged', 'events')}
drop table staged;

select distinct name as "table"
from (values
    ${carried.join(',\n    ')}
) as tables (carries, name)
semi join messages using (carries);

-- name: end
-- The next batch needs the memory.
drop table messages;

${FILLED.map((of) => `-- name: ${of.table}\n-- params: batch text\n${sectionOf(of)}\n`).join('')}-- name: ${OTHERS}
-- params: batch text
-- Messages of unknown channels, and messages that are not an object.
${copied(`select unnest(records, max_depth := 2), channel, message as message_data from messages where carries = 'other'`, OTHERS)}
-- name: extras
-- What no column took, of every message table, with the place that it belongs to.
create or replace temp view message_extras as
${unionOf(FILLED.map(({ table, place }) => `select '${place}' as place, export_date, extra from ${table}`))};

-- name: rows
-- Every row of every message table by its key, under the name that readers use: \`emails\` for \`sent_emails\`.
create or replace temp view message_rows as
${unionOf(rows)};
`;
