-- Loads reference data, in the order of the steps: catalogs (E2), brand templates (E4) with their status (E5), alimtalk templates
-- (E10) and opt-outs (E12).
-- needs: asked, days, loaded_rows
-- leaves: extras

-- name: read
-- params: paths text[], path_lists text[], path_pulls text[], files text[], largest_object bigint, stream text
-- Reads each row of the lists as a document (E2, E4, E10, E12). The parameters list files, lists and pulls in the same order.
create or replace temp table documents as
with files as (
    select
        unnest($paths) as file,
        unnest($path_lists) as list,
        unnest($path_pulls) as pull
),

unfolded as (
    select filename, nfc_json(document::varchar) as document, row_number() over () as nth
    from (select filename, unnest(rows_in(data, "templateListResponse")) as document from read_json(
        $files,
        format = 'unstructured',
        records = true,
        columns = {data: 'JSON', "templateListResponse": 'JSON'},
        maximum_object_size = $largest_object,
        filename = true
    )) as rows
),

redacted as (
    select
        nth,
        files.list,
        files.pull,
        asked.first_day as date,
        if(may_be_personal(document), _redacted_document(document, 'document', treatment()), document) as document,
        -- The fallback number of a brand message belongs to the sender, so it is not redacted.
        case
            when $stream = 'brand_templates'
            then coalesce(
                document ->> '$.template.failoverTextMessage.senderPhoneNumber',
                document ->> '$.failoverTextMessage.senderPhoneNumber'
            )
        end as sender_number
    from unfolded
    inner join files on unfolded.filename = files.file
    inner join asked using (pull)
    -- Removes duplicate rows. In the other streams, an id tells rows apart.
    qualify
        $stream not in ('alimtalk_templates', 'opt_outs')
        or row_number() over (partition by files.list, files.pull, hash(document) order by nth) = 1
),

-- A catalog names the fields of its items, and alimtalk templates are not specified, so both are kept whole.
judged as (
    select
        *,
        _judged(
            document,
            case
                when $stream = 'catalogs' and list = '*' then 'catalog'
                when $stream = 'brand_templates' then 'brand_template'
                when $stream = 'opt_outs' then 'opt_out'
            end,
            treatment()
        ) as odd
    from redacted
)

select * exclude (nth, odd) replace (fitting(document, odd) as document), extra_of(odd) as extra
from judged
order by nth;

-- The names in the pulls' lists of catalogs. Empty for other streams.
create or replace temp table named_catalogs (pull varchar, catalog_name varchar);

-- name: stage
-- Creates a staged table with the columns of its history, for the rows of each list and pull.
create or replace temp table staged_{table} as
select null::varchar as list, null::date as date, null::varchar as pull, * exclude (valid_from, valid_to)
from {table}_history
limit 0;

-- name: catalogs
-- Catalogs and their items (E2). A catalog's fields are documents of their own (section catalog_fields).
insert into staged_catalogs by name
select
    * exclude (document, sender_number, c),
    c.name as catalog_name,
    c.description,
    c.data_classification,
    counter(c.num_items) as num_items,
    c.fields
from (select *, json_transform(document, shape('catalog')) as c from documents where list = '*') as read;

-- The catalog defines the fields of an item, so the whole item is kept unchanged.
insert into staged_catalog_items by name
select
    list,
    date,
    pull,
    list as catalog_name,
    document ->> '$.id' as item_id,
    document as item
from documents
where list <> '*';

insert into named_catalogs select pull, catalog_name from staged_catalogs;

-- name: unfold
-- Unfolds a list inside the rows of {table}, whose id is {id}. Rows without an id are left out, because their elements could not be
-- joined to them.
create or replace temp table documents as
select * exclude (odd) replace (fitting(document, odd) as document), extra_of(odd) as extra
from (
    select *, _judged(document::varchar, '{inner}', treatment()) as odd
    from (
        select
            list,
            date,
            pull,
            {id},
            unnest({elements} -> '{path}[*]') as document,
            generate_subscripts({elements} -> '{path}[*]', 1) as position
        from staged_{table}
        where {id} is not null
    ) as unfolded
) as judged;

-- name: extras
create or replace temp table extras as
select '{place}' as place, date, extra from staged_{place}s semi join days using (pull, date) where extra is not null
union all
select '{inner}', date, extra from staged_{inner}s semi join days using (pull, date) where extra is not null;

-- name: catalog_fields
insert into staged_catalog_fields by name
select * exclude (document, f), f.name, f.type
from (select *, json_transform(document, shape('catalog_field')) as f from documents) as read;

