-- Unknown channels, and messages that are no object.

insert into other_messages by name
from others;
