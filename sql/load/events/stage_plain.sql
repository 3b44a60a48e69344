create or replace table staged as
from typed_records('fields_of_plain_records');