-- name: template_status
-- params: paths text[], path_lists text[], path_templates text[], path_pulls text[], path_days date[], files text[],
--   largest_object bigint
-- The status of each template (E5), under a key that contains the messenger's name. The parameters list files and templates in the
-- same order.
create or replace temp table template_status as
with reads as (
    select
        unnest($paths) as file,
        unnest($path_lists) as list,
        unnest($path_templates) as template_id,
        unnest($path_pulls) as pull,
        unnest($path_days)::date as read_on
),

answers as (
    select
        filename,
        json -> '$.data' as data,
        list_filter(json_keys(json -> '$.data'), lambda key: ends_with(key, 'Template'))[1] as key
    -- Reads whole answers, because reading columns would reject a duplicate key.
    from read_json_objects(
        $files,
        format = 'unstructured',
        maximum_object_size = $largest_object,
        filename = true
    )
)

select
    reads.list,
    reads.template_id,
    reads.pull,
    reads.read_on,
    json_extract(answers.data, pointer(answers.key) || '/status') as given,
    _redacted(given ->> '$', treatment()) as status
from answers
inner join reads on answers.filename = reads.file;

-- name: no_template_status
create or replace temp table template_status (list varchar, template_id varchar, pull varchar, read_on date, given json, status varchar);

-- name: template_status_extras
-- A status of another type is kept as text and counts as drift.
insert into extras
select 'template_status', days.date, json_object('status', given)
from template_status
inner join days using (pull)
where json_type(given) not in ('VARCHAR', 'NULL');

-- name: brand_templates
-- Brand templates (E4) with the status from E5. Their contents depend on the type and are not specified (N4), so the whole template
-- is kept as well.
insert into staged_brand_templates by name
with read as (
    select
        *,
        json_transform(document, shape('brand_template')) as t,
        document -> '$.template' as template,
        coalesce(document -> '$.template.failoverTextMessage', document -> '$.failoverTextMessage') as failover
    from documents
)

select
    read.list,
    read.date,
    read.pull,
    read.t.id as template_id,
    read.t."templateName" as template_name,
    read.list as sender_key,
    read.template ->> '$.type' as template_type,
    read.template ->> '$.content.text' as content_text,
    read.template ->> '$.content.image.url' as image_url,
    read.template ->> '$.content.image.link' as image_link,
    read.template -> '$.content.coupon' as coupon,
    read.failover ->> '$.type' as failover_type,
    read.failover ->> '$.title' as failover_title,
    read.failover ->> '$.body' as failover_body,
    read.sender_number as failover_sender,
    coalesce(read.template ->> '$.unsubscribeNumber', read.t."unsubscribeNumber") as unsubscribe_number,
    template_status.status,
    template_status.read_on as status_read_on,
    korean_time(read.t."createdAt") at time zone 'Asia/Seoul' as created_at,
    korean_time(read.t."updatedAt") at time zone 'Asia/Seoul' as updated_at,
    read.document as template,
    read.extra
from read
left join template_status
    on
        read.list = template_status.list
        and read.t.id = template_status.template_id
        and read.pull = template_status.pull;

-- name: brand_template_buttons
insert into staged_brand_template_buttons by name
select
    * exclude (document, b),
    list as sender_key,
    b."buttonType" as button_type,
    b."buttonName" as button_name,
    b."linkMo" as link_mo,
    b."linkPc" as link_pc,
    b."linkAnd" as link_and,
    b."linkIos" as link_ios
from (select *, json_transform(document, shape('brand_template_button')) as b from documents) as read;

-- name: alimtalk_templates
-- Alimtalk templates (E10). Their structure is not specified, so the whole template is kept, and the columns have the values of
-- likely keys. A template without a code, or with the code of another sender in the same list, gets a number.
insert into staged_alimtalk_templates by name
select
    list,
    date,
    pull,
    nullif(list, '*') as channel_id,
    coalesce(document ->> '$.templateCode', document ->> '$.code') as template_code,
    coalesce(document ->> '$.templateName', document ->> '$.name') as template_name,
    coalesce(
        document ->> '$.templateStatusCode',
        document ->> '$.statusCode',
        document ->> '$.templateStatus',
        document ->> '$.status'
    ) as status_code,
    coalesce(document ->> '$.templateContent', document ->> '$.content') as content,
    document as template,
    row_number() over (partition by list, date, pull, template_code order by document::varchar) as copy
from documents;

create or replace temp table extras (place varchar, date date, extra json);

