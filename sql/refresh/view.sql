create or replace view {relation} as {select};
