insert into events by name
select * exclude (message, message_extra, carries, odd_record)
from staged;
