// Writes `sql/streams/events/messages.sql`: the statements about the tables of messages, which are derived from the list of
// fields. The field `recipientNo` of `message_data:text-message` becomes the column `recipient_no` of `text_messages`, and the kind of
// the field determines the conversion. The build writes the file; it is committed, so that a change of a field shows what it does.
import { fieldsFor, isReadAs, pointerTo, specificationOf } from '../dist/src/ground/fields.js';
import { EVENT_FIELDS } from '../dist/src/streams/events/index.js';
import {
  channelOf,
  CONTENTS,
  documentsAt,
  ELEMENTS,
  EVENT_TABLES,
  FILLED,
  isOfMessages,
  MESSAGES,
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

// The lists inside messages.

function listIn({ place, list, within }) {
  const holders = fields.filter(({ place: holder, field }) => field === list && isOfMessages(holder));
  const paths = within === undefined ? [list] : [list, `${within}.${list}`];
  return `create or replace table ${place}s as
select
    * exclude (given),
    unnest(given) as document,
    generate_subscripts(given, 1)::integer as position
from (
    select records, ${paths.map((path) => `(message -> '$.${path}[*]')`).join(' || ')} as given
    from messages
    where carries in (${listOf(holders.map(({ place: holder }) => channelOf(holder)))})
) as lists;
`;
}

// The columns of the tables.

function tableOf({ table, place, contents }) {
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
  const { relation, document, condition } = documentsAt(place);
  const { title = null, body = null, html = null } = contents ?? {};
  const position = relation === 'messages' ? [] : ['position'];
  const values = [
    ...position,
    ...columns.flatMap(({ name, given, kind }) =>
      kind === 'list' ? [] : [`${converted(kind, given)} as ${name}`],
    ),
    ...(contents === undefined ? [] : [`content_id(${title}, ${body}, ${html}) as content_id`]),
  ];
  const pointers = part === undefined ? [] : [pointerTo(part.field)];
  const odd = [
    `not starts_with(document, '{')`,
    `not has_usual_keys(keys[1], ${literal(keys[place])})`,
    ...(part === undefined
      ? [`holds_no_text(types)`]
      : [
          `not has_usual_keys(keys[2], ${literal(keys[part.part])})`,
          `is_no_object(types[1])`,
          `holds_no_text(types[2:])`,
        ]),
    ...columns.flatMap(({ given, kind }) => {
      if (kind === 'list') return [`is_no_list(${given})`];
      if (kind === 'number') return [`loses_digits(${given})`];
      return isReadAs(kind) ? [`is_unreadable(${given}, ${converted(kind, given)})`] : [];
    }),
  ];
  return `create or replace table ${table} as
with given as (
    select
        ${['records', ...position].join(', ')},
        ${document} as document,
        json_transform(${document}, '${shapes[place]}') as m,
        json_keys(${document}, ${literal(['', ...pointers])}) as keys,
        json_type(${document}, ${literal([...pointers, ...texts[place]])}) as types
    from ${relation}
    where ${condition}
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
from divided;
`;
}

/** Merges columns of the same name into one, whose value is the first that is present. */
function columnsOf(columns) {
  return [...new Set(columns.map(({ name }) => name))].map((name) => {
    const [first, second] = columns.filter((column) => column.name === name);
    return second === undefined ? first : { ...first, given: `coalesce(${first.given}, ${second.given})` };
  });
}

function converted(kind, given) {
  if (kind === 'recipient') return `_recipient(${given}, treatment())`;
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

function handedOver(table, leftOut) {
  return `${copied(`select unnest(records, max_depth := 2), * exclude (${leftOut.join(', ')})\n    from ${table}`, table)}drop table ${table};
`;
}

const contents = MESSAGES.flatMap(({ table, contents: { title, body, html } = {} }) =>
  body === undefined
    ? []
    : [
        `select content_id, ${title ?? null} as title, ${body} as body, ${html ?? null} as html from ${table}`,
      ],
);

const rows = EVENT_TABLES.slice(1).map(({ name, key }) => {
  const position = key === 'event_id' ? '1 as position' : 'position';
  return `select '${name.replace(/^sent_/, '')}' as subject, event_id, ${position}, date, export_date from ${name}`;
});

export const messageStatements = `-- The statements about the tables of messages. Written by scripts/messages.js from the list of fields: change that.

-- name: fill
-- The messages of a batch in the columns of their tables, and the elements of their lists in a row each. Each row also lists the
-- records that carry the message. What no column takes of an odd document is its \`extra\`.
${ELEMENTS.map(listIn).join('')}

${FILLED.map(tableOf).join('\n')}
-- name: hand_over
-- params: batch text
-- Writes a batch as temporary files with a row for each record, compressed fast; the load's transaction reads them. The tables are
-- dropped, because the next batch needs their memory.
${copied('select * exclude (is_candidate, carries, message)\n    from staged', 'events')}
-- Each distinct content once.
${copied(
  `select content_id, any_value(title) as title, any_value(body) as body, any_value(html) as html
    from (
${unionOf(contents)}
    ) as contents
    where content_id is not null
    group by content_id`,
  CONTENTS,
)}
-- Messages of unknown channels, and messages that are not an object.
create or replace table ${OTHERS} as
select records, channel, message as message_data
from messages
where carries = 'other';

drop table staged;
drop table messages;
${ELEMENTS.map(({ place }) => `drop table ${place}s;\n`).join('')}${FILLED.map(
  ({ table, contents: stored = {} }) => handedOver(table, ['records', ...Object.values(stored)]),
).join('')}${handedOver(OTHERS, ['records'])}
-- name: extras
-- What no column took, of every message table, with the place that it belongs to.
create or replace temp view message_extras as
${unionOf(FILLED.map(({ table, place }) => `select '${place}' as place, export_date, extra from ${table}`))};

-- name: rows
-- Every row of every message table by its key, under the name that readers use: \`emails\` for \`sent_emails\`.
create or replace temp view message_rows as
${unionOf(rows)};
`;
