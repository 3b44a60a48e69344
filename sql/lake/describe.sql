select column_name as name, column_type as type
from (describe lake.{table});
