select distinct template as value, null::varchar as name
from (
    select template from marts.template_versions
    union all
    select template from marts.daily_templates
)
where template is not null;
