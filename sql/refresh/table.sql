create table {relation} as
from ({select}) limit 0;
