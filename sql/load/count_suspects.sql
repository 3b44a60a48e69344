select count(*) as documents from suspects;
