select note, sum(records)::bigint as records
from ops.load_notes
where stream = getvariable('stream') and pull = getvariable('pull')
group by note
order by note;
