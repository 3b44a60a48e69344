select
    (select count(*) from given_lines)
    + (
        select count(*)
        from given_contents
        where may_be_personal(title) or may_be_personal(body) or may_be_personal(html)
    ) as contents;
