-- Days and times without a zone mean Korea, whatever the machine thinks.

set TimeZone = 'Asia/Seoul';
-- Give memory back soon, and write rows out early: the job runs beside other things, and a day may be large.
set allocator_flush_threshold = '16MB';
set allocator_bulk_deallocation_flush_threshold = '16MB';
set write_buffer_row_group_count = 1;
-- Files that are read once are not kept.
set enable_external_file_cache = false;
-- The plan for a handful of rows is chosen by an estimate, which may be wrong by a factor of thousands: a minute instead of
-- a second for the responses of a fortnight.
set asof_loop_join_threshold = 0;
