delete from days where date in (select date from held_sizes);