-- name: opt_outs
-- Opt-outs (E12). If privacy.recipients is `drop`, recipients who opt out at the same instant cannot be told apart, because their
-- number is not stored.
insert into staged_opt_outs by name
with read as (
    select *, json_transform(document, shape('opt_out')) as o
    from documents
),

named as (
    select
        list,
        date,
        pull,
        o."unsubscribeNo" as unsubscribe_number,
        _recipient(o."recipientNo", treatment()) as recipient,
        korean_time(o."requestDate") at time zone 'Asia/Seoul' as requested_at,
        extra
    from read
)

select
    *,
    row_number() over (partition by list, date, pull, unsubscribe_number, recipient, requested_at order by extra::varchar) as copy
from named;

create or replace temp table extras as
select 'opt_out' as place, date, extra from staged_opt_outs semi join days using (pull, date) where extra is not null;

-- name: snapshots
-- params: lists text[], list_pulls text[], list_rows bigint[], list_announced text[], stream text
-- A list's snapshot of a day has the rows of the day's latest pull. The parameters describe the lists that the pulls read
-- completely, in the same order. Snapshots are loaded in the order of their days (ops/unload_after), so only the first day may have
-- one already.
create or replace temp table snapshots as
with asked_lists as (
    select
        unnest($lists) as list,
        unnest($list_pulls) as pull,
        unnest($list_rows)::bigint as rows,
        nullif(unnest($list_announced), '')::bigint as announced
),

given as (
    select asked_lists.*, asked.first_day as date, asked.pulled_at
    from asked_lists
    inner join asked using (pull)
),

-- A catalog that is missing from the list of catalogs has no items any more.
gone as (
    select distinct earlier.list, given.pull, 0 as rows, null::bigint as announced, given.date, given.pulled_at
    from given
    inner join (
        select list, pulled_at from ops.snapshots where stream = 'catalogs'
        union all
        select list, pulled_at from given
    ) as earlier
        on earlier.list <> '*' and earlier.pulled_at < given.pulled_at
    where
        $stream = 'catalogs'
        and given.list = '*'
        and (given.pull, earlier.list) not in (select (pull, catalog_name) from named_catalogs)
        and (given.pull, earlier.list) not in (select (pull, list) from given)
),

latest as (
    select *
    from (select * from given union all by name select * from gone) as found
    qualify row_number() over (partition by list, date order by pulled_at desc, pull desc) = 1
)

select latest.*, row_number() over (partition by latest.list order by latest.date) as nth
from latest
anti join ops.snapshots as later
    on
        later.stream = $stream
        and later.list = latest.list
        and later.date = latest.date
        and (later.pulled_at, later.pull) > (latest.pulled_at, latest.pull);

-- The first day of each list in this load, and the day of the previous snapshot.
create or replace temp table first_snapshots as
select
    firsts.list,
    firsts.date,
    firsts.last_nth,
    (
        select max(earlier.date)
        from ops.snapshots as earlier
        where earlier.stream = $stream and earlier.list = firsts.list and earlier.date < firsts.date
    ) as previous
from (select list, min(date) as date, max(nth) as last_nth from snapshots group by list) as firsts;

delete from ops.snapshots
using first_snapshots
where
    snapshots.stream = $stream
    and snapshots.list = first_snapshots.list
    and snapshots.date >= first_snapshots.date;

insert into ops.snapshots by name
select $stream as stream, * exclude (nth)
from snapshots;

-- name: versions
-- Updates the history of a table with the snapshots of this load, after resetting it to the snapshot before. Equal rows in
-- consecutive snapshots are one version; the latest row stays, because its status may be newer. A row without an id is identified
-- by all of its columns.
delete from {table}_history
using first_snapshots
where {list} = first_snapshots.list and valid_from >= first_snapshots.date;

update {table}_history
set valid_to = null
from first_snapshots
where {list} = first_snapshots.list and valid_to >= first_snapshots.previous;

create or replace temp table versions_found as
with given as (
    select rowid as row_id, list, date, pull, {key}, {unnamed} as unnamed, hash(*columns(name -> name not in ('list', 'date', 'pull', 'status_read_on'))) as content
    from staged_{table}
),

current_versions as (
    select rowid as row_id, {list} as list, {key}, {unnamed} as unnamed, hash(*columns(name -> name not in ('valid_from', 'valid_to', 'status_read_on'))) as content
    from {table}_history
    where valid_to is null
),

