-- Days and times without a time zone are Korean, whatever the machine's zone.

set TimeZone = 'Asia/Seoul';
-- Returns memory early and writes rows early: the job shares the machine with other programs, and a day may be large.
set allocator_flush_threshold = '16MB';
set allocator_bulk_deallocation_flush_threshold = '16MB';
set write_buffer_row_group_count = 1;
-- Files are read only once, so they are not cached.
set enable_external_file_cache = false;
-- 0 disables the plan for a handful of rows. DuckDB chooses it by an estimate, which may be wrong by a factor of
-- thousands: the responses of two weeks then take a minute instead of a second.
set asof_loop_join_threshold = 0;
