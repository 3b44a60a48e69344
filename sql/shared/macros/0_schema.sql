-- All macros are created again together. Their version identifies their source.

drop schema if exists macros cascade;
create schema macros;
set search_path = 'main,macros';

create macro macros.made_of() as table select '{version}' as version;
