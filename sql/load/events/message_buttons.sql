insert into message_buttons by name
select
    event_id,
    date,
    export_date,
    position,
    try_cast(whole(m.ordering) as integer) as ordering,
    m.type,
    m.name,
    m."linkMo" as link_mo,
    m."linkPc" as link_pc,
    m."schemeIos" as scheme_ios,
    m."schemeAndroid" as scheme_android,
    extra
from (select *, json_transform(document, shape('button')) as m from buttons) as read;
