-- Contents that no message has any more. Only a day that is replaced, or a record that came twice, leads here, so all
-- messages may be looked at.

delete from message_contents
where
    content_id in (
        select loose_contents.content_id
        from loose_contents
        anti join sent_emails on loose_contents.content_id = sent_emails.content_id
        anti join sent_push_messages on loose_contents.content_id = sent_push_messages.content_id
        anti join (
            select content ->> 'content_id' as content_id
            from ops.set_aside
            where table_name in ('sent_emails', 'sent_push_messages')
        ) as aside on loose_contents.content_id = aside.content_id
        where loose_contents.content_id is not null
    );
