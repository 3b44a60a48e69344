select count(*) as documents from odd;
