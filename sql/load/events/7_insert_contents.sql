-- Contents that no message had before.

insert into message_contents by name
from read_parquet(getvariable('batch') || '/message_contents.parquet') as contents
anti join message_contents using (content_id);
