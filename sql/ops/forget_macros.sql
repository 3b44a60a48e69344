drop schema if exists macros cascade;
create schema macros;
set search_path = 'main,macros';