seen as (
    select given.row_id, given.list, snapshots.nth, {key}, given.unnamed, given.content
    from given
    inner join snapshots using (list, date, pull)
    union all by name
    select row_id, list, 0 as nth, {key}, unnamed, content
    from current_versions
    semi join first_snapshots using (list)
),

begun as (
    select
        *,
        content is distinct from lag(content) over by_key or nth <> lag(nth) over by_key + 1 as begins
    from seen
    window by_key as (partition by list, {key}, unnamed order by nth)
),

numbered as (
    select *, count_if(begins) over (partition by list, {key}, unnamed order by nth) as version
    from begun
)

select
    list,
    arg_min(row_id, nth) as row_id,
    arg_max(row_id, nth) as last_row_id,
    min(nth) as first_nth,
    max(nth) as last_nth
from numbered
group by list, {key}, unnamed, version;

-- Ends the versions that are missing in the next snapshot.

update {table}_history
set valid_to = coalesce(last_snapshot.date, first_snapshots.previous)
from versions_found
inner join first_snapshots using (list)
left join snapshots as last_snapshot
    on versions_found.list = last_snapshot.list and versions_found.last_nth = last_snapshot.nth
where
    {table}_history.rowid = versions_found.row_id
    and versions_found.first_nth = 0
    and versions_found.last_nth < first_snapshots.last_nth;

insert into {table}_history by name
select
    staged.* exclude (list, date, pull),
    first_snapshot.date as valid_from,
    case when versions_found.last_nth < first_snapshots.last_nth then last_snapshot.date end as valid_to
from versions_found
inner join staged_{table} as staged on staged.rowid = versions_found.last_row_id
inner join first_snapshots on versions_found.list = first_snapshots.list
inner join snapshots as first_snapshot
    on versions_found.list = first_snapshot.list and versions_found.first_nth = first_snapshot.nth
inner join snapshots as last_snapshot
    on versions_found.list = last_snapshot.list and versions_found.last_nth = last_snapshot.nth
where versions_found.first_nth > 0;

-- name: status_read
-- Records the last day on which the status of a continuing version was read (E5).
update brand_templates_history
set status_read_on = staged.status_read_on
from versions_found
inner join staged_brand_templates as staged on versions_found.last_row_id = staged.rowid
where
    brand_templates_history.rowid = versions_found.row_id
    and versions_found.first_nth = 0
    and versions_found.last_nth > 0;

-- name: cover
-- params: complete boolean, stream text, loaded_at timestamptz
-- Marks a day as covered if every list was read completely. Its number of rows is the sum over all lists.
delete from ops.coverage
where $complete and stream = $stream and date in (select date from days);

insert into ops.coverage by name
select
    $stream as stream,
    days.date,
    coalesce(sum(snapshots.rows), 0)::bigint as rows,
    $loaded_at as loaded_at,
    days.pull,
    days.pulled_at
from days
left join snapshots using (pull, date)
where $complete
group by days.date, days.pull, days.pulled_at;

insert into loaded_rows
select pull, sum(rows)
from snapshots
group by pull;

-- Records differences between the announced and the received number of rows.
insert into ops.load_notes by name
select $stream as stream, date, pull, 'count_differs' as note, list as subject, abs(announced - rows) as records
from snapshots
where announced <> rows;

-- name: catalog_values
-- Records values of another type than their catalog declares. The typed view shows null for them; the item keeps them.
insert into ops.drift_by_day by name
with declared as (
    select distinct
        pull,
        catalog_name,
        name,
        map {
            'string': ['VARCHAR'],
            'number': ['BIGINT', 'UBIGINT', 'DOUBLE'],
            'boolean': ['BOOLEAN'],
            'time': ['VARCHAR', 'BIGINT', 'UBIGINT', 'DOUBLE'],
            'array': ['ARRAY'],
            'geo': ['ARRAY'],
            'object': ['OBJECT']
        }[type] as expected
    from staged_catalog_fields
    where name <> ''
)

select
    'catalogs' as stream,
    items.date,
    'catalog_item:' || items.catalog_name as place,
    declared.name as field,
    'type' as kind,
    min(json_type(items.item, pointer(declared.name))) as example_type,
    count(*) as records
from staged_catalog_items as items
inner join days using (pull, date)
inner join declared on items.pull = declared.pull and items.catalog_name = declared.catalog_name
where
    json_type(items.item, pointer(declared.name)) <> 'NULL'
    and not list_contains(declared.expected, json_type(items.item, pointer(declared.name)))
group by items.date, items.catalog_name, declared.name;
