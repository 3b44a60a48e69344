select date::varchar as date, pull, loaded_at
from archivable
where date < getvariable('before')
order by date;
