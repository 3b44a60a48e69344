-- What the lake holds of the relations that are replaced as a whole.

select relation, version
from lake.{ops}.lake_parts
where date is null;
