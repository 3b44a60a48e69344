-- Odd records once more, now that what has no column is set apart.

delete from staged where odd_record is not null;

create or replace temp view records as
select document as record, extra
from tidied;

insert into staged
from typed_records('fields_of_records');
