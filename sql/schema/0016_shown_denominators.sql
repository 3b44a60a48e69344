-- The messages that clicks divide by: of in-app and in-web messages those that were shown, where that is known. A message
-- that nobody was shown cannot be clicked.
create macro marts.clickable_messages(channel, succeeded, delivered) as if(
    marts.is_display(channel), coalesce(delivered, succeeded), succeeded
);
