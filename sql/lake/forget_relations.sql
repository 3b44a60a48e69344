-- Tables that were dropped in the lake and created again hold nothing: what is told of them goes too.

delete from lake.{ops}.lake_parts where relation in ({relations});

delete from lake.{ops}.coverage where stream in ({streams});
