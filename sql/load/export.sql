insert into ops.exports (
    key, window_start, window_end, date, state, export_id, message_data, records, pages, estimated_records,
    price_per_record, requested_at, updated_at, note
)
values (
    $key, $windowStart, $windowEnd, $date::date, $state, $exportId, $messageData, $records, $pages, $estimatedRecords,
    $pricePerRecord, $requestedAt, $updatedAt, $note
);
