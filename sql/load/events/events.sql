insert into events by name
select * exclude (metadata, message, message_extra, carries, odd_record)
from staged;
