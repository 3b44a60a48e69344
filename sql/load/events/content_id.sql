-- What tells contents apart: all of their texts, and their lengths, which keep apart what would read the same put
-- together. The same expression stands in schema/0007_message_contents.

create or replace temp macro content_id(title, body, html) as
    if(
        coalesce(title, body, html) is null,
        null,
        md5(
            concat_ws(
                ' ',
                coalesce(strlen(title)::varchar, '-'),
                coalesce(strlen(body)::varchar, '-'),
                coalesce(strlen(html)::varchar, '-'),
                title,
                body,
                html
            )
        )
    );
