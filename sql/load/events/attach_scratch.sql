-- A portion of an export is prepared beside the warehouse, by another connection: what the load itself created inside its
-- transaction would stay in memory until the end of it. Small row groups, so that two threads find work.

attach ':memory:' as {scratch} (row_group_size 8192);
use {scratch};
