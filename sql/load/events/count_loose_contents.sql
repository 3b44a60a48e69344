select count(*) as contents from loose_contents;
