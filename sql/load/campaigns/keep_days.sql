delete from free_days where (campaign_id, date) in (select (campaign_id, date) from held_sizes);
