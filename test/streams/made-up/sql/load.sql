-- needs: days
-- name: replace
-- params: files text[], paths text[], path_pulls text[], largest_object bigint
-- A pull is of one day; of two pulls of a day the later one is in `days`.
delete from volumes where date in (select date from days);

insert into volumes by name
with answers as (
    select map_extract_value(map($paths, $path_pulls), filename) as pull, len(answer) as rows
    from read_json(
        $files,
        format = 'unstructured',
        records = false,
        columns = {answer: 'JSON[]'},
        maximum_object_size = $largest_object,
        filename = true
    )
)

select days.date, answers.rows
from answers
inner join days using (pull);

insert into loaded_rows
select days.pull, sum(rows)::bigint
from volumes
inner join days using (date)
group by days.pull;
