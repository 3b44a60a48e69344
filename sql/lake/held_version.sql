select version
from held_parts
where relation = '{relation}' and date is null;
