-- The macros are made anew together, under a version that tells what they were made from.

drop schema if exists macros cascade;
create schema macros;
set search_path = 'main,macros';

create macro macros.made_of() as table select '{version}' as version;
