drop table if exists staged;
