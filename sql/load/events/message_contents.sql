-- Contents that no message had before.

insert into message_contents by name
select contents.*
from contents
anti join message_contents on contents.content_id = message_contents.content_id;
