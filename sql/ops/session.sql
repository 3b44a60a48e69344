-- Days and times without a zone mean Korea, whatever the machine thinks.

set TimeZone = 'Asia/Seoul';
-- Give memory back soon, and write rows out early: the job runs beside other things, and a day may be large.
set allocator_flush_threshold = '16MB';
set write_buffer_row_group_count = 1;
