-- Mentions of catalog items in messages are no longer computed.
drop table ops.item_mentions;
drop table if exists marts.daily_item_mentions;
