create or replace table {relation} as
from ({select}) limit 0;
