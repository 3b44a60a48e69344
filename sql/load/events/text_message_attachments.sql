insert into text_message_attachments by name
select
    event_id,
    date,
    export_date,
    position,
    m."fileId" as file_id,
    m."fileName" as file_name,
    m."filePath" as file_path,
    m."saveFileName" as save_file_name,
    m."uploadType" as upload_type,
    extra
from (select *, json_transform(document, shape('attachment')) as m from attachments) as read;
