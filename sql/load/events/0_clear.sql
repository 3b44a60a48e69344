-- Before days are replaced: strays of theirs happened on other days.

insert into ops.touched_days
select 'events', date from events where export_date in (select date from days)
except
select stream, date from ops.touched_days;

-- The rows are there again.
delete from ops.archived_days where date in (select date from days);

delete from events where export_date in (select date from days);
delete from text_messages where export_date in (select date from days);
delete from text_message_attachments where export_date in (select date from days);
delete from sent_emails where export_date in (select date from days);
delete from friendtalk_messages where export_date in (select date from days);
delete from alimtalk_messages where export_date in (select date from days);
delete from brand_messages where export_date in (select date from days);
delete from in_app_messages where export_date in (select date from days);
delete from in_web_messages where export_date in (select date from days);
delete from sent_push_messages where export_date in (select date from days);
delete from web_push_messages where export_date in (select date from days);
delete from webhook_messages where export_date in (select date from days);
delete from message_buttons where export_date in (select date from days);
delete from other_messages where export_date in (select date from days);

-- Whether the days were loaded before, and which other days' exports gave records up for them (keep_one of 9_repeats). What an
-- archived day gave up stays given up.
select
    (select count(*) from ops.coverage where stream = 'events' and date in (select date from days)) > 0 as held,
    coalesce(
        (
            select list(distinct date::varchar)
            from ops.load_notes
            where
                stream = 'events'
                and note in ('elsewhere', 'message_elsewhere')
                and subject in (select date::varchar from days)
                and date not in (select date from days)
                and date not in (select date from ops.archived_days)
        ),
        []
    ) as neighbours;
