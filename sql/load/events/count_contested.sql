select count(*) as ids from contested;
