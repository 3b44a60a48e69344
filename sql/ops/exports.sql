-- What the ledger says of all exports, as JSON, in the place of what it said before.

delete from ops.exports;

insert into ops.exports
select
    row.key,
    row.windowStart,
    row.windowEnd,
    row.date,
    row.state,
    row.exportId,
    row.messageData,
    row.records,
    row.pages,
    row.estimatedRecords,
    row.pricePerRecord,
    row.requestedAt,
    row.updatedAt,
    row.note
from (
    select
        unnest(
            json_transform(
                getvariable('exports'),
                '[{
                    "key": "VARCHAR", "windowStart": "TIMESTAMPTZ", "windowEnd": "TIMESTAMPTZ", "date": "DATE",
                    "state": "VARCHAR", "exportId": "VARCHAR", "messageData": "BOOLEAN", "records": "BIGINT",
                    "pages": "BIGINT", "estimatedRecords": "BIGINT", "pricePerRecord": "DOUBLE",
                    "requestedAt": "TIMESTAMPTZ", "updatedAt": "TIMESTAMPTZ", "note": "VARCHAR"
                }]'
            )
        ) as row
) as given;
