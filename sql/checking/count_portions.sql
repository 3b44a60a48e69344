select count(distinct portion) as portions from days_to_check;
